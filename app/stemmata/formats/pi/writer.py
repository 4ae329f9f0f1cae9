"""A session as a pi v3 file that pi opens at the same leaf, with every branch in it.

Records of a pi source go out byte for byte. What was added here follows them, each hanging where it hangs; the
leaf's own line comes last, because pi stands at the last line of a file.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.session_facts import Body, EntryRow
from stemmata.domain.text.json_text import compact
from stemmata.formats.pi.header import NEWEST, Header, header_in
from stemmata.formats.pi.records import TYPES, migrate
from stemmata.formats.pi.sequence import PiIds, PiSequence, Step
from stemmata.formats.pi.serialise import PiSerialiser, iso
from stemmata.formats.shared.export_entries import entries_of, ids_of
from stemmata.formats.shared.lines import LINE_LIMIT, Line, LineSplitter
from stemmata.formats.shared.values import BadLineError, parse_object

if TYPE_CHECKING:
    from stemmata.services.ports.archive import ExportSource


_NAMING = ("firstKeptEntryId", "targetId", "fromId")


@dataclass(frozen=True, slots=True)
class Survey:
    """`ids`: the entries in the file, under their stored ids. `last`: where pi stands when it opens the file.

    `sound`: pi reads it as we do. Not so where the header is lost, or where it names a newer version than its records
    are of: pi then brings none of them up to date.
    """

    header: Header
    last: str | None = None
    ids: set[str] = field(default_factory=set)
    sound: bool = True


def survey(chunks: Iterable[bytes]) -> Survey | None:
    """None when the bytes are no pi session."""
    header: Header | None = None
    ids: set[str] = set()
    sound, copied = True, True
    taken: list[tuple[int, dict[str, Any]]] = []  # and before the header is found, what stands before it
    for line, record in _records(chunks):
        if record is None:
            continue
        taken.append((line.number, record))
        if header is None:
            header = header_in(taken[-1:])
            if header is None:
                continue
            sequence = PiSequence(header)
        for number, each in taken:
            step = None if number == header.number else sequence.take(each)
            if step is not None:
                ids.add(step.id)
                sound &= not (step.migrated and header.version >= NEWEST)
                copied &= step.own is None and header.version >= 2
        taken.clear()
    if header is None:
        return None
    return Survey(header, sequence.last, ids, sound and not header.damage and not (ids and copied))


def lines(
    chunks: Iterable[bytes], found: Survey, parents: Mapping[str, str | None], header: dict[str, Any]
) -> Iterator[tuple[str | None, bytes]]:
    """Every line with its end, as version 3, and the id of the entry in it (None for other lines).

    A line goes out as it is, unless its version, its id or its links are not what the archive holds: version 1 and
    2, ids made unique, parents that were missing from the record or closed a cycle. `header` stands for a lost one.
    """
    if not found.header.number:
        yield None, _text(header) + b"\n"
    sequence = PiSequence(found.header)
    for line, record in _records(chunks):
        data, id = line.data or b"", None
        if record is not None and line.number == found.header.number:
            if found.header.version < NEWEST or found.header.damage:
                data = _text({**record, "version": NEWEST, "id": found.header.id or header["id"]})
        elif record is not None and (step := sequence.take(record)) is not None:
            id = step.id
            parent = parents.get(id, step.parent)
            if parent != step.parent and step.parent not in found.ids:
                parent = step.parent  # an orphan: pi too takes it for a root
            if _mend(record, step, parent, sequence.ids):
                data = _text(record)
        yield id, data + (line.end or b"\n")


def _mend(record: dict[str, Any], step: Step, parent: str | None, ids: PiIds) -> bool:
    """Give the record the archive's ids. Answers whether that changed anything, older words included."""
    wanted: dict[str, Any] = {"id": step.id, "parentId": parent}
    for key in _NAMING:
        value = record.get(key)
        if isinstance(value, str) and ids.resolve(value) != value:
            wanted[key] = ids.resolve(value)
    same = not step.migrated and all(key in record and record[key] == value for key, value in wanted.items())
    record.update(wanted)
    return not same


def _records(chunks: Iterable[bytes]) -> Iterator[tuple[Line, dict[str, Any] | None]]:
    """Every line, and the record in it if the reader took it for one."""
    splitter = LineSplitter(limit=sys.maxsize)
    for chunk in chunks:
        yield from map(_parsed, splitter.feed(chunk))
    yield from map(_parsed, splitter.finish())


def _parsed(line: Line) -> tuple[Line, dict[str, Any] | None]:
    if line.blank or line.size > LINE_LIMIT:
        return line, None
    try:
        return line, parse_object(line.data)
    except BadLineError:
        return line, None


def _text(record: dict[str, Any]) -> bytes:
    return compact(record).encode("utf-8", "replace")


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
