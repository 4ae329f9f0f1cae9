"""The records of one pi file in their order: which id each one has, and which parent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stemmata.formats.pi.header import Header
from stemmata.formats.pi.ids import PiIds, carried
from stemmata.formats.pi.records import migrate


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
