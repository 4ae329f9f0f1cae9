"""Classify single records of Codex, and read the fields that several modules need.

Every record is an entry, a part of one, or bookkeeping with a name; see `part_of`.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from stemmata.domain.entries.entry import Usage
from stemmata.formats.shared.values import count, mapping, text

META = "session_meta"
ITEM = "response_item"
EVENT = "event_msg"
TURN_CONTEXT = "turn_context"
COMPACTED = "compacted"
USAGE_RECORD = "token_usage_record"
AGENT_MESSAGE = "inter_agent_communication"
_TYPES = frozenset({META, ITEM, EVENT, TURN_CONTEXT, COMPACTED, USAGE_RECORD, AGENT_MESSAGE, "world_state"})

CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
ANSWERED_CALLS = frozenset(
    {"web_search_call", "image_generation_call", "tool_search_call"}
)  # done on the server: the call holds its result, except for a tool search with an output of its own
_ITEMS = CALLS | OUTPUTS | ANSWERED_CALLS | {"message", "reasoning", "tool_search_output"}

_ECHOES = {
    "user_message": "user",
    "agent_message": "assistant",
    "agent_reasoning": "reasoning",
    "UserMessage": "user",
    "AgentMessage": "assistant",
    "Reasoning": "reasoning",
}  # events that repeat a response item
_OUTCOMES = frozenset(
    {"exec_command_end", "patch_apply_end", "mcp_tool_call_end", "CommandExecution", "FileChange", "McpToolCall"}
)  # events that tell how a tool call ended
_SPAWNS = frozenset({"collab_tool_call", "collab_agent_spawn_begin", "collab_agent_spawn_end"})
_NOTES = frozenset(
    {
        "turn_aborted", "error", "warning", "stream_error", "deprecation_notice", "entered_review_mode",
        "exited_review_mode", "Plan", "EnteredReviewMode", "ExitedReviewMode", "model_reroute",
    }
)  # fmt: skip
_TURN_STARTS = frozenset({"task_started", "turn_started"})
_TURN_ENDS = frozenset({"task_complete", "turn_complete", "turn_aborted"})
_BOOKKEEPING = frozenset(
    {
        "agent_reasoning_raw_content", "agent_reasoning_section_break", "context_compacted", "ContextCompaction",
        "exec_command_begin", "mcp_tool_call_begin", "patch_apply_begin", "web_search_begin", "web_search_end",
        "WebSearch", "view_image_tool_call", "ImageView", "image_generation_end", "ImageGeneration",
        "exec_approval_request", "apply_patch_approval_request", "plan_update", "turn_diff", "background_event",
        "thread_settings_applied", "session_configured", "shutdown_complete", "undo_started", "undo_completed",
        "collab_agent_interaction_begin", "collab_agent_interaction_end", "collab_waiting_begin",
        "collab_waiting_end", "collab_close_begin", "collab_close_end", "CollabAgentToolCall",
    }
)  # fmt: skip


class RecordRole(Enum):
    """The part that a record plays in the conversation."""

    META = "session_meta"
    ITEM = "an item of the conversation"
    COMPACTION = "a compaction"
    SETTINGS = "the settings of a turn"
    USAGE = "the tokens of a model call"
    ECHO = "repeats an item"
    OUTCOME = "how a tool call ended"
    TURN_START = "a turn begins"
    TURN_END = "a turn ends"
    ROLLBACK = "turns are rolled back"
    NAME = "the thread gets a name"
    SPAWN = "a subagent begins"
    NOTE = "a note of Codex"
    BOOKKEEPING = "bookkeeping"
    UNKNOWN = "of an unknown type"  # kept as an entry of unknown kind


def normalised(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record with `type` and `payload`.

    The files of 2025's first versions hold bare items, and a header without a type.
    """
    if isinstance(record.get("payload"), dict) and isinstance(record.get("type"), str):
        return record
    time = record.get("timestamp")
    if text(record.get("type")) in _ITEMS:
        return {"timestamp": time, "type": ITEM, "payload": record}
    if is_old_header(record):
        return {"timestamp": time, "type": META, "payload": record}
    kind = "record_state" if isinstance(record.get("record_type"), str) else record.get("type")
    return {"timestamp": time, "type": text(kind), "payload": record}


