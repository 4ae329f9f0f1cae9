"""The folders and files of one profile: settings, archive, logs, cache."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from platformdirs import PlatformDirs

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase
from stemmata.system.window_socket import socket_of


class Profile(NamedTuple):
    """The folders of one user's data. `store` is the archive file, in `data` by default."""

    config: Path
    data: Path
    state: Path
    cache: Path
    store: Path

    @classmethod
    def standard(cls) -> Profile:
        """Return the platform's standard folders for applications."""
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
        """Return a profile whose folders are all inside `folder`."""
        data = folder / "data"
        return cls(folder / "config", data, folder / "state", folder / "cache", data / "archive.db")

    @classmethod
    def choose(
        cls, environment: Mapping[str, str], *, folder: str | None = None, store: str | None = None
    ) -> Profile:
        """Return the profile to use.

        The options come first, then STEMMATA_PROFILE and STEMMATA_STORE, then the standard folders.
        """
        folder = folder or environment.get("STEMMATA_PROFILE")
        store = store or environment.get("STEMMATA_STORE")
        profile = cls.under(_absolute(folder)) if folder else cls.standard()
        return profile._replace(store=_absolute(store)) if store else profile

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.config / "settings.toml"

    @property
    def window(self) -> Path:
        """The file with the window's size, position and layout, in Qt's own format."""
        return self.state / "window.ini"

    @property
    def socket(self) -> str:
        """The socket at which this profile's running window listens; "" on Windows, where none is used."""
        return socket_of(str(self.state), str(self.store))

    @property
    def start_lock(self) -> Path:
        """The lock of a program whose window does not listen yet, per archive as the socket."""
        return self.state / f"window-{crc32(os.fsencode(self.store)):08x}.lock"

    @property
    def log(self) -> Path:
        """The log file."""
        return self.state / "stemmata.log"

    @property
    def crash(self) -> Path:
        """The crash file of the current run."""
        return self.state / "crash.txt"

    def create(self) -> None:
        """Create the folders, accessible to their owner only. Raises KnownError when a folder cannot be created."""
        for folder in (self.config, self.data, self.state, self.cache, self.store.parent):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise KnownError(
                    Phrase(
                        "Could not create the folder {0}: {1}. Nothing was changed. "
                        "Choose another folder with --profile or --store.",
                        folder,
                        error.strerror,
                    )
                ) from error


def _absolute(path: str) -> Path:
    """Return an absolute path, which stays valid when the working folder changes."""
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:  # "~name" of an unknown user
        raise KnownError(
            Phrase("Not a valid path on this machine: {0} ({1}). Nothing was changed.", path, error)
        ) from error
