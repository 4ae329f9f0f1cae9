"""Adding entries: assign keys, resolve parents, recognise forks and variants, write rows in batches.

An appender lives for one write job, so that a parent may come in a later call of the same job. Its knowledge of a
session is dropped when a file begins or ends, because an id with other content than the stored entry stands for a
*variant* in that file alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

from peewee import SqliteDatabase, chunked

from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.entries.tree import UNRESOLVED
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.database import connection_of
from stemmata.store.core.models import EntryTable, SessionTable, ShareTable
from stemmata.store.core.rows import find_row
from stemmata.store.core.stored_text import restored, stored
from stemmata.store.entries.content import ContentRepository
from stemmata.store.entries.digests import ANY, digest, suffix_of
from stemmata.store.entries.entry_rows import (
    EntryBatch,
    Link,
    Links,
    facts_of,
    link,
    look_up,
    store_digests,
    store_place,
)
from stemmata.store.entries.prepared import EntryColumns, PreparedEntries, columns_of
from stemmata.store.entries.records import RecordWriter
from stemmata.store.entries.rederiving import DerivedFacts
from stemmata.store.entries.tree_loader import TreeLoader
from stemmata.store.sessions.sessions import SessionRepository

BATCH = 500
HELD = 20_000  # new ids of a session that are held, at least; of a long file the others are looked up again


class StoredEntry(NamedTuple):
    """An entry that is stored already. `version`, `offset` and `size` locate its record."""

    key: int
    parent: int | None
    kind: int
    time: int
    digest: int | None
    version: int
    offset: int | None
    size: int | None
    derived: DerivedFacts


class Changed(NamedTuple):
    """An entry of a source file whose facts differ from `before`, the facts that the archive has of it.

    `version` is the version of the source in which its stored record stands.
    """

    key: int
    version: int
    facts: DerivedFacts
    record: Record | None  # in the file that is being read
    before: DerivedFacts


class _Ids:
    """The keys of a file's ids. Ids under which their entry is stored are held only for a while, to limit memory.

    When a later entry names such an id again, its key is looked up in the archive.
    """

    def __init__(self) -> None:
        self._lasting: dict[str, int] = {}
        self._late: dict[str, int] = {}
        self._later: dict[str, int] = {}
        self._late_known: dict[str, StoredEntry] = {}
        self._later_known: dict[str, StoredEntry] = {}
        self.forgotten = False

    def __contains__(self, id: str) -> bool:
        return id in self._lasting or id in self._later or id in self._late

    def __setitem__(self, id: str, key: int) -> None:
        """Store that this file uses an id for the entry `key`, although the archive has another entry of this id."""
        self.take_known(id)
        self._later.pop(id, None)
        self._late.pop(id, None)
        self._lasting[id] = key

    def get(self, id: str) -> int | None:
        """Return the key of an id, None if it is not held."""
        for ids in (self._later, self._late, self._lasting):
            if id in ids:
                return ids[id]
        return None

    def take_known(self, id: str) -> StoredEntry | None:
        """Return the session's entry with this id from before the job, and hold only its key from now on.

        None without such an entry, or if it is not held.
        """
        late = self._late_known.pop(id, None)
        return self._later_known.pop(id, late)

    def add(self, id: str, key: int) -> None:
        """Hold a new entry that is stored under this id."""
        self._later[id] = key

    def add_known(self, id: str, known: StoredEntry) -> None:
        """Hold an entry of the session from before the job."""
        self._later[id], self._later_known[id] = known.key, known

    def forget(self) -> None:
        """Drop the older half once enough ids are held."""
        if len(self._later) >= HELD:
            self.forgotten = self.forgotten or bool(self._late)
            self._late, self._later = self._later, {}
            self._late_known, self._later_known = self._later_known, {}


class KeySet:
    """A growing set of entry keys, which are not negative, as bits.

    It takes 125 KB for a million entries of the archive, where a `set` takes 60 MB.
    """

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, key: int) -> None:
        """Add a key; adding it again changes nothing."""
        byte = key >> 3
        if byte >= len(self._bits):
            self._bits.extend(bytes(byte + 1 - len(self._bits)))
        self._bits[byte] |= 1 << (key & 7)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, int) and key >> 3 < len(self._bits) and bool(self._bits[key >> 3] >> (key & 7) & 1)


@dataclass
class _KnownSession:
    """The job's knowledge of one session. `ids` and `above` grow as ids are looked up."""

    session: int
    lineage: list[int]
    fresh: bool  # the session had no entries when the job began: nothing to look up
    sizes: dict[int, int]  # bytes of each version of its source
    ids: _Ids = field(default_factory=_Ids)  # own entries and those of the lineage that are shared
    above: dict[str, list[StoredEntry]] = field(default_factory=dict)  # entries of the lineage, by id
    absent: set[str] = field(default_factory=set)  # looked up, not there
    shares: set[int] = field(default_factory=set)
    parents: dict[str, list[int]] = field(default_factory=dict)  # id not seen yet → own keys waiting for it
    targets: dict[str, list[int]] = field(default_factory=dict)
    variants: dict[str, str] = field(default_factory=dict)  # id in the file → id of the entry that it stands for
    conflicts: list[tuple[str, str]] = field(default_factory=list)  # ids whose content differs, and their variants
    first: int | None = None  # key of the first added entry; all later ones were added, too
    seen: KeySet = field(default_factory=KeySet)  # keys of entries that were stored before
    told: set[int] = field(default_factory=set)  # keys of entries that the reader reports as removed
    changed: list[Changed] = field(default_factory=list)


