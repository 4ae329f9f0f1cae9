"""The messages of a thread of Zed, in the form of any version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import count, dump, image, mapping, text

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}


@dataclass(frozen=True, slots=True)
class ZedMessage:
    """A message of the document, its entries, each the child of the previous one, and its pictures."""

    source: Any
    entries: tuple[Entry, ...]
    blobs: tuple[Blob, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    role: Role
    parts: tuple[Block | Result, ...]
    name: str = ""  # name of an item that is not a message
    id: str = ""  # id given by Zed; "" for none


class Messages:
    """The messages of a document. `leaf` is the last entry; valid after the iteration.

    Replies have no ids, and Zed gives prompts new ids when it converts an older thread. So the id of an entry is a
    digest of its text and of the message before: a thread that was edited branches where the texts begin to differ.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        found = document.get("messages")
        self._listed = found if isinstance(found, list) else []
        self._usages = document.get("request_token_usage")
        self._model = mapping(document.get("model"))  # the last chosen model; replies do not name their model
        self.leaf: str | None = None

    def __iter__(self) -> Iterator[ZedMessage]:
        above, prompt = "", ""
        for at, source in enumerate(self._listed):
            blobs: list[Blob] = []
            said = _said(source, blobs)
            prompt = said.id if said.role is Role.USER else prompt
            above = _id(above, said)
            entries = []
            for entry in self._entries(source, said, above, at, prompt):
                entries.append(replace(entry, parent=self.leaf))
                self.leaf = entry.id
            yield ZedMessage(source, tuple(entries), tuple(blobs))

    def _entries(self, source: Any, said: _Said, id: str, at: int, prompt: str) -> Iterator[Entry]:
        if said.name:
            kind, details = (Kind.CUSTOM, "") if said.name == "zed:resume" else (Kind.UNKNOWN, dump(source))
            yield Entry(id=id, kind=kind, name=said.name, flags=Flag.HIDDEN, details=details)
            return
        calls = any(isinstance(part, ToolCall) for part in said.parts)
        is_last = said.role is Role.ASSISTANT and not calls  # whether the turn ends with this message
        flags = Flag.ENDS_TURN if is_last else Flag.HIDDEN if said.role is Role.SYSTEM else Flag.NONE
        spoke = self._model if said.role is Role.ASSISTANT else {}
        whole = Entry(
            id=id, role=said.role, flags=flags, usage=self._usage(at, prompt) if is_last else None,
            provider=text(spoke.get("provider")), model=text(spoke.get("model")),
        )  # fmt: skip
        yield from split_at_results(whole, said.parts)

    def _usage(self, at: int, prompt: str) -> Usage | None:
        """Return the tokens of the last request of a turn, which Zed stores by its prompt or, earlier, by number."""
        if isinstance(self._usages, list):
            found = mapping(self._usages[at]) if at < len(self._usages) else {}
        else:
            found = mapping(mapping(self._usages).get(prompt))
        sent, written = count(found.get("input_tokens")), count(found.get("output_tokens"))
        read, made = count(found.get("cache_read_input_tokens")), count(found.get("cache_creation_input_tokens"))
        return Usage(sent, written, read, made) if sent or written or read or made else None


def _id(above: str, said: _Said) -> str:
    blocks = [part for part in said.parts if not isinstance(part, Result)]
    told = f"{above}\n{said.role.text}{said.name}\n{plain_text(blocks)}".encode("utf-8", "replace")
    return hashlib.blake2b(told, digest_size=12).hexdigest()


def _said(source: Any, blobs: list[Blob]) -> _Said:
    if source == "Resume":
        return _Said(Role.NONE, (), "zed:resume")
    found = mapping(source)
    if "role" in found:
        return _older(found, blobs)
    user, agent = mapping(found.get("User")), mapping(found.get("Agent"))
    if user:
        parts = tuple(part for item in _listed(user.get("content")) for part in _user_part(item, blobs))
        return _Said(Role.USER, parts, id=text(user.get("id")))
    if agent:
        parts = tuple(part for item in _listed(agent.get("content")) for part in _agent_part(item))
        results = (_result(mapping(one), "", blobs) for one in mapping(agent.get("tool_results")).values())
        return _Said(Role.ASSISTANT, (*parts, *results))
    return _Said(Role.NONE, (), f"zed:{next(iter(found), 'message')}")


