"""Stores a session that another program pipes to `stemmata -`, so that the window can import it as a file."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TextIO

from stemmata.domain.errors import KnownError
from stemmata.system.paths import Profile

NO_PIPE = "`stemmata -` reads a session from another program, as in `cat notes.jsonl | stemmata -`."
NO_INPUT = "Standard input is empty. Nothing was imported."


def session_from_standard_input(profile: Profile, stream: TextIO | None) -> Path:
    """Return the file in the profile's cache to which standard input was copied; the same input has the same file.

    Raises KnownError when nothing is piped, or when the file cannot be written.
    """
    if stream is None or stream.isatty():
        raise KnownError(NO_PIPE)
    folder = profile.cache / "piped"
    try:
        data = stream.buffer.read()
        if not data.strip():
            raise KnownError(NO_INPUT)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"{zlib.crc32(data):08x}-{len(data)}{_ending(data)}"
        if not path.exists():
            unfinished = path.with_suffix(".part")
            unfinished.touch(mode=0o600)
            unfinished.write_bytes(data)
            unfinished.replace(path)
    except OSError as error:
        reason = error.strerror or error
        raise KnownError(f"Could not store standard input in {folder}: {reason}. Nothing was imported.") from error
    return path


def _ending(data: bytes) -> str:
    """Return the ending of the file's name, by which formats recognise it."""
    first, _, rest = data.lstrip().partition(b"\n")
    if first[:1] not in (b"{", b"["):
        return ".md"
    return ".jsonl" if first.rstrip().endswith(b"}") and rest.lstrip()[:1] in (b"{", b"") else ".json"
