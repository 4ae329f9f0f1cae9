"""Read the JSON export of a session back: the same tree with the same entries, in the same order.

The export has one entry and one attachment a line, and each line is read by itself, so that only damaged lines are
lost. A document that another program has reformatted is read as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Kind, Record, Role
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Repaired, Skipped
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.pi.carried import flags_in, kind_in, role_in, tags_of, usage_in
from stemmata.formats.pi.reading import ParentsFirst
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import LARGEST_DOCUMENT, Line, SourceLines
from stemmata.formats.shared.source_file import open_source
from stemmata.formats.shared.values import BOM, BadLineError, count, exact_json, image, instant, listed, mapping, text

_LINE = 1 << 30  # bytes; an entry of 100 MB and an attachment of some hundred are read
_START = re.compile(rb'\s*\{\s*"stemmata"\s*:')
_LINE_STARTS = re.compile(rb'^(?:"session":\{"id":|\{"id":"[^"]*","parent":(?:null|"[^"]*"),"target":)', re.MULTILINE)
_PART = re.compile(rb'"(session|leaf)":(.*?),?', re.DOTALL)
_BLOB = re.compile(rb'"([0-9a-f]{64})":("[A-Za-z0-9+/=]*")(?:,|\}\})?')
_MARKS = (b"],", b'"blobs":{', b'"blobs":{}', b"}}", b'"entries":[')
_END = b"}}"


def is_own_export(head: bytes) -> bool:
    """Return whether a file with this beginning is a JSON export, also when its text names other formats."""
    return _START.match(head.removeprefix(BOM)) is not None


class Json(SingleFileFormat):
    """The reader of JSON exports."""

    name = "json"

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether the file begins as an export does, or has one of its lines when the beginning is lost."""
        return is_own_export(head) or _LINE_STARTS.search(head) is not None

    def folders(self, _home: Path, _environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return nothing: an export is in a place of the user's choice."""
        return ()

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the session; an export is always read whole."""
        yield from _Reading(path).events()


class _Reading:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._session: dict[str, Any] = {}
        self._leaf: str | None = None
        self._has_leaf = False
        self._is_complete = False
        self._known: dict[str, Entry] = {}
        self._order = ParentsFirst()
        self._last: str | None = None
        self._repeated = 0

    def events(self) -> Iterator[ReadEvent]:
        """Yield Begin, the file's bytes with the attachments and entries, the damage, and End."""
        has_lines = self._take_facts()
        document = {} if has_lines else _document(self._path)
        if document:
            self._session, leaf = mapping(document.get("session")), document.get("leaf")
            self._leaf, self._has_leaf, self._is_complete = _name(leaf), True, True
        info = _info(self._session, self._path)
        yield Begin(info)
        yield from _attachments(mapping(document.get("blobs")))
        source = SourceLines(self._path, limit=_LINE)
        for item in source:
            if isinstance(item, Raw):
                yield item
            elif not document:
                yield from self._line(item)
        entries = document.get("entries", [])
        if not isinstance(entries, list):
            yield Skipped(0, "its entries are not a list")
        for record in entries if isinstance(entries, list) else ():
            yield from self._entry(mapping(record), None, 0)
        yield from self._order.settle()
        if self._repeated:
            yield Repaired(f"{self._repeated} lines occur twice; each was read once.")
        if not self._is_complete:
            yield Repaired("The end of the export is lost: entries and attachments after it are missing.")
        leaf = self._leaf if self._has_leaf and (self._leaf is None or self._leaf in self._known) else self._last
        yield End(leaf, leaf_known=True, title=info.title, checkpoint=source.checkpoint({}))

    def _take_facts(self) -> bool:
        """Read the session, its leaf and the end mark from their lines.

        Return whether the file has one part a line, as exports are written.
        """
        found = False
        for item in SourceLines(self._path, limit=_LINE):
            if not isinstance(item, Line) or item.data is None:
                continue
            part = _PART.fullmatch(item.data)
            found |= part is not None or _LINE_STARTS.match(item.data) is not None
            if part is not None:
                try:
                    value = _value(part[2])
                except BadLineError:
                    continue
                if part[1] == b"leaf":
                    self._leaf, self._has_leaf = _name(value), True
                else:
                    self._session = self._session or mapping(value)
            self._is_complete |= item.data.endswith(_END) and not item.data.startswith(b"{")
        return found

    def _line(self, line: Line) -> Iterator[ReadEvent]:
        """Yield the entry or the attachment of a line; the facts were read before."""
        data = line.data
        if data is None:
            yield Skipped(line.number, "exceeds the line length limit")
            return
        if data in _MARKS or _START.match(data):
            return
        blob = _BLOB.fullmatch(data)
        if blob is not None:
            yield from _attachment(blob[1].decode(), blob[2].decode()[1:-1], line.number)
            return
        part = _PART.fullmatch(data)
        size = len(data) - data.endswith(b",")
        try:
            record = _value(data[:size] if part is None else part[2])
        except BadLineError as error:
            yield Skipped(line.number, str(error) if line.complete else f"{error}: the file ends inside this line")
            return
        if part is None:
            yield from self._entry(mapping(record), Record(line.offset, size), line.number)

    def _entry(self, record: dict[str, Any], place: Record | None, line: int) -> Iterator[ReadEvent]:
        id = _name(record.get("id"))
        if id is None or "kind" not in record:
            yield Skipped(line, "not an entry")
            return
        entry = replace(_entry(record, id), record=place)
        known = self._known.setdefault(id, entry)
        if known is not entry:
            if replace(known, record=place) != entry:
                yield Skipped(line, f"the entry {id} is also in an earlier line, with other content")
            self._repeated += 1
            return
        self._last = id
        yield from self._order.place(entry)


def _document(path: Path) -> dict[str, Any]:
    """Return the export as one value. Raises UnreadableSourceError."""
    with open_source(path) as file:
        data = file.read(LARGEST_DOCUMENT + 1)
    if len(data) > LARGEST_DOCUMENT:
        limit = LARGEST_DOCUMENT >> 20
        raise UnreadableSourceError(
            Phrase(
                "Another program has rewritten the JSON export {0}; at most {1} MB of such a file can be read. "
                "Export the session from Stemmata again.",
                path,
                limit,
            )
        )
    try:
        return mapping(_value(data.removeprefix(BOM)))
    except BadLineError:
        raise UnreadableSourceError(
            Phrase("{0} is an export of Stemmata that lost its beginning. Nothing was imported.", path)
        ) from None


def _value(data: bytes) -> Any:
    """Return a JSON value, with its lone surrogates, which an archive keeps. Raises BadLineError."""
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except RecursionError:
        raise BadLineError("nested too deep") from None
    except ValueError:
        raise BadLineError("not valid JSON") from None


def _info(session: dict[str, Any], path: Path) -> SessionInfo:
    """Return the facts about the session. It gets a new id, since the exported session may be in the archive, too."""
    source, id = text(session.get("source")), text(session.get("source_id")) or text(session.get("id"))
    parent = mapping(session.get("parent"))
    origin, above = text(parent.get("source")), text(parent.get("source_id"))
    details = mapping(session.get("details"))
    return SessionInfo(
        source=Json.name,
        source_id=f"{source}:{id}" if id else path.stem,
        title=text(session.get("title")) if session.get("named") is not False else "",
        cwd=text(session.get("cwd")),
        created_at=_time(session, "created_at"),
        parent_source_id=f"{origin}:{above}" if above else "",
        details=compact_json({**details, "exported": {"source": source, "id": id}}),
        tags=tags_of(session.get("tags")),
    )


def _attachments(blobs: dict[str, Any]) -> Iterator[Blob | Skipped]:
    for digest, data in blobs.items():
        yield from _attachment(digest, text(data), 0)


def _attachment(digest: str, data: str, line: int) -> Iterator[Blob | Skipped]:
    found: list[Blob] = []
    image(data, "", found)
    if [one.digest for one in found] != [digest]:
        yield Skipped(line, "an attachment whose bytes do not match its hash")
        return
    yield from found


def _entry(record: dict[str, Any], id: str) -> Entry:
    return Entry(
        id=id,
        parent=_name(record.get("parent")),
        kind=kind_in(record.get("kind"), Kind.UNKNOWN),
        role=role_in(record.get("role"), Role.NONE),
        time=_time(record, "time"),
        blocks=tuple(map(_block, listed(record.get("blocks")))),
        provider=text(record.get("provider")),
        model=text(record.get("model")),
        tool=text(record.get("tool")),
        call=text(record.get("call")),
        target=_name(record.get("target")),
        name=text(record.get("name")),
        usage=usage_in(record.get("usage")),
        flags=flags_in(record.get("flags")),
        details=_printed(record, "details"),
    )


def _block(value: Any) -> Block:
    block = mapping(value)
    words = {name: text(block.get(name)) for name in ("text", "signature", "id", "name", "media_type", "blob")}
    match block.get("type"):
        case "text":
            return Text(words["text"], words["signature"])
        case "thinking":
            return Thinking(words["text"], words["signature"], bool(block.get("redacted")))
        case "tool_call":
            return ToolCall(words["id"], words["name"], _printed(block, "arguments"), words["signature"])
        case "image":
            return Image(words["media_type"], words["blob"], count(block.get("size")), words["name"])
    kind = block.get("block_type") if isinstance(block.get("block_type"), str) else block.get("type")
    has_value = "value" in block or "value_text" in block
    return UnknownBlock(text(kind), _printed(block, "value") if has_value else exact_json(value))


def _printed(fields: dict[str, Any], name: str) -> str:
    """Return the JSON text of a field as the archive had it: from the field NAME_text, else the value printed."""
    exact = fields.get(f"{name}_text")
    if isinstance(exact, str):
        return exact
    value = fields.get(name, exact)
    return "" if value is None else exact_json(value)


def _time(fields: dict[str, Any], name: str) -> int:
    exact = fields.get(f"{name}_ns")
    return exact if isinstance(exact, int) and abs(exact) < 1 << 63 else instant(fields.get(name))


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