def is_old_header(record: dict[str, Any]) -> bool:
    """Return whether this is the header of a file of Codex's first versions."""
    return "type" not in record and bool(text(record.get("id"))) and bool(text(record.get("timestamp")))


def is_line(record: Any) -> bool:
    """Return whether the record is certainly a line of a rollout of today's form."""
    if not isinstance(record, dict) or not isinstance(record.get("payload"), dict):
        return False
    kind = record.get("type")
    return isinstance(kind, str) and kind in _TYPES and ("timestamp" in record or kind == META)


def kind_of(record: dict[str, Any]) -> str:
    """Return the name of the record's kind, such as `event_msg/token_count`."""
    payload = record["payload"]
    inner = text(payload.get("type")) if record["type"] in (ITEM, EVENT) else ""
    name = f"{record['type']}/{inner}" if inner else str(record["type"])
    return f"{name}/{text(item_of(payload).get('type'))}" if inner == "item_completed" else name


def item_of(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the item of an `item_completed` event; any other event is returned itself."""
    return mapping(payload.get("item")) if payload.get("type") == "item_completed" else payload


def part_of(record: dict[str, Any]) -> RecordRole:
    """Return the part that a normalised record plays in the conversation."""
    match record["type"]:
        case "session_meta":
            return RecordRole.META
        case "response_item":
            return RecordRole.ITEM
        case "event_msg":
            return _event_part(text(item_of(record["payload"]).get("type")))
        case "turn_context":
            return RecordRole.SETTINGS
        case "compacted":
            return RecordRole.COMPACTION
        case "token_usage_record":
            return RecordRole.USAGE
        case "inter_agent_communication":
            return RecordRole.NOTE
        case "world_state" | "record_state":
            return RecordRole.BOOKKEEPING
    return RecordRole.UNKNOWN


_EVENT_PARTS: dict[str, RecordRole] = {
    **dict.fromkeys(_BOOKKEEPING, RecordRole.BOOKKEEPING),
    **dict.fromkeys(_NOTES, RecordRole.NOTE),
    **dict.fromkeys(_TURN_ENDS - _NOTES, RecordRole.TURN_END),
    **dict.fromkeys(_TURN_STARTS, RecordRole.TURN_START),
    **dict.fromkeys(_SPAWNS, RecordRole.SPAWN),
    **dict.fromkeys(_OUTCOMES, RecordRole.OUTCOME),
    **dict.fromkeys(_ECHOES, RecordRole.ECHO),
    "token_count": RecordRole.USAGE,
    "thread_rolled_back": RecordRole.ROLLBACK,
    "thread_name_updated": RecordRole.NAME,
}


def _event_part(kind: str) -> RecordRole:
    return _EVENT_PARTS.get(kind, RecordRole.UNKNOWN)


def echo_of(payload: dict[str, Any]) -> tuple[str, str]:
    """Return the author that an event quotes (user, assistant or reasoning) and the quoted text, "" without text."""
    item = item_of(payload)
    said = item.get("message", item.get("text"))
    if not isinstance(said, str):
        parts = item.get("content") or item.get("summary_text")
        said = "\n".join(filter(None, map(_text_of, parts))) if isinstance(parts, list) else ""
    return _ECHOES[text(item.get("type"))], said


def _text_of(part: Any) -> str:
    return part if isinstance(part, str) else text(mapping(part).get("text"))


def usage_of(value: Any) -> Usage | None:
    """Return the usage of one model call; None when all its counts are zero.

    Codex counts cached input as input, and reasoning as output.
    """
    found = mapping(value)
    cached, written = count(found.get("cached_input_tokens")), count(found.get("cache_write_input_tokens"))
    usage = Usage(
        input=max(count(found.get("input_tokens")) - cached - written, 0),
        output=count(found.get("output_tokens")),
        cache_read=cached,
        cache_write=written,
        total=count(found.get("total_tokens")),
    )
    return usage if usage.context else None
