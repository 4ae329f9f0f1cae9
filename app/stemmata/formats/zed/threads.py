"""Read the rows of Zed's threads: facts, and a document of messages, which may be packed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import zstandard

from stemmata.domain.entries.entry import Record
from stemmata.domain.sessions.details import with_changed_in_source
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, End, Raw, ReadEvent, UnusedPart
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.composed_source import ComposedSource
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import DatabaseSessions
from stemmata.formats.shared.database_values import plain
from stemmata.formats.shared.json_elements import places
from stemmata.formats.shared.values import BadLineError, instant, mapping, parse_object, text
from stemmata.formats.zed.messages import Messages

NEEDED: Mapping[str, frozenset[str]] = {"threads": frozenset({"id", "summary", "updated_at", "data_type", "data"})}
_LATER = ("parent_id", "folder_paths", "created_at")  # columns that older databases lack
_LARGEST = 256 << 20  # bytes of an unpacked document
_FACTS = ("profile", "imported", "thinking_effort")


@dataclass(frozen=True, slots=True)
class _Thread:
    row: int
    title: str
    updated: str
    size: int
    parent: str
    folders: str
    created: str


class ZedThreads(DatabaseSessions):
    """The threads of a database."""

    def __init__(self, database: SourceDatabase) -> None:
        self._database = database
        there = database.columns("threads")
        later = ", ".join(name if name in there else "NULL" for name in _LATER)
        self._threads: dict[str, _Thread] = {}
        rows = database.rows(
            f"SELECT rowid, id, summary, updated_at, length(data), {later} FROM threads ORDER BY rowid"
        )
        for row, id, title, updated, size, *facts in rows:
            size = size if isinstance(size, int) else 0
            self._threads.setdefault(plain(id), _Thread(row, plain(title), plain(updated), size, *map(plain, facts)))

    def prints(self) -> Mapping[str, str]:
        """Return time and size of each thread, the oldest first."""
        ordered = sorted(
            self._threads.items(), key=lambda item: (instant(item[1].created or item[1].updated), item[0])
        )
        return {id: f"{one.updated}/{one.size}/{one.title}" for id, one in ordered}

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a thread."""
        thread = self._threads[id]
        kind, packed = self._database.row("SELECT data_type, data FROM threads WHERE rowid = ?", thread.row)
        try:
            data = _unpacked(packed, plain(kind))
            document = parse_object(data)
        except (BadLineError, zstandard.ZstdError) as error:
            yield UnusedPart(f"thread {id}", str(error))
            return
        yield Begin(self._info(id, thread, document))
        header, _ = ComposedSource().line({"thread": id, "folders": thread.folders, "created": thread.created})
        yield header
        start = len(header.data)
        yield Raw(start, data)
        places_of = _Places(data)
        messages = Messages(document)
        for message in messages:
            offset, size = places_of.next(message.source)
            yield from message.blobs
            yield from (replace(entry, record=Record(start + offset, size)) for entry in message.entries)
        yield End(messages.leaf, leaf_known=True)

    def unlisted(self) -> Iterator[UnusedPart]:
        """Yield nothing: each row is a thread."""
        return iter(())

    def _info(self, id: str, thread: _Thread, document: dict[str, Any]) -> SessionInfo:
        context = mapping(document.get("subagent_context"))
        details = {name: document[name] for name in _FACTS if document.get(name)}
        parent = thread.parent or text(context.get("parent_thread_id"))
        above = self._above(id, parent)
        return SessionInfo(
            source="zed", source_id="/".join((*above[:1], id)), title=thread.title or text(document.get("title")),
            cwd=thread.folders.partition("\n")[0], created_at=instant(thread.created),
            parent_source_id="/".join(dict.fromkeys((above[0], above[-1]))) if above else "",
            details=with_changed_in_source(compact_json(details) if details else "", instant(thread.updated)),
        )  # fmt: skip

    def _above(self, id: str, parent: str) -> list[str]:
        """Return the threads above a subagent's thread, the user's thread first."""
        above: list[str] = []
        while parent and parent != id and parent not in above:
            above.append(parent)
            parent = self._threads[parent].parent if parent in self._threads else ""
        return above[::-1]


class _Places:
    """The places of the messages in the bytes of a document, in order. A message is an object, or the name of one."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._found = places(data, "messages")
        self._objects = 0  # number of objects found so far
        self._end = 0

    def next(self, message: Any) -> tuple[int, int]:
        """Return offset and size of the next message."""
        if isinstance(message, dict):
            place = self._found.get(self._objects, (self._end, 0))
            self._objects += 1
        else:
            name = compact_json(message).encode("utf-8", "replace")
            place = (max(self._data.find(name, self._end), 0), len(name))
        self._end = sum(place)
        return place


def _unpacked(packed: Any, kind: str) -> bytes:
    """Return the document of a row. Raises BadLineError and ZstdError."""
    data = packed if isinstance(packed, bytes) else plain(packed).encode("utf-8", "replace")
    if kind == "json":
        return data
    if kind != "zstd":
        raise BadLineError(f"has data of an unknown type: {kind}")
    with zstandard.ZstdDecompressor().stream_reader(data) as reader:
        found = reader.read(_LARGEST + 1)
    if len(found) > _LARGEST:
        raise BadLineError("is too large when it is unpacked")
    return found
