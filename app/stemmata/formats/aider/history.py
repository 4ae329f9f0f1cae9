"""Split a chat history of Aider into its runs while it streams."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from stemmata.domain.errors import RereadError
from stemmata.formats.shared.lines import CHUNK, Line, LineSplitter
from stemmata.formats.shared.source_file import known_read_errors, open_source

RUN_LIMIT = 64 << 20  # bytes of a run, which is held in memory
START = re.compile(rb"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*\Z")


@dataclass(slots=True)
class AiderRun:
    """The lines of one run of the program. `started` is the time in its first line, "" for text before any run.

    `offset` is the place of the run in the file. `again` counts the earlier runs that started in the same second.
    `before` is the key of the run before it, "" for the first one.
    """

    number: int  # from 1
    started: str
    offset: int
    again: int
    before: str = ""
    lines: list[Line] = field(default_factory=list)
    size: int = 0

    @property
    def key(self) -> str:
        """The name of the run within its file."""
        return f"{self.started or 'text'}{f'.{self.again}' if self.again else ''}"

    @property
    def is_too_large(self) -> bool:
        """Whether the run exceeds the limit, so that its lines are not kept."""
        return self.size > RUN_LIMIT

    @property
    def is_blank(self) -> bool:
        """Whether the run consists of empty lines, such as those before the first run, which may be half written."""
        return (
            not self.started and not self.is_too_large and all(line.blank or _is_begun(line) for line in self.lines)
        )

    @property
    def data(self) -> bytes:
        """The bytes of the run."""
        return b"".join((line.data or b"") + line.end for line in self.lines)

    def add(self, line: Line) -> None:
        """Add the next line."""
        if not self.size:
            self.offset = line.offset  # the line starts after a byte order mark
        self.size += line.size + len(line.end)
        if self.is_too_large or line.data is None:
            self.size = max(self.size, RUN_LIMIT + 1)
            self.lines.clear()
        else:
            self.lines.append(line)


@dataclass(frozen=True, slots=True)
class RunPlace:
    """A place in the file from which it can be read: the start of a run, and the facts about the earlier runs."""

    offset: int = 0
    runs: int = 0  # before the place
    again: int = 0  # number of earlier runs with the same start
    before: str = ""  # the key of the run before it
    latest: str = ""  # the latest start of a run before it


def runs(path: Path, place: RunPlace) -> Iterator[AiderRun]:
    """Yield the runs of the file from a place on. Raises NotFoundError and UnreadableSourceError.

    Raises RereadError for a run that started no later than one before the place: it may be in the same second.
    """
    run = AiderRun(place.runs + 1, "", place.offset, 0, place.before)
    seen: Counter[str] = Counter()
    for line in _lines(path, place.offset):
        found = START.match(line.data) if line.data is not None else None
        if found is not None:
            if not run.is_blank:
                yield run
                run = AiderRun(run.number + 1, "", line.offset, 0, run.key)
            started = found[1].decode()
            if not seen and place.offset:
                seen[started] = place.again
            elif started <= place.latest:
                raise RereadError("A run is older than the run before it.")
            run.started, run.again = started, seen[started]
            seen[started] += 1
        run.add(line)
    if not run.is_blank:
        yield run


def _is_begun(line: Line) -> bool:
    return not line.complete and (line.data or b"").startswith(b"# aider chat")


def _lines(path: Path, offset: int) -> Iterator[Line]:
    splitter = LineSplitter(offset)
    with open_source(path) as file, known_read_errors(path):
        file.seek(offset)
        while chunk := file.read(CHUNK):
            yield from splitter.feed(chunk)
    yield from splitter.finish()
