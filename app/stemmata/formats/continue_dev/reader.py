"""Recognise Continue's sessions (`~/.continue/sessions/<session>.json`) and read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from stemmata.domain.entries.entry import Record
from stemmata.domain.errors import KnownError, UnreadableSourceError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Skipped, SourceShape
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.continue_dev.items import ItemEntries, compaction, is_empty, is_item, is_summary, summary_of
from stemmata.formats.shared.damaged_document import DocumentItem, document_items, fields_beside, id_by_name
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.free_ids import free_id, with_free_id
from stemmata.formats.shared.json_elements import element_keys, places
from stemmata.formats.shared.lines import LARGEST_DOCUMENT, SourceLines
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BOM, BadLineError, instant, mapping, parse, parse_object, text

_HISTORY = re.compile(rb'"history"\s*:\s*\[\s*\{\s*"(message|contextItems|editorState)"\s*:')
_ITEM = re.compile(rb'\{\s*"message"\s*:\s*\{')
_LIST = "sessions.json"
_LARGEST_LIST = 16 << 20  # bytes
_UNNAMED = ("New Session", "Untitled Session")


class Continue(SingleFileFormat):
    """The reader of Continue's sessions."""

    name = "continue"
    shape = SourceShape.DOCUMENT

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether the file begins like a session: an object with a history of items."""
        if not head.lstrip().startswith(b"{"):
            return False
        keys = element_keys(head, ("history", "sessionId", "workspaceDirectory"))
        named = "history" in keys and {"sessionId", "workspaceDirectory"} & keys
        return bool(named) and (_HISTORY.search(head) is not None or {"sessionId", "workspaceDirectory"} <= keys)

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder of Continue's sessions, the same on every system."""
        moved = environment.get("CONTINUE_GLOBAL_DIR", "")
        return (SessionFolder((Path(moved) if moved else home / ".continue") / "sessions"),)

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading; the document is held in memory."""
        source = SourceLines(path, largest=LARGEST_DOCUMENT)
        chunks = [part for part in source if isinstance(part, Raw)]
        data = b"".join(chunk.data for chunk in chunks)
        document, items = _document(data, path)
        id = text(document.get("sessionId")) or path.stem
        yield Begin(_info(document, id, path))
        yield from chunks
        history = _History(id, document, items)
        yield from history
        yield End(history.leaf, leaf_known=True, checkpoint=source.checkpoint({}))


def _document(data: bytes, path: Path) -> tuple[dict[str, Any], list[DocumentItem]]:
    """Return a session without its items, and the items; of a damaged one the items that are whole."""
    try:
        document = parse_object(data.removeprefix(BOM))
    except BadLineError as error:
        start = _HISTORY.search(data)
        if start is None:
            raise UnreadableSourceError(Phrase("{0} is damaged: {1}.", path, error)) from error
        damaged = list(_whole_items(data, data.index(b"[", start.start())))
        beside = fields_beside(data, [item.record for item in damaged])
        beside["sessionId"] = text(beside.get("sessionId")) or id_by_name(path, is_damaged=True)
        return beside, damaged
    listed, found = document.pop("history", None), places(data, "history")
    items, objects = list[DocumentItem](), 0
    if not isinstance(listed, list | None):
        items.append(DocumentItem({}, Record(0, len(data)), "the history is not a list"))
    for one in listed if isinstance(listed, list) else ():
        record = Record(0, len(data))
        if isinstance(one, dict):
            record = Record(*found.get(objects, record))
            objects += 1
        items.append(DocumentItem(mapping(one), record, _reason(one)))
    return document, items


def _whole_items(data: bytes, at: int) -> Iterator[DocumentItem]:
    """Yield the items of the history that begins at byte `at`; a damaged item is the only one lost."""
    for item in document_items(data, at, _reason):
        at = item.record.offset + item.record.size
        yield item
    if _ITEM.search(data, at):
        yield DocumentItem({}, Record(at, len(data) - at), "the history is damaged here; what follows was not read")


def _reason(one: Any) -> str:
    return "" if is_item(mapping(one)) else "not an item of a history"


class _History:
    """The entries of a session, each the child of the previous one. `leaf` is valid after the iteration."""

    def __init__(self, id: str, document: Mapping[str, Any], items: Sequence[DocumentItem]) -> None:
        self.leaf: str | None = None
        self._id = id
        self._items = items
        owns = (text(mapping(item.fields.get("message")).get("id")) for item in items)
        self._taken = set(filter(None, owns))  # ids of all messages, and of the entries so far
        self._entries = ItemEntries(text(document.get("chatModelTitle")))

    def __iter__(self) -> Iterator[ReadEvent]:
        seen = set[str]()
        for at, item in enumerate(self._items):
            if item.reason:
                yield Skipped(at + 1, item.reason)
                continue
            own = text(mapping(item.fields["message"]).get("id"))
            id = own if own and own not in seen else free_id(f"{self._id}/{at + 1}.", seen)
            seen.add(id)
            yield from self._item(id, item.fields, item.record)

    def _item(self, id: str, item: dict[str, Any], record: Record) -> Iterator[ReadEvent]:
        blobs: list[Blob] = []
        is_said = not is_empty(item) and not is_summary(item)
        entries = list(self._entries.entries(id, item, record, blobs)) if is_said else []
        if summary_of(item):
            entries.append(compaction(f"{id}#summary", item, record))
        yield from blobs
        for one in entries:
            entry = with_free_id(one, id, self._taken)
            yield replace(entry, parent=self.leaf)
            self.leaf = entry.id


def _info(document: Mapping[str, Any], id: str, path: Path) -> SessionInfo:
    title = text(document.get("title"))
    details = {name: document[name] for name in ("mode", "usage") if document.get(name)}
    return SessionInfo(
        source=Continue.name, source_id=id, title="" if title in _UNNAMED else title,
        cwd=_folder(text(document.get("workspaceDirectory"))), created_at=_created(path, id),
        details=compact_json(details) if details else "",
    )  # fmt: skip


def _folder(named: str) -> str:
    """Return the folder of a workspace; newer versions name it by a URL."""
    try:
        url = urlsplit(named)
    except ValueError:
        return named
    path = unquote(url.path)
    if url.scheme != "file" or url.netloc:
        return named
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path


def _created(path: Path, id: str) -> int:
    """Return when a session began, in ns, which only the list of sessions says; 0 when it does not."""
    try:
        with open_source(path.with_name(_LIST)) as file, known_read_errors(path):
            listed = parse(file.read(_LARGEST_LIST))
    except (KnownError, BadLineError):
        return 0
    items = [mapping(one) for one in listed] if isinstance(listed, list) else []
    told = next((text(one.get("dateCreated")) for one in items if text(one.get("sessionId")) == id), "")
    return instant(int(told)) if told.isdecimal() and len(told) < 15 else instant(told)
