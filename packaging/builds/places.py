"""The folders of a build, and how it runs programs and reports."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from stemmata import __version__

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
WORK = ROOT / "build"
FOLDER = DIST / "stemmata"  # the frozen program
NAME = "stemmata-desktop"
ARCHITECTURE = "x86_64"
EPOCH = "1580601600"  # hatchling's date of files, for archives that are the same bytes when they are built again
VERSION = __version__


class KnownProblem(Exception):  # noqa: N818 - a sentence for the person who builds
    """A build that cannot go on, with the reason."""


def say(text: str) -> None:
    """Report progress."""
    print(text, file=sys.stderr, flush=True)


def run(*command: str | Path, cwd: Path = ROOT, without: tuple[str, ...] = ()) -> str:
    """Run a program and return its output. Raises KnownProblem when it is missing or fails.

    `without` names variables of the environment that it must not see.
    """
    words = [str(word) for word in command]
    if shutil.which(words[0]) is None:
        raise KnownProblem(f"{words[0]} is not installed.")
    environment = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    environment |= {"SOURCE_DATE_EPOCH": EPOCH}
    for name in without:
        environment.pop(name, None)
    made = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if made.returncode:
        raise KnownProblem(f"{' '.join(words)} failed:\n{made.stdout[-4000:]}{made.stderr[-4000:]}")
    return made.stdout


def empty(folder: Path) -> Path:
    """Return the folder, newly made."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.lstat().st_size for file in path.rglob("*") if not file.is_dir())
