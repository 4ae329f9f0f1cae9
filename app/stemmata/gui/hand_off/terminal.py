"""Runs a command in a terminal of the desktop."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QProcess

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase

# Programs in the order of trial, each with the arguments that come before the command.
TERMINALS: Sequence[tuple[str, tuple[str, ...]]] = (
    ("x-terminal-emulator", ("-e",)),
    ("gnome-terminal", ("--",)),
    ("kgx", ("--",)),
    ("konsole", ("-e",)),
    ("xfce4-terminal", ("-x",)),
    ("kitty", ()),
    ("alacritty", ("-e",)),
    ("wezterm", ("start", "--")),
    ("foot", ()),
    ("xterm", ("-e",)),
)


def in_terminal(command: Sequence[str], environment: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return program and arguments that run a command in a terminal.

    Raises KnownError when the command or a terminal is not installed.
    """
    if shutil.which(command[0], path=environment.get("PATH")) is None:
        raise KnownError(Phrase("{0} is not installed, or not on the PATH. Copy the command instead.", command[0]))
    named = environment.get("TERMINAL", "")
    for program, arguments in (*([(named, ("-e",))] if named else []), *TERMINALS):
        found = shutil.which(program, path=environment.get("PATH"))
        if found is not None:
            return found, [*arguments, *command]
    raise KnownError(Phrase("No terminal was found. Copy the command instead, and run it where you want."))


def run_in_terminal(command: Sequence[str], cwd: str) -> None:
    """Run a command in a new terminal window, in a folder. Raises KnownError when it cannot be started."""
    if sys.platform == "win32":
        program, arguments = "cmd.exe", ["/c", "start", "", *command]
    else:
        program, arguments = in_terminal(command, os.environ)
    if cwd and not Path(cwd).is_dir():
        raise KnownError(Phrase("The folder {0} does not exist. Nothing was started.", cwd))
    process = QProcess()
    process.setProgram(program)
    process.setArguments(arguments)
    process.setWorkingDirectory(cwd)
    started, _pid = process.startDetached()
    if not started:
        raise KnownError(Phrase("{0} could not be started. Copy the command instead.", program))
