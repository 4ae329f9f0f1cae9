"""Adds the program to this user's desktop: menu entry, icons, file types, link scheme, manual, completions, service.

The files are those of `resources/desktop/share`; the menu entry and the service get the path of the program.
"""

from __future__ import annotations

import os
import shutil
import subprocess  # noqa: TID251 - runs the two programs below with fixed arguments and without a shell
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from stemmata import APPLICATION_ID
from stemmata.assets import resource
from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase

ENTRY = f"applications/{APPLICATION_ID}.desktop"
SERVICE = "systemd/user/stemmata-follow.service"
# Programs that build the caches of a desktop, with the folder that each reads. A desktop without them has no caches.
CACHES = {"update-desktop-database": "applications", "update-mime-database": "mime"}
PATIENCE = 60  # timeout of these programs, in seconds
QUOTED = str.maketrans({character: f"\\{character}" for character in '"`$\\'})


class UserDesktopFiles:
    """Implements `services.ports.system.DesktopFiles` for Linux. `command` starts the program."""

    def __init__(self, environment: Mapping[str, str], command: Sequence[str] | None = None) -> None:
        home = environment.get("HOME") or str(Path.home())
        self._share = Path(environment.get("XDG_DATA_HOME") or f"{home}/.local/share")
        self._shared = (environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
        self._command = program_command() if command is None else command
        self._source = resource("desktop", "share")

    def install(self) -> Path:
        """Write the files and return the folder that contains them."""
        if not sys.platform.startswith("linux"):
            raise KnownError(Phrase("Only Linux desktops have a menu that Stemmata can be added to."))
        for folder in self._shared:
            if (Path(folder) / ENTRY).exists():
                raise KnownError(
                    Phrase("Stemmata is in the menu of all users already: {0} exists.", str(Path(folder) / ENTRY))
                )
        try:
            for name in self._names():
                path = self._share / name
                path.parent.mkdir(parents=True, exist_ok=True)
                unfinished = path.with_name(f".{path.name}.part")
                unfinished.write_bytes(self._content(name))
                unfinished.replace(path)
        except OSError as error:
            raise KnownError(
                Phrase("Could not write to {0}: {1}. The archive was not touched.", self._share, error.strerror)
            ) from error
        self._update_caches()
        return self._share

    def remove(self) -> int:
        """Remove the files and return how many there were."""
        found = [path for path in map(self._share.joinpath, self._names()) if path.exists()]
        try:
            for path in found:
                path.unlink()
        except OSError as error:
            raise KnownError(
                Phrase(
                    "Could not remove files from {0}: {1}. The archive was not touched.", self._share, error.strerror
                )
            ) from error
        if found:
            self._update_caches()
        return len(found)

    def _names(self) -> list[str]:
        files = (path for path in self._source.rglob("*") if path.is_file())
        return sorted(path.relative_to(self._source).as_posix() for path in files)

    def _content(self, name: str) -> bytes:
        content = (self._source / name).read_bytes()
        if name == ENTRY:
            return content.replace(b"Exec=stemmata ", b"Exec=%s " % command_line(self._command).encode())
        if name == SERVICE:
            return content.replace(b"ExecStart=stemmata ", b"ExecStart=%s " % command_line(self._command).encode())
        return content

    def _update_caches(self) -> None:
        """Run the programs that build the caches. A failure is not reported: the files work without the caches."""
        for name, folder in CACHES.items():
            program = shutil.which(name)
            if program and (self._share / folder).is_dir():
                command = [program, str(self._share / folder)]
                subprocess.run(command, check=False, timeout=PATIENCE, capture_output=True)  # noqa: S603 - as above


def command_line(command: Sequence[str]) -> str:
    """Return the command as a value of `Exec` in a menu entry, or of `ExecStart` in a service."""
    return " ".join(f'"{word.translate(QUOTED).replace("%", "%%")}"' for word in command)


def program_command() -> list[str]:
    """Return the command that starts this program, with absolute paths that stay valid in the user's desktop."""
    if getattr(sys, "frozen", False):
        return [os.environ.get("APPIMAGE") or sys.executable]
    script = Path(sys.executable).with_name("stemmata")
    return [str(script)] if script.exists() else [sys.executable, "-m", "stemmata"]
