"""A session in memory, as a writer of a foreign format sees it: read from a file by a reader, no store between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.tokens import weigh
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import RereadError
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Repaired, Skipped
from stemmata.formats.shared.format import SessionReader

CHUNK = 1000  # of raw bytes on the way out: lines are cut anywhere


@dataclass
class MemorySource:
    """Collects the events of a reader. `take` may be called again with those of a later reading."""

    info: SessionInfo = field(default_factory=lambda: SessionInfo(source="stemmata", source_id="made-here"))
    entries: list[Entry] = field(default_factory=list)
    source_bytes: bytes = b""
    blobs: dict[str, bytes] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    repaired: list[Repaired] = field(default_factory=list)
    title: str = ""
    leaf_id: str | None = None
    checkpoint: Checkpoint | None = None
    is_whole: bool = False
    parent: Session | None = None
    _tree: Tree | None = field(default=None, repr=False)

    @classmethod
    def read(cls, format: SessionReader, path: Path) -> MemorySource:
        source = cls()
        source.take(format.read(path, None))
        return source

    def go_on(self, format: SessionReader, path: Path) -> None:
        """Take the events of a continued reading, as an import does; on RereadError read everything again."""
        lists: tuple[list[Any], ...] = (self.entries, self.skipped, self.repaired)
        sizes = [len(each) for each in lists]
        try:
            self.take(format.read(path, self.checkpoint))
        except RereadError:
            for each, size in zip(lists, sizes, strict=True):
                del each[size:]
            self.take(format.read(path, None))

    def take(self, events: Iterator[ReadEvent]) -> None:
        """Take events. Raises RereadError where a continued reading repeats a known entry."""
        known = {entry.id for entry in self.entries}
        blind = False
        for event in events:
            match event:
                case Begin(info=info, offset=start):
                    self.info, blind = info, start > 0
                    self.source_bytes = self.source_bytes[:start]
                    if not blind:  # told anew
                        self.entries, self.skipped, self.repaired, known = [], [], [], set()
                case Raw(offset=offset, data=data):
                    assert offset == len(self.source_bytes), "raw bytes must be gapless"
                    self.source_bytes += data
                case Entry():
                    if blind and event.id in known:
                        raise RereadError(event.id)
                    if event.id not in known:
                        self.entries.append(event)
                        known.add(event.id)
                case Blob(digest=digest, data=data):
                    self.blobs[digest] = data
                case Skipped():
                    self.skipped.append(event)
                case Repaired():
                    self.repaired.append(event)
                case End():
                    self.leaf_id, self.checkpoint = event.leaf, event.checkpoint
                    self.title = event.title or self.info.title

    def add(self, *entries: Entry, stand: bool = True) -> None:
        """Append an entry as a service would; the leaf moves to the last one."""
        self.entries += entries
        if stand:
            self.leaf_id = entries[-1].id

    # -- as the port has it -----------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        if self._tree is None or len(self._tree) != len(self.entries):
            self._tree = Tree.from_entries(self.entries)
        return self._tree

    @property
    def leaf(self) -> int | None:
        return None if self.leaf_id is None else self.index(self.leaf_id)

    def index(self, id: str) -> int:
        return next(at for at, entry in enumerate(self.entries) if entry.id == id)

    @property
    def session(self) -> Session:
        times = [entry.time for entry in self.entries] or [self.info.created_at]
        return Session(
            key=1,
            id="s1",
            source=self.info.source,
            source_id=self.info.source_id,
            title=self.title,
            named=bool(self.title),
            cwd=self.info.cwd,
            parent=None,
            leaf=self.leaf,
            created_at=self.info.created_at,
            updated_at=max(times),
            entries=len(self.entries),
            branches=len(self.tree.leaves),
            compactions=0,
            context_tokens=None,
            context_kind="unknown",
            model="",
            cost=0,
            details=self.info.details,
        )

    def raw(self) -> Iterator[bytes]:
        for start in range(0, len(self.source_bytes), CHUNK):
            yield self.source_bytes[start : start + CHUNK]

    def rows(self, entries: Sequence[int]) -> list[EntryRow]:
        return [self._row(self.tree, at) for at in entries]

    def bodies(self, entries: Sequence[int]) -> list[Body]:
        return [Body(at, self.entries[at].blocks, self.entries[at].details) for at in entries]

    def records(self, entries: Sequence[int]) -> list[bytes | None]:
        return [self.record(entry) for entry in entries]

    def record(self, entry: int) -> bytes | None:
        place = self.entries[entry].record
        return None if place is None else self.source_bytes[place.offset : place.offset + place.size]

    def blob(self, digest: str) -> bytes | None:
        return self.blobs.get(digest)

    def _row(self, tree: Tree, at: int) -> EntryRow:
        entry = self.entries[at]
        parent, target = tree.parents[at], tree.columns.target[at]
        return EntryRow(
            key=at,
            id=entry.id,
            parent=parent if parent >= 0 else None,
            kind=entry.kind,
            role=entry.role,
            time=entry.time,
            flags=entry.flags,
            provider=entry.provider,
            model=entry.model,
            tool=entry.tool,
            call=entry.call,
            name=entry.name,
            target=target if target >= 0 else None,
            preview=" ".join(plain_text(entry.blocks).split())[:200],
            tokens=weigh(entry).tokens,
            usage=entry.usage,
        )


def without_records(source: MemorySource) -> MemorySource:
    """The same session as if it had been made here."""
    entries = [replace(entry, record=None) for entry in source.entries]
    return replace(source, entries=entries, source_bytes=b"")


def shape(source: MemorySource) -> list[tuple[str, str | None, str]]:
    """Return id, parent and text of each entry."""
    return [(entry.id, entry.parent, plain_text(entry.blocks)) for entry in source.entries]


def only(source: MemorySource) -> Entry:
    """Return the only entry."""
    [entry] = source.entries
    return entry
