"""Convert a message of LibreChat to entries: newer replies are lists of parts, older ones are texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import count, dump, image, instant, listed, mapping, text, untaken

_THOUGHT = re.compile(r"\s*:::thinking\s*\n(.*?)\n:::\s*", re.DOTALL)
_DATA_URL = re.compile(r"data:([^;,]*);base64,")
_FACTS = ("feedback", "finish_reason", "addedConvo", "plugin")  # fields of a message besides its content

Part = Block | Result


def entries_of(id: str, message: Mapping[str, Any], record: Record, model: str) -> Iterator[Entry | Blob]:
    """Yield the entries of a message without their parents, each before the next, and their blobs before them.

    `model` is that of the conversation. A message with a summary replaces all messages up to it.
    """
    blobs: list[Blob] = []
    is_reply = message.get("isCreatedByUser") is not True
    parts = [*_files(message), *_parts(id, message, blobs), *_left(message)]
    facts = {name: message[name] for name in _FACTS if message.get(name)}
    whole = Entry(
        id=id, role=Role.ASSISTANT if is_reply else Role.USER, time=instant(message.get("createdAt")),
        provider=text(message.get("endpoint")) if is_reply else "",
        model=(text(message.get("model")) or model) if is_reply else "", record=record,
        usage=_usage(message) if is_reply else None, flags=_end(message) if is_reply else Flag.NONE,
        details=compact_json(facts) if facts else "",
    )  # fmt: skip
    yield from blobs
    yield from split_at_results(whole, parts)
    if summary := text(message.get("summary")):
        yield Entry(id=f"{id}#summary", kind=Kind.COMPACTION, blocks=(Text(summary),), time=whole.time, record=record)


def _left(message: Mapping[str, Any]) -> Iterator[Block]:
    """Yield what is taken from no field: the whole of a message without text, and a damaged list of replies."""
    yield from untaken(message, "messageId", "text", "content")
    yield from untaken(message.get("children"))


def _end(message: Mapping[str, Any]) -> Flag:
    """Return how a reply ended. Its count of tokens does not cover the request."""
    if message.get("error"):
        return Flag.FAILED | Flag.UNFINISHED
    if message.get("unfinished") is True:
        return Flag.ABORTED | Flag.UNFINISHED
    cut = Flag.CUT if message.get("finish_reason") in ("length", "max_tokens") else Flag.NONE
    return Flag.ENDS_TURN | Flag.UNFINISHED | cut


def _usage(message: Mapping[str, Any]) -> Usage | None:
    written = count(message.get("tokenCount"))
    return Usage(output=written) if written else None


def _parts(id: str, message: Mapping[str, Any], blobs: list[Blob]) -> Iterator[Part]:
    content = message.get("content")
    if content and isinstance(content, list | dict):
        for at, one in enumerate(listed(content)):
            yield from _part(f"{id}#call{at + 1}", one, blobs)
        return
    said = text(message.get("text")) or (content if isinstance(content, str) else "")
    thought = _THOUGHT.match(said)
    if thought is not None:
        yield Thinking(thought[1])
        said = said[thought.end() :]
    if said:
        yield Text(said)


def _part(call: str, one: Any, blobs: list[Blob]) -> Iterator[Part]:
    found = mapping(one)
    match found.get("type"):
        case "text" | "error":
            told = found.get("text") or found.get("error")
            if said := _told(told):
                yield Text(said)
            elif told:
                yield UnknownBlock(text(found["type"]), dump(one))
        case "think":
            if thought := _told(found.get("think")):
                yield Thinking(thought)
            elif found.get("think"):
                yield UnknownBlock("think", dump(one))
        case "tool_call":
            yield from _call(call, mapping(found.get("tool_call")))
        case "image_url":
            yield _picture(found, blobs)
        case type if one is not None:
            yield UnknownBlock(text(type) or "content", dump(one))


def _call(id: str, found: Mapping[str, Any]) -> Iterator[Part]:
    """Yield a call and its result. Calls of OpenAI's assistants name both in an object of their kind."""
    own = mapping(found.get("function")) or mapping(found.get("code_interpreter"))
    name = text(found.get("name") or own.get("name") or found.get("type"))
    call = text(found.get("id")) or id
    asked = next((value for value in (found.get("args"), own.get("arguments"), own.get("input")) if value), None)
    yield ToolCall(call, name, _arguments(asked))
    result = next((value for value in (found.get("output"), own.get("output"), own.get("outputs")) if value), None)
    if result is not None:
        yield Result(call, name, (Text(text(result)),))


def _arguments(value: Any) -> str:
    """Return the arguments of a call as the JSON text of an object; they may be JSON text."""
    if isinstance(value, str):
        try:
            decoded = json.loads(value)
        except (ValueError, RecursionError):
            decoded = value
        value = decoded
    if isinstance(value, dict):
        return compact_json(value)
    return compact_json({"input": value}) if value else "{}"


def _told(value: Any) -> str:
    """Return a text, which OpenAI's assistants put into an object."""
    return text(mapping(value).get("value")) if isinstance(value, dict) else text(value)


def _picture(found: Mapping[str, Any], blobs: list[Blob]) -> Block:
    url = mapping(found.get("image_url")).get("url")
    data = _DATA_URL.match(url) if isinstance(url, str) else None
    picture = image(url[data.end() :], data[1], blobs) if data is not None and isinstance(url, str) else None
    return picture or UnknownBlock("image_url", dump(found))


def _files(message: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the names of the files of a message: an export does not have their content."""
    files = message.get("files")
    for one in files if isinstance(files, list) else ():
        name = " ".join(text(mapping(one).get("filename")).split())[:250]
        yield UnknownBlock(f"file {name}".strip(), dump(one))
