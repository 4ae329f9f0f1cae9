"""Read a pi session file of version 1 to 3 once, from its start or from the end of the previous reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import RereadError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Repaired, Skipped
from stemmata.formats.pi.header import PiHeader
from stemmata.formats.pi.records import RecordContext, entry_of
from stemmata.formats.pi.sequence import PiSequence, RecordLink, is_leaf_record
from stemmata.formats.shared.lines import Line, SourceLines, object_in, resume
from stemmata.formats.shared.values import BadLineError

HELD_LIMIT = 10_000  # entries held at once; bounds the memory for files that name parents late or never


class ParentsFirst:
    """Reorder a source's entries so that every parent comes before its children.

    An entry whose parent never comes becomes a root, and so does the first entry of a cycle. Both are reported and
    get the REPAIRED flag. Entries of a sound file pass through unchanged.

    With `resumed`, unknown parents are assumed to precede the resumed part; RereadError is raised when one comes
    later.
    """

    def __init__(self, *, resumed: bool = False) -> None:
        self._resumed = resumed
        self._assumed_parents: set[str] = set()  # parents assumed to precede the resumed part
        self._placed: set[str] = set()
        self._held: dict[str, Entry] = {}  # in file order
        self._waiting: dict[str, list[str]] = {}  # parent → held children
        self.has_repaired = False  # whether any entry became a root

    def place(self, entry: Entry) -> Iterator[Entry | Repaired]:
        """Add an entry; yield it and the entries that waited for it, or nothing while its parent is missing."""
        if entry.id in self._assumed_parents:
            raise RereadError(f"Entry {entry.id} comes after one of its children.")
        if self._resumed and entry.parent not in (None, entry.id) and entry.parent not in self._placed:
            self._assumed_parents.add(str(entry.parent))
            yield from self._release(entry)
        elif entry.parent is None or entry.parent in self._placed:
            yield from self._release(entry)
        elif entry.parent == entry.id:
            yield from self._root(entry, "it names itself as its parent")
        else:
            self._held[entry.id] = entry
            self._waiting.setdefault(entry.parent, []).append(entry.id)
            if len(self._held) > HELD_LIMIT:
                yield from self.settle()

    def settle(self) -> Iterator[Entry | Repaired]:
        """Yield all entries that are still held, making roots where parents are missing."""
        ids = list(self._held)
        for entry in [entry for entry in self._held.values() if entry.parent not in self._held]:
            yield from self._root(entry, f"its parent {entry.parent} is not in the file")
        order = {id: at for at, id in enumerate(ids)}
        for id in ids:
            if id in self._held:
                yield from self._root(self._cycle_head(id, order), "its parents form a cycle")

    def _cycle_head(self, id: str, order: dict[str, int]) -> Entry:
        """Return the first-written member of the cycle at or above a held entry, all of whose parents are held."""
        walk: dict[str, None] = {}
        while id not in walk:
            walk[id] = None
            id = str(self._held[id].parent)
        passed = list(walk)
        return self._held[min(passed[passed.index(id) :], key=order.__getitem__)]

    def _root(self, entry: Entry, why: str) -> Iterator[Entry | Repaired]:
        self.has_repaired = True
        yield Repaired(f"Entry {entry.id} was stored as a root: {why}.", entry.id)
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


RESUMABLE_VERSION = (
    3  # versions below need the whole file: their records name each other by position or in older terms
)


class PiReading:
    """Yield the events of the file's one session. `info` is the header's information, completed by the caller.

    A sound file of the newest version is read from the end of the previous reading on, because its entries carry
    their ids and parents. Any other file is read from its start, because a new line can change the position of
    earlier entries. With `end` no more than about so many bytes are read.
    """

    def __init__(
        self, path: Path, header: PiHeader, info: SessionInfo, since: Checkpoint | None, *, end: int | None = None
    ) -> None:
        self._header = header
        self._info = info
        state = resume(path, since)
        known = state if state is not None and _is_state(state) else None
        self._since = since if known is not None else None
        self._source = SourceLines(path, end=end)
        self._title = ""
        self._chained = False
        self._has_prompt = False  # whether a user message was read
        self._needs_full_read = header.version < RESUMABLE_VERSION
        self._sequence = PiSequence(header)
        if self._since is not None and known is not None:
            self._source = SourceLines(path, offset=self._since.offset, lines=self._since.lines)
            self._title, self._has_prompt = known["title"], True
            self._sequence.resume_after(known["records"], known["last"])
        self._links = ParentsFirst(resumed=self._since is not None)
        self._unseen_targets: set[str] = set()  # ids that an entry targets before they occur

    def events(self) -> Iterator[ReadEvent]:
        """Yield Begin, the file's bytes, entries and report items, and End."""
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
        yield End(
            self._sequence.last, leaf_known=True, title=self._title, checkpoint=checkpoint, named=bool(self._title)
        )

    def _state(self) -> dict[str, Any]:
        return {"title": self._title, "records": self._sequence.records, "last": self._sequence.last}

    def _is_sound(self) -> bool:
        """Return whether later lines cannot change entries that were read, so that the next reading may resume."""
        sound = not (self._needs_full_read or self._chained or self._links.has_repaired or self._unseen_targets)
        return sound and self._has_prompt and self._sequence.ids.are_unique

    def _line(self, line: Line) -> Iterator[ReadEvent]:
        if line.number == self._header.number:
            return
        try:
            record = object_in(line)
        except BadLineError as error:
            yield Skipped(line.number, str(error))
            return
        link = self._sequence.take(record)
        if link is None:
            self._needs_full_read = True
            if not is_leaf_record(record):
                yield Skipped(line.number, "second session header")
        else:
            yield from self._entry(record, link, line)

    def _note_target(self, entry: Entry) -> None:
        """Track targets that occur before their entries.

        A later entry with that id may change the meaning of the link.
        """
        self._unseen_targets.discard(entry.id)
        if self._since is None and entry.target is not None and not self._sequence.ids.is_claimed(entry.target):
            self._unseen_targets.add(entry.target)

    def _entry(self, record: dict[str, Any], link: RecordLink, line: Line) -> Iterator[Entry | Repaired | Blob]:
        if not (link.names_parent or self._chained or link.parent is None) and self._header.version >= 2:
            self._chained = True
            yield Repaired("Entries name no parent; each was linked to the previous entry.")
        if link.carried_id not in (None, link.id):
            yield Repaired(
                f"The id {link.carried_id} occurs more than once: this entry is kept as {link.id}.", link.id
            )
        blobs: list[Blob] = []
        entry = entry_of(record, RecordContext(link.id, link.parent, line.record, self._sequence.ids.resolve), blobs)
        yield from blobs
        if entry.kind is Kind.SESSION_INFO and entry.name:
            self._title = entry.name
        self._has_prompt |= entry.role is Role.USER
        self._note_target(entry)
        yield from self._links.place(entry)


def _is_state(state: dict[str, Any]) -> bool:
    """Return whether this reader wrote the state for a resumable file; the archive is untrusted input here."""
    kinds: dict[str, Any] = {"records": int, "title": str, "last": str | None}
    return all(key in state and isinstance(state[key], kind) for key, kind in kinds.items())
