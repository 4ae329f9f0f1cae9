"""Convert a chunk of Google AI Studio to entries: a prompt, a thought, a reply, a call, or the result of a call."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import count, dump, image, instant, listed, mapping, text, untaken

_ROLES = {"user": Role.USER, "model": Role.ASSISTANT, "system": Role.SYSTEM}
_CODE = "code_execution"  # the tool that runs the model's own code
_FAILURES = frozenset(
    ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL", "OTHER")
)
_DRIVE = ("driveDocument", "driveImage", "driveVideo", "driveAudio", "youtubeVideo")  # they have only an id
_INLINE = ("inlineData", "inlineImage", "inlineFile", "inlineAudio")  # they have their bytes
_PARTS = frozenset(
    (*_DRIVE, *_INLINE, "functionCall", "functionResponse", "executableCode", "codeExecutionResult", "fileData")
)
_SAID = frozenset(("role", "text", "parts", "isThought", "thought", *_PARTS))
_READ = _SAID | {"createTime", "tokenCount"}  # fields of a chunk that become a part of the entry


def instructions(value: Any) -> tuple[Block, ...]:
    """Return the texts of a system instruction, which is a text, an object with one, or a list of parts."""
    given = mapping(value)
    parts = listed(given.get("parts")) if given else listed(value)
    told = (text(given.get("text")), *(text(mapping(part).get("text") or part) for part in parts))
    texts = tuple(Text(said) for said in dict.fromkeys(told) if said)
    return texts or untaken(given, "text", "parts")


def chunk_id(above: str, number: int, chunk: Any) -> str:
    """Return the id of a chunk: its number, and a digest of it and of the id of the chunk before it.

    Chunks have no ids. When one is edited or deleted, those that follow it get other ids. Facts that may be written
    later, such as the count of tokens, are no part of the digest.
    """
    given = mapping(chunk)
    facts = [given.get(name) for name in sorted(_SAID) if name != "parts" or not given.get("text")]
    said = compact_json([above, facts if given else chunk]).encode("utf-8", "replace")
    return f"{number}.{hashlib.blake2b(said, digest_size=8).hexdigest()}"


@dataclass(eq=False, slots=True)
class _Call:
    """A call of a tool. `is_answered`: its result came."""

    id: str
    tool: str
    is_answered: bool = False


@dataclass
class Chunks:
    """The chunks of a chat, of which each call is held until its result comes. `model` wrote all replies."""

    model: str
    _by_id: dict[str, deque[_Call]] = field(default_factory=dict)
    _by_tool: dict[str, deque[_Call]] = field(default_factory=dict)

    def entries(self, id: str, chunk: Any, record: Record | None) -> Iterator[Entry | Blob]:
        """Yield the entries of a chunk without their parents, each before the next, and their blobs before them."""
        given = mapping(chunk)
        role = _ROLES.get(text(given.get("role")).lower())
        if role is None:
            yield Entry(id=id, kind=Kind.UNKNOWN, flags=Flag.HIDDEN, details=dump(chunk), record=record)
            return
        blobs: list[Blob] = []
        parts = list(self._parts(id, given, blobs))
        facts = {name: value for name, value in given.items() if value and name not in _READ}
        is_reply = role is Role.ASSISTANT
        written = count(given.get("tokenCount")) if is_reply else 0
        whole = Entry(
            id=id,
            role=role,
            time=instant(given.get("createTime")),
            model=self.model if is_reply else "",
            provider="google" if is_reply else "",
            usage=Usage(output=written) if written else None,
            flags=_end(given, parts) if is_reply else Flag.NONE,
            details=compact_json(facts) if facts else "",
            record=record,
        )
        yield from blobs
        yield from split_at_results(whole, parts)

    def _parts(self, id: str, chunk: dict[str, Any], blobs: list[Blob]) -> Iterator[Block | Result]:
        """Yield the content of a chunk. Its parts repeat its text, sometimes only the beginning of it."""
        is_thought = chunk.get("isThought") is True or chunk.get("thought") is True
        said = text(chunk.get("text"))
        parts = listed(chunk.get("parts"))
        found = [block for at, part in enumerate(parts) for block in self._part(f"{id}/{at + 1}", part, blobs)]
        own = [block for block in self._part(id, {**chunk, "text": None}, blobs) if block not in found]
        if said:
            found = [block for block in found if not isinstance(block, Text | Thinking)]
        yield from own
        if said:
            yield Thinking(said) if is_thought else Text(said)
        for block in found:
            yield Thinking(block.text) if is_thought and isinstance(block, Text) else block
        if not (own or said or found) and (failure := text(chunk.get("errorMessage"))):
            yield Text(failure)

    def _part(self, id: str, part: Any, blobs: list[Blob]) -> Iterator[Block | Result]:
        """Yield the content of a part, or of a chunk that has the same fields."""
        given = mapping(part)
        if said := text(given.get("text")):
            yield Thinking(said) if given.get("thought") is True else Text(said)
        for name in (name for name in given if name in _PARTS and given[name]):
            yield self._content(id, name, given[name], blobs)
        if part and not given:
            yield Text(part) if isinstance(part, str) else UnknownBlock("part", dump(part))

    def _content(self, id: str, name: str, value: Any, blobs: list[Blob]) -> Block | Result:
        found = mapping(value)
        match name:
            case "functionCall":
                return self._call(text(found.get("id")) or f"{id}#call", text(found.get("name")), found.get("args"))
            case "executableCode":
                return self._call(text(found.get("id")) or f"{id}#code", _CODE, found or value)
            case "functionResponse":
                told = found.get("response", value)
                return self._result(text(found.get("id")), text(found.get("name")), _told(told))
            case "codeExecutionResult":
                failed = text(found.get("outcome")) not in ("", "OUTCOME_OK")
                told = found.get("output", value)
                return self._result(text(found.get("id")), _CODE, _told(told), failed=failed)
            case _ if name in _INLINE:
                kind = found.get("mimeType")
                return image(found.get("data"), kind, blobs) or UnknownBlock(name, dump(value))
            case "driveImage":
                return Image("image/*", "", 0, text(found.get("id")))
        return UnknownBlock(f"{name} {text(found.get('id'))}".strip(), dump(value))

    def _call(self, id: str, tool: str, arguments: Any) -> ToolCall:
        call = _Call(id, tool)
        self._by_id.setdefault(id, deque()).append(call)
        self._by_tool.setdefault(tool, deque()).append(call)
        asked = arguments if isinstance(arguments, dict) else {"input": arguments} if arguments else {}
        return ToolCall(id, tool, compact_json(asked))

    def _result(self, id: str, tool: str, blocks: tuple[Block, ...], *, failed: bool = False) -> Result:
        """Return a result with its call, which is found by its id, else by the tool."""
        waiting = self._by_id.get(id, deque()) if id else self._by_tool.get(tool, deque())
        while waiting and waiting[0].is_answered:
            waiting.popleft()
        if not waiting:
            return Result(id, tool, blocks, failed)
        found = waiting.popleft()
        found.is_answered = True
        return Result(found.id, tool or found.tool, blocks, failed)


def _told(value: Any) -> tuple[Block, ...]:
    said = text(value)
    return (Text(said),) if said else ()


def _end(chunk: dict[str, Any], parts: list[Block | Result]) -> Flag:
    reason = text(chunk.get("finishReason")).upper()
    if chunk.get("errorMessage") or reason in _FAILURES:
        return Flag.FAILED
    if reason == "MAX_TOKENS":
        return Flag.CUT
    goes_on = not parts or any(isinstance(part, ToolCall | Result) for part in parts)
    is_thought = all(isinstance(part, Thinking) for part in parts)
    return Flag.NONE if goes_on or is_thought else Flag.ENDS_TURN
