"""Convert the content of a message of Goose to blocks: text, pictures, thinking, calls and their results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result
from stemmata.formats.shared.values import dump, image, mapping, text

_CALLS = ("toolRequest", "frontendToolRequest")
# notices and questions that Goose shows the person and does not send to the model
NOTES = frozenset(
    (
        "systemNotification", "toolConfirmationRequest", "actionRequired", "summarizationRequested",
        "contextLengthExceeded", "conversationCompacted", "jsonRenderSpec",
    )
)  # fmt: skip


def items_of(content: Any) -> list[dict[str, Any]]:
    """Return the items of a message's content; a value that is no object counts as text."""
    listed = content if isinstance(content, list) else [] if content is None else [content]
    return [one if isinstance(one, dict) else {"type": "text", "text": text(one)} for one in listed]


def parts_of(
    items: Iterable[Mapping[str, Any]], tools: dict[str, str], blobs: list[Blob]
) -> Iterator[Block | Result]:
    """Yield the parts of a message. `tools` are the names of the tools by their calls so far, and are added to."""
    for item in items:
        match item.get("type"):
            case "text":
                yield from _text(item.get("text"))
            case "image":
                yield _picture(item, blobs)
            case "thinking":
                yield Thinking(text(item.get("thinking")), text(item.get("signature")))
            case "reasoning":
                yield Thinking(text(item.get("text")))
            case "redactedThinking":
                yield Thinking("", text(item.get("data")), redacted=True)
            case type if type in _CALLS:
                call = _call(item)
                tools[call.id] = call.name
                yield call
            case "toolResponse":
                id = text(item.get("id"))
                yield _result(id, tools.get(id, ""), mapping(item.get("toolResult")), blobs)
            case type:
                yield UnknownBlock(text(type) or "content", dump(dict(item)))


def note_of(item: Mapping[str, Any]) -> tuple[Text, ...]:
    """Return the text that an item of the kinds in NOTES shows the person."""
    data = mapping(item.get("data"))
    return _text(item.get("msg") or item.get("prompt") or data.get("prompt") or data.get("message"))


def _call(item: Mapping[str, Any]) -> ToolCall:
    asked = mapping(item.get("toolCall"))
    value = mapping(asked.get("value"))
    if "error" in asked:
        return ToolCall(text(item.get("id")), "", compact_json({"error": asked["error"]}))
    arguments = compact_json(mapping(value.get("arguments")))
    return ToolCall(text(item.get("id")), text(value.get("name")), arguments)


def _result(id: str, tool: str, found: dict[str, Any], blobs: list[Blob]) -> Result:
    if "error" in found:
        return Result(id, tool, _text(found["error"]), failed=True)
    value = found.get("value")
    listed = mapping(value).get("content") if isinstance(value, dict) else value
    items = [mapping(one) for one in listed] if isinstance(listed, list) else []
    told = [one for one in items if "assistant" in _audience(one)] or items
    blocks = [block for one in told for block in _told(one, blobs)]
    return Result(id, tool, tuple(blocks), failed=mapping(value).get("isError") is True)


def _audience(item: Mapping[str, Any]) -> list[Any]:
    """Return the readers of a part of a result: some tools write one text for the user and one for the model."""
    named = mapping(item.get("annotations")).get("audience", item.get("audience"))
    return named if isinstance(named, list) else ["user", "assistant"]


def _told(item: dict[str, Any], blobs: list[Blob]) -> Iterator[Block]:
    resource = mapping(item.get("resource"))
    if item.get("type") == "text":
        yield from _text(item.get("text"))
    elif item.get("type") == "image":
        yield _picture(item, blobs)
    elif resource.get("text"):
        yield from _text(resource["text"])
    else:
        yield UnknownBlock(text(item.get("type")) or "content", dump(item))


def _picture(item: Mapping[str, Any], blobs: list[Blob]) -> Block:
    return image(item.get("data"), item.get("mimeType"), blobs) or UnknownBlock("image", dump(dict(item)))


def _text(value: Any) -> tuple[Text, ...]:
    said = text(value)
    return (Text(said),) if said else ()
