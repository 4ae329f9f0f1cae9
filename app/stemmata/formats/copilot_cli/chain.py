"""Link the events of a session: each entry follows the one before it, those of a subagent follow its call."""

from __future__ import annotations

from typing import Any

from stemmata.domain.entries.entry import Entry, Flag
from stemmata.formats.copilot_cli import events
from stemmata.formats.copilot_cli.events import EntryFields
from stemmata.formats.shared.lines import Line
from stemmata.formats.shared.values import count, instant, mapping, text

SILENT = frozenset({"session.start", "session.compaction_start", "assistant.turn_start", "assistant.turn_end"})


class Chain:
    """The entries of a log, in its order. An entry depends on earlier events only, so a log may grow."""

    def __init__(self) -> None:
        self.leaf: str | None = None  # the last entry of the conversation itself
        self.title = ""
        self._ends: dict[str, str | None] = {}  # subagent → its last entry
        self._calls: dict[str, tuple[str, str]] = {}  # call → tool, and the entry that asks for it
        self._prompts: dict[str, str] = {}  # subagent, "" for none → its system prompt
        self._thoughts: dict[str, str] = {}  # subagent, "" for none → the thinking told last
        self._before = 0  # tokens when the last compaction began
        self._ids: set[str] = set()

    def take(self, event: dict[str, Any], line: Line) -> Entry | str:
        """Return the entry of an event; else why it has none, "" where it needs none."""
        type, data, agent = text(event.get("type")), mapping(event.get("data")), text(event.get("agentId"))
        if not type or "data" not in event:
            return "not an event of Copilot CLI"
        id = text(event.get("id")) or f"line {line.number}"
        if id in self._ids:
            return "has the id of an earlier event"
        self._ids.add(id)
        fields = self._fields(type, data, agent)
        if fields is None:
            return ""
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
