"""The contents of a request and its response: blocks, tool calls, results and summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result
from stemmata.formats.shared.values import BadLineError, listed, mapping, parse, text, untaken

_TEXT, _PIECE = 2, 1  # kinds of nodes in a result
# parts that the window shows beside a reply: progress, places in files, hints; the model never saw it
_SHOWN_ONLY = frozenset({
    "codeblockUri", "command", "confirmation", "disabledClaudeHooks", "extensions", "hook", "mcpServersStarting",
    "prepareToolInvocation", "progressMessage", "progressTask", "progressTaskSerialized", "undoStop", "treeData",
    "elicitation", "elicitationSerialized", "clearToPreviousToolInvocation", "externalToolInvocationUpdate",
})  # fmt: skip

# keys of the result of a request
_OF_RESULT = ("metadata", "timings", "errorDetails", "usage", "details", "nextQuestion")


@dataclass(frozen=True, slots=True)
class ChatSummary:
    """A summary that replaces the earlier messages in the next requests to the model."""

    text: str


Part: TypeAlias = Block | Result | ChatSummary


def prompt_blocks(fields: Mapping[str, Any]) -> tuple[Block, ...]:
    """Return the attachments and the text of a request."""
    attached = mapping(fields.get("variableData")).get("variables")
    blocks: list[Block] = [
        UnknownBlock(text(mapping(one).get("kind")) or "attachment", compact_json(one)) for one in listed(attached)
    ]
    message = fields.get("message")
    said = message if isinstance(message, str) else text(mapping(message).get("text"))
    if not said:
        blocks += untaken(message, "text") or untaken(fields, "message", "requestId", "response", "result")
    return (*blocks, Text(said)) if said else tuple(blocks)


def has_rounds(fields: Mapping[str, Any]) -> bool:
    """Return whether a response lists the model's replies, round by round."""
    return bool(_rounds(fields))


def reply_parts(fields: Mapping[str, Any], *, by_rounds: bool) -> list[Part]:
    """Return the parts of a response.

    The rounds have the calls as the model made them, and their results. The response as it was shown has calls with
    other ids and without results, so only texts that the rounds lack are taken from it then.
    """
    result = fields.get("result")
    left: list[Part] = [*untaken(result, *_OF_RESULT)]
    if isinstance(result, dict) and not isinstance(result.get("metadata"), dict):
        left += untaken(result.get("metadata"))
    if not by_rounds:
        return [*_shown(fields), *left]
    parts = [*_by_rounds(fields), *left]
    known = _squeezed("".join(part.text for part in parts if isinstance(part, Text)))
    rest = [
        part
        for part in _shown(fields, split=True)
        if isinstance(part, Text) and _squeezed(part.text) and _squeezed(part.text) not in known
    ]
    return [*parts, *rest]


