"""Convert a message of Open WebUI to entries.

Newer versions keep a reply as a list of items (`output`). Older ones write thinking and tool calls into its text, as
`<details>` elements whose attributes hold the arguments and the result.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import count, dump, image, instant, listed, mapping, text

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_DETAILS = re.compile(
    r'<details type="(reasoning|tool_calls)"((?:\s+\w+=(?:"[^"]*"|\'[^\']*\'))*)\s*>(.*?)</details>\n?', re.DOTALL
)
_ATTRIBUTE = re.compile(r'(\w+)=(?:"([^"]*)"|\'([^\']*)\')')
_SUMMARY = re.compile(r"\s*<summary>.*?</summary>\s*", re.DOTALL)
_QUOTED = re.compile(r"^(?:&gt;|>) ?", re.MULTILINE)
_DATA_URL = re.compile(r"data:([^;,]*);base64,", re.DOTALL)
_FACTS = ("context_summary", "annotation", "merged", "error")  # fields of a message besides its content
_MILLISECONDS = 100_000_000_000  # larger numbers count milliseconds, smaller ones seconds

Part = Block | Result


def moment(value: Any) -> int:
    """Convert seconds or milliseconds since the epoch to nanoseconds; 0 for any other value."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MILLISECONDS:
        value = round(value * 1000)
    return instant(value)


def entries_of(id: str, message: Any, record: Record | None) -> Iterator[Entry | Blob]:
    """Yield the entries of a message without their parents, each before the next, and their blobs before them."""
    given = mapping(message)
    role = _ROLES.get(text(given.get("role")))
    if role is None:
        yield Entry(id=id, kind=Kind.UNKNOWN, flags=Flag.HIDDEN, details=dump(message), record=record)
        return
    blobs: list[Blob] = []
    parts = [*_files(given, blobs), *_parts(id, given, blobs)]
    if not parts and (failure := _failure(given)):
        parts.append(Text(failure))
    facts = {name: given[name] for name in _FACTS if given.get(name)}
    is_reply = role == Role.ASSISTANT
    whole = Entry(
        id=id,
        role=role,
        time=moment(given.get("timestamp")),
        model=text(given.get("model")) if is_reply else "",
        usage=_usage(given) if is_reply else None,
        flags=_end(given) if is_reply else Flag.NONE,
        details=compact_json(facts) if facts else "",
        record=record,
    )
    yield from blobs
    yield from split_at_results(whole, parts)


def _failure(message: dict[str, Any]) -> str:
    error = message.get("error")
    return text(mapping(error).get("content")) if isinstance(error, dict) else ""


def _end(message: dict[str, Any]) -> Flag:
    if message.get("error"):
        return Flag.FAILED
    return Flag.ABORTED if message.get("done") is False else Flag.ENDS_TURN


def _usage(message: dict[str, Any]) -> Usage | None:
    """Return the counts of a reply, under the names that OpenAI's two interfaces and Ollama give them."""
    found = mapping(message.get("usage")) or mapping(mapping(message.get("info")).get("usage"))
    if not found:
        return None
    sent = _first(found, "prompt_tokens", "input_tokens", "prompt_eval_count")
    details = mapping(found.get("prompt_tokens_details")) or mapping(found.get("input_tokens_details"))
    cached = min(count(details.get("cached_tokens")), sent)
    return Usage(
        input=sent - cached,
        output=_first(found, "completion_tokens", "output_tokens", "eval_count"),
        cache_read=cached,
        total=count(found.get("total_tokens")),
    )


def _first(found: dict[str, Any], *names: str) -> int:
    return next((number for name in names if (number := count(found.get(name)))), 0)


def _parts(id: str, message: dict[str, Any], blobs: list[Blob]) -> Iterator[Part]:
    output = listed(message.get("output"))
    if output:
        yield from _items(id, output)
        return
    content = message.get("content")
    if isinstance(content, list):
        for item in content:
            yield _content(item, blobs)
    elif isinstance(content, str):
        yield from _written(id, content) if message.get("role") == "assistant" else _text(content)
    elif content is not None:
        yield UnknownBlock("", dump(content))


