"""Convert the events of Copilot CLI to entry fields, by the event's type and data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Flag, Kind, Role, Usage
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.values import count, dump, mapping, text, untaken

EntryFields: TypeAlias = dict[str, Any]  # fields of an Entry, without ids, time and record
# the keys of the events whose data are not kept as details of their entries
TAKEN = {
    "user.message": ("content", "attachments", "source"),
    "assistant.message": ("content", "toolRequests", "reasoningText", "reasoningOpaque", "messageId"),
    "assistant.reasoning": ("content", "reasoningId"),
    "system.message": ("content",),
    "system.notification": ("content",),
    "tool.execution_start": ("toolCallId", "toolName"),
    "tool.execution_complete": ("toolCallId", "result", "error", "success"),
}
PROVIDER = "github-copilot"
NOTES = frozenset({
    "session.resume", "session.info", "session.warning", "session.error", "session.permissions_changed",
    "session.mode_changed", "session.usage_checkpoint", "session.shutdown", "session.title_changed",
    "session.compaction_complete", "subagent.started", "subagent.completed", "subagent.failed", "abort",
})  # fmt: skip
_ENDED = re.compile(r"<shellId: \S+ completed with exit code (-?\d{1,5})>\s*\Z")
_ENDING = 200  # characters of a result that can hold the end of a command
# keys that are left out of a compaction's details
_IDS = ("requestId", "serviceRequestId", "checkpointPath", "summaryContent")


def prompt(data: Mapping[str, Any]) -> EntryFields:
    """Return the entry fields of a user message. The program writes some: to start a subagent, or to continue."""
    attachments = data.get("attachments")
    listed = attachments if isinstance(attachments, list) else []
    said: list[Block] = [
        UnknownBlock(text(mapping(one).get("type")) or "attachment", compact_json(one)) for one in listed
    ]
    if content := text(data.get("content")):
        said.append(Text(content))
    by_program = text(data.get("source")) not in ("", "user") or data.get("isAutopilotContinuation") is True
    return {"role": Role.USER, "blocks": tuple(said), "flags": Flag.INJECTED if by_program else Flag.NONE}


def notification(data: Mapping[str, Any]) -> EntryFields:
    """Return the entry fields of a message that the program sent to the model between the model's calls."""
    return {"role": Role.USER, "blocks": _text(data.get("content")), "flags": Flag.INJECTED}


def system_prompt(data: Mapping[str, Any]) -> EntryFields:
    """Return the instructions of the model."""
    return {"role": Role.SYSTEM, "blocks": _text(data.get("content")), "flags": Flag.HIDDEN}


def reply(data: Mapping[str, Any], told: str) -> EntryFields:
    """Return the entry fields of a reply. `told` is thinking that an earlier event already contained. Copilot CLI
    stores only the output tokens, so the usage does not include the request.
    """
    blocks: list[Block] = []
    thought, sealed = text(data.get("reasoningText")), text(data.get("reasoningOpaque"))
    if thought != told or (sealed and not thought):
        blocks.append(Thinking(thought, sealed, redacted=not thought))
    blocks += _text(data.get("content"))
    calls = calls_in(data)
    blocks += [ToolCall(id, name, arguments) for id, name, arguments in calls]
    written = count(data.get("outputTokens"))
    flags = Flag.NONE if calls else Flag.ENDS_TURN
    return {
        "role": Role.ASSISTANT, "blocks": tuple(blocks), "provider": PROVIDER, "model": text(data.get("model")),
        "usage": Usage(output=written) if written else None, "flags": flags | Flag.UNFINISHED,
    }  # fmt: skip


def thinking(data: Mapping[str, Any]) -> EntryFields:
    """Return the entry fields of thinking that the log contains separately from its reply."""
    return {
        "role": Role.ASSISTANT, "blocks": (Thinking(text(data.get("content"))),), "provider": PROVIDER,
        "flags": Flag.UNFINISHED,
    }  # fmt: skip


def lone_call(data: Mapping[str, Any]) -> EntryFields:
    """Return the entry fields of a tool call that belongs to no reply."""
    call = ToolCall(text(data.get("toolCallId")), text(data.get("toolName")), _arguments(data.get("arguments")))
    return {
        "role": Role.ASSISTANT, "blocks": (call,), "provider": PROVIDER, "model": text(data.get("model")),
        "flags": Flag.UNFINISHED,
    }  # fmt: skip


def calls_in(data: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return id, tool and arguments (JSON text) of the calls of a reply."""
    requests = data.get("toolRequests")
    found = [mapping(one) for one in requests] if isinstance(requests, list) else []
    return [
        (text(one.get("toolCallId")), text(one.get("name")), _arguments(one.get("arguments"))) for one in found if one
    ]


def result(data: Mapping[str, Any], tool: str) -> EntryFields:
    """Return the entry fields of a call's result; without blocks when the log does not contain its text."""
    failed = data.get("success") is False
    error = mapping(data.get("error"))
    said = mapping(data.get("result")).get("content") or (error.get("message") if failed else None)
    rest = (
        *untaken(data.get("result"), "content", "detailedContent"),
        *(() if error else untaken(data.get("error"))),
    )
    ended = _ENDED.search(text(said)[-_ENDING:])
    details = ({"error": error} if error else {}) | ({"exitCode": int(ended[1])} if ended else {})
    return {
        "role": Role.TOOL_RESULT, "tool": tool, "call": text(data.get("toolCallId")), "blocks": (*_text(said), *rest),
        "flags": Flag.FAILED if failed else Flag.NONE, "details": dump(details) if details else "",
    }  # fmt: skip


def model_change(data: Mapping[str, Any]) -> EntryFields:
    """Return the choice of a model, by the user or by the program."""
    model = text(data.get("newModel")) or text(data.get("chosenModel"))
    return {"kind": Kind.MODEL_CHANGE, "provider": PROVIDER, "model": model, "details": dump(dict(data))}


def compaction(data: Mapping[str, Any], before: int) -> EntryFields:
    """Return a compaction. `before` are the tokens of the context that the program reported when it began."""
    tokens = before or count(data.get("preCompactionTokens"))
    details = {key: value for key, value in data.items() if key not in _IDS}
    return {
        "kind": Kind.COMPACTION, "blocks": _text(data.get("summaryContent")), "details": dump(details),
        "usage": Usage(total=tokens) if tokens else None,
    }  # fmt: skip


def note(type: str, data: Mapping[str, Any]) -> EntryFields:
    """Return the entry fields of an event that only the program or the user sees, never the model."""
    said = next((data[key] for key in ("message", "error", "reason", "title") if isinstance(data.get(key), str)), "")
    return {
        "kind": Kind.CUSTOM, "name": f"copilot:{type}", "blocks": _text(said), "details": dump(dict(data)),
        "flags": Flag.NONE if said else Flag.HIDDEN,
    }  # fmt: skip


def unknown(type: str, data: Mapping[str, Any]) -> EntryFields:
    """Return an event of a type that is not known."""
    return {"kind": Kind.UNKNOWN, "name": type, "details": dump(dict(data))}


def _text(value: Any) -> tuple[Text, ...]:
    said = text(value)
    return (Text(said),) if said else ()


def _arguments(value: Any) -> str:
    """Return the arguments of a call as JSON text; Copilot in VS Code writes them as text already."""
    return value if isinstance(value, str) else compact_json(mapping(value))