class Read(NamedTuple):
    """The result of reading a file of a session: its entries, their changed facts, and ids with other content.

    The file contains the entries `seen`, and added all entries from the key `first` on. `conflicts` are pairs of an
    id and its variant's id; `branched` is true if some ids stand for variants or for copies below a variant. `told`
    are entries of which the source itself says that the tool removed them. `fresh`: the session had no entries
    before.
    """

    seen: KeySet
    first: int | None
    changed: list[Changed]
    conflicts: tuple[tuple[str, str], ...] = ()
    branched: bool = False
    told: frozenset[int] = frozenset()
    fresh: bool = False


class Appender:
    """Add entries to sessions within one write job."""

    def __init__(
        self,
        database: SqliteDatabase,
        sessions: SessionRepository,
        tree_loader: TreeLoader,
        records: RecordWriter,
    ) -> None:
        self._database, self._connection = database, connection_of(database)
        self._sessions = sessions
        self._tree_loader = tree_loader
        self._records = records
        self.has_relinked = False  # whether earlier entries were linked to new ones
        self.forget()

    def forget(self) -> None:
        """Drop the collected facts of sessions and the waiting writes, after deletions or a rollback."""
        self._targets: dict[int, _KnownSession] = {}
        self._reading: set[int] = set()  # sessions with an open file, whose rows may wait
        self._rows = EntryBatch(self._connection)

    def begin(self, session: int) -> None:
        """Begin a file of the session."""
        self._targets.pop(session, None)
        self._reading.add(session)

    def end(self, session: int) -> Read:
        """End the file and return the result of reading it."""
        self._reading.discard(session)
        self._rows.settle()
        target = self._targets.pop(session, None)
        if target is None:
            return Read(KeySet(), None, [])
        return Read(
            target.seen,
            target.first,
            target.changed,
            tuple(target.conflicts),
            bool(target.variants),
            frozenset(target.told),
            target.fresh,
        )

    def key_of(self, session: int, id: str) -> int | None:
        """Return the key that an id has in the file being read; None if the id has not occurred."""
        target = self._targets.get(session)
        return None if target is None else self._resolve(target, id)

    def is_in_source(self, session: int, key: int) -> bool:
        """Return whether the file being read has a stored entry, or has added it."""
        target = self._targets.get(session)
        if target is None:
            return False
        return key in target.seen or key in target.shares or key >= (target.first or key + 1)

    def has_unclear_ids(self, session: int) -> bool:
        """Return whether an id of the file stands for a variant, or an entry waits for a parent or target."""
        target = self._targets.get(session)
        return target is not None and bool(target.variants or target.parents or target.targets)

    def append(self, session: int, entries: Iterable[Entry]) -> list[int]:
        """Add entries and return the keys of the new ones. Raises NotFoundError for an unknown session."""
        target = self._targets.get(session) or self._open(session)
        added: list[int] = []
        for batch in _batches(entries):
            self._look_up(target, batch)
            added += self._add(target, batch)
        self._store_shares(target)
        if session not in self._reading:
            self._rows.settle()
        return added

    def settle(self) -> None:
        """Write the waiting rows, such as texts for the index."""
        self._rows.settle()

    def _open(self, session: int) -> _KnownSession:
        if find_row(self._connection, SessionTable, ("key",), key=session) is None:
            raise NotFoundError(Phrase("Session {0} does not exist.", str(session)))
        grown = find_row(self._connection, EntryTable, ("key",), session=session) is not None
        sizes = self._records.sizes(session) if grown else {}
        target = _KnownSession(session, self._above(session), fresh=not grown, sizes=sizes)
        self._targets[session] = target
        return target

    def _above(self, session: int) -> list[int]:
        """Return the sessions whose entries this one may share: its lineage and owners of shared entries."""
        return list(dict.fromkeys([*self._sessions.lineage(session), *self._tree_loader.owners(session)]))

    # -- stored entries ---------------------------------------------------------------------------------------

    def _look_up(self, target: _KnownSession, batch: Sequence[Entry]) -> None:
        target.ids.forget()
        if target.fresh and not (target.lineage or target.ids.forgotten):
            return
        named = {id for entry in batch for id in (entry.id, entry.parent, entry.target) if id is not None}
        wanted = {id for id in named if id not in target.ids}
        wanted -= target.absent
        wanted -= target.above.keys()
        if not wanted:
            return
        compared = {entry.id for entry in batch}
        for owner in (target.session, *target.lineage):
            for id, known in self._known(owner, wanted, compared):
                if owner == target.session and known.key >= (target.first or known.key + 1):
                    target.ids.add(id, known.key)
                elif owner == target.session:
                    target.ids.add_known(id, known)
                else:
                    target.above.setdefault(id, []).append(known)
        target.absent |= {id for id in wanted if id not in target.ids and id not in target.above}

    def _known(self, owner: int, wanted: Iterable[str], compared: set[str]) -> list[tuple[str, StoredEntry]]:
        """Return the stored entries with these ids; those in `compared` have a digest."""
        rows = look_up(self._connection, owner, [stored(id) for id in wanted])
        found = [(restored(id), _known(facts)) for id, *facts in rows]
        bare = [known.key for id, known in found if known.digest is None and id in compared]
        if bare:
            made = compute_missing(self._connection, bare)
            found = [(id, known._replace(digest=made.get(known.key, known.digest))) for id, known in found]
        return found

    def _shared(self, target: _KnownSession, entry: Entry, digest: int) -> int | None:
        """Return the key of the same entry in the lineage (id, kind, time, content, shared parent), or None."""
        for known in target.above[entry.id]:
            parent = None if entry.parent is None else target.ids.get(entry.parent)
            is_here = (entry.parent is None) == (parent is None) and known.parent == parent
            if is_here and (known.kind, known.time) == (entry.kind, entry.time) and known.digest in (digest, ANY):
                return known.key
        return None

    def _resolve(self, target: _KnownSession, id: str) -> int | None:
        key = target.ids.get(id)
        if key is None and id in target.above:
            return target.above[id][0].key
        return key

    # -- adding -----------------------------------------------------------------------------------------------

    def _add(self, target: _KnownSession, batch: PreparedEntries) -> list[int]:
        new: list[_New] = []
        key = self._rows.next_key()
        for entry, columns in zip(batch, batch.columns, strict=True):
            one = self._new(target, entry, columns)
            if one is not None:
                self._name(target, one, key + len(new))
                new.append(one)
        if new and target.first is None:
            target.first = key
        version = self._records.version(target.session) if new else None
        keys = list(range(key, key + len(new)))
        for own, one in zip(keys, new, strict=True):
            parent = self._parent(target, own, one.entry)
            links = Links(parent, self._target(target, own, one.entry), version, one.variant)
            self._rows.add(target.session, own, one.entry, one.columns, links)
            flags = one.entry.flags
            if flags is not Flag.NONE and flags & Flag.REMOVED:  # most have none, and to compare flags takes long
                target.told.add(own)
        self._rows.write()
        self._set_links(target, zip(keys, new, strict=True))
        return keys

    def _name(self, target: _KnownSession, one: _New, key: int) -> None:
        """Map the id that the file uses for a new entry to its key."""
        if one.id == one.entry.id and one.id not in target.above:
            target.ids.add(one.id, key)
        else:
            target.ids[one.id] = key
        target.absent.discard(one.id)

    def _new(self, target: _KnownSession, entry: Entry, columns: EntryColumns) -> _New | None:
        """Return the entry as it is to be added, None if it is stored already."""
        digest = columns.digest
        known = target.ids.take_known(entry.id)
        if known is not None:
            return self._handle_same_id(target, entry, digest, known)
        if entry.id in target.ids:
            return None
        shared = self._shared(target, entry, digest) if entry.id in target.above else None
        if shared is None:
            return _New(entry.id, entry, columns, None)
        target.ids[entry.id] = shared
        target.shares.add(shared)
        return None

    def _handle_same_id(self, target: _KnownSession, entry: Entry, digest: int, known: StoredEntry) -> _New | None:
        """Handle an entry whose id is stored: it is the stored entry, a variant of it, or a copy of it below a
        variant.
        """
        differs = not self._has_same_content(target, entry, digest, known)
        above = target.variants.get(entry.parent or "", "")
        if not differs and (not above or known.parent == target.ids.get(str(entry.parent))):
            self._handle_stored(target, known, entry)
            return None
        id = f"{entry.id}~{suffix_of(digest, above)}"
        target.variants[entry.id] = id
        if differs:
            target.conflicts.append((entry.id, id))
        entry = replace(entry, flags=entry.flags | Flag.VARIANT if differs else entry.flags)
        for _, found in self._known(target.session, [id], set()):
            target.ids[entry.id] = found.key
            self._handle_stored(target, found, entry)
            return None
        variant = replace(entry, id=id)
        return _New(entry.id, variant, columns_of(variant), known.key if differs else None)

    def _has_same_content(self, target: _KnownSession, entry: Entry, digest: int, known: StoredEntry) -> bool:
        """Return whether an entry has the content of the stored one, by digest, or by bytes if an older version read
        them differently.
        """
        if self._digest(known) == digest:
            return True
        if known.digest == ANY and (known.kind, known.time) == (entry.kind, entry.time):
            return True
        version, record = self._records.version(target.session), entry.record
        if version is None or record is None or known.offset is None or known.size != record.size:
            return False
        now = self._records.piece(version, record.offset, record.offset + record.size)
        return now == self._records.piece(known.version, known.offset, known.offset + known.size)

    def _digest(self, known: StoredEntry) -> int | None:
        if known.digest is None:
            return compute_missing(self._connection, [known.key]).get(known.key)
        return known.digest

    def _handle_stored(self, target: _KnownSession, known: StoredEntry, entry: Entry) -> None:
        """Handle an entry that is already stored: restore its record if that was lost, and collect its changed
        derived facts.
        """
        target.seen.add(known.key)
        if entry.flags & Flag.REMOVED:
            target.told.add(known.key)
        record, version = entry.record, self._records.version(target.session)
        kept = known.offset is not None and known.offset + (known.size or 0) <= target.sizes.get(known.version, 0)
        if record is not None and version is not None and not kept:
            store_place(self._connection, known.key, version, record)
            known = known._replace(version=version)
        before = known.derived
        if before.flags & Flag.OWN:
            return
        parent = self._parent(target, known.key, entry)
        now = DerivedFacts(
            before.parent if parent is None and entry.parent is not None else parent,
            self._target(target, known.key, entry),
            entry.flags & ~Flag.REMOVED | before.flags & (Flag.VARIANT | Flag.REMOVED),
            entry.tool,
            entry.usage,
        )
        if now != before:
            target.changed.append(Changed(known.key, known.version, now, record, before))

    def _parent(self, target: _KnownSession, own: int, entry: Entry) -> int | None:
        if entry.parent is None or entry.parent == entry.id:
            return None
        parent = self._resolve(target, entry.parent)
        if parent is None:
            target.parents.setdefault(entry.parent, []).append(own)
        elif entry.parent in target.above:
            target.shares.add(parent)
        return parent

    def _target(self, target: _KnownSession, own: int, entry: Entry) -> int | None:
        if entry.target is None:
            return None
        found = self._resolve(target, entry.target)
        if found is None:
            target.targets.setdefault(entry.target, []).append(own)
            return UNRESOLVED
        return found

    def _set_links(self, target: _KnownSession, new: Iterable[tuple[int, _New]]) -> None:
        """Set the links of entries that were written before the entries to which they refer."""
        found = list(new)
        both: tuple[tuple[dict[str, list[int]], Link], ...] = ((target.parents, "parent"), (target.targets, "target"))
        for waiting, column in both:
            if waiting:
                rows = [(key, own) for key, one in found for own in waiting.pop(one.id, ())]
                self.has_relinked |= bool(rows)
                link(self._connection, column, rows)

    def _store_shares(self, target: _KnownSession) -> None:
        """Store the ends of shared paths; the rest of a path follows from the parents."""
        if not target.shares:
            return
        above = {known.parent for listed in target.above.values() for known in listed if known.key in target.shares}
        tips = [(target.session, key) for key in sorted(target.shares - above)]
        for some in chunked(tips, BATCH):
            fields = (ShareTable.session, ShareTable.entry)
            ShareTable.insert_many(some, fields=fields).on_conflict_ignore().execute(self._database)
        target.shares.clear()