def _content(item: Any, blobs: list[Blob]) -> Block:
    found = mapping(item)
    if found.get("type") == "text" and isinstance(found.get("text"), str):
        return Text(found["text"])
    picture = (
        _picture(mapping(found.get("image_url")).get("url"), blobs) if found.get("type") == "image_url" else None
    )
    return picture or UnknownBlock(text(found.get("type")), dump(item))


def _picture(url: Any, blobs: list[Blob]) -> Block | None:
    """Return the picture that a `data:` URL holds; None for any other URL."""
    found = _DATA_URL.match(url) if isinstance(url, str) else None
    return None if found is None else image(url[found.end() :], found[1], blobs)


def _files(message: dict[str, Any], blobs: list[Blob]) -> Iterator[Block]:
    """Yield the pictures of a message, and the names of its other files: an export does not have their content."""
    files = message.get("files")
    for one in files if isinstance(files, list) else ():
        found = mapping(one)
        name = " ".join(text(found.get("name")).split())[:250]
        yield _picture(found.get("url"), blobs) or UnknownBlock(f"file {name}".strip(), dump(one))


def _items(id: str, output: list[Any]) -> Iterator[Part]:
    """Yield the parts of a reply that is a list of items."""
    names: dict[str, str] = {}  # names of the tools, by the ids of their calls
    for at, item in enumerate(output):
        found = mapping(item)
        kind = found.get("type")
        call = text(found.get("call_id") or found.get("id")) or f"{id}#call{at + 1}"
        if kind == "message":
            yield from map(Text, filter(None, [_told(found.get("content"))]))
        elif kind == "reasoning":
            yield Thinking(_told(found.get("content")) or _told(found.get("summary")))
        elif kind == "function_call":
            names[call] = text(found.get("name"))
            yield ToolCall(call, names[call], _arguments(found.get("arguments")))
        elif kind == "function_call_output":
            said = _told(found.get("output"))
            failed = found.get("status") in ("failed", "incomplete")
            yield Result(call, names.get(call, ""), (Text(said),) if said else (), failed)
        else:
            yield UnknownBlock(text(kind), dump(item))


def _told(parts: Any) -> str:
    """Return the texts of a list of parts; parts without a text are returned as JSON."""
    if not isinstance(parts, list):
        return text(parts)
    return "\n".join(text(part["text"]) if "text" in mapping(part) else text(part) for part in parts)


def _arguments(value: Any) -> str:
    """Return the arguments of a call as the JSON text of an object. They may be JSON text, even within JSON text."""
    for _ in range(2):
        if isinstance(value, str):
            value = _decoded(value)
    if isinstance(value, dict):
        return compact_json(value)
    return compact_json({"input": value}) if value else "{}"


def _decoded(said: str) -> Any:
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return said


def _written(id: str, content: str) -> Iterator[Part]:
    """Yield the parts of a reply with `<details>` elements, and the text between them without empty lines."""
    if _DETAILS.search(content) is None:
        yield from _text(content)
        return
    at = 0
    for number, found in enumerate(_DETAILS.finditer(content), 1):
        yield from _text(content[at : found.start()].strip("\n"))
        at = found.end()
        if found[1] == "reasoning":
            yield Thinking(_QUOTED.sub("", html.unescape(_SUMMARY.sub("", found[3], count=1)).strip()))
            continue
        facts = {name: html.unescape(double or single) for name, double, single in _ATTRIBUTE.findall(found[2])}
        call, name = facts.get("id") or f"{id}#call{number}", facts.get("name", "")
        yield ToolCall(call, name, _arguments(facts.get("arguments")))
        said = facts.get("result") or html.unescape(_SUMMARY.sub("", found[3], count=1)).strip()
        if said:
            yield Result(call, name, (Text(text(_decoded(said))),))
    yield from _text(content[at:].strip("\n"))


def _text(said: str) -> Iterator[Block]:
    if said:
        yield Text(said)
