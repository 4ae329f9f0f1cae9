"""Stream the lines of a source file with bounded memory.

A reader iterates over a `SourceLines`. It receives the file's bytes as `Raw`, which it passes on unchanged, and each
non-blank `Line` after the bytes that complete it. `SourceLines.checkpoint` and `resume` let the next reading continue
after the last complete line.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from stemmata.domain.entries.entry import Record
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import Checkpoint, Raw
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.shared.source_file import identity, known_read_errors, open_source
from stemmata.formats.shared.values import BOM, BadLineError, parse_object

CHUNK = 1 << 18
LINE_LIMIT = 64 << 20
_TAIL = 1024  # bytes before a checkpoint; their hash proves that the file was only appended to


class Line(NamedTuple):
    """One line. `offset` and `size` are in bytes and exclude the line end and a byte order mark.

    `data` is None when the line exceeds the limit; its bytes are still yielded as `Raw`.
    """

    number: int  # from 1
    offset: int
    size: int
    data: bytes | None
    end: bytes  # b"\n", b"\r\n", or b"" for an incomplete last line

    @property
    def complete(self) -> bool:
        """Whether the line ends in LF. The last line of a file that is being written can be cut at any byte."""
        return bool(self.end)

    @property
    def blank(self) -> bool:
        """Whether the line is empty or holds only white space."""
        return self.data is not None and (not self.data or self.data.isspace())

    @property
    def record(self) -> Record:
        """The position of the line in the file."""
        return Record(self.offset, self.size)


def object_in(line: Line) -> dict[str, Any]:
    """Return the JSON object of a line. Raises BadLineError, which also says when the file ends inside the line."""
    try:
        return parse_object(line.data)
    except BadLineError as error:
        if line.complete:
            raise
        raise BadLineError(f"{error}: the file ends inside this line") from error


class LineSplitter:
    """Split the chunks of a file into lines at LF; a CR before the LF belongs to the line end.

    `offset` is the byte after the last complete line, `lines` the number of complete lines.
    """

    def __init__(self, offset: int = 0, lines: int = 0, limit: int = LINE_LIMIT) -> None:
        self.offset = offset
        self.lines = lines
        self._limit = limit
        self._parts: list[bytes] = []  # pieces of the line that is not complete yet
        self._length = 0

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """Yield the lines that this chunk completes."""
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:  # `find` is faster than `split`, which looks at each byte
            self._add(chunk[start:end])
            yield self._line(b"\n")
            self.offset += self._length + 1
            self.lines += 1
            self._parts, self._length = [], 0
            start = end + 1
        self._add(chunk[start:])

    def finish(self) -> Iterator[Line]:
        """Yield the unfinished line after the last LF, if any."""
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


LARGEST_DOCUMENT = 256 << 20  # bytes; a document in memory takes several times its size


class SourceLines:
    """Iterate over the bytes and the non-blank lines of one file, starting at a byte offset.

    Memory is bounded by the chunk size and the line limit, independent of the file's size. `size` is the number of
    bytes read so far. `opener` opens the file, which may be packed. Readers that hold the whole file limit its size
    to `largest` bytes. With `end` the iteration stops at a line end once about so many bytes were read. The iteration
    raises UnreadableSourceError or NotFoundError when it starts.
    """

    def __init__(
        self,
        path: Path,
        *,
        offset: int = 0,
        lines: int = 0,
        limit: int = LINE_LIMIT,
        chunk: int = CHUNK,
        opener: Callable[[Path], BinaryIO] = open_source,
        largest: int | None = None,
        end: int | None = None,
    ) -> None:
        self.path = path
        self._largest = largest
        self._end = end
        self.size = offset
        self._splitter = LineSplitter(offset, lines, limit)
        self._chunk = chunk
        self._opener = opener

    @property
    def offset(self) -> int:
        """The byte after the last complete line."""
        return self._splitter.offset

    @property
    def lines(self) -> int:
        """The number of complete lines so far, including those before the starting offset."""
        return self._splitter.lines

    def __iter__(self) -> Generator[Raw | Line]:
        with self._opener(self.path) as file, known_read_errors(self.path):
            if self._largest is not None and os.fstat(file.fileno()).st_size > self._largest:
                limit = self._largest >> 20
                raise UnreadableSourceError(
                    Phrase(
                        "{0} is larger than {1} MB, the most that can be read of a session file of this tool.",
                        self.path,
                        limit,
                    )
                )
            file.seek(self.offset)
            while chunk := file.read(self._chunk):
                is_last = self._end is not None and self.size + len(chunk) >= self._end and b"\n" in chunk
                chunk = chunk[: chunk.rfind(b"\n") + 1] if is_last else chunk
                yield Raw(self.size, chunk)
                self.size += len(chunk)
                for line in self._splitter.feed(chunk):
                    if not line.blank:
                        yield line
                if is_last:
                    return
        yield from (line for line in self._splitter.finish() if not line.blank)

    def checkpoint(self, state: Mapping[str, Any]) -> Checkpoint:
        """Return the position after the last complete line, from which the next reading continues.

        `state` is the reader's own data as of the end of that line.
        """
        size, mtime, head = identity(self.path)
        kept = {**state, "tail": _tail(self.path, self.offset)}
        text = json.dumps(kept, separators=(",", ":"))
        return Checkpoint(str(self.path), min(size, self.size), mtime, self.offset, self.lines, head, text)


def resume(path: Path, since: Checkpoint | None) -> dict[str, Any] | None:
    """Return the state stored in the checkpoint when the file was only appended to since then.

    Returns None when the file was rewritten or the checkpoint is damaged; the file must then be read from its start.
    A file of the same size and another time was rewritten: a change in its middle would not show otherwise.
    """
    if since is None or not since.offset:
        return None
    size, mtime, head = identity(path)
    if size < since.offset or head != since.head or (size == since.size and mtime != since.mtime):
        return None
    try:
        state = json.loads(since.state)
    except ValueError:
        return None
    if not isinstance(state, dict) or state.pop("tail", None) != _tail(path, since.offset):
        return None
    return state


def _tail(path: Path, offset: int) -> str:
    """Return a hash of the last _TAIL bytes before the offset."""
    start = max(0, offset - _TAIL)
    with open_source(path) as file, known_read_errors(path):
        file.seek(start)
        return hashlib.sha256(file.read(offset - start)).hexdigest()[:16]
