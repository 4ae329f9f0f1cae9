"""One reading of a pi session file, versions 1 to 3, from its start or from where the last reading ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
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
from stemmata.domain.errors import RereadError
from stemmata.formats.pi.header import Header
from stemmata.formats.pi.records import Place, entry_of
from stemmata.formats.pi.sequence import PiSequence, Step
from stemmata.formats.shared.lines import Line, SourceLines, resume
from stemmata.formats.shared.values import BadLineError, parse_object

HELD_LIMIT = 10_000  # entries held at once; a file that needs more is mended in pieces, memory stays bounded


class Links:
    """A source's entries in, the same entries out with every parent before its children.

    An entry whose parent never comes becomes a root; of a cycle the first entry written does. Both are reported
    and carry the REPAIRED flag. In a sound file every entry passes straight through.

    With `blind`, parents that are not known stand before what is read here: RereadError when one comes after all.
    """

    def __init__(self, *, blind: bool = False) -> None:
        self._blind = blind
        self._believed: set[str] = set()  # parents that are said to stand before
        self._placed: set[str] = set()
        self._held: dict[str, Entry] = {}  # in file order
        self._waiting: dict[str, list[str]] = {}  # parent → held children
        self.has_mended = False  # whether any became a root

    def place(self, entry: Entry) -> Iterator[Entry | Repaired]:
        if entry.id in self._believed:
            raise RereadError(f"{entry.id} comes behind an entry below it.")
        if self._blind and entry.parent not in (None, entry.id) and entry.parent not in self._placed:
            self._believed.add(str(entry.parent))
            yield from self._release(entry)
        elif entry.parent is None or entry.parent in self._placed:
            yield from self._release(entry)
        elif entry.parent == entry.id:
            yield from self._root(entry, "it named itself as its parent")
        else:
            self._held[entry.id] = entry
            self._waiting.setdefault(entry.parent, []).append(entry.id)
            if len(self._held) > HELD_LIMIT:
                yield from self.settle()

    def settle(self) -> Iterator[Entry | Repaired]:
        """Give out all that is still held."""
        ids = list(self._held)
        for entry in [entry for entry in self._held.values() if entry.parent not in self._held]:
            yield from self._root(entry, f"its parent {entry.parent} is not in the file")
        order = {id: at for at, id in enumerate(ids)}
        for id in ids:
            if id in self._held:
                yield from self._root(self._cycle_head(id, order), "its parents formed a cycle")

    def _cycle_head(self, id: str, order: dict[str, int]) -> Entry:
        """Of the cycle at or above a held entry, the member that was written first. All its parents are held."""
        walk: dict[str, None] = {}
        while id not in walk:
            walk[id] = None
            id = str(self._held[id].parent)
        passed = list(walk)
        return self._held[min(passed[passed.index(id) :], key=order.__getitem__)]

    def _root(self, entry: Entry, why: str) -> Iterator[Entry | Repaired]:
        self.has_mended = True
        yield Repaired(f"Entry {entry.id} was attached as a root: {why}.", entry.id)
        self._held.pop(entry.id, None)
        yield from self._release(replace(entry, parent=None, flags=entry.flags | Flag.REPAIRED))

    def _release(self, entry: Entry) -> Iterator[Entry]:
        ready = [entry]
        while ready:
            entry = ready.pop()
            self._placed.add(entry.id)
            yield entry
            if self._waiting:
                children = self._waiting.pop(entry.id, ())
                ready.extend(self._held.pop(id) for id in reversed(children) if id in self._held)


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
