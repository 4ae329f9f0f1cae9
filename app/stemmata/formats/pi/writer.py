"""Export a session with every branch as a pi v3 file, which pi opens at the same leaf.

Records of a pi source are written byte for byte. Entries added in Stemmata follow them. The leaf's line comes last,
because pi opens a file at its last line. `PiCarrier` writes the new session of a hand-off.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import UUID

from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow, whole_entry
from stemmata.domain.requests.hand_off import Extent, HandOffDocument
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.export import ExportSource, LeftOut
from stemmata.formats.pi.carried import CARRIED, NOTE, carried_facts
from stemmata.formats.pi.header import NEWEST, PiHeader, header_in
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.records import OWN_KINDS, TYPES, RecordContext, entry_of, migrate
from stemmata.formats.pi.sequence import LEAF, PiIds, PiSequence, RecordLink
from stemmata.formats.pi.serialise import PiSerialiser, iso
from stemmata.formats.shared.export_entries import PAGE, ids_of
from stemmata.formats.shared.lines import LINE_LIMIT, Line, LineSplitter
from stemmata.formats.shared.values import BadLineError, exact_bytes, parse_object

_NAMING = ("firstKeptEntryId", "targetId", "fromId")


@dataclass(frozen=True, slots=True)
class PiFileSummary:
    """The result of inspecting a pi file: the stored ids of its entries, and the id of its last entry.

    `sound` is False when pi reads the file differently from Stemmata: the header is lost, or it names a newer version
    than the records have, so that pi does not migrate them.
    """

    header: PiHeader
    last: str | None = None
    ids: set[str] = field(default_factory=set)
    sound: bool = True


def inspect_file(raw: Callable[[], Iterable[bytes]]) -> PiFileSummary | None:
    """Return a summary of a pi file; None when the bytes are not a pi session.

    `raw` yields the file's bytes from the start at every call: once to find the header, which may follow other
    records, and once to number all records, so that no record is held.
    """
    header = header_in((line.number, record) for line, record in _records(raw()) if record is not None)
    if header is None:
        return None
    sequence = PiSequence(header)
    ids: set[str] = set()
    sound, copied = True, True
    for line, record in _records(raw()):
        link = None if record is None or line.number == header.number else sequence.take(record)
        if link is not None:
            ids.add(link.id)
            sound &= not (link.migrated and header.version >= NEWEST)
            copied &= link.carried_id is None and header.version >= 2
    return PiFileSummary(header, sequence.last, ids, sound and not header.damage and not (ids and copied))


def lines(
    chunks: Iterable[bytes], found: PiFileSummary, parents: Mapping[str, str | None], header: dict[str, Any]
) -> Iterator[tuple[str | None, bytes]]:
    """Yield every line with its line end, converted to version 3, with the id of its entry (None for other lines).

    A line is unchanged unless its version, id or links differ from the archive: version 1 and 2, repeated ids, and
    parents that were missing or formed a cycle. `header` is written when the file's header is lost.
    """
    if not found.header.number:
        yield None, exact_bytes(header) + b"\n"
    sequence = PiSequence(found.header)
    for line, record in _records(chunks):
        data, id = line.data or b"", None
        if record is not None and line.number == found.header.number:
            if found.header.version < NEWEST or found.header.damage:
                data = exact_bytes({**record, "version": NEWEST, "id": found.header.id or header["id"]})
        elif record is not None and (link := sequence.take(record)) is not None:
            id = link.id
            parent = parents.get(id, link.parent)
            if parent != link.parent and link.parent not in found.ids:
                parent = link.parent  # an orphan: pi also reads it as a root
            if _apply_archive_ids(record, link, parent, sequence.ids):
                data = exact_bytes(record)
        yield id, data + (line.end or b"\n")


def _apply_archive_ids(record: dict[str, Any], link: RecordLink, parent: str | None, ids: PiIds) -> bool:
    """Set the archive's ids in the record and return whether the record differs from the source line."""
    wanted: dict[str, Any] = {"id": link.id, "parentId": parent}
    for key in _NAMING:
        value = record.get(key)
        if isinstance(value, str) and ids.resolve(value) != value:
            wanted[key] = ids.resolve(value)
    same = not link.migrated and all(key in record and record[key] == value for key, value in wanted.items())
    record.update(wanted)
    return not same


def _records(chunks: Iterable[bytes]) -> Iterator[tuple[Line, dict[str, Any] | None]]:
    """Yield every line with its record; None for a line that the reader skipped."""
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


OWN_ROOT = "stemmata.root"
_NAMES = {Kind.COMPACTION: "firstKeptEntryId", Kind.LABEL: "targetId", Kind.BRANCH_SUMMARY: "fromId"}
_WRITERS = frozenset({"pi", "openclaw"})  # tools whose sessions consist of pi's records
_OWN_IDS = _WRITERS | {"stemmata"}  # sources in which each session has an id of its own
_CLAUDE_CODE_FIELDS = ("uuid", "sessionId")  # pi's records never have these fields


