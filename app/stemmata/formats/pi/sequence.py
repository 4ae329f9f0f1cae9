"""Assign ids and parents to the records of one pi file, in file order."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from stemmata.formats.pi.carried import CARRIED
from stemmata.formats.pi.header import PiHeader
from stemmata.formats.pi.records import migrate

LEAF = "stemmata.leaf"  # the custom type of a record that says where the session goes on, and makes no entry


class PiIds:
    """The ids of one file.

    Ids must be claimed in file order: a repeated id refers to the newest entry that carries it.
    """

    def __init__(self, session: str) -> None:
        self._session = session
        self._claimed: set[str] = set()
        self._times: dict[str, int] = {}  # repeated id → number of entries that carry it
        self._made: dict[int, str] = {}  # record index → id made for the record
        self._leaves: dict[str, str | None] = {}  # id of a record of LEAF → the leaf; None is the start

    def claim(self, id: str) -> str:
        """Reserve and return the id, made unique if it is taken: `x`, `x~2`, `x~3`."""
        if id not in self._claimed:
            self._claimed.add(id)
            return id
        number = self._times.get(id, 1) + 1
        while (unique := f"{id}~{number}") in self._claimed:
            number += 1
        self._times[id] = number
        self._claimed.add(unique)
        return unique

    @property
    def are_unique(self) -> bool:
        """Whether no id has been repeated so far."""
        return not self._times

    def is_claimed(self, id: str) -> bool:
        """Return whether an entry already has this id."""
        return id in self._claimed

    def note_leaf(self, id: str, leaf: str | None) -> None:
        """Note that the id of a LEAF record stands for the leaf that the record names."""
        self._leaves[id] = leaf

    def parent(self, id: str) -> str | None:
        """Return the stored id of the parent that a record names."""
        return self._leaves[id] if id in self._leaves else self.resolve(id)

    def resolve(self, id: str) -> str:
        """Return the stored id of the entry that a record refers to by `id`."""
        id = self._leaves.get(id) or id
        return f"{id}~{self._times[id]}" if id in self._times else id

    def make(self, index: int) -> str:
        """Return a new id for the record with this index; it is the same in every reading of the file.

        The id is 8 hex characters of a hash of session and index, or more when those are taken.
        """
        digest = hashlib.sha256(f"{self._session}:{index}".encode("utf-8", "surrogatepass")).hexdigest()
        free = (digest[:size] for size in range(8, 65) if digest[:size] not in self._claimed)
        self._made[index] = id = self.claim(next(free, digest))
        return id

    def made(self, index: int) -> str | None:
        """Return the id made for an earlier record, or None when the record carried its own."""
        return self._made.get(index)


def id_text(value: Any) -> str | None:
    """Return an id from a record as text: a string unchanged, a whole number converted, None for any other value."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


class RecordLink(NamedTuple):
    """A record's stored id and parent. `carried_id` is the id in the record; None when the id was made."""

    id: str
    parent: str | None
    carried_id: str | None
    names_parent: bool  # whether the record names its parent; otherwise the previous record is the parent
    migrated: bool  # whether the record was converted from an older version


class PiSequence:
    """Link the records after the header, in file order, and convert them to version 3.

    Readers and the writer use this class, so that they number records alike.
    """

    def __init__(self, header: PiHeader) -> None:
        self._version = header.version
        self.ids = PiIds(header.id)
        self.records = 1  # number of parsed records, including the header
        self.last: str | None = None  # id of the newest entry, which pi opens as the leaf

    def resume_after(self, records: int, last: str | None) -> None:
        """Continue after `records` records, the last of which has the id `last`."""
        self.records, self.last = records, last

    def take(self, record: dict[str, Any]) -> RecordLink | None:
        """Link the next record; None for a second header and a LEAF record, which are counted but give no entry."""
        index = self.records
        self.records += 1
        if record.get("type") == "session":
            return None
        parent, named = self._parent(record)
        carried_id = id_text(record.get("id")) if self._version >= 2 else None
        if is_leaf_record(record) and carried_id is not None and not self.ids.is_claimed(carried_id):
            self.ids.note_leaf(carried_id, parent)
            self.last = parent
            return None
        id = self.ids.make(index) if carried_id is None else self.ids.claim(carried_id)
        migrated = migrate(record, self._version, self.ids.made)
        self.last = id
        return RecordLink(id, parent, carried_id, named, migrated)

    def _parent(self, record: dict[str, Any]) -> tuple[str | None, bool]:
        if self._version < 2 or "parentId" not in record:
            return self.last, False
        value = record["parentId"]
        if value is None:
            return None, True
        return self.ids.parent(id_text(value) or str(value)), True


def is_leaf_record(record: dict[str, Any]) -> bool:
    """Return whether a record only says where the session goes on."""
    is_own = record.get("type") == "custom" and record.get("customType") == LEAF
    return is_own and isinstance(record.get(CARRIED), dict)
