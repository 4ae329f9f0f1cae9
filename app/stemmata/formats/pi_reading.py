"""One reading of a pi session file, versions 1 to 3, from its start or from where the last reading ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stemmata.domain.entries import Entry, Kind
from stemmata.domain.sessions import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Repaired, SessionInfo, Skipped
from stemmata.formats.json_lines import BadLineError, parse_object
from stemmata.formats.lines import Line, SourceLines, resume
from stemmata.formats.pi_header import Header
from stemmata.formats.pi_ids import PiIds, carried
from stemmata.formats.pi_links import Links
from stemmata.formats.pi_records import Place, entry_of, migrate

# how pi begins nearly every record; the id is found without parsing the line
_QUICK_ID = re.compile(rb'\{"type":"(?!session")\w+","id":"([ -!#-\[\]-~]+)"')


class PiReading:
    """Yields the events of the file's one session. `info` is what the header says, completed by the caller."""

    def __init__(self, path: Path, header: Header, info: SessionInfo, since: Checkpoint | None) -> None:
        self._header = header
        self._info = info
        state = resume(path, since)
        resumed = since if since is not None and state is not None and _is_state(state) else None
        self._since = resumed
        self._source = SourceLines(path, offset=resumed.offset, lines=resumed.lines) if resumed else SourceLines(path)
        known = state if resumed and state else {}
        self._records: int = known.get("records", 0)  # parsed so far, the header included
        self._skipped: int = known.get("skipped", 0)
        self._last: str | None = known.get("last")  # id of the last entry in file order: where pi stands
        self._title: str = known.get("title", "")
        self._chained: bool = known.get("chained", False)
        self._ids = PiIds(header.id)
        self._links = Links()

    def events(self) -> Iterator[ReadEvent]:
        if self._since is not None:
            self._recall(self._since)
        yield Begin(self._info, resumed=self._since is not None)
        state: dict[str, Any] | None = None
        for item in self._source:
            if isinstance(item, Raw):
                yield item
                continue
            if not item.complete:
                state = self._state()
            yield from self._line(item)
        yield from self._links.settle()
        checkpoint = self._source.checkpoint(state or self._state())
        yield End(self._last, leaf_known=True, title=self._title, checkpoint=checkpoint)

    def _state(self) -> dict[str, Any]:
        return {
            "records": self._records,
            "skipped": self._skipped,
            "last": self._last,
            "title": self._title,
            "chained": self._chained,
        }

    def _line(self, line: Line) -> Iterator[ReadEvent]:
        if line.number == self._header.number:
            self._records += 1
            return
        try:
            record = parse_object(line.data)
        except BadLineError as error:
            self._skipped += 1
            reason = str(error) if line.complete else f"{error}: the file ends inside this line"
            yield Skipped(line.number, reason)
            return
        index = self._records
        self._records += 1
        if record.get("type") == "session":
            yield Skipped(line.number, "a second session header")
            return
        yield from self._record(record, index, line)

    def _record(self, record: dict[str, Any], index: int, line: Line) -> Iterator[Entry | Repaired | Blob]:
        parent, named = self._parent(record)
        if not named and self._last is not None and self._header.version >= 2 and not self._chained:
            self._chained = True
            yield Repaired("Entries name no parent: each was attached to the one before it.")
        id, own = self._claim(record, index)
        if own is not None and id != own:
            yield Repaired(f"The id {own} occurs more than once: this entry is kept as {id}.", id)
        if self._header.version < 3:
            migrate(record, self._header.version, self._ids.made)
        blobs: list[Blob] = []
        entry = entry_of(record, Place(id, parent, line.record, self._ids.resolve), blobs)
        yield from blobs
        self._last = id
        if entry.kind is Kind.SESSION_INFO and entry.name:
            self._title = entry.name
        yield from self._links.place(entry)

    def _parent(self, record: dict[str, Any]) -> tuple[str | None, bool]:
        """The parent's stored id, and whether the record says it; one that does not hangs on the record before."""
        if self._header.version < 2 or "parentId" not in record:
            return self._last, False
        value = record["parentId"]
        if value is None:
            return None, True
        return self._ids.resolve(carried(value) or str(value)), True

    def _claim(self, record: dict[str, Any], index: int) -> tuple[str, str | None]:
        """A unique id, and the one the record carries. v1 has none; elsewhere a missing one is made likewise."""
        own = carried(record.get("id")) if self._header.version >= 2 else None
        return (self._ids.make(index) if own is None else self._ids.claim(own)), own

    def _recall(self, since: Checkpoint) -> None:
        """Know the ids of what was read before. In version 1 they follow from the number of records alone."""
        if self._header.version < 2:
            for index in range(1, self._records):
                self._links.know(self._ids.make(index))
            return
        index = 1
        for line in SourceLines(self._source.path):
            if not isinstance(line, Line) or line.number <= self._header.number:
                continue
            if line.number > since.lines:
                return
            quick = _QUICK_ID.match(line.data) if line.data is not None and not self._skipped else None
            if quick is not None:
                self._links.know(self._ids.claim(quick[1].decode()))
            elif (record := _record_of(line)) is not None:
                if record.get("type") != "session":
                    self._links.know(self._claim(record, index)[0])
            else:
                continue
            index += 1


def _record_of(line: Line) -> dict[str, Any] | None:
    try:
        return parse_object(line.data)
    except BadLineError:
        return None


def _is_state(state: dict[str, Any]) -> bool:
    """Whether this reader wrote it; an archive can hold anything."""
    kinds = {"records": int, "skipped": int, "last": str | None, "title": str, "chained": bool}
    return all(key in state and isinstance(state[key], kind) for key, kind in kinds.items())