class PiWriter:
    """Export sessions as pi files."""

    name = "pi"

    def export(self, source: ExportSource) -> Iterator[bytes]:
        """Yield the file, one line per chunk; an unchanged pi session is yielded in its stored chunks."""
        return _PiExport(source).parts()

    def left_out(self, source: ExportSource) -> LeftOut:
        """Return the messages that pi keeps as notes: left out of the context, of the system, and skills."""
        if source.session.source in _WRITERS:
            return LeftOut()
        columns = source.tree.columns
        facts = zip(columns.kind, columns.role, columns.flags, strict=True)
        return LeftOut(unsent=sum(kind in _NOTED and _is_note(kind, role, flags) for kind, role, flags in facts))


_NOTED = frozenset({Kind.MESSAGE, Kind.CUSTOM_MESSAGE, Kind.SKILL})


def _is_note(kind: int, role: int, flags: int) -> bool:
    is_excluded = bool(flags & Flag.EXCLUDED) and role != Role.BASH_EXECUTION
    return is_excluded or kind == Kind.SKILL or (kind == Kind.MESSAGE and role == Role.SYSTEM)


RECORDS = 8  # records in memory at a time: unlike a body, a record holds its images


class _PiExport:
    def __init__(self, source: ExportSource, id: str = "") -> None:
        self._source = source
        self._id_in_pi = id or id_for_pi(source.session)
        self._serialiser = PiSerialiser(source.blob)
        self._ids = ids_of(source)
        self._leaf = None if source.leaf is None else self._ids[source.leaf]

    def parts(self) -> Iterator[bytes]:
        found = inspect_file(self._source.raw)
        if found is None:
            yield from self._of_other_tool()
            return
        missing = [entry for entry, id in enumerate(self._ids) if id not in found.ids]
        if found.sound and not missing and found.last == self._leaf:
            yield from self._source.raw()
            return
        last: bytes | None = None
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
            yield _line(self._last_record("root", OWN_ROOT, None))

    def _of_other_tool(self) -> Iterator[bytes]:
        """Yield the records in the order of the archive. When the leaf is not the last one, a record names it."""
        yield _line(self._header())
        for _, data in self._added(list(range(len(self._ids)))):
            yield data
        if self._leaf is None and self._ids:
            yield _line(self._last_record("root", OWN_ROOT, None))
        elif self._ids and self._leaf != self._ids[-1]:
            yield _line(self._last_record("leaf", LEAF, self._leaf) | {CARRIED: {}})

    def _parents(self) -> dict[str, str | None]:
        parents = self._source.tree.parents
        return {id: self._id(parents[entry]) for entry, id in enumerate(self._ids)}

    def _id(self, entry: int | None) -> str | None:
        return None if entry is None or entry < 0 else self._ids[entry]

    def _added(self, entries: list[int]) -> Iterator[tuple[str, bytes]]:
        for start in range(0, len(entries), PAGE):
            page = entries[start : start + PAGE]
            source = self._source
            parts = zip(page, source.rows(page), source.bodies(page), self._records(page), strict=True)
            yield from ((row.id, self._entry(entry, row, body, record)) for entry, row, body, record in parts)

    def _records(self, entries: list[int]) -> Iterator[bytes | None]:
        for start in range(0, len(entries), RECORDS):
            yield from self._source.records(entries[start : start + RECORDS])

    def _entry(self, entry: int, row: EntryRow, body: Body, record: bytes | None) -> bytes:
        parent = self._id(self._source.tree.parents[entry])
        wanted = replace(whole_entry(row, body), parent=parent, target=self._target(row))
        if record is not None:
            try:
                fields = parse_object(record)
            except BadLineError:
                fields = {}
            if _is_pi(fields, row.id, self._source.session.source):
                links = self._links(fields, row, parent)
                migrated = migrate(fields, 1, lambda _: None)
                is_same = not migrated and links.items() <= fields.items()
                fields |= links
                if self._source.session.source in _WRITERS:
                    return record + b"\n" if is_same else _line(fields)
                line = exact_bytes(fields)
                if not _carried(wanted, line, self._source.blob):
                    return (record if is_same else line) + b"\n"
        fields = self._serialiser.record(row, body, parent, wanted.target)
        line = exact_bytes(fields)
        carried = _carried(wanted, line, self._source.blob, {CARRIED: {}})
        is_note = str(fields.get("customType", "")).startswith(NOTE) and row.kind not in OWN_KINDS.values()
        if carried or is_note:
            line = line.removesuffix(b"}") + b"," + exact_bytes({CARRIED: carried}).removeprefix(b"{")
        return line + b"\n"

    def _target(self, row: EntryRow) -> str | None:
        return self._id(self._source.tree.get(row.target))

    def _links(self, fields: dict[str, Any], row: EntryRow, parent: str | None) -> dict[str, Any]:
        """Return the archive's ids for the record, its parent and its target.

        Older versions write these fields differently.
        """
        links: dict[str, Any] = {"id": row.id, "parentId": parent}
        target, key = self._target(row), _NAMES.get(row.kind)
        if target is not None and key is not None and (key in fields or row.kind is Kind.COMPACTION):
            links[key] = target
        return links

    def _header(self) -> dict[str, Any]:
        session, parent = self._source.session, self._source.parent
        start = {"type": "session", "version": NEWEST, "id": self._id_in_pi}
        facts = {**start, "timestamp": iso(session.created_at), "cwd": session.cwd}
        if parent is not None:
            facts["parentSession"] = id_for_pi(parent)
        carried: dict[str, Any] = {}
        if session.source not in _OWN_IDS:
            carried |= {"source": session.source, "id": session.source_id}
        if session.named and session.title:
            carried["title"] = session.title
        if session.tags:
            carried["tags"] = list(session.tags)
        return {**facts, CARRIED: carried} if carried else facts

    def _last_record(self, name: str, type: str, parent: str | None) -> dict[str, Any]:
        """Return a record without content below `parent`, where pi continues, because it is the last one of the file.

        Without a parent, pi opens the file with an empty context and keeps the history in the tree.
        """
        session = self._source.session
        digest = hashlib.sha256(f"{session.source_id}:{name}".encode("utf-8", "replace")).hexdigest()
        taken = set(self._ids)
        id = next((digest[:size] for size in range(8, 65) if digest[:size] not in taken), digest)
        custom = {"type": "custom", "customType": type}
        return {**custom, "id": id, "parentId": parent, "timestamp": iso(session.updated_at)}


