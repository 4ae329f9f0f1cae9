"""Convert a message of ChatGPT to entry fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.values import count, dump, instant, listed, mapping, text, untaken

EntryFields = dict[str, Any]  # keyword arguments of an Entry

_EVERYBODY = ("all", "")  # the recipients of a message that is no tool call
_ENDS = {"max_tokens": Flag.CUT, "interrupted": Flag.ABORTED}
_DETAILS = ("channel", "status", "recipient", "weight")  # facts of a message that are kept unless they are empty
_USUAL = {"channel": None, "status": "finished_successfully", "recipient": "all", "weight": 1.0}


class CallInReach(NamedTuple):
    """The latest tool call above a message; a result answers it."""

    id: str = ""
    name: str = ""


def call_of(entry: Entry) -> CallInReach | None:
    """Return the tool call of an entry; None for an entry without one."""
    return next((CallInReach(block.id, block.name) for block in entry.blocks if isinstance(block, ToolCall)), None)


def seconds(value: Any) -> int:
    """Convert seconds since the epoch, a number or its text, to nanoseconds; 0 for any other value."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return instant(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 9e9:
        return 0
    return round(value * 1_000_000) * 1000  # a float holds microseconds of our time, not nanoseconds


def message_fields(id: str, message: Any, call: CallInReach) -> EntryFields:
    """Return the fields of a node's entry. `call` is the tool call that a tool's message answers."""
    if not isinstance(message, dict):
        return {"kind": Kind.UNKNOWN, "flags": Flag.HIDDEN, "details": dump(message)}
    role = mapping(message.get("author")).get("role")
    build = _ROLES.get(role) if isinstance(role, str) else None
    if build is None:
        return {"kind": Kind.UNKNOWN, "name": text(role), "flags": Flag.HIDDEN, "details": dump(message)}
    fields = build(id, message, call)
    metadata = mapping(message.get("metadata"))
    hidden = metadata.get("is_visually_hidden_from_conversation") is True or not fields["blocks"]
    flags = Flag.HIDDEN if hidden else Flag.NONE
    if message.get("weight") == 0:
        flags |= Flag.EXCLUDED
    details = {
        name: message[name] for name in _DETAILS if message.get(name, _USUAL[name]) not in (_USUAL[name], None)
    }
    return {
        **fields,
        "time": seconds(message.get("create_time")),
        "flags": fields.get("flags", Flag.NONE) | flags,
        "details": dump(details) if details else "",
    }


def _system(_id: str, message: dict[str, Any], _call: CallInReach) -> EntryFields:
    return {"role": Role.SYSTEM, "blocks": blocks_of(message)}


def _user(_id: str, message: dict[str, Any], _call: CallInReach) -> EntryFields:
    blocks = (*_attachments(message), *blocks_of(message))
    if _type(message) == "user_editable_context":
        return {"role": Role.SYSTEM, "name": "user_editable_context", "blocks": blocks}
    return {"role": Role.USER, "blocks": blocks}


def _assistant(id: str, message: dict[str, Any], _call: CallInReach) -> EntryFields:
    metadata = mapping(message.get("metadata"))
    model = text(metadata.get("model_slug"))
    fields: EntryFields = {"role": Role.ASSISTANT, "model": model, "provider": "openai" if model else ""}
    recipient = text(message.get("recipient"))
    if _type(message) == "reasoning_recap":
        return {"kind": Kind.CUSTOM, "name": "reasoning_recap", "blocks": blocks_of(message)}
    if recipient not in _EVERYBODY and _type(message) != "thoughts":
        return {**fields, "blocks": (ToolCall(id, recipient, _arguments(message)),)}
    flags = Flag.ENDS_TURN if message.get("end_turn") is True else Flag.NONE
    flags |= _ENDS.get(text(mapping(metadata.get("finish_details")).get("type")), Flag.NONE)
    return {**fields, "blocks": blocks_of(message), "flags": flags}


def _tool(_id: str, message: dict[str, Any], call: CallInReach) -> EntryFields:
    return {
        "role": Role.TOOL_RESULT,
        "tool": text(mapping(message.get("author")).get("name")) or call.name,
        "call": call.id,
        "blocks": blocks_of(message),
        "flags": Flag.FAILED if _type(message) == "system_error" else Flag.NONE,
    }


_ROLES: dict[str, Callable[[str, dict[str, Any], CallInReach], EntryFields]] = {
    "system": _system,
    "user": _user,
    "assistant": _assistant,
    "tool": _tool,
}


