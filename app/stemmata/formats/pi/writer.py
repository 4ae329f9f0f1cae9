"""A session as a pi v3 file that pi opens at the same leaf, with every branch in it.

Records of a pi source go out byte for byte. What was added here follows them, each hanging where it hangs; the
leaf's own line comes last, because pi stands at the last line of a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.session_facts import Body, EntryRow
from stemmata.domain.text.json_text import compact
from stemmata.formats.pi.header import NEWEST
from stemmata.formats.pi.raw import lines, survey
from stemmata.formats.pi.records import TYPES, migrate
from stemmata.formats.pi.serialise import PiSerialiser, iso
from stemmata.formats.shared.export_entries import entries_of, ids_of
from stemmata.formats.shared.json_lines import BadLineError, parse_object

if TYPE_CHECKING:
    from stemmata.services.ports.archive import ExportSource

OWN_ROOT = "stemmata.root"
_NAMES = {Kind.COMPACTION: "firstKeptEntryId", Kind.LABEL: "targetId", Kind.BRANCH_SUMMARY: "fromId"}
_FOREIGN = ("uuid", "sessionId")  # what Claude Code's records carry and pi's never do


class PiWriter:
    name = "pi"

    def export(self, source: ExportSource) -> Iterator[bytes]:
        """One chunk a line, except that an untouched session comes back in the chunks it is stored in."""
        return _PiExport(source).parts()


class _PiExport:
    def __init__(self, source: ExportSource) -> None:
        self._source = source
        self._serialiser = PiSerialiser(source.blob)
        self._ids = ids_of(source)
        self._leaf = None if source.leaf is None else self._ids[source.leaf]

    def parts(self) -> Iterator[bytes]:
        found = survey(self._source.raw())
        known = found.ids if found is not None else set()
        missing = [entry for entry, id in enumerate(self._ids) if id not in known]
        if found is not None and found.sound and not missing and found.last == self._leaf:
            yield from self._source.raw()
            return
        last: bytes | None = None
        if found is None:
            yield _line(self._header())
        else:
            for id, data in lines(self._source.raw(), found, self._parents(), self._header()):
                if id is not None and id == self._leaf:
                    last = data
                else:
                    yield data
        for id, data in self._added(missing):
            if id == self._leaf:
                last = data
            else:
                yield data
        if last is not None:
            yield last
        elif self._ids:
            yield _line(self._root())

    def _parents(self) -> dict[str, str | None]:
        parents = self._source.tree.parents
        return {id: self._id(parents[entry]) for entry, id in enumerate(self._ids)}

    def _id(self, entry: int | None) -> str | None:
        return None if entry is None or entry < 0 else self._ids[entry]

    def _added(self, entries: list[int]) -> Iterator[tuple[str, bytes]]:
        for entry, row, body in entries_of(self._source, entries):
            yield row.id, self._entry(entry, row, body)

    def _entry(self, entry: int, row: EntryRow, body: Body) -> bytes:
        parent = self._id(self._source.tree.parents[entry])
        record = self._source.record(entry)
        if record is not None:
            try:
                fields = parse_object(record)
            except BadLineError:
                fields = {}
            if _is_pi(fields, row.id):
                links = self._links(fields, row, parent)
                migrated = migrate(fields, 1, lambda _: None)
                return (
                    _line({**fields, **links}) if migrated or not links.items() <= fields.items() else record + b"\n"
                )
        return _line(self._serialiser.record(row, body, parent, self._target(row)))

    def _target(self, row: EntryRow) -> str | None:
        return self._id(self._source.tree.get(row.target))

    def _links(self, fields: dict[str, Any], row: EntryRow, parent: str | None) -> dict[str, Any]:
        """What the archive calls the record, its parent, and what it names, which older versions say otherwise."""
        links: dict[str, Any] = {"id": row.id, "parentId": parent}
        target, key = self._target(row), _NAMES.get(row.kind)
        if target is not None and key is not None and (key in fields or row.kind is Kind.COMPACTION):
            links[key] = target
        return links

    def _header(self) -> dict[str, Any]:
        session = self._source.session
        id = session.source_id or session.id
        start = {"type": "session", "version": NEWEST, "id": id}
        return {**start, "timestamp": iso(session.created_at), "cwd": session.cwd}

    def _root(self) -> dict[str, Any]:
        """A root that says nothing: opened there, pi starts with an empty context and the history in the tree."""
        session = self._source.session
        digest = hashlib.sha256(f"{session.source_id}:root".encode("utf-8", "replace")).hexdigest()
        taken = set(self._ids)
        id = next((digest[:size] for size in range(8, 65) if digest[:size] not in taken), digest)
        custom = {"type": "custom", "customType": OWN_ROOT}
        return {**custom, "id": id, "parentId": None, "timestamp": iso(session.updated_at)}


def _is_pi(fields: dict[str, Any], id: str) -> bool:
    """Whether a source record is pi's, of version 2 on or of a known type."""
    if any(name in fields for name in _FOREIGN):
        return False
    return (fields.get("id") == id and "timestamp" in fields) or fields.get("type") in TYPES


def _line(record: dict[str, Any]) -> bytes:
    return compact(record).encode("utf-8", "replace") + b"\n"
