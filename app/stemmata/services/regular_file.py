"""Reading of files that others name: a person, a transcript, or a model."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_regular(path: Path, most: int, *, flags: int = 0) -> bytes | None:
    """Return the first `most` bytes of a regular file; None for a folder, a pipe or a device, which are not read.

    `flags` are further flags of `os.open`. Raises OSError, and ValueError for a path that contains NUL.
    """
    # opening a pipe would wait for its writer, and reading a device would never end
    flags |= getattr(os, "O_NONBLOCK", 0)
    try:
        with open(path, "rb", opener=lambda name, opening: os.open(name, opening | flags)) as file:
            return file.read(most) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except IsADirectoryError:
        return None