def _type(message: dict[str, Any]) -> str:
    return text(mapping(message.get("content")).get("content_type"))


def _arguments(message: dict[str, Any]) -> str:
    """Return the arguments of a tool call: the JSON object that the message holds, or its text as `input`."""
    content = mapping(message.get("content"))
    said = text(content.get("text")) or "".join(_texts(content.get("parts")))
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return compact_json(found)
    name = "code" if content.get("content_type") == "code" else "input"
    return compact_json({name: said} if said else content or {name: message.get("content")})


def _texts(parts: Any) -> Iterator[str]:
    yield from (part for part in listed(parts) if isinstance(part, str))


def _attachments(message: dict[str, Any]) -> Iterator[Block]:
    """Yield the names of the attached files, whose content an export lacks. Pictures are parts of the message."""
    attached = mapping(message.get("metadata")).get("attachments")
    for one in attached if isinstance(attached, list) else ():
        kind = text(mapping(one).get("mime_type") or mapping(one).get("mimeType"))
        if not kind.startswith("image/"):
            yield UnknownBlock(f"attachment {text(mapping(one).get('name'))}".strip(), compact_json(one))


def blocks_of(message: dict[str, Any]) -> tuple[Block, ...]:
    """Return the blocks of a message's content; content of an unknown type becomes an unknown block."""
    content = message.get("content")
    if isinstance(content, str):
        return _text(content)
    if not isinstance(content, dict):
        return () if content is None else (UnknownBlock("", compact_json(content)),)
    read = _TYPES.get(text(content.get("content_type")))
    return (UnknownBlock(_type(message), compact_json(content)),) if read is None else tuple(read(content))


def _text(said: str) -> tuple[Block, ...]:
    return (Text(said),) if said else ()


def _parts(content: dict[str, Any]) -> Iterator[Block]:
    for part in listed(content.get("parts")):
        if isinstance(part, str):
            yield from _text(part)
        elif isinstance(part, dict) and part.get("content_type") == "image_asset_pointer":
            yield _picture(part)
        elif isinstance(part, dict) and part.get("content_type") == "audio_transcription":
            yield from _text(text(part.get("text")))
        else:
            yield UnknownBlock(text(mapping(part).get("content_type")), compact_json(part))


def _picture(part: dict[str, Any]) -> Block:
    return Image("image/*", "", count(part.get("size_bytes")), text(part.get("asset_pointer")))


def _code(content: dict[str, Any]) -> Iterator[Block]:
    said = text(content.get("text"))
    language = text(content.get("language"))
    if said:
        yield Text(f"```{'' if language == 'unknown' else language}\n{said}\n```")


def _said(content: dict[str, Any]) -> Iterator[Block]:
    yield from _text(text(content.get("text")))


def _thoughts(content: dict[str, Any]) -> Iterator[Block]:
    for thought in listed(content.get("thoughts")):
        said = (text(mapping(thought).get(name)) for name in ("summary", "content"))
        yield from untaken(thought, "summary", "content") or [Thinking("\n\n".join(filter(None, said)))]
    yield from (Thinking(said) for said in _texts(content.get("parts")))


def _recap(content: dict[str, Any]) -> Iterator[Block]:
    yield from _text(text(content.get("content")))
    yield from _parts(content)


def _quote(content: dict[str, Any]) -> Iterator[Block]:
    said = (text(content.get(name)) for name in ("title", "url", "text"))
    yield from _text("\n\n".join(filter(None, said)))


def _result(content: dict[str, Any]) -> Iterator[Block]:
    yield from _text(text(content.get("result")))


def _instructions(content: dict[str, Any]) -> Iterator[Block]:
    said = (text(content.get(name)) for name in ("user_profile", "user_instructions"))
    yield from _text("\n\n".join(filter(None, said)))


def _error(content: dict[str, Any]) -> Iterator[Block]:
    said = (text(content.get(name)) for name in ("name", "text"))
    yield from _text(": ".join(filter(None, said)))


def _screen(content: dict[str, Any]) -> Iterator[Block]:
    yield _picture(mapping(content.get("screenshot")))


_TYPES: dict[str, Callable[[dict[str, Any]], Iterator[Block]]] = {
    "text": _parts,
    "multimodal_text": _parts,
    "code": _code,
    "execution_output": _said,
    "thoughts": _thoughts,
    "reasoning_recap": _recap,
    "tether_quote": _quote,
    "sonic_webpage": _quote,
    "tether_browsing_display": _result,
    "user_editable_context": _instructions,
    "system_error": _error,
    "computer_output": _screen,
}
