"""Recognise the tasks of Cline and its relatives, and the sessions of its command-line program, and read them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Skipped, SourceShape
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.cline import task_files
from stemmata.formats.cline.messages import is_message, message_entries
from stemmata.formats.shared.damaged_document import DocumentItem, ReadDocument, document_items, read_document
from stemmata.formats.shared.facts_beside import beside_changed, fingerprint
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.free_ids import free_id, with_free_id
from stemmata.formats.shared.json_elements import element_keys
from stemmata.formats.shared.lines import LARGEST_DOCUMENT, SourceLines
from stemmata.formats.shared.values import BOM, instant, mapping, text
from stemmata.formats.shared.vscode_folders import RELATIVES, user_folders

_CLINE = "saoudrizwan.claude-dev"
_COMPANIONS = (task_files.SHOWN, task_files.ITEM)
_MARKS = (b"<task>", b"<environment_details>")


class Cline(SingleFileFormat):
    """The reader of the tasks of one extension, and for Cline itself of its program's sessions."""

    shape = SourceShape.DOCUMENT

    def __init__(self, name: str = "cline", extension: str = _CLINE) -> None:
        self._name = name
        self._extension = extension

    @property
    def name(self) -> str:
        """The source name that sessions carry."""
        return self._name

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file begins like the messages of a task or session; relatives by their folder."""
        is_own = self._extension == _CLINE
        if not is_own and self._extension not in path.parts:
            return False
        start = head.lstrip()[:1]
        if start == b"{":
            return is_own and len(element_keys(head, ("messages", "sessionId", "agent"))) == 3
        is_named = path.name == task_files.MESSAGES or any(mark in head for mark in _MARKS)
        return start == b"[" and is_named and len(element_keys(head, ("role", "content"))) == 2

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of the extension in VS Code and similar editors, and the folders of Cline's program."""
        users = user_folders(RELATIVES, home, environment)
        found = [user / "globalStorage" / self._extension / "tasks" for user in users]
        if self._extension == _CLINE:
            named, data = environment.get("CLINE_DIR", ""), environment.get("CLINE_DATA_DIR", "")
            own = Path(data) if data else (Path(named) if named else home / ".cline") / "data"
            found += [own / "sessions", own / "tasks"]
        return tuple(map(SessionFolder, found))

    def main_file(self, path: Path) -> Path | None:
        """Return the messages that a file about them belongs to."""
        if path.name in _COMPANIONS:
            main = path.with_name(task_files.MESSAGES)
        elif path.suffix == ".json" and self._extension == _CLINE:
            main = path.with_name(path.stem + task_files.SESSION_ENDING)
        else:
            return None
        return main if main.is_file() else None

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether the facts of the task, its tokens or its compactions changed."""
        return beside_changed(known, "beside", task_files.files_beside(path))

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading; the document is held in memory."""
        beside, source = fingerprint(task_files.files_beside(path)), SourceLines(path, largest=LARGEST_DOCUMENT)
        chunks = [part for part in source if isinstance(part, Raw)]
        data = b"".join(chunk.data for chunk in chunks)
        is_session = data.removeprefix(BOM).lstrip()[:1] == b"{"
        document = read_document(data, "messages", path) if is_session else ReadDocument({}, ())
        messages = _session_messages(document, len(data)) if is_session else list(_task_messages(data))
        damaged: list[str] = []
        facts = (task_files.session_facts if is_session else task_files.task_facts)(path, damaged)
        id = _session_id(document, path) if is_session else path.parent.name
        yield Begin(_session_info(self._name, id, facts) if is_session else _task_info(self._name, id, facts))
        yield from chunks
        yield from document.skipped
        if not isinstance(document.fields.get("messages", []), list):
            yield Skipped(0, "its messages are not a list")
        talk = _Talk(id, facts, messages, path, damaged)
        yield from (Skipped(0, reason) for reason in damaged)
        yield from talk
        yield End(talk.leaf, leaf_known=True, checkpoint=source.checkpoint({"beside": beside}))


