"""The records of one pi file in their order: which id each one has, and which parent."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from stemmata.formats.pi.header import Header
from stemmata.formats.pi.records import migrate


class PiIds:
    """Claims must come in file order: what an id resolves to is the newest entry that bore it up to then."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._claimed: set[str] = set()
        self._times: dict[str, int] = {}  # an id borne more than once → how many unique ones were made of it
        self._made: dict[int, str] = {}  # record count → id made for it

    def claim(self, id: str) -> str:
        """The id, or when it is taken one made of it: `x`, `x~2`, `x~3`."""
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
        """Whether no id was borne more than once so far."""
        return not self._times

    def is_claimed(self, id: str) -> bool:
        return id in self._claimed

    def resolve(self, id: str) -> str:
        """The stored id of the entry that a record names."""
        return f"{id}~{self._times[id]}" if id in self._times else id

    def make(self, index: int) -> str:
        """An id for the record with this count: the same at every reading of the file.

        Eight hex characters of a hash of session and count, more when those are taken.
        """
        digest = hashlib.sha256(f"{self._session}:{index}".encode("utf-8", "surrogatepass")).hexdigest()
        free = (digest[:size] for size in range(8, 65) if digest[:size] not in self._claimed)
        self._made[index] = id = self.claim(next(free, digest))
        return id

    def made(self, index: int) -> str | None:
        """The id made for an earlier record."""
        return self._made.get(index)


def carried(value: Any) -> str | None:
    """An id as a record carries it: strings as they are, whole numbers as text, nothing else."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


@dataclass(frozen=True, slots=True)
class Step:
    """Where a record stands. `own` is the id it carries, None when one was made for it."""

    id: str
    parent: str | None
    own: str | None
    named: bool  # whether the record says its parent; else it hangs on the record before
    migrated: bool  # whether the record was written in the words of an older version


class PiSequence:
    """Takes the records after the header in file order; a reader and a writer number them alike.

    Records are brought to version 3 in passing.
    """

    def __init__(self, header: Header) -> None:
        self._version = header.version
        self.ids = PiIds(header.id)
        self.records = 1  # parsed so far, the header included
        self.last: str | None = None  # id of the newest entry: where pi stands

    def go_on(self, records: int, last: str | None) -> None:
        """Behind so many records, the last of which has this id; what else stands there is not known."""
        self.records, self.last = records, last

    def take(self, record: dict[str, Any]) -> Step | None:
        """None for a second header, which is counted and is no entry."""
        index = self.records
        self.records += 1
        if record.get("type") == "session":
            return None
        parent, named = self._parent(record)
        own = carried(record.get("id")) if self._version >= 2 else None
        id = self.ids.make(index) if own is None else self.ids.claim(own)
        migrated = migrate(record, self._version, self.ids.made)
        self.last = id
        return Step(id, parent, own, named, migrated)

    def _parent(self, record: dict[str, Any]) -> tuple[str | None, bool]:
        if self._version < 2 or "parentId" not in record:
            return self.last, False
        value = record["parentId"]
        if value is None:
            return None, True
        return self.ids.resolve(carried(value) or str(value)), True
