"""The folders of one profile: settings, archive, logs, cache."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase

LONGEST_SOCKET = 100  # bytes; the system's limit is 104 to 108


class Profile(NamedTuple):
    """Where one user's Stemmata keeps its things. `store` is the archive's file, by default in `data`."""

    config: Path
    data: Path
    state: Path
    cache: Path
    store: Path

    @classmethod
    def standard(cls) -> Profile:
        """The folders that the system sets apart for applications."""
        from platformdirs import PlatformDirs

        folders = PlatformDirs("stemmata", appauthor=False)
        return cls(
            folders.user_config_path,
            folders.user_data_path,
            folders.user_state_path,
            folders.user_cache_path,
            folders.user_data_path / "archive.db",
        )

    @classmethod
    def under(cls, folder: Path) -> Profile:
        """Everything in one folder, apart from any other profile."""
        data = folder / "data"
        return cls(folder / "config", data, folder / "state", folder / "cache", data / "archive.db")

    @classmethod
    def choose(
        cls, environment: Mapping[str, str], *, folder: str | None = None, store: str | None = None
    ) -> Profile:
        """The profile that the options ask for, else STEMMATA_PROFILE and STEMMATA_STORE, else the standard one."""
        folder = folder or environment.get("STEMMATA_PROFILE")
        store = store or environment.get("STEMMATA_STORE")
        profile = cls.under(_absolute(folder)) if folder else cls.standard()
        return profile._replace(store=_absolute(store)) if store else profile

    @property
    def settings(self) -> Path:
        return self.config / "settings.toml"

    @property
    def window(self) -> Path:
        """Geometry of the window: opaque, the application's own."""
        return self.state / "window.ini"

    @property
    def socket(self) -> str:
        """The file at which the running window of this profile and archive listens; "" where there are none."""
        if os.name == "nt":
            return ""
        name = f"window-{zlib.crc32(os.fsencode(self.store)):08x}"
        path = self.state / f"{name}.socket"
        if len(os.fsencode(path)) <= LONGEST_SOCKET:
            return str(path)
        place = f"{zlib.crc32(os.fsencode(path)):08x}"
        return str(Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp") / f"stemmata-{os.getuid()}-{place}.socket")  # noqa: S108 - the socket is its user's alone

    @property
    def log(self) -> Path:
        return self.state / "stemmata.log"

    @property
    def crash(self) -> Path:
        return self.state / "crash.txt"

    def create(self) -> None:
        """Make the folders, readable by their owner alone. Raises KnownError when one cannot be made."""
        for folder in (self.config, self.data, self.state, self.cache, self.store.parent):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise KnownError(
                    Phrase(
                        "The folder {0} cannot be created: {1}. Nothing was changed. Choose another "
                        "folder with --profile or --store.",
                        folder,
                        error.strerror,
                    )
                ) from error


def _absolute(path: str) -> Path:
    """Absolute, so that a later change of the working folder changes nothing."""
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:  # "~somebody" whom the system does not know
        raise KnownError(Phrase("{0} is not a path on this machine: {1}", path, error)) from error
