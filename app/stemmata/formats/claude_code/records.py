"""Classify single records of Claude Code and read the fields that several readers need."""

from __future__ import annotations

from typing import Any

from stemmata.formats.claude_code.line_tree import LineRole
from stemmata.formats.shared.values import dump, mapping

# Types of lines that only state facts about the session. They stay in the source's bytes and make no entry.
FACTS = frozenset(
    {
        "summary", "file-history-snapshot", "queue-operation", "custom-title", "ai-title", "agent-name",
        "agent-setting", "permission-mode", "mode", "pr-link", "last-prompt", "bridge-session",
    }
)  # fmt: skip
MESSAGES = frozenset({"user", "assistant"})
NODES = MESSAGES | {"system", "attachment", "progress"}


def identifier(value: Any) -> str:
    """Return a string id unchanged, and "" for any other value."""
    return value if isinstance(value, str) else ""


def role_of(record: dict[str, Any]) -> LineRole | None:
    """Return the line's role in the conversation; None when the line makes no entry."""
    match record.get("type"):
        case "user":
            return _user_role(record)
        case "assistant":
            return LineRole.REPLY
        case "system":
            return LineRole.BOUNDARY if record.get("subtype") == "compact_boundary" else LineRole.NOTE
        case "attachment":
            return LineRole.NOTE
        case _:
            return LineRole.NOTE if identifier(record.get("uuid")) else None


def _user_role(record: dict[str, Any]) -> LineRole:
    if record.get("isCompactSummary") is True:
        return LineRole.SUMMARY
    if results_of(record):
        return LineRole.RESULT
    return LineRole.INJECTION if record.get("isMeta") is True else LineRole.PROMPT


def content_of(record: dict[str, Any]) -> Any:
    """Return the content of a message: a string or a list of blocks in a sound file, any value in a damaged one."""
    message = record.get("message")
    return message["content"] if isinstance(message, dict) and "content" in message else message or None


def blocks_in(record: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the message's blocks of one type."""
    content = content_of(record)
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") == kind]


def results_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the message's `tool_result` blocks."""
    return blocks_in(record, "tool_result")


def entries_in(record: dict[str, Any]) -> int:
    """Return the number of entries of a RESULT line: one per result, and one for all other blocks together."""
    return len(results_of(record)) + bool(others_of(record))


def others_of(record: dict[str, Any]) -> list[Any]:
    """Return the content items of a RESULT line that are not tool results."""
    return [item for item in content_of(record) if not (isinstance(item, dict) and item.get("type") == "tool_result")]


def parent_of(record: dict[str, Any]) -> str:
    """Return the parent id that the line names, or ""."""
    return identifier(record.get("parentUuid")) or identifier(record.get("logicalParentUuid"))


def digest_of(record: dict[str, Any]) -> int:
    """Return a number that is equal for equal contents within one run of the program."""
    for key in ("message", "attachment", "data", "content"):
        if key in record:
            content = content_of(record) if key == "message" else record[key]
            return hash(content if isinstance(content, str) else dump(content))
    return 0


def kept_ids(record: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the id of the first message that a boundary keeps ("" for none), and the kept ids from last to first."""
    metadata = mapping(record.get("compactMetadata"))
    segment, messages = mapping(metadata.get("preservedSegment")), mapping(metadata.get("preservedMessages"))
    listed = messages.get("uuids")
    ids = [id for id in listed if isinstance(id, str)] if isinstance(listed, list) else []
    head, tail = identifier(segment.get("headUuid")), identifier(segment.get("tailUuid"))
    last_first = ([tail] if tail else []) + ids[::-1]
    return head or (ids[0] if ids else ""), last_first
