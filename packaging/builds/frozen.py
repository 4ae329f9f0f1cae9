"""The frozen program: PyInstaller runs in an environment that holds the wheel and the locked requirements."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from builds.archives import build_wheel, digest
from builds.places import DIST, FOLDER, ROOT, WORK, KnownProblem, run, size_of

ENVIRONMENT = ROOT / ".venv-package"
LOCK = ROOT / "packaging" / "requirements" / "package.txt"
LARGEST = 150_000_000  # bytes
PLUGINS = "_internal/PySide6/Qt/plugins"
# Parts without which the program fails. PyInstaller leaves out plugins whose libraries it does not find.
INDISPENSABLE = (
    f"{PLUGINS}/platforms/libqxcb.so",
    f"{PLUGINS}/platforms/libqwayland.so",
    f"{PLUGINS}/wayland-shell-integration/libxdg-shell.so",
    f"{PLUGINS}/imageformats/libqsvg.so",
    f"{PLUGINS}/iconengines/libqsvgicon.so",
    "_internal/libxcb-cursor.so.0",
    "_internal/stemmata/resources/models.toml",
)


def freeze() -> Path:
    """Freeze the program, try it, and return its folder."""
    wheel = build_wheel()
    python = _environment(wheel)
    run(
        python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "--distpath", DIST, "--workpath", WORK,
        ROOT / "packaging" / "frozen" / "stemmata.spec",
    )  # fmt: skip
    missing = [name for name in INDISPENSABLE if not (FOLDER / name).exists()]
    if missing:
        raise KnownProblem(f"the folder lacks {', '.join(missing)}: install their libraries and build again.")
    if size_of(FOLDER) > LARGEST:
        raise KnownProblem(f"the folder has {size_of(FOLDER) / 1e6:.0f} MB, more than {LARGEST / 1e6:.0f}.")
    run(FOLDER / "stemmata", "--version")
    run(FOLDER / "stemmata", "--store", WORK / "tried.db", "sessions")
    return FOLDER


def _environment(wheel: Path) -> Path:
    """Return the Python of the environment, in which the locked requirements and this wheel are installed."""
    python = ENVIRONMENT / "bin" / "python"
    stamp = ENVIRONMENT / ".installed"
    if not stamp.exists() or stamp.read_text() != digest(LOCK):
        run(sys.executable, "-m", "venv", "--clear", ENVIRONMENT)
        run(python, "-m", "pip", "install", "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", LOCK)
        stamp.write_text(digest(LOCK))
    run(python, "-m", "pip", "install", "--no-deps", "--no-index", "--force-reinstall", wheel)
    return python


# -- what the folder needs from the system ---------------------------------------------------------------------------


def needed_libraries(folder: Path) -> dict[str, set[str]]:
    """Return the libraries that the folder's files load and that it does not contain, each with these files."""
    shipped = {path.name for path in folder.rglob("*.so*")}
    needed: dict[str, set[str]] = {}
    for path in elf_files(folder):
        for line in run("readelf", "--dynamic", path).splitlines():
            library = line.partition("Shared library: [")[2].rstrip("]")
            if library and library not in shipped:
                needed.setdefault(library, set()).add(path.relative_to(folder).as_posix())
    return needed


def elf_files(folder: Path) -> Iterator[Path]:
    """Yield the programs and libraries of the folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF":
            yield path


def copy_program(to: Path) -> None:
    """Copy the frozen program to `to`, whose parent exists or is made."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(FOLDER, to, symlinks=True)
