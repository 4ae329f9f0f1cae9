"""Recognise Qwen Code's logs (`~/.qwen/projects/<project>/chats`) and read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Flag, Record
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Repaired, Skipped
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.gemini.reader import Gemini
from stemmata.formats.qwen.records import TYPES, is_bookkeeping, kept_of, record_entries
from stemmata.formats.shared.forest import placed
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.free_ids import with_free_id
from stemmata.formats.shared.lines import Line, SourceLines, object_in
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, first_records, instant, mapping, text

_FOLDER = ".qwen"
_HEAD = 1 << 16  # bytes in which the form of a file shows
_FACTS = ("version", "gitBranch")


class Qwen(SingleFileFormat):
    """The reader of Qwen Code's sessions."""

    name = "qwen"

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether one of the first records is Qwen Code's, or the file is an older one in its folder."""
        return any(map(_is_ours, first_records(head))) or (_FOLDER in path.parts and Gemini().sniff(head, path))

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of the projects, and of sessions of older versions."""
        named = environment.get("QWEN_RUNTIME_DIR", "") or environment.get("QWEN_HOME", "")
        folder = Path(named) if named else home / _FOLDER
        return (SessionFolder(folder / "projects"), SessionFolder(folder / "tmp"))

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, always from the start; the records are held in memory."""
        with open_source(path) as file, known_read_errors(path):
            head = file.read(_HEAD)
        if not any(map(_is_ours, first_records(head))) and Gemini().sniff(head, path):
            for event in Gemini().read(path, since):
                if isinstance(event, Begin):
                    yield replace(event, info=replace(event.info, source=self.name))
                else:
                    yield event
            return
        yield from _Log(path)


class _Log:
    """The records of a log."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = SourceLines(path)
        self._chunks: list[Raw] = []
        self._skipped: list[Skipped] = []
        self._records: dict[str, tuple[dict[str, Any], Record]] = {}
        for part in self._lines:
            if isinstance(part, Raw):
                self._chunks.append(part)
            elif reason := self._take(part):
                self._skipped.append(Skipped(part.number, reason))

    def __iter__(self) -> Iterator[ReadEvent]:
        yield Begin(self._info())
        yield from self._chunks
        yield from self._skipped
        ends: dict[str | None, str | None] = {None: None}
        taken = set(self._records)
        parents = {id: text(found.get("parentUuid")) or None for id, (found, _) in self._records.items()}
        for place in placed(parents, {}):
            found, record = self._records[place.id]
            ends[place.id] = ends[place.parent]
            if is_bookkeeping(found):
                continue
            if place.repair:
                yield Repaired(place.repair, place.id)
            blobs: list[Blob] = []
            kept = kept_of(found, self._above(place.parent))
            made = record_entries(place.id, found, record, kept, blobs)
            entries = [with_free_id(one, place.id, taken) for one in made]
            yield from blobs
            flags = Flag.REPAIRED if place.repair else Flag.NONE
            for entry in entries:
                yield replace(entry, parent=ends[place.id], flags=entry.flags | flags)
                ends[place.id], flags = entry.id, Flag.NONE
        last = next(reversed(self._records), None)
        title, named = self._title()
        yield End(ends[last], leaf_known=True, title=title, checkpoint=self._lines.checkpoint({}), named=named)

    def _take(self, line: Line) -> str:
        try:
            found = object_in(line)
        except BadLineError as error:
            return str(error)
        id = text(found.get("uuid"))
        if not id or text(found.get("type")) not in TYPES:
            return "not a known record of Qwen Code"
        if id in self._records:
            return "has the id of an earlier record"
        self._records[id] = (found, line.record)
        return ""

    def _above(self, id: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the records with messages from this one up."""
        seen = set[str]()
        while id in self._records and id not in seen:
            seen.add(id)
            found = self._records[id][0]
            if "message" in found:
                yield id, found
            id = text(found.get("parentUuid"))

    def _payloads(self, subtype: str) -> Iterator[dict[str, Any]]:
        found = (found for found, _ in self._records.values() if found.get("subtype") == subtype)
        return (mapping(one.get("systemPayload")) for one in found)

    def _title(self) -> tuple[str, bool]:
        """Return the last title, and whether a person gave it: newer versions say when the program did."""
        titles = [
            (text(payload.get("customTitle")), payload.get("titleSource") != "auto")
            for payload in self._payloads("custom_title")
        ]
        return next((found for found in reversed(titles) if found[0]), ("", False))

    def _info(self) -> SessionInfo:
        first = next((found for found, _ in self._records.values()), {})
        session = text(first.get("sessionId"))
        spawned = [text(payload.get("parentSessionId")) for payload in self._payloads("parent_session")]
        forked = text(mapping(first.get("forkedFrom")).get("sessionId"))
        is_part = first.get("isSidechain") is True and bool(session)
        details = {name: first[name] for name in _FACTS if first.get(name)}
        title, named = self._title()
        return SessionInfo(
            source=Qwen.name, source_id=f"{session}/{self._path.stem}" if is_part else session or self._path.stem,
            title=title, named=named, cwd=text(first.get("cwd")), created_at=instant(first.get("timestamp")),
            parent_source_id=session if is_part else next(iter(spawned), "") or forked,
            details=compact_json(details) if details else "",
        )  # fmt: skip


def _is_ours(record: Any) -> bool:
    found = mapping(record)
    if not {"uuid", "sessionId", "parentUuid"} <= found.keys() or text(found.get("type")) not in TYPES:
        return False
    return "parts" in mapping(found.get("message")) or "systemPayload" in found
