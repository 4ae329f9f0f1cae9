"""Recognise Codex's rollouts (`~/.codex`) and read them. Source files are never written."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from stemmata.domain.sources.reading import Checkpoint, ReadEvent
from stemmata.formats.codex.compressed import MOST_BYTES, SIGNATURE, Unpacked
from stemmata.formats.codex.home import ARCHIVED, INDEX, SESSIONS
from stemmata.formats.codex.reading import SOURCE, CodexReading
from stemmata.formats.codex.records import is_line, is_old_header
from stemmata.formats.pi.reader import expanded
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.values import first_records

_UNPACKED, _PIECES = 1 << 20, 8  # bytes of one piece of a packed file, and pieces, that are looked at


class Codex(SingleFileFormat):
    """The reader of Codex's sessions."""

    name = SOURCE

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether one of the first records is Codex's. The head of a packed file is unpacked first."""
        if head.startswith(SIGNATURE):
            head = _unpacked(head)
        records = first_records(head, limit=100)
        first = records[0] if records else None
        is_old = path.name.startswith("rollout-") and isinstance(first, dict) and is_old_header(first)
        return is_old or any(map(is_line, records))

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder of the sessions and that of the archived ones."""
        named = environment.get("CODEX_HOME", "")
        codex = expanded(named, home) if named else home / ".codex"
        return (SessionFolder(codex / SESSIONS), SessionFolder(codex / ARCHIVED))

    def is_companion(self, path: Path) -> bool:
        """Return whether the file is the index of names in Codex's home folder."""
        return path.name == INDEX and os.path.isdir(path.parent / SESSIONS)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, from the checkpoint on if it still applies."""
        yield from CodexReading(path, since).events()

    def read_start(self, path: Path, size: int) -> Iterator[ReadEvent]:
        """Yield the events of the first `size` bytes, as if there were no more."""
        yield from CodexReading(path, None, end=size).events()


def _unpacked(head: bytes) -> bytes:
    """Return the beginning of the unpacked bytes; b"" for damaged ones."""
    unpacked = Unpacked(io.BytesIO(head), Path(), MOST_BYTES)
    parts = iter(partial(unpacked.read, _UNPACKED), b"")
    return b"".join(islice(parts, _PIECES))