def id_for_pi(session: Session) -> str:
    """Return the id of a session in pi. Two tools may use the same id, so a session of another tool gets a new id."""
    if session.source in _OWN_IDS:
        return session.source_id or session.id
    name = f"{session.source}:{session.source_id or session.id}"
    return str(UUID(bytes=hashlib.sha256(name.encode("utf-8", "replace")).digest()[:16], version=5))


def _carried(
    wanted: Entry, line: bytes, blob: Callable[[str], bytes | None], more: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the facts of the wanted entry that are lost when its line, with `more` fields, is read again."""
    try:
        record = {**parse_object(line), **more}
    except BadLineError:  # nested too deep to be read, with or without further facts
        return {}
    read = entry_of(record, RecordContext(wanted.id, wanted.parent, None, lambda id: id), [])
    return carried_facts(wanted, read, blob)


def _is_pi(fields: dict[str, Any], id: str, source: str) -> bool:
    """Return whether a source record is pi's: it has a record type of pi, or a type of a newer version of pi.

    Other tools, such as Gemini CLI and Copilot CLI, have ids and timestamps of the same names: pi would not know the
    types of their records. So unknown types are kept only in sessions of tools that write pi records, and in their
    forks.
    """
    if any(name in fields for name in _CLAUDE_CODE_FIELDS):
        return False
    kind = fields.get("type")
    is_forked = source == "stemmata" and "parentId" in fields and "." not in str(kind)
    if (source in _WRITERS or is_forked) and fields.get("id") == id and "timestamp" in fields:
        return True
    if kind == "message":
        return "message" in fields  # Codex's first versions wrote the message itself
    return isinstance(kind, str) and kind in TYPES


def _line(record: dict[str, Any]) -> bytes:
    return exact_bytes(record) + b"\n"


class PiCarrier:
    """Writes sessions that pi resumes. From the whole path, pi makes the context itself: it knows compactions."""

    extents = (Extent.WHOLE, Extent.BRIEF)

    def place(self, document: HandOffDocument, home: Path, environment: Mapping[str, str]) -> Path:
        """Return the path of the new file, in the folder of the session's working folder, as pi names both."""
        sessions = Pi().folders(home, environment)[0].path
        folder = re.sub(r"[/\\:]", "-", document.cwd.lstrip("/\\"))
        moment = re.sub(r"[:.]", "-", iso(document.time))
        return sessions / f"--{folder}--" / f"{moment}_{document.id}.jsonl"

    def lines(self, document: HandOffDocument) -> Iterator[bytes]:
        """Yield the lines of the file."""
        if document.path is not None:
            yield from _PiExport(document.path, document.id).parts()
            return
        moment = iso(document.time)
        header = {"type": "session", "version": NEWEST, "id": document.id, "timestamp": moment, "cwd": document.cwd}
        yield _line(header)
        for number, message in enumerate(document.messages):
            text = plain_text([block for block in message.blocks if isinstance(block, Text)])
            record = {
                "type": "message",
                "id": f"{number:08x}",
                "parentId": f"{number - 1:08x}" if number else None,
                "timestamp": moment,
                "message": {"role": "user", "content": text, "timestamp": document.time // 1_000_000},
            }
            yield _line(record)
