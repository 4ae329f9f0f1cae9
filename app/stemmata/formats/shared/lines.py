"""Lines of a source file: streamed, bounded, read-only. What every reader of JSON lines stands on.

A reader walks a `SourceLines`: it gets the file's bytes (`Raw`, to be passed on as they are) and, after the bytes
that complete it, each non-blank `Line`. `parse` turns a line's data into a value and never returns a string that
UTF-8 cannot hold. `SourceLines.checkpoint` and `resume` let the next run go on behind the last complete line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Record
from stemmata.domain.entries.session_facts import Checkpoint, Raw
from stemmata.formats.shared.source_file import identity, open_source, reading

CHUNK = 1 << 18
LINE_LIMIT = 64 << 20
BOM = b"\xef\xbb\xbf"
_TAIL = 1024  # bytes before a checkpoint whose hash proves that the file was only appended to


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `offset` and `size` are in bytes and leave out the line end (and a BOM).

    `data` is None when the line is longer than the limit; its bytes still flow out as `Raw`.
    `complete`: an LF ended it. The last line of a file that is being written may be cut anywhere.
    """

    number: int  # from 1
    offset: int
    size: int
    data: bytes | None
    end: bytes  # b"\n", b"\r\n", or b"" for an incomplete last line

    @property
    def complete(self) -> bool:
        return bool(self.end)

    @property
    def blank(self) -> bool:
        return self.data is not None and (not self.data or self.data.isspace())

    @property
    def record(self) -> Record:
        return Record(self.offset, self.size)


class LineSplitter:
    """Chunks of a file in, its lines out, split at LF only (a CR before it belongs to the line end).

    `offset` and `lines` say where the last complete line ended and how many there were.
    """

    def __init__(self, offset: int = 0, lines: int = 0, limit: int = LINE_LIMIT) -> None:
        self.offset = offset
        self.lines = lines
        self._limit = limit
        self._parts: list[bytes] = []  # of the line that is not complete yet
        self._length = 0

    def feed(self, chunk: bytes) -> Iterator[Line]:
        first, *others = chunk.split(b"\n")
        self._add(first)
        for part in others:
            yield self._line(b"\n")
            self.offset += self._length + 1
            self.lines += 1
            self._parts, self._length = [], 0
            self._add(part)

    def finish(self) -> Iterator[Line]:
        """What follows the last LF."""
        if self._length:
            yield self._line(b"")

    def _add(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > self._limit:
            self._parts = []
        elif part:
            self._parts.append(part)

    def _line(self, end: bytes) -> Line:
        offset, size = self.offset, self._length
        if size > self._limit:
            return Line(self.lines + 1, offset, size, None, end)
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        if offset == 0 and data.startswith(BOM):
            data, offset = data[len(BOM) :], len(BOM)
        if end and data.endswith(b"\r"):
            data, end = data[:-1], b"\r\n"
        return Line(self.lines + 1, offset, len(data), data, end)


class SourceLines:
    """The bytes and the non-blank lines of one file, from a byte offset on.

    Memory is bounded by the chunk and the line limit, whatever the file's size. After the iteration (or during it)
    `offset` and `lines` say where the last complete line ended and how many there were, `size` how far the file was
    read. Raises UnreadableSourceError or NotFoundError when the iteration starts.
    """

    def __init__(
        self, path: Path, *, offset: int = 0, lines: int = 0, limit: int = LINE_LIMIT, chunk: int = CHUNK
    ) -> None:
        self.path = path
        self.size = offset
        self._splitter = LineSplitter(offset, lines, limit)
        self._chunk = chunk

    @property
    def offset(self) -> int:
        return self._splitter.offset

    @property
    def lines(self) -> int:
        return self._splitter.lines

    def __iter__(self) -> Iterator[Raw | Line]:
        with open_source(self.path) as file, reading(self.path):
            file.seek(self.offset)
            while chunk := file.read(self._chunk):
                yield Raw(self.size, chunk)
                self.size += len(chunk)
                yield from (line for line in self._splitter.feed(chunk) if not line.blank)
        yield from (line for line in self._splitter.finish() if not line.blank)

    def checkpoint(self, state: Mapping[str, Any]) -> Checkpoint:
        """Where to go on next time. `state` is the reader's own, as it was at the end of the last complete line."""
        size, mtime, head = identity(self.path)
        kept = {**state, "tail": _tail(self.path, self.offset)}
        text = json.dumps(kept, separators=(",", ":"))
        return Checkpoint(str(self.path), min(size, self.size), mtime, self.offset, self.lines, head, text)


def resume(path: Path, since: Checkpoint | None) -> dict[str, Any] | None:
    """The state handed to `checkpoint`, when the file still begins with what was read then; else None: start anew."""
    if since is None or not since.offset:
        return None
    size, _, head = identity(path)
    if size < since.offset or head != since.head:
        return None
    try:
        state = json.loads(since.state)
    except ValueError:
        return None
    if not isinstance(state, dict) or state.pop("tail", None) != _tail(path, since.offset):
        return None
    return state


def _tail(path: Path, offset: int) -> str:
    start = max(0, offset - _TAIL)
    with open_source(path) as file, reading(path):
        file.seek(start)
        return hashlib.sha256(file.read(offset - start)).hexdigest()[:16]
