"""Convert a step of Windsurf to entries: a prompt, a reply, or a call with its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Record, Role
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.values import mapping, text

_PROMPT, _REPLY = "user_input", "planner_response"
_DONE = "done"
_ENDED = frozenset((_DONE, "error"))
_SAID = {_PROMPT: "user_response", _REPLY: "response"}  # type of a step → the field that has its text
_TOLD = ("output", "content", "result", "results", "error", "error_message")  # what a tool told the model
_FACTS = ("exit_code", "total_results", "user_rejected", "acknowledgement_type")  # what else is known of the result


def is_step(record: Any) -> bool:
    """Return whether a record is a step of Windsurf: its fields are under the name of its type."""
    found = mapping(record)
    type = found.get("type")
    return isinstance(type, str) and isinstance(found.get("status"), str) and isinstance(found.get(type), dict)


def is_prompt(step: Mapping[str, Any]) -> bool:
    """Return whether a step is a prompt of the user."""
    return text(step["type"]) == _PROMPT


def has_ended(step: Mapping[str, Any]) -> bool:
    """Return whether a step is done or has failed, so that its fields stay as they are."""
    return text(step["status"]) in _ENDED


def entries_of(id: str, step: Mapping[str, Any], record: Record) -> Iterator[Entry]:
    """Yield the entries of a step without their parents, each before the next."""
    type, status = text(step["type"]), text(step["status"])
    fields = step[type]
    beside = {name: value for name, value in step.items() if value and name not in ("type", "status", type)}
    if status != _DONE:
        beside["status"] = status
    if type in _SAID:
        yield _message(id, type, status, fields, beside, record)
        return
    asked = {name: value for name, value in fields.items() if name not in (*_TOLD, *_FACTS)}
    details = compact_json(beside) if beside else ""
    call = ToolCall(id, type, compact_json(asked))
    yield Entry(id=id, role=Role.ASSISTANT, blocks=(call,), details=details, record=record)
    told = tuple(Text(said) for name in _TOLD if (said := text(fields.get(name))))
    facts = {name: fields[name] for name in _FACTS if name in fields}
    yield Entry(
        id=f"{id}#2", role=Role.TOOL_RESULT, tool=type, call=id, blocks=told,
        flags=Flag.FAILED if _has_failed(status, fields) else Flag.NONE,
        details=compact_json(facts) if facts else "", record=record,
    )  # fmt: skip


def _message(
    id: str, type: str, status: str, fields: Mapping[str, Any], beside: dict[str, Any], record: Record
) -> Entry:
    said = text(fields.get(_SAID[type]))
    blocks: list[Block] = [Thinking(text(fields["thinking"]))] if fields.get("thinking") else []
    blocks += [Text(said)] if said else []
    others = {name: value for name, value in fields.items() if value and name not in (_SAID[type], "thinking")}
    details = beside | others
    is_reply = type == _REPLY
    end = Flag.FAILED if status == "error" else Flag.ENDS_TURN
    return Entry(
        id=id, role=Role.ASSISTANT if is_reply else Role.USER, blocks=tuple(blocks), record=record,
        flags=end if is_reply else Flag.NONE, details=compact_json(details) if details else "",
    )  # fmt: skip


def _has_failed(status: str, fields: Mapping[str, Any]) -> bool:
    code = fields.get("exit_code")
    return status == "error" or fields.get("user_rejected") is True or (isinstance(code, int) and code != 0)
