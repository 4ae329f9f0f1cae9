"""Recognise Cursor's transcripts (`~/.cursor/projects/<project>/agent-transcripts`) and read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Role
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, Raw, ReadEvent, Skipped
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.cursor_cli.editor_sessions import EditorSessions
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import Line, SourceLines, object_in
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import BadLineError, first_records, mapping, text

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_QUERY = re.compile(r"\s*<user_query>\n?(.*?)\n?</user_query>\s*\Z", re.DOTALL)
_REDACTED = "[REDACTED]"  # text in place of a thought that was removed
_TRANSCRIPTS, _SUBAGENTS = "agent-transcripts", "subagents"


class CursorCli(SingleFileFormat):
    """The reader of Cursor's transcripts."""

    name = "cursor-cli"

    def __init__(self) -> None:
        self._editor = EditorSessions()

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether one of the first records is a message with a role and contents, but no id and no type."""
        return any(map(_is_message, first_records(head)))

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder of the projects; the environment can name another one."""
        named = environment.get("CURSOR_CONFIG_DIR", "")
        return (SessionFolder((Path(named) if named else home / ".cursor") / "projects"),)

    def main_file(self, path: Path) -> Path | None:
        """Return the database of the editor when it has the messages of a transcript, too."""
        return self._editor.database_with(path)

    def is_companion(self, path: Path) -> bool:
        """Return whether the database of the editor has the messages of a transcript, too."""
        return self._editor.database_with(path) is not None

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, always from the start, for results find their calls in earlier lines."""
        lines, talk = SourceLines(path), _Talk()
        yield Begin(_info(path))
        for part in lines:
            if isinstance(part, Raw):
                yield part
                continue
            try:
                found = object_in(part)
            except BadLineError as error:
                yield Skipped(part.number, str(error))
                continue
            if _is_message(found):
                yield from talk.entries(found, part)
            else:
                yield Skipped(part.number, "not a message of Cursor")
        yield End(talk.leaf, leaf_known=True, checkpoint=lines.checkpoint({}))


class _Talk:
    """The messages so far. Calls have no ids, so their results belong to them in their order."""

    def __init__(self) -> None:
        self.leaf: str | None = None
        self._open: list[tuple[str, str]] = []  # id and tool of the calls without a result
        self._tools: dict[str, str] = {}

    def entries(self, found: dict[str, Any], line: Line) -> Iterator[Entry]:
        """Yield the entries of a message."""
        role = _ROLES[text(found["role"])]
        parts = list(self._parts(found, line))
        if role is Role.USER:
            self._open = []
        goes_on = bool(parts) and isinstance(parts[-1], ToolCall)
        flags = Flag.ENDS_TURN if role is Role.ASSISTANT and not goes_on else Flag.NONE
        whole = Entry(id=f"line {line.number}", role=role, record=line.record, flags=flags)
        for entry in split_at_results(whole, parts):
            yield replace(entry, parent=self.leaf)
            self.leaf = entry.id

    def _parts(self, found: dict[str, Any], line: Line) -> Iterator[Block | Result]:
        content = mapping(found.get("message")).get("content")
        for at, item in enumerate(content if isinstance(content, list) else [content]):
            one = mapping(item) or ({"type": "text", "text": item} if isinstance(item, str) else {})
            match one.get("type"):
                case "text":
                    yield from _said(text(one.get("text")))
                case "thinking":
                    yield Thinking(text(one.get("thinking")), text(one.get("signature")))
                case "tool_use":
                    id, name = text(one.get("id")) or f"line {line.number}/{at}", text(one.get("name"))
                    self._open.append((id, name))
                    self._tools[id] = name
                    yield ToolCall(id, name, compact_json(mapping(one.get("input"))))
                case "tool_result":
                    yield self._result(one)
                case type:
                    yield UnknownBlock(text(type) or "content", compact_json(item))

    def _result(self, found: dict[str, Any]) -> Result:
        id = text(found.get("tool_use_id"))
        if id not in self._tools and self._open:
            id = self._open[0][0]
        self._open = [call for call in self._open if call[0] != id]
        content = found.get("content")
        blocks: list[Block] = []
        for item in content if isinstance(content, list) else [content]:
            said = item if isinstance(item, str) else mapping(item).get("text")
            blocks += [Text(said)] if isinstance(said, str) else [UnknownBlock("result", compact_json(item))]
        return Result(id, self._tools.get(id, ""), tuple(blocks), failed=found.get("is_error") is True)


def _is_message(record: Any) -> bool:
    found = mapping(record)
    if found.keys() & {"type", "id", "uuid", "sessionId"} or found.get("role") not in ("user", "assistant"):
        return False
    return "content" in mapping(found.get("message"))


def _said(said: str) -> Iterator[Block]:
    """Yield a text without the tags that Cursor puts around it."""
    query = _QUERY.search(said)
    if query is not None:
        context = said[: query.start()].strip()
        yield from [Text(context)] if context else []
        yield Text(query[1])
        return
    plain = said.removesuffix(_REDACTED)
    if plain.strip():
        yield Text(plain.rstrip() if plain != said else said)
    if plain != said:
        yield Thinking("", redacted=True)


def _info(path: Path) -> SessionInfo:
    """Return the facts of a session, which only the path has."""
    folders = path.parts[:-1]
    parent = folders[-2] if len(folders) > 1 and folders[-1] == _SUBAGENTS else ""
    project = ""
    if _TRANSCRIPTS in folders[1:]:
        project = folders[folders.index(_TRANSCRIPTS) - 1]
    return SessionInfo(
        source=CursorCli.name, source_id=f"{parent}/{path.stem}" if parent else path.stem, parent_source_id=parent,
        details=compact_json({"project": project}) if project else "",
    )  # fmt: skip
