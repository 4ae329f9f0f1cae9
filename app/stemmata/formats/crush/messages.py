"""Convert a message of Crush to entries: a prompt, a reply with its calls, results, a command, or a summary."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock, name_of
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.database_values import parsed
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import dump, image, mapping, seconds, text, untaken

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL_RESULT, "system": Role.SYSTEM}
_ENDS = {
    "tool_use": Flag.NONE, "canceled": Flag.ABORTED, "error": Flag.FAILED, "content_filter": Flag.FAILED,
    "max_tokens": Flag.CUT,
}  # fmt: skip
# the keys of the parts of which a block is made
_TAKEN = {
    "text": ("text",), "reasoning": ("thinking", "signature", "thought_signature", "responses_data"),
    "tool_call": ("id", "name", "input"), "tool_result": ("tool_call_id", "name", "content", "data"),
    "binary": ("Path", "MIMEType", "Data"), "finish": ("reason", "time", "message", "details"),
}  # fmt: skip
_DONE = frozenset(("end_turn", "stop", "unknown", ""))


@dataclass(frozen=True, slots=True)
class CrushMessage:
    """A message as a row has it. `is_summary`: it sums up all messages before it."""

    id: str
    role: str
    parts: list[Any]
    provider: str
    model: str
    created: Any
    updated: Any
    is_summary: bool
    record: Record

    @property
    def finish(self) -> dict[str, Any] | None:
        """How the message ended; None while Crush still writes it, and after Crush was killed."""
        found = (mapping(mapping(part).get("data")) for part in self.parts if mapping(part).get("type") == "finish")
        return next(found, None)

    @property
    def is_open(self) -> bool:
        """Whether it is a reply that is not over."""
        return self.role == "assistant" and self.finish is None


def entries_of(message: CrushMessage, blobs: list[Blob]) -> Iterator[Entry]:
    """Yield the entries of a message without parents."""
    role = _ROLES.get(message.role)
    whole = Entry(id=message.id, time=seconds(message.created), record=message.record)
    if role is None:
        parts = compact_json(message.parts)
        yield replace(whole, kind=Kind.UNKNOWN, name=message.role or "message", details=parts)
        return
    blocks: list[Block | Result] = []
    commands: list[Mapping[str, Any]] = []
    is_hidden = False
    for part in message.parts:
        found = mapping(part)
        data = mapping(found.get("data"))
        is_hidden |= data.get("hidden") is True
        if found.get("type") == "shell_command":
            commands.append(data)
        else:
            kind = text(found.get("type"))
            left = untaken(found.get("data"), *_TAKEN[kind]) if kind in _TAKEN else ()
            blocks += left or _blocks(kind, data or {"part": part}, blobs)
    if message.is_summary and _is_whole(message):
        said = tuple(block for block in blocks if isinstance(block, Text | UnknownBlock))
        yield replace(whole, kind=Kind.COMPACTION, blocks=said, provider=message.provider, model=message.model)
        return
    made = list(split_at_results(_said(message, role, whole, is_hidden=is_hidden), _ordered(role, blocks)))
    if commands and not blocks:
        made = []
    made += [_command(command, whole) for command in commands]
    for at, entry in enumerate(made):
        yield replace(entry, id=f"{message.id}#{at + 1}" if at else message.id)


def _is_whole(message: CrushMessage) -> bool:
    return text((message.finish or {"reason": "none"}).get("reason")) in _DONE


def _said(message: CrushMessage, role: Role, whole: Entry, *, is_hidden: bool) -> Entry:
    if role is not Role.ASSISTANT:
        flags = Flag.INJECTED if role is Role.USER and is_hidden else Flag.NONE
        flags |= Flag.HIDDEN if role is Role.SYSTEM else Flag.NONE
        return replace(whole, role=role, flags=flags)
    finish = message.finish
    end = Flag.ABORTED if finish is None else _ENDS.get(text(finish.get("reason")), Flag.ENDS_TURN)
    told = {key: finish[key] for key in ("message", "details") if finish.get(key)} if finish else {}
    return replace(
        whole, role=role, provider=message.provider, model=message.model, flags=end,
        details=compact_json(told) if told else "",
    )  # fmt: skip


def _ordered(role: Role, blocks: list[Block | Result]) -> list[Block | Result]:
    """Return the parts of a message; the files that a prompt attaches come before its text."""
    if role is not Role.USER:
        return blocks
    return sorted(blocks, key=lambda block: isinstance(block, Text) and not name_of(block))


def _blocks(type: str, data: dict[str, Any], blobs: list[Blob]) -> Iterator[Block | Result]:
    match type:
        case "text":
            yield from _text(data.get("text"))
        case "reasoning":
            yield from _thinking(data)
        case "tool_call":
            yield ToolCall(text(data.get("id")), text(data.get("name")), _arguments(data.get("input")))
        case "tool_result":
            yield _result(data, blobs)
        case "binary":
            yield _file(data, blobs)
        case "finish":
            pass
        case _:
            yield UnknownBlock(type or "part", dump(data))


def _thinking(data: dict[str, Any]) -> Iterator[Thinking]:
    """Yield the thinking of a part, with the server's signature, or the sealed form."""
    said = text(data.get("thinking"))
    signature = text(data.get("signature") or data.get("thought_signature"))
    sealed = text(mapping(data.get("responses_data")).get("encrypted_content"))
    if said or signature:
        yield Thinking(said, signature)
    elif sealed:
        yield Thinking("", sealed, redacted=True)


def _arguments(given: Any) -> str:
    """Return the arguments of a call, which Crush keeps as the model wrote them."""
    asked = parsed(given) if text(given) else {}
    return compact_json(asked) if isinstance(asked, dict) else compact_json({"input": text(given)})


def _result(data: dict[str, Any], blobs: list[Blob]) -> Result:
    blocks: list[Block] = [*_text(data.get("content"))]
    if data.get("data"):
        picture = image(data["data"], data.get("mime_type"), blobs)
        blocks.append(picture or UnknownBlock("image", dump(data)))
    failed = data.get("is_error") is True
    return Result(text(data.get("tool_call_id")), text(data.get("name")), tuple(blocks), failed=failed)


def _file(data: dict[str, Any], blobs: list[Blob]) -> Block:
    """Return a file that a prompt attaches; one of text by its text, as Crush sends it."""
    name = text(data.get("Path")).replace("\\", "/").rpartition("/")[2][:200].replace("\n", " ")
    kind = text(data.get("MIMEType"))
    found = image(data.get("Data"), kind, blobs)
    if found is None:
        return UnknownBlock("file", dump(data))
    if kind.startswith("text/"):
        blobs.pop()
        said = base64.b64decode(data["Data"]).decode("utf-8", "replace")
        return Text(f"{name or 'file'}:\n\n{said}")
    return replace(found, name=name)


def _command(command: Mapping[str, Any], whole: Entry) -> Entry:
    """Return a command that the user ran in Crush, which Crush also sends to the model."""
    code = command.get("exit_code")
    return replace(
        whole, role=Role.BASH_EXECUTION, name=text(command.get("command")), blocks=_text(command.get("output")),
        flags=Flag.FAILED if isinstance(code, int) and code else Flag.NONE, details=compact_json({"exitCode": code}),
    )  # fmt: skip


def _text(value: Any) -> tuple[Text, ...]:
    said = text(value)
    return (Text(said),) if said else ()
