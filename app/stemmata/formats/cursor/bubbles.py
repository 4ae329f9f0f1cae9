"""Convert a message of Cursor to entries: a prompt; or thinking, text, and a tool call with its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.database_values import parsed
from stemmata.formats.shared.values import count, dump, image, instant, mapping, text

_USER, _ASSISTANT = 1, 2
_FAILED, _STOPPED = ("error", "failed"), ("cancelled", "canceled", "aborted", "rejected")
_RUNNING = ("loading", "running", "pending", "streaming")


def moment(fields: Mapping[str, Any]) -> int:
    """Return the time at which a message or session was written, in ns; 0 when it is unknown."""
    timing = mapping(fields.get("timingInfo"))
    return instant(fields.get("createdAt")) or instant(timing.get("clientStartTime"))


def is_running(fields: Mapping[str, Any]) -> bool:
    """Return whether a message is a tool call that still runs."""
    return mapping(fields.get("toolFormerData")).get("status") in _RUNNING


def bubble_entries(id: str, fields: Mapping[str, Any], model: str) -> Iterator[Entry | Blob]:
    """Yield the entries of a message without parents, its pictures before them. `model` is that of the session."""
    if fields.get("type") == _USER:
        blobs: list[Blob] = []
        blocks = tuple(_prompt(fields, blobs))
        yield from blobs
        yield Entry(id=id, role=Role.USER, blocks=blocks)
    elif fields.get("type") == _ASSISTANT:
        yield from _reply(id, fields, model)
    else:
        said = _text(fields.get("text"))
        yield Entry(id=id, kind=Kind.UNKNOWN, name="cursor:message", blocks=said, details=dump(dict(fields)))


def _prompt(fields: Mapping[str, Any], blobs: list[Blob]) -> Iterator[Block]:
    context = mapping(fields.get("context"))
    for name in ("fileSelections", "folderSelections", "selections", "terminalSelections"):
        listed = context.get(name)
        for one in listed if isinstance(listed, list) else ():
            yield UnknownBlock(name.removesuffix("s"), compact_json(one))
    pictures = fields.get("images")
    for one in pictures if isinstance(pictures, list) else ():
        found = mapping(one)
        yield image(found.get("data"), "image/png", blobs) or UnknownBlock("image", compact_json(one))
    yield from _text(fields.get("text"))


def _reply(id: str, fields: Mapping[str, Any], model: str) -> Iterator[Entry]:
    blocks: list[Block] = []
    thought = fields.get("thinking")
    said = thought if isinstance(thought, str) else text(mapping(thought).get("text"))
    if said:
        blocks.append(Thinking(said, text(mapping(thought).get("signature"))))
    blocks += _text(fields.get("text"))
    tool = mapping(fields.get("toolFormerData"))
    call, name = text(tool.get("toolCallId")) or f"{id}/call", text(tool.get("name"))
    if name:
        blocks.append(ToolCall(call, name, _arguments(tool)))
    told = mapping(fields.get("modelInfo")).get("modelName")
    yield Entry(
        id=id, role=Role.ASSISTANT, blocks=tuple(blocks), model=text(told) or model, usage=_usage(fields),
        flags=Flag.NONE if name or not blocks else Flag.ENDS_TURN, provider="cursor",
    )  # fmt: skip
    if name and not is_running(fields):
        yield _result(f"{id}#2", call, name, tool)


def _result(id: str, call: str, name: str, tool: Mapping[str, Any]) -> Entry:
    state, error = text(tool.get("status")), tool.get("error")
    failure = mapping(parsed(error) if isinstance(error, str) else error)
    said = tool.get("result") or failure.get("clientVisibleErrorMessage")
    flags = Flag.FAILED if state in _FAILED else Flag.ABORTED if state in _STOPPED else Flag.NONE
    return Entry(id=id, role=Role.TOOL_RESULT, tool=name, call=call, blocks=_text(_output(said)), flags=flags)


def _output(said: Any) -> str:
    """Return the text of a result. Results are JSON text; those with only a text in them are that text."""
    found = parsed(said) if isinstance(said, str) else said
    contents = mapping(found).get("contents", mapping(found).get("output"))
    return contents if isinstance(contents, str) else text(said)


def _arguments(tool: Mapping[str, Any]) -> str:
    """Return the arguments of a call as the model gave them, else as the program understood them."""
    for name in ("rawArgs", "params"):
        found = tool.get(name)
        given = parsed(found) if isinstance(found, str) else found
        if isinstance(given, dict) and given:
            return compact_json(given)
    return "{}"


def _usage(fields: Mapping[str, Any]) -> Usage | None:
    tokens = mapping(fields.get("tokenCount"))
    sent, written = count(tokens.get("inputTokens")), count(tokens.get("outputTokens"))
    return Usage(input=sent, output=written) if sent or written else None


def _text(value: Any) -> tuple[Text, ...]:
    said = text(value)
    return (Text(said),) if said else ()