def _rounds(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = mapping(mapping(fields.get("result")).get("metadata")).get("toolCallRounds")
    return [one if isinstance(one, dict) else {"response": one} for one in listed(found) if one]


def _by_rounds(fields: Mapping[str, Any]) -> Iterator[Part]:
    metadata = mapping(mapping(fields.get("result")).get("metadata"))
    results = mapping(metadata.get("toolCallResults"))
    rounds = _rounds(fields)
    summaries = _summaries(metadata)
    ids = {text(one.get("id")) for one in rounds}
    yield from (ChatSummary(said) for id, said in summaries.items() if id not in ids)
    for number, one in enumerate(rounds):
        thought = mapping(one.get("thinking"))
        if thought.get("text") or thought.get("encrypted"):
            said = _joined(thought.get("text"))
            yield Thinking(said, text(thought.get("encrypted")), redacted=not said)
        if said := text(one.get("response")):
            yield Text(said)
        yield from untaken(one, "id", "response", "toolCalls", "thinking", "summary")
        calls = one.get("toolCalls")
        asked = [mapping(call) for call in calls] if isinstance(calls, list) else []
        named = [(text(call.get("id")) or f"call {number}.{at}", call) for at, call in enumerate(asked)]
        for id, call in named:
            yield ToolCall(id, text(call.get("name")), text(call.get("arguments")) or "{}")
        for id, call in named:
            if id in results:
                yield _result(id, text(call.get("name")), mapping(results[id]))
        summary = text(one.get("summary")) or summaries.get(text(one.get("id")), "")
        if summary:
            yield ChatSummary(summary)


def _summaries(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return the summaries that a request's metadata names, by the round that they go up to."""
    several = metadata.get("summaries")
    found = [mapping(one) for one in (several if isinstance(several, list) else [metadata.get("summary")])]
    return {text(one.get("toolCallRoundId")): text(one["text"]) for one in found if one.get("text")}


def _result(id: str, tool: str, result: Mapping[str, Any]) -> Result:
    content = result.get("content")
    blocks: list[Block] = []
    for piece in content if isinstance(content, list) else []:
        value = mapping(piece).get("value")
        node = mapping(value).get("node")
        if node is not None:
            blocks += _node_blocks(node)
        elif isinstance(value, str):
            blocks.append(Text(value))
        else:
            blocks.append(UnknownBlock(text(mapping(piece).get("mimeType")) or "result", compact_json(piece)))
    return Result(id, tool, tuple(blocks), failed=result.get("hasError") is True or result.get("isError") is True)


def _node_blocks(root: Any) -> Iterator[Block]:
    """Yield the text of a result, which is a tree of pieces, and the pictures in it."""
    said: list[str] = []
    waiting = [root]
    while waiting:
        node = mapping(waiting.pop())
        if node.get("type") == _TEXT:
            is_inside = bool(said) and not said[-1].endswith("\n")  # VS Code adds no second line end
            said += ["\n"] if node.get("lineBreakBefore") is True and is_inside else []
            said.append(text(node.get("text")))
        elif mapping(node.get("props")).get("src"):
            yield UnknownBlock("image", compact_json(node["props"]))
        else:
            below = node.get("children")
            waiting += reversed(below) if isinstance(below, list) else ()
    if whole := "".join(said):
        yield Text(whole)


def _shown(fields: Mapping[str, Any], *, split: bool = False) -> Iterator[Part]:
    """Yield the parts of a response that VS Code displays. With `split`, references to files separate the texts."""
    found = fields.get("response")
    said: list[str] = []
    for item in [*(one for one in listed(found) if one is not None), None]:
        one = mapping(item)
        kind = text(one.get("kind"))
        if item is not None and not kind and "value" in one:
            said.append(text(one["value"]))
        elif kind == "markdownContent" or kind == "markdownVuln":
            said.append(text(mapping(one.get("content")).get("value")))
        elif kind == "inlineReference" and not split:
            said.append(_reference(one))
        elif kind not in _SHOWN_ONLY:
            yield from (Text(piece) for piece in (said if split else ["".join(said)]) if piece.strip("`\n "))
            said = []
            yield from _item(kind, one, item) if item is not None else ()


def _item(kind: str, one: Mapping[str, Any], item: Any) -> Iterator[Part]:
    match kind:
        case "thinking":
            thought = _joined(one.get("value"))
            yield from [Thinking(thought)] if thought else []
        case "toolInvocationSerialized" | "toolInvocation":
            yield from _invocation(one)
        case "warning":
            yield Text(_joined(mapping(one.get("content")).get("value")))
        case "inlineReference":
            return
        case _:
            yield UnknownBlock(kind or "response", compact_json(item))


def _invocation(one: Mapping[str, Any]) -> Iterator[Part]:
    """Yield a call as it was shown, and its result if it has one."""
    id, tool = text(one.get("toolCallId")), text(one.get("toolId"))
    data = mapping(one.get("toolSpecificData"))
    command = mapping(data.get("commandLine")).get("original") or data.get("command")
    asked = mapping(data.get("rawInput")) or ({"command": command} if command else data)
    details = mapping(one.get("resultDetails"))
    given = mapping(_parsed(details.get("input")))
    yield ToolCall(id, tool, compact_json(given or asked))
    if one.get("isComplete") is False:
        return
    output = details.get("output")
    said = [text(mapping(piece).get("value")) for piece in output] if isinstance(output, list) else []
    told = "\n".join(said) or _markdown(one.get("pastTenseMessage"))
    yield Result(id, tool, (Text(told),) if told else (), failed=details.get("isError") is True)


def _reference(one: Mapping[str, Any]) -> str:
    """Return a reference to a file or symbol as the window shows it: its name."""
    target = mapping(one.get("inlineReference"))
    place = mapping(target.get("uri")) or mapping(mapping(target.get("location")).get("uri")) or target
    name = text(one.get("name")) or text(target.get("name"))
    return f"`{name or text(place.get('path')).rpartition('/')[2] or text(place.get('external'))}`"


def _markdown(value: Any) -> str:
    return value if isinstance(value, str) else text(mapping(value).get("value"))


def _joined(value: Any) -> str:
    return "".join(map(text, value)) if isinstance(value, list) else text(value)


def _parsed(value: Any) -> Any:
    try:
        return parse(value.encode("utf-8", "replace")) if isinstance(value, str) else value
    except BadLineError:
        return None


def _squeezed(said: str) -> str:
    return "".join(said.replace("`", "").split())
