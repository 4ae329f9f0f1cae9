"""Adding entries: keys given out, parents found, forks recognised, rows written in batches.

Lives for one write job, so that a parent may come in a later call of the same job.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import orjson

from stemmata.domain.entries import Entry
from stemmata.domain.errors import NotFoundError
from stemmata.domain.phrases import Phrase
from stemmata.domain.tree import UNRESOLVED
from stemmata.store.entry_rows import EntryBatch
from stemmata.store.sessions import SessionRepository
from stemmata.store.skeleton import Skeleton
from stemmata.store.stored_text import stored

BATCH = 500


class Known(NamedTuple):
    """An entry that is in the archive already."""

    key: int
    parent: int | None
    kind: int
    time: int


@dataclass
class _Target:
    """What this job knows of one session. `ids` and `shared` grow as ids are looked up."""

    session: int
    lineage: list[int]
    fresh: bool  # the session had no entries when the job began: nothing to look up
    ids: dict[str, int] = field(default_factory=dict)  # own entries and those of the lineage that are shared
    above: dict[str, list[Known]] = field(default_factory=dict)  # entries of the lineage, by id
    absent: set[str] = field(default_factory=set)  # looked up, not there
    shares: set[int] = field(default_factory=set)
    parents: dict[str, list[int]] = field(default_factory=dict)  # id not seen yet → own keys waiting for it
    targets: dict[str, list[int]] = field(default_factory=dict)


class Appender:
    def __init__(self, connection: sqlite3.Connection, sessions: SessionRepository, skeleton: Skeleton) -> None:
        self._connection = connection
        self._sessions = sessions
        self._skeleton = skeleton
        self._targets: dict[int, _Target] = {}
        self._rows = EntryBatch(connection)

    def append(self, session: int, entries: Iterable[Entry]) -> list[int]:
        """Keys of the entries that were added. Raises NotFoundError for an unknown session."""
        target = self._targets.get(session) or self._open(session)
        added: list[int] = []
        source = iter(entries)
        while batch := list(islice(source, BATCH)):
            self._look_up(target, batch)
            added += self._add(target, batch)
        self._store_shares(target)
        return added

    def _open(self, session: int) -> _Target:
        if not self._connection.execute("SELECT 1 FROM sessions WHERE key = ?", (session,)).fetchone():
            raise NotFoundError(Phrase("There is no session number {0}.", str(session)))
        grown = self._connection.execute("SELECT 1 FROM entries WHERE session = ?", (session,)).fetchone()
        target = _Target(session, self._above(session), fresh=grown is None)
        self._targets[session] = target
        return target

    def _above(self, session: int) -> list[int]:
        """The sessions whose entries this one may share: its lineage, and who holds what it shares already."""
        return list(dict.fromkeys([*self._sessions.lineage(session), *self._skeleton.owners(session)]))

    def forget(self) -> None:
        """The session was deleted; what is known of others may name its entries."""
        self._targets.clear()

    # -- what is there already --------------------------------------------------------------------------------

    def _look_up(self, target: _Target, batch: Sequence[Entry]) -> None:
        if target.fresh and not target.lineage:
            return
        wanted = {id for entry in batch for id in (entry.id, entry.parent, entry.target) if id is not None}
        wanted -= target.ids.keys()
        wanted -= target.absent
        wanted -= target.above.keys()
        if not wanted:
            return
        names = {stored(id): id for id in wanted}
        parameter = orjson.dumps(list(names)).decode()
        for owner in (target.session, *target.lineage):
            for id, *facts in self._connection.execute(_LOOK_UP, (owner, parameter)).fetchall():
                known = Known(*facts)
                if owner == target.session:
                    target.ids[names[id]] = known.key
                else:
                    target.above.setdefault(names[id], []).append(known)
        target.absent |= wanted - target.ids.keys() - target.above.keys()

    def _shared(self, target: _Target, entry: Entry) -> int | None:
        """Key of the same entry in the lineage: same id, kind and time, and its parent is shared too."""
        for known in target.above.get(entry.id, ()):
            parent = None if entry.parent is None else target.ids.get(entry.parent)
            if (entry.parent is None) == (parent is None) and known[1:] == (parent, entry.kind, entry.time):
                return known.key
        return None

    def _resolve(self, target: _Target, id: str) -> int | None:
        key = target.ids.get(id)
        if key is None and id in target.above:
            return target.above[id][0].key
        return key

    # -- adding -----------------------------------------------------------------------------------------------

    def _add(self, target: _Target, batch: Sequence[Entry]) -> list[int]:
        new: list[tuple[int, Entry]] = []
        key = self._rows.next_key()
        for entry in batch:
            if entry.id in target.ids:
                self._rows.seen(target.ids[entry.id], entry)
            elif (shared := self._shared(target, entry)) is not None:
                target.ids[entry.id] = shared
                target.shares.add(shared)
            else:
                target.ids[entry.id] = key
                new.append((key, entry))
                key += 1
        for own, entry in new:
            parent = self._parent(target, own, entry)
            self._rows.add(target.session, own, entry, parent, self._target(target, own, entry))
        self._rows.write()
        self._settle(target, new)
        return [own for own, _ in new]

    def _parent(self, target: _Target, own: int, entry: Entry) -> int | None:
        if entry.parent is None or entry.parent == entry.id:
            return None
        parent = self._resolve(target, entry.parent)
        if parent is None:
            target.parents.setdefault(entry.parent, []).append(own)
        elif entry.parent in target.above:
            target.shares.add(parent)
        return parent

    def _target(self, target: _Target, own: int, entry: Entry) -> int | None:
        if entry.target is None:
            return None
        found = self._resolve(target, entry.target)
        if found is None:
            target.targets.setdefault(entry.target, []).append(own)
            return UNRESOLVED
        return found

    def _settle(self, target: _Target, new: Iterable[tuple[int, Entry]]) -> None:
        """Links of entries written before the one they name."""
        for waiting, column in ((target.parents, "parent"), (target.targets, "target")):
            if waiting:
                rows = [(key, own) for key, entry in new for own in waiting.pop(entry.id, ())]
                self._connection.executemany(f"UPDATE entries SET {column} = ? WHERE key = ?", rows)

    def _store_shares(self, target: _Target) -> None:
        """Only the tips: the rest of a shared path follows from the parents."""
        if not target.shares:
            return
        above = {known.parent for listed in target.above.values() for known in listed if known.key in target.shares}
        self._connection.executemany(
            "INSERT OR IGNORE INTO shares (session, entry) VALUES (?, ?)",
            [(target.session, key) for key in sorted(target.shares - above)],
        )
        target.shares.clear()


_LOOK_UP = """
    SELECT entries.id, entries.key, entries.parent, entries.kind, entries.time
    FROM json_each(?2) AS wanted CROSS JOIN entries ON entries.session = ?1 AND entries.id = wanted.value"""