def _batches(entries: Iterable[Entry]) -> Iterator[PreparedEntries]:
    """Yield the entries with their columns: as they were prepared, otherwise in batches."""
    if isinstance(entries, PreparedEntries):
        yield entries
        return
    source = iter(entries)
    while batch := PreparedEntries.of(islice(source, BATCH)):
        yield batch


class _New(NamedTuple):
    """An entry to be added. `id` is its id in the file, `variant` the key of the other entry that has this id."""

    id: str
    entry: Entry
    columns: EntryColumns
    variant: int | None


def _known(facts: Sequence[Any]) -> StoredEntry:
    key, parent, kind, time, digest, version, offset, size, target, flags, tool, paid, *usage = facts
    derived = DerivedFacts(parent, target, Flag(flags), restored(tool), Usage(*usage) if paid else None)
    return StoredEntry(key, parent, kind, time, digest, version, offset, size, derived)


def compute_missing(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, int]:
    """Compute and store the digests of entries that were written before digests existed; return them by key."""
    bodies = ContentRepository(connection).bodies(keys)
    out: dict[int, int] = {}
    for key, kind, role, name, call in facts_of(connection, keys):
        blocks = bodies[key].blocks if key in bodies else ()
        out[key] = digest(Kind(kind), Role(role), restored(name), restored(call), blocks)
    store_digests(connection, out)
    return out
