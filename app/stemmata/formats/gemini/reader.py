"""Recognise Gemini CLI's session files (`~/.gemini/tmp/<project>/chats`) and read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Record
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, Raw, ReadEvent, Skipped, SourceShape
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.gemini.entries import EntriesOfLog
from stemmata.formats.gemini.log import MessageLog
from stemmata.formats.gemini.messages import text_of
from stemmata.formats.shared.damaged_document import id_by_name, read_document
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import LARGEST_DOCUMENT, Line, SourceLines, object_in
from stemmata.formats.shared.values import BadLineError, first_records, instant, listed, mapping, text

_CHANGES = ("$set", "$rewindTo")
_DOCUMENT = re.compile(rb'\A\s*\{\s*"')  # an object that begins on this line and does not end on it
_NAMED = re.compile(rb'"projectHash"\s*:|"type"\s*:\s*"gemini"')
_FOLDER = re.compile(r"Workspace Director(?:y|ies):\*{0,2}\s*(?:-\s*)?([^\n]+)")


class Gemini(SingleFileFormat):
    """The reader of Gemini CLI's sessions."""

    name = "gemini"
    shape = SourceShape.DOCUMENT

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether one of the first records is Gemini CLI's, or the file begins like one of its documents."""
        if any(map(_is_ours, first_records(head))):
            return True
        return _DOCUMENT.match(head) is not None and _NAMED.search(head) is not None

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return Gemini CLI's folder, which contains a folder for each project."""
        named = environment.get("GEMINI_CLI_HOME", "")
        return (SessionFolder((Path(named) if named else home) / ".gemini" / "tmp"),)

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading; a file that has grown is read again, for any record may change others.

        The messages are held in memory until the end of the file.
        """
        lines = SourceLines(path, largest=LARGEST_DOCUMENT)
        chunks: list[Raw] = []
        log, skipped = MessageLog(), list[Skipped]()
        for part in lines:
            if isinstance(part, Raw):
                chunks.append(part)
            elif reason := _take(log, part):
                skipped.append(Skipped(part.number, reason))
        if not log.messages and not log.facts:
            skipped = [*_take_document(log, b"".join(chunk.data for chunk in chunks), path)]
        yield Begin(_info(log, path))
        yield from chunks
        yield from skipped
        entries = EntriesOfLog(log)
        yield from entries
        yield End(
            entries.leaf, leaf_known=True, title=text(log.facts.get("summary")), checkpoint=lines.checkpoint({})
        )


def _is_ours(record: Any) -> bool:
    found = mapping(record)
    is_head = "sessionId" in found and "projectHash" in found
    return is_head or any(key in found for key in _CHANGES) or (found.get("type") == "gemini" and "content" in found)


def _take(log: MessageLog, line: Line) -> str:
    """Apply a line to a log; return why it cannot be used, "" when it was applied."""
    try:
        found = object_in(line)
    except BadLineError as error:
        return str(error)
    return log.take(found, line.record)


def _take_document(log: MessageLog, data: bytes, path: Path) -> Sequence[Skipped]:
    """Apply a file that is a single JSON object, as older versions of Gemini CLI wrote it; return what is damaged."""
    document = read_document(data, "messages", path)
    messages = [
        one | {"id": f"message {number}"} if isinstance(one, dict) and not text(one.get("id")) else one
        for number, one in enumerate(listed(document.fields.get("messages")), 1)
    ]
    id = text(document.fields.get("sessionId")) or id_by_name(path, is_damaged=bool(document.skipped))
    fields = {**document.fields, "sessionId": id, "messages": messages}
    reason = log.take(fields, Record(0, len(data)))
    return (*document.skipped, Skipped(0, reason)) if reason else document.skipped


def _info(log: MessageLog, path: Path) -> SessionInfo:
    facts = log.facts
    is_part = facts.get("kind") == "subagent"
    extras = {key: facts[key] for key in ("projectHash", "kind", "directories") if key in facts}
    return SessionInfo(
        source=Gemini.name,
        source_id=text(facts.get("sessionId")) or path.stem,
        title=text(facts.get("summary")),
        cwd=_folder(log),
        created_at=instant(facts.get("startTime")),
        parent_source_id=path.parent.name if is_part else "",
        details=compact_json(extras) if extras else "",
    )


def _folder(log: MessageLog) -> str:
    """Return the working folder that the first messages name for the model; "" when they name none."""
    for message in list(log.messages.values())[:3]:
        found = _FOLDER.search(text_of(message.newest.get("content")))
        if found is not None:
            return found[1].strip()
    return ""
