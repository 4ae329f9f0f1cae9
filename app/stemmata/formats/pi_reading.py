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
from stemmata.formats.pi_links import Links
from stemmata.formats.pi_records import Place, entry_of
from stemmata.formats.pi_sequence import PiSequence, Step

BY_NAME = 3  # from this version on records carry their own ids
# How pi begins nearly every record from version 2 on: the id is found without parsing the line.
_QUICK_ID = re.compile(rb'\{"type":"(?!session")\w+","id":"([ -!#-\[\]-~]+)"')


class PiReading:
    """Yields the events of the file's one session. `info` is what the header says, completed by the caller.

    A sound file of the newest version is gone on with blindly: its entries name their ids and parents themselves.
    """

    def __init__(self, path: Path, header: Header, info: SessionInfo, since: Checkpoint | None) -> None:
        self._header = header
        self._info = info
        state = resume(path, since)
        resumed = since if since is not None and state is not None and _is_state(state) else None
        self._since = resumed
        self._source = SourceLines(path, offset=resumed.offset, lines=resumed.lines) if resumed else SourceLines(path)
        known = state if resumed and state else {}
        self._skipped: int = known.get("skipped", 0)
        self._title: str = known.get("title", "")
        self._chained: bool = known.get("chained", False)
        self._odd = header.version < BY_NAME
        self._blind = resumed is not None and not resumed.whole and known.get("odd") is False
        self._sequence = PiSequence(header)
        if self._blind:
            self._sequence.go_on(known["records"], known["last"])
        self._links = Links(blind=self._blind)

    def events(self) -> Iterator[ReadEvent]:
        if self._since is not None and not self._blind:
            self._recall(self._since)
        yield Begin(self._info, resumed=self._since is not None, blind=self._blind)
        if self._since is None and self._header.damage:
            yield Repaired(self._header.damage)
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
        yield End(self._sequence.last, leaf_known=True, title=self._title, checkpoint=checkpoint)

    def _state(self) -> dict[str, Any]:
        facts = {"skipped": self._skipped, "title": self._title, "chained": self._chained}
        if self._odd or self._chained or not self._sequence.ids.are_unique:
            return facts
        return {**facts, "odd": False, "records": self._sequence.records, "last": self._sequence.last}

    def _line(self, line: Line) -> Iterator[ReadEvent]:
        if line.number == self._header.number:
            return
        try:
            record = parse_object(line.data)
        except BadLineError as error:
            self._skipped += 1
            reason = str(error) if line.complete else f"{error}: the file ends inside this line"
            yield Skipped(line.number, reason)
            return
        step = self._sequence.take(record)
        if step is None:
            self._odd = True
            yield Skipped(line.number, "a second session header")
        else:
            yield from self._entry(record, step, line)

    def _entry(self, record: dict[str, Any], step: Step, line: Line) -> Iterator[Entry | Repaired | Blob]:
        if not (step.named or self._chained or step.parent is None) and self._header.version >= 2:
            self._chained = True
            yield Repaired("Entries name no parent: each was attached to the one before it.")
        if step.own not in (None, step.id):
            yield Repaired(f"The id {step.own} occurs more than once: this entry is kept as {step.id}.", step.id)
        blobs: list[Blob] = []
        entry = entry_of(record, Place(step.id, step.parent, line.record, self._sequence.ids.resolve), blobs)
        yield from blobs
        if entry.kind is Kind.SESSION_INFO and entry.name:
            self._title = entry.name
        yield from self._links.place(entry)

    def _recall(self, since: Checkpoint) -> None:
        """Know the ids of what was read before."""
        quickly = self._header.version >= 2 and not self._skipped
        for line in SourceLines(self._source.path):
            if not isinstance(line, Line) or line.number <= self._header.number:
                continue
            if line.number > since.lines:
                return
            quick = _QUICK_ID.match(line.data) if quickly and line.data is not None else None
            if quick is not None:
                self._links.know(self._sequence.claim(quick[1].decode()))
            elif (record := _record_of(line)) is not None:
                step = self._sequence.take(record)
                self._odd |= step is None
                if step is not None:
                    self._links.know(step.id)


def _record_of(line: Line) -> dict[str, Any] | None:
    try:
        return parse_object(line.data)
    except BadLineError:
        return None


def _is_state(state: dict[str, Any]) -> bool:
    """Whether this reader wrote it; an archive can hold anything."""
    kinds: dict[str, Any] = {"skipped": int, "title": str, "chained": bool}
    if "odd" in state:
        kinds |= {"odd": bool, "records": int, "last": str | None}
    return all(key in state and isinstance(state[key], kind) for key, kind in kinds.items())
