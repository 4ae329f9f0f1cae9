"""Single records of Claude Code: what a line is, and the fields that every reader of it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stemmata.formats.shared.dag import Part
from stemmata.formats.shared.values import dump, mapping

# lines that only state facts about the session: they stay in the source's bytes and make no entry
FACTS = frozenset(
    {
        "summary", "file-history-snapshot", "queue-operation", "custom-title", "ai-title", "agent-name",
        "agent-setting", "permission-mode", "mode", "pr-link", "last-prompt", "bridge-session",
    }
)  # fmt: skip
MESSAGES = frozenset({"user", "assistant"})
NODES = MESSAGES | {"system", "attachment", "progress"}


def identifier(value: Any) -> str:
    """An id, "" when there is none."""
    return value if isinstance(value, str) else ""


def part_of(record: dict[str, Any]) -> Part | None:
    """What the line is to the conversation; None when it makes no entry."""
    match record.get("type"):
        case "user":
            return _user_part(record)
        case "assistant":
            return Part.REPLY
        case "system":
            return Part.BOUNDARY if record.get("subtype") == "compact_boundary" else Part.NOTE
        case "attachment":
            return Part.NOTE
        case _:
            return Part.NOTE if identifier(record.get("uuid")) else None


def _user_part(record: dict[str, Any]) -> Part:
    if record.get("isCompactSummary") is True:
        return Part.SUMMARY
    if any(True for _ in results_of(record)):
        return Part.RESULT
    return Part.INJECTION if record.get("isMeta") is True else Part.PROMPT


def content_of(record: dict[str, Any]) -> Any:
    """The content of a message: a string or a list of blocks, if all is well."""
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else message


def blocks_in(record: dict[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    """The message's blocks of one type."""
    content = content_of(record)
    if isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and block.get("type") == kind:
                yield block


def results_of(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return blocks_in(record, "tool_result")


def entries_in(record: dict[str, Any]) -> int:
    """How many entries a RESULT line makes: one per result, and one for what else stands in it."""
    return sum(1 for _ in results_of(record)) + bool(others_of(record))


def others_of(record: dict[str, Any]) -> list[Any]:
    """What stands beside the tool results of a RESULT line."""
    return [item for item in content_of(record) if not (isinstance(item, dict) and item.get("type") == "tool_result")]


def parent_of(record: dict[str, Any]) -> str:
    """The id of the parent that the line names, "" for none."""
    return identifier(record.get("parentUuid")) or identifier(record.get("logicalParentUuid"))


def digest_of(record: dict[str, Any]) -> int:
    """Equal for equal contents, within one run of the program."""
    for key in ("message", "attachment", "data", "content"):
        if key in record:
            content = content_of(record) if key == "message" else record[key]
            return hash(content if isinstance(content, str) else dump(content))
    return 0


def kept_ids(record: dict[str, Any]) -> tuple[str, list[str]]:
    """Of a boundary: id of the first message it keeps, "" if none, and the kept ones, the last first."""
    metadata = mapping(record.get("compactMetadata"))
    segment, messages = mapping(metadata.get("preservedSegment")), mapping(metadata.get("preservedMessages"))
    listed = messages.get("uuids")
    ids = [id for id in listed if isinstance(id, str)] if isinstance(listed, list) else []
    head, tail = identifier(segment.get("headUuid")), identifier(segment.get("tailUuid"))
    last_first = ([tail] if tail else []) + ids[::-1]
    return head or (ids[0] if ids else ""), last_first
