"""The wheel, the source archive, the frozen program as an archive, and the list of checksums."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from builds.places import ARCHITECTURE, DIST, EPOCH, FOLDER, VERSION, KnownProblem, run


def build_wheel() -> Path:
    """Build the wheel and return it."""
    return _hatch("wheel", "*-py3-none-any.whl")


def build_sdist() -> Path:
    """Build the source archive and return it."""
    return _hatch("sdist", "*.tar.gz")


def _hatch(target: str, pattern: str) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", DIST)
    (made,) = DIST.glob(f"stemmata_desktop-{VERSION}{pattern[1:]}")
    return made


def frozen_folder() -> Path:
    """Return the folder of the frozen program. Raises KnownProblem when it was not built."""
    if not (FOLDER / "stemmata").exists():
        raise KnownProblem("the frozen program is missing; build the kind `folder` first.")
    return FOLDER


def pack_folder() -> Path:
    """Pack the frozen program as .tar.zst and return the archive."""
    made = DIST / f"stemmata-{VERSION}-linux-{ARCHITECTURE}.tar.zst"
    folder = frozen_folder()
    run(
        "tar", "--create", "--file", made, "--use-compress-program", "zstd -q -19 -T0 --long", "--sort=name",
        f"--mtime=@{EPOCH}", "--owner=0", "--group=0", "--numeric-owner", "--directory", folder.parent, folder.name,
    )  # fmt: skip
    return made


def write_checksums() -> Path:
    """Write the SHA-256 of every file in `dist`, in the form of sha256sum, and return the list."""
    made = DIST / "SHA256SUMS"
    files = sorted(path for path in DIST.iterdir() if path.is_file() and path != made)
    made.write_text("".join(f"{digest(path)}  {path.name}\n" for path in files), encoding="ascii")
    return made


def digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
