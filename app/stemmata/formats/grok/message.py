"""Convert a message of Grok, which its export calls a response, to an entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.values import dump, instant, listed, mapping, text

_SENDERS = {"human": Role.USER, "system": Role.SYSTEM}  # any other sender is the assistant, even the name of a model
_ASSISTANT = "assistant"
_MOST_DIGITS = 18  # of a number of milliseconds

# fields that become a part of the entry, or that say nothing about the conversation
_READ = frozenset(
    (
        "response_id", "_id", "conversation_id", "parent_response_id", "message", "sender", "create_time", "model",
        "thinking_trace", "agent_thinking_traces", "image_attachments", "file_attachments", "generated_image_urls",
        "xai_user_id", "xai_anon_user_id", "media_types", "partial",
    )
)  # fmt: skip


def moment(value: Any) -> int:
    """Return nanoseconds since the epoch for an ISO 8601 string or for milliseconds; 0 for any other value.

    Newer exports wrap the milliseconds of a message: `{"$date": {"$numberLong": "…"}}`.
    """
    while isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    if isinstance(value, str) and value.isdecimal() and len(value) <= _MOST_DIGITS:
        value = int(value)
    return instant(value)


def own_model(message: dict[str, Any]) -> str:
    """Return the model that wrote a message, or that a prompt asks; "" when the message does not name it."""
    asked = mapping(mapping(message.get("metadata")).get("requestModelDetails")).get("modelId")
    return text(message.get("model")) or text(asked)


def entry_of(id: str, message: dict[str, Any], asked: str, record: Record | None) -> Entry:
    """Return the entry of a message without its parent. `asked` is the model that the prompt before it asks."""
    sender = message.get("sender")
    if not isinstance(sender, str) or not sender:
        return Entry(id=id, kind=Kind.UNKNOWN, flags=Flag.HIDDEN, details=dump(message), record=record)
    role = _SENDERS.get(sender.lower(), Role.ASSISTANT)
    facts = {name: value for name, value in message.items() if value and name not in _READ}
    whole = Entry(
        id=id,
        role=role,
        time=moment(message.get("create_time")),
        blocks=tuple(_blocks(message)),
        details=compact_json(facts) if facts else "",
        record=record,
    )
    if role != Role.ASSISTANT:
        return whole
    model = own_model(message) or (sender if sender.lower() != _ASSISTANT else asked)
    return replace(whole, model=model, provider="xai" if model else "", flags=_end(message))


def _end(message: dict[str, Any]) -> Flag:
    if message.get("error"):
        return Flag.FAILED
    return Flag.ABORTED if message.get("partial") is True else Flag.ENDS_TURN


def _blocks(message: dict[str, Any]) -> Iterator[Block]:
    yield from map(Thinking, _thoughts(message))
    for one in listed(message.get("image_attachments")):
        yield _picture(one)
    for one in listed(message.get("file_attachments")):
        yield UnknownBlock(f"file {_name(one)}".strip(), dump(one))
    said = text(message.get("message")) or _failure(message.get("error"))
    if said:
        yield Text(said)
    for one in listed(message.get("generated_image_urls")):
        yield _picture(one)


def _thoughts(message: dict[str, Any]) -> Iterator[str]:
    """Yield what the model thought, then what each of its agents thought, or the headings of its steps."""
    agents = [mapping(one).get("thinking_trace") or one for one in listed(message.get("agent_thinking_traces"))]
    found = [said for trace in (message.get("thinking_trace"), *agents) if (said := text(trace))]
    yield from dict.fromkeys(found or filter(None, map(_step, listed(message.get("steps")))))


def _step(step: Any) -> str:
    """Return the tagged texts of a step of thinking, in their order; "" for a step without texts."""
    tagged = mapping(mapping(step).get("tagged_text"))
    return "\n\n".join(said for said in map(text, tagged.values()) if said)


def _failure(error: Any) -> str:
    return text(mapping(error).get("message")) or text(error)


def _picture(value: Any) -> Block:
    return Image("image/*", "", 0, _name(value)) if isinstance(value, str) else UnknownBlock("image", dump(value))


def _name(value: Any) -> str:
    """Return the name or the id of an attached file, on one line."""
    facts = mapping(value)
    found = value if isinstance(value, str) else facts.get("file_name") or facts.get("fileName") or facts.get("name")
    return " ".join(text(found).split())[:250]
