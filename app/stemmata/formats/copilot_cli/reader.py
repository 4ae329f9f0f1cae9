"""Recognise Copilot CLI's logs (`~/.copilot/session-state/<session>/events.jsonl`) and read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.entries.entry import Entry, Flag
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, Raw, ReadEvent, Repaired, Skipped, SourceShape
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.copilot_cli import events
from stemmata.formats.copilot_cli.events import EntryFields
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import Line, SourceLines, object_in
from stemmata.formats.shared.source_file import open_source
from stemmata.formats.shared.values import (
    BadLineError,
    count,
    first_records,
    instant,
    mapping,
    text,
    untaken,
)

_HEAD = 1 << 16  # bytes of the file that are searched for the start of the session
_KEYS = frozenset({"type", "data", "parentId"})
SILENT = frozenset({"session.start", "session.compaction_start", "assistant.turn_start", "assistant.turn_end"})
_FACTS = ("copilotVersion", "vscodeVersion", "producer")


class CopilotCli(SingleFileFormat):
    """The reader of Copilot CLI's sessions."""

    name = "copilot-cli"
    shape = SourceShape.DOCUMENT

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether one of the first records is an event: a dotted type, its data, and the event before it."""
        return any(map(_is_event, first_records(head)))

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder that has a folder for each session."""
        named = environment.get("COPILOT_HOME", "")
        return (SessionFolder((Path(named) if named else home / ".copilot") / "session-state"),)

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, always from the start of the log, because a rewind rewrites the log."""
        lines, chain = SourceLines(path), Chain()
        yield Begin(_info(path))
        for part in lines:
            if isinstance(part, Raw):
                yield part
                continue
            found = _taken(chain, part)
            if isinstance(found, Entry):
                yield found
            elif found:
                yield Skipped(part.number, found)
        if chain.breaks:
            yield Repaired(
                f"Events are missing or damaged (places: {chain.breaks}). Events after a gap follow those before it."
            )
        yield End(
            chain.leaf, leaf_known=True, title=chain.title, checkpoint=lines.checkpoint({}),
            damaged=chain.breaks > 0,
        )  # fmt: skip


class Chain:
    """The entries of a log: each follows the previous one, and a subagent's entries follow the call that began it.

    An entry depends only on earlier events, so a log may grow. Each event names the event before it, also after a
    rewind. If an event names an event that is not in the file, the file is damaged.
    """

    def __init__(self) -> None:
        self.leaf: str | None = None  # the last entry of the conversation itself
        self.title = ""
        self.breaks = 0  # events whose id is lost, or that name an event that is not there
        self._ends: dict[str, str | None] = {}  # subagent → its last entry
        self._calls: dict[str, tuple[str, str]] = {}  # call → tool, and the entry that asks for it
        self._prompts: dict[str, str] = {}  # subagent, "" for none → its system prompt
        self._thoughts: dict[str, str] = {}  # subagent, "" for none → its last thinking
        self._before = 0  # tokens when the last compaction began
        self._ids: set[str] = set()

    def take(self, event: dict[str, Any], line: Line) -> Entry | str:
        """Return the entry that an event becomes, else the reason why it is skipped; "" skips it without a report."""
        type, data, agent = text(event.get("type")), mapping(event.get("data")), text(event.get("agentId"))
        if not type or "data" not in event:
            return "not an event of Copilot CLI"
        id, before = text(event.get("id")) or f"line {line.number}", event.get("parentId")
        self.breaks += "id" not in event or (before is not None and text(before) not in self._ids)
        if id in self._ids:
            return "has the id of an earlier event"
        self._ids.add(id)
        fields = self._fields(type, data, agent)
        if not isinstance(event["data"], dict):
            fields = events.unknown(type, {"data": event["data"]})
        if fields is None:
            return ""
        if type in events.TAKEN:
            fields["blocks"] = (*fields.get("blocks", ()), *untaken(data, *events.TAKEN[type]))
        for call, tool, _arguments in events.calls_in(data) if type == "assistant.message" else ():
            self._calls[call] = (tool, id)
        if type == "tool.execution_start":
            self._calls[text(data.get("toolCallId"))] = (text(data.get("toolName")), id)
        if agent:
            start = self._calls.get(agent, ("", self.leaf))[1]
            parent, self._ends[agent] = self._ends.get(agent, start), id
            fields["flags"] = fields.get("flags", Flag.NONE) | Flag.EXCLUDED
        else:
            parent, self.leaf = self.leaf, id
        return Entry(id=id, parent=parent, time=instant(event.get("timestamp")), record=line.record, **fields)

    def _fields(self, type: str, data: dict[str, Any], agent: str) -> EntryFields | None:
        """Return the fields of an event's entry; None for bookkeeping and for content that another entry contains."""
        match type:
            case "user.message":
                return events.prompt(data)
            case "assistant.message":
                return events.reply(data, self._thoughts.pop(agent, ""))
            case "assistant.reasoning":
                self._thoughts[agent] = text(data.get("content"))
                return events.thinking(data)
            case "tool.execution_start":
                return None if text(data.get("toolCallId")) in self._calls else events.lone_call(data)
            case "tool.execution_complete":
                return events.result(data, self._calls.get(text(data.get("toolCallId")), ("",))[0])
            case "system.message":
                is_new = self._prompts.get(agent) != text(data.get("content"))
                self._prompts[agent] = text(data.get("content"))
                return events.system_prompt(data) if is_new else None
            case "system.notification":
                return events.notification(data)
            case "session.model_change" | "session.auto_mode_resolved":
                return events.model_change(data)
            case "session.compaction_complete" if data.get("success") is not False:
                return events.compaction(data, self._before)
        if type in SILENT:
            self._before = count(data.get("currentTokens")) or self._before
            return None
        if type == "session.title_changed":
            self.title = text(data.get("title"))
        return events.note(type, data) if type in events.NOTES else events.unknown(type, data)


def _is_event(record: Any) -> bool:
    found = mapping(record)
    return found.keys() >= _KEYS and "." in text(found["type"]) and isinstance(found["data"], dict)


def _taken(chain: Chain, line: Line) -> Entry | str:
    try:
        return chain.take(object_in(line), line)
    except BadLineError as error:
        return str(error)


def _info(path: Path) -> SessionInfo:
    with open_source(path) as file:
        found = [mapping(record) for record in first_records(file.read(_HEAD))]
    start = next((mapping(one.get("data")) for one in found if one.get("type") == "session.start"), {})
    context = mapping(start.get("context"))
    details = {key: start[key] for key in _FACTS if key in start}
    details |= {key: value for key, value in context.items() if key != "cwd"}
    named = path.parent.name if path.name == "events.jsonl" else path.stem
    return SessionInfo(
        source=CopilotCli.name,
        source_id=text(start.get("sessionId")) or named,
        cwd=text(context.get("cwd")),
        created_at=instant(start.get("startTime")),
        details=compact_json(details) if details else "",
    )
