"""One reading of a pi session file, versions 1 to 3, from its start or from where the last reading ended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.session_facts import (
    Begin,
    Blob,
    Checkpoint,
    End,
    Raw,
    ReadEvent,
    Repaired,
    SessionInfo,
    Skipped,
)
from stemmata.formats.pi.header import Header
from stemmata.formats.pi.parent_order import Links
from stemmata.formats.pi.records import Place, entry_of
from stemmata.formats.pi.sequence import PiSequence, Step
from stemmata.formats.shared.json_lines import BadLineError, parse_object
from stemmata.formats.shared.lines import Line, SourceLines, resume

BY_NAME = 3  # from this version on records carry their own ids


class PiReading:
    """Yields the events of the file's one session. `info` is what the header says, completed by the caller.

    A sound file of the newest version is gone on with where the last reading ended: its entries name their ids and
    parents themselves. Any other is read from its beginning: a line that comes can change the place of earlier ones.
    """

    def __init__(self, path: Path, header: Header, info: SessionInfo, since: Checkpoint | None) -> None:
        self._header = header
        self._info = info
        state = resume(path, since)
        known = state if state is not None and _is_state(state) else None
        self._since = since if known is not None else None
        self._source = SourceLines(path)
        self._title = ""
        self._chained = False
        self._asked = False  # whether the person has said something
        self._odd = header.version < BY_NAME
        self._sequence = PiSequence(header)
        if self._since is not None and known is not None:
            self._source = SourceLines(path, offset=self._since.offset, lines=self._since.lines)
            self._title, self._asked = known["title"], True
            self._sequence.go_on(known["records"], known["last"])
        self._links = Links(blind=self._since is not None)
        self._named: set[str] = set()  # what is named before it comes

    def events(self) -> Iterator[ReadEvent]:
        yield Begin(self._info, offset=self._since.offset if self._since is not None else 0)
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
        checkpoint = self._source.checkpoint((state or self._state()) if self._is_sound() else {})
        yield End(self._sequence.last, leaf_known=True, title=self._title, checkpoint=checkpoint)

    def _state(self) -> dict[str, Any]:
        return {"title": self._title, "records": self._sequence.records, "last": self._sequence.last}

    def _is_sound(self) -> bool:
        """Whether what comes later can change nothing that is told of what has come."""
        sound = not (self._odd or self._chained or self._links.has_mended or self._named)
        return sound and self._asked and self._sequence.ids.are_unique

    def _line(self, line: Line) -> Iterator[ReadEvent]:
        if line.number == self._header.number:
            return
        try:
            record = parse_object(line.data)
        except BadLineError as error:
            reason = str(error) if line.complete else f"{error}: the file ends inside this line"
            yield Skipped(line.number, reason)
            return
        step = self._sequence.take(record)
        if step is None:
            self._odd = True
            yield Skipped(line.number, "a second session header")
        else:
            yield from self._entry(record, step, line)

    def _see_target(self, entry: Entry) -> None:
        self._named.discard(entry.id)
        if self._since is None and entry.target is not None and not self._sequence.ids.is_claimed(entry.target):
            self._named.add(entry.target)

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
        self._asked |= entry.role is Role.USER
        self._see_target(entry)
        yield from self._links.place(entry)


def _is_state(state: dict[str, Any]) -> bool:
    """Whether this reader wrote it, of a file that can be gone on with; an archive can hold anything."""
    kinds: dict[str, Any] = {"records": int, "title": str, "last": str | None}
    return all(key in state and isinstance(state[key], kind) for key, kind in kinds.items())