class _Talk:
    """The entries of a task or session, each the child of the previous one. `leaf` is valid after the iteration."""

    def __init__(
        self, id: str, facts: Mapping[str, Any], messages: Sequence[DocumentItem], path: Path, damaged: list[str]
    ) -> None:
        self.leaf: str | None = None
        self._id = id
        self._model = text(facts.get("modelId") or facts.get("model"))
        self._left_out = _range(facts.get("conversationHistoryDeletedRange"))
        self._messages = messages
        self._requests = task_files.requests(path, damaged)
        ids = {text(one.fields.get("id")) for one in messages} - {""}
        self._summaries = {kept: said for said, kept in task_files.compactions(path, id, ids, damaged)}
        self._shortened = {text(one.fields.get("truncationId")) for one in messages} - {""}

    def __iter__(self) -> Iterator[ReadEvent]:
        replies = sum(one.fields.get("role") == "assistant" for one in self._messages if not one.reason)
        place, seen = 0, set[str]()
        for at, one in enumerate(self._messages):
            if one.reason:
                yield Skipped(at + 1, one.reason)
                continue
            id = self._name(one.fields, at, seen)
            seen.add(id)
            if id in self._summaries:
                yield self._compaction(self._summaries.pop(id))
            told: Mapping[str, Any] = {}
            if one.fields.get("role") == "assistant":
                told = task_files.usage_at(self._requests, instant(one.fields.get("ts")), place, replies)
                place += 1
            blobs: list[Blob] = []
            made = message_entries(id, one.fields, one.record, told, self._model, blobs)
            entries = [with_free_id(entry, id, seen) for entry in made]
            yield from blobs
            yield from self._chained(entries, at, one.fields)
        yield from map(self._compaction, self._summaries.values())

    def _chained(self, entries: Sequence[Entry], at: int, fields: Mapping[str, Any]) -> Iterator[Entry]:
        is_out = at in self._left_out or text(fields.get("truncationParent")) in self._shortened
        for entry in entries:
            flags = entry.flags | (Flag.EXCLUDED if is_out else Flag.NONE)
            yield replace(entry, parent=self.leaf, flags=flags)
            self.leaf = entry.id

    def _name(self, fields: Mapping[str, Any], at: int, seen: set[str]) -> str:
        """Return the id of a message: its own, else one made from the task and the time, or the place."""
        own, time = text(fields.get("id")), text(fields.get("ts"))
        named = own or (f"{self._id}/{time}" if time else f"{self._id}/{at + 1}.")
        return named if named not in seen else free_id(f"{self._id}/{at + 1}.", seen)

    def _compaction(self, said: str) -> Entry:
        digest = hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()
        entry = Entry(
            id=f"{self._id}/summary {digest}", kind=Kind.COMPACTION, blocks=(Text(said),), parent=self.leaf
        )  # fmt: skip
        self.leaf = entry.id
        return entry


def _session_id(document: ReadDocument, path: Path) -> str:
    """Return the id of a session, which is also in the name of its file, for the case that it is damaged."""
    id = document.fields.get("sessionId")
    return id if isinstance(id, str) else path.name.removesuffix(task_files.SESSION_ENDING)


def _session_messages(document: ReadDocument, size: int) -> list[DocumentItem]:
    listed, records = document.fields.get("messages"), iter(document.records)
    out = []
    for one in listed if isinstance(listed, list) else ():
        record = next(records, Record(0, size)) if isinstance(one, dict) else Record(0, size)
        out.append(DocumentItem(mapping(one), record, "" if is_message(mapping(one)) else "not a message of Cline"))
    return out


def _task_messages(data: bytes) -> Iterator[DocumentItem]:
    """Yield the messages of a task, which are the objects of a list; a damaged message is the only one lost."""
    at = 0
    for item in document_items(data, 0, lambda found: "" if is_message(found) else "not a message of Cline"):
        between = data[at : item.record.offset].removeprefix(BOM).strip(b" \t\r\n[],")
        if between:
            yield DocumentItem({}, Record(at, item.record.offset - at), "not a message of Cline")
        at = item.record.offset + item.record.size
        yield item
    if data[at:].strip(b" \t\r\n]"):
        yield DocumentItem({}, Record(at, len(data) - at), "the list is damaged here; what follows was not read")


def _range(value: Any) -> range:
    """Return the places of messages that Cline leaves out of requests, the first and the last one included."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, int) for one in value):
        return range(value[0], value[1] + 1)
    return range(0)


def _session_info(source: str, id: str, facts: Mapping[str, Any]) -> SessionInfo:
    metadata = mapping(facts.get("metadata"))
    details = {name: facts[name] for name in ("source", "status", "provider") if facts.get(name)}
    return SessionInfo(
        source=source, source_id=id, title=text(metadata.get("title")), cwd=text(facts.get("cwd")),
        created_at=instant(facts.get("started_at")) or instant(facts.get("created_at")),
        parent_source_id=text(mapping(metadata.get("fork")).get("forkedFromSessionId")),
        details=compact_json(details) if details else "",
    )  # fmt: skip


def _task_info(source: str, id: str, facts: Mapping[str, Any]) -> SessionInfo:
    """Return the facts of a task. The id of a task that another task began starts with the id of that task."""
    parent, root = text(facts.get("parentTaskId")), text(facts.get("rootTaskId"))
    root = root or parent
    above = parent if parent in ("", root) else f"{root}/{parent}"
    details = {name: facts[name] for name in ("mode", "status", "totalCost") if facts.get(name)}
    return SessionInfo(
        source=source, source_id=f"{root}/{id}" if parent else id,
        title=text(facts.get("task")).partition("\n")[0][:200],
        cwd=text(facts.get("cwdOnTaskInitialization") or facts.get("workspace")),
        created_at=instant(int(id)) if id.isdecimal() and len(id) < 15 else instant(facts.get("ts")),
        parent_source_id=above, details=compact_json(details) if details else "",
    )  # fmt: skip