def _user_part(item: Any, blobs: list[Blob]) -> Iterator[Block]:
    found = mapping(item)
    mention = mapping(found.get("Mention"))
    if "Text" in found:
        yield from _text(found["Text"])
    elif mention.get("content"):
        yield Text(f"{_mentioned(mention.get('uri'))}:\n\n{text(mention['content'])}")
    elif "Image" in found:
        yield _picture(found["Image"], blobs)
    else:
        yield UnknownBlock(next(iter(found), "content"), dump(item))


def _agent_part(item: Any) -> Iterator[Block]:
    found = mapping(item)
    thought, call = mapping(found.get("Thinking")), mapping(found.get("ToolUse"))
    if "Text" in found:
        yield from _text(found["Text"])
    elif thought:
        yield Thinking(text(thought.get("text")), text(thought.get("signature")))
    elif "RedactedThinking" in found:
        yield Thinking("", text(found["RedactedThinking"]), redacted=True)
    elif call:
        given = call.get("input")
        asked = compact_json(given) if isinstance(given, dict) else text(call.get("raw_input")) or "{}"
        yield ToolCall(text(call.get("id")), text(call.get("name")), asked)
    else:
        yield UnknownBlock(next(iter(found), "content"), dump(item))


def _older(found: dict[str, Any], blobs: list[Blob]) -> _Said:
    """Return a message as Zed wrote it before version 0.3.0 of the document."""
    blocks: list[Block] = []
    for item in _listed(found.get("segments")):
        segment = mapping(item)
        match segment.get("type"):
            case "text":
                blocks += _text(segment.get("text"))
            case "thinking":
                blocks.append(Thinking(text(segment.get("text")), text(segment.get("signature"))))
            case "RedactedThinking":
                blocks.append(Thinking("", text(segment.get("data")), redacted=True))
            case type:
                blocks.append(UnknownBlock(text(type) or "segment", dump(item)))
    said = blocks or list(_text(found.get("text"))) or list(_text(found.get("context")))
    calls = [mapping(one) for one in _listed(found.get("tool_uses"))]
    names = {text(call.get("id")): text(call.get("name")) for call in calls}
    uses = [
        ToolCall(text(call.get("id")), text(call.get("name")), compact_json(mapping(call.get("input"))))
        for call in calls
    ]
    told = [mapping(one) for one in _listed(found.get("tool_results"))]
    results = [_result(one, names.get(text(one.get("tool_use_id")), ""), blobs) for one in told]
    role = _ROLES.get(text(found.get("role")), Role.NONE)
    if role is Role.NONE:
        return _Said(role, (), f"zed:{text(found.get('role'))}")
    parts = (*results, *said) if role is Role.USER else (*said, *uses, *results)
    return _Said(role, parts, id=text(found.get("id")))


def _result(found: dict[str, Any], name: str, blobs: list[Blob]) -> Result:
    content = found.get("content")
    blocks: list[Block] = []
    for item in content if isinstance(content, list) else [content]:
        piece = mapping(item)
        said = item if isinstance(item, str) else text(piece.get("Text") or piece.get("text"))
        picture = piece.get("Image") or piece.get("image") or (piece if "source" in piece else None)
        if picture is not None:
            blocks.append(_picture(picture, blobs))
        else:
            blocks += _text(said)
    return Result(
        text(found.get("tool_use_id")), text(found.get("tool_name")) or name, tuple(blocks),
        failed=found.get("is_error") is True,
    )  # fmt: skip


def _picture(value: Any, blobs: list[Blob]) -> Block:
    found: Image | None = image(mapping(value).get("source"), "image/png", blobs)
    return found or UnknownBlock("image", dump(value))


def _mentioned(uri: Any) -> str:
    """Return the name of the object that a prompt mentions: the last part of the first text in its address."""
    at: Any = uri
    while isinstance(at, dict):
        at = next((value for value in at.values() if isinstance(value, str)), next(iter(at.values()), None))
    return text(at).rstrip("/").rpartition("/")[2][:200].replace("\n", " ") or "mention"


def _text(value: Any) -> tuple[Text, ...]:
    said = text(value)
    return (Text(said),) if said else ()


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
