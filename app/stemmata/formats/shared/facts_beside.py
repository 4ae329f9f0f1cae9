"""Read the JSON files that a tool keeps beside a session's file, such as its title and folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.sources.reading import Checkpoint
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, parse, parse_object

_LARGEST = 64 << 20  # bytes of a file


def content_of(path: Path, damaged: list[str]) -> Any:
    """Return the value of a JSON file; None for one that is missing, and for one that is noted in `damaged`."""
    try:
        with open_source(path) as file, known_read_errors(path):
            if os.fstat(file.fileno()).st_size > _LARGEST:
                damaged.append(f"{path.name} is too large, nothing of it was read")
                return None
            return parse(b"".join(iter(lambda: file.read(1 << 20), b"")))
    except NotFoundError:
        return None
    except (KnownError, BadLineError) as error:
        damaged.append(f"{path.name} cannot be read: {error}")
        return None


def fingerprint(files: Iterable[Path]) -> str:
    """Return names, sizes and times of the files that exist: it differs when one of them was changed or added."""
    states = []
    for file in files:
        try:
            found = os.stat(file)
        except (OSError, ValueError):
            continue
        states.append(f"{file.name}:{found.st_size}:{found.st_mtime_ns}")
    return "/".join(states)


def beside_changed(known: Checkpoint, key: str, files: Iterable[Path]) -> bool:
    """Return whether the fingerprint of the files differs from the one in the checkpoint's state.

    `key` is its name there. A state without this key is that of an older version, which did not compare the files.
    """
    try:
        state = parse_object(known.state.encode())
    except BadLineError:
        return False
    return key in state and state[key] != fingerprint(files)
