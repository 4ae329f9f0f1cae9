"""Convert a response item of Codex, a compaction or a note to the fields of entries."""

from __future__ import annotations

import re
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.codex.records import ANSWERED_CALLS, CALLS, OUTPUTS, item_of
from stemmata.formats.shared.values import BadLineError, dump, exact_json, image, mapping, parse, text, untaken

EntryFields = dict[str, Any]  # keyword arguments of an Entry

DETAILS_LIMIT = 1_000_000  # characters of a record that is kept as JSON text in an entry
ENCRYPTED = "The summary is encrypted. Only the server of the model can read it."
_METADATA = "internal_chat_message_metadata_passthrough"
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,", re.ASCII)
_WRAPPERS = (
    "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "# AGENTS.md instructions",
    "<skills_instructions>", "<permissions instructions>", "<collaboration_mode>", "<apps_instructions>",
    "<plugins_instructions>", "<turn_aborted>", "<user_shell_command>", "<subagent_notification>", "<skill>",
    "<model_switch>", "<personality_spec>", "<hook_prompt", "<goal_context>", "<recommended_plugins>",
)  # fmt: skip
_REASONING = ("type", "id", "summary", "content", "encrypted_content")  # the fields that the API accepts back


def fields_of(item: dict[str, Any], calls: dict[str, str], blobs: list[Blob]) -> list[EntryFields]:
    """Return the fields of an item's entries: one, or two for a call that holds its own result.

    `calls` maps the ids of open calls to their tools.
    """
    kind = text(item.get("type"))
    if kind == "message" or (not kind and "role" in item):
        return [_message(item, blobs)]
    if kind == "reasoning":
        return [{"role": Role.ASSISTANT, "blocks": (_thinking(item),)}]
    if kind in CALLS:
        return [{"role": Role.ASSISTANT, "blocks": (_call(item),)}]
    if kind in OUTPUTS or kind == "tool_search_output":
        return [_output(item, calls, blobs)]
    if kind in ANSWERED_CALLS:
        return _answered(item, blobs)
    return [{"kind": Kind.CUSTOM, "name": kind, "flags": Flag.HIDDEN, "details": details_of(item)}]


def is_prompt(fields: EntryFields) -> bool:
    """Return whether these are the fields of a message that a person typed."""
    return fields.get("role") is Role.USER and not fields.get("flags", Flag.NONE) & Flag.INJECTED


def details_of(value: Any) -> str:
    """Return the value as JSON text; for a text above DETAILS_LIMIT only its length."""
    full = dump(value)
    return full if len(full) <= DETAILS_LIMIT else dump({"cut": len(full)})


# -- messages -----------------------------------------------------------------------------------------------------


def _message(item: dict[str, Any], blobs: list[Blob]) -> EntryFields:
    blocks = blocks_of(item.get("content"), blobs)
    role = item.get("role")
    if role == "assistant":
        ends = Flag.ENDS_TURN if item.get("phase") == "final_answer" else Flag.NONE
        return {"role": Role.ASSISTANT, "blocks": blocks, "flags": ends}
    if role == "user":
        typed = _is_typed(item, blocks)
        return {"role": Role.USER, "blocks": blocks, "flags": Flag.NONE if typed else Flag.INJECTED}
    return {"role": Role.SYSTEM, "name": text(role), "blocks": blocks, "flags": Flag.HIDDEN}


def _is_typed(item: dict[str, Any], blocks: tuple[Block, ...]) -> bool:
    """Return whether a person typed the message. Newer versions name the kind of each part; older ones wrap text."""
    kinds = mapping(item.get(_METADATA)).get("content_item_kinds")
    if isinstance(kinds, list) and kinds:
        return any(text(kind).startswith("user") for kind in kinds)
    return not blocks or any(not isinstance(block, Text) or not _is_wrapped(block.text) for block in blocks)


def _is_wrapped(said: str) -> bool:
    return said.lstrip().startswith(_WRAPPERS)


def blocks_of(content: Any, blobs: list[Blob]) -> tuple[Block, ...]:
    """Return the blocks of a content that is a string or a list; append images to `blobs`."""
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if isinstance(content, list):
        return tuple([_block(part, blobs) for part in content])
    return () if content is None else (UnknownBlock("", compact_json(content)),)


def _block(part: Any, blobs: list[Blob]) -> Block:
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, dict):
        return UnknownBlock("", compact_json(part))
    if isinstance(part.get("text"), str):
        return Text(part["text"])
    return _picture(part.get("image_url"), blobs) or UnknownBlock(text(part.get("type")), compact_json(part))


def _picture(url: Any, blobs: list[Blob]) -> Image | None:
    found = _DATA_URL.match(url) if isinstance(url, str) else None
    return image(url[found.end() :], found[1], blobs) if found else None


def _thinking(item: dict[str, Any]) -> Thinking:
    """Return the reasoning; its signature is the item as the API takes it back, if it has an encrypted part."""
    said = [plain_text(blocks_of(item.get(part), []), "\n\n") for part in ("summary", "content")]
    whole = "\n\n".join(filter(None, said))
    sealed = bool(item.get("encrypted_content"))
    kept = {key: item[key] for key in _REASONING if item.get(key) is not None}
    return Thinking(whole, compact_json(kept) if sealed else "", redacted=sealed and not whole)


# -- tools --------------------------------------------------------------------------------------------------------


def call_id(item: dict[str, Any]) -> str:
    """Return the id of a call, or of the call that an output answers."""
    return text(item.get("call_id")) or text(item.get("id"))


def tool_name(item: dict[str, Any]) -> str:
    """Return the name of the tool that a call uses."""
    name = text(item.get("name"))
    if name:
        return name
    return text(item.get("type")).removesuffix("_call")


def _call(item: dict[str, Any]) -> ToolCall:
    return ToolCall(call_id(item), tool_name(item), exact_json(_arguments(item)))


def _arguments(item: dict[str, Any]) -> Any:
    """Return the arguments as an object; arguments that are a plain text become its `input`."""
    for key in ("arguments", "input", "action"):
        value = item.get(key)
        if isinstance(value, dict):
            return value
        if isinstance(value, str):
            parsed = _parsed(value)
            return parsed if isinstance(parsed, dict) else {"input": value}
        if value:
            return {key: value}
    return {key: item[key] for key in ("execution", "status", "summary", "revised_prompt") if item.get(key)}


def _parsed(value: str) -> Any:
    try:
        return parse(value.encode("utf-8", "replace")) if value.lstrip()[:1] in "{[" else None
    except BadLineError:
        return None


def _output(item: dict[str, Any], calls: dict[str, str], blobs: list[Blob]) -> EntryFields:
    output = item.get("output", item.get("tools"))
    details: dict[str, Any] = {}
    if isinstance(output, str):
        wrapped = mapping(_parsed(output))
        if isinstance(wrapped.get("output"), str) and isinstance(wrapped.get("metadata"), dict):
            output, details = wrapped["output"], wrapped["metadata"]  # versions before 2026
    failed = False
    if isinstance(output, dict) and "content" in output:
        failed = output.get("success") is False
        output = output.get("content_items") or output["content"]
    return {
        "role": Role.TOOL_RESULT,
        "blocks": blocks_of(output, blobs),
        "call": call_id(item),
        "tool": calls.get(call_id(item), ""),
        "flags": Flag.FAILED if failed or has_failed(details) else Flag.NONE,
        "details": details_of(details) if details else "",
    }


def has_failed(outcome: dict[str, Any]) -> bool:
    """Return whether a tool call ended in an error, by its recorded exit code, success or status."""
    code = outcome.get("exit_code")
    failed = isinstance(code, int | float) and code != 0
    return failed or outcome.get("success") is False or outcome.get("status") in ("failed", "declined")


def outcome_of(payload: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the id of a call and its end as an event records it: exit code, duration in milliseconds, status."""
    item = item_of(payload)
    told = {key: item[key] for key in ("exit_code", "status", "success") if item.get(key) is not None}
    duration = mapping(item.get("duration"))
    seconds, nanos = duration.get("secs"), duration.get("nanos")
    if isinstance(seconds, int) and isinstance(nanos, int):
        told["duration_ms"] = seconds * 1000 + nanos // 1_000_000
    return call_id(item), told


def _answered(item: dict[str, Any], blobs: list[Blob]) -> list[EntryFields]:
    """Return a call and its result, for a tool that ran on the server."""
    call: EntryFields = {"role": Role.ASSISTANT, "blocks": (_call(item),)}
    if item.get("type") == "tool_search_call":
        return [call]
    picture = image(item.get("result"), "image/png", blobs)
    blocks: tuple[Block, ...] = (picture,) if picture else (Text(text(item.get("status"))),)
    failed = Flag.FAILED if has_failed(item) else Flag.NONE
    result = {
        "role": Role.TOOL_RESULT, "blocks": blocks, "call": call_id(item), "tool": tool_name(item), "flags": failed,
    }  # fmt: skip
    return [call, result]


# -- compactions and notes ----------------------------------------------------------------------------------------


def compaction_fields(payload: dict[str, Any]) -> list[EntryFields]:
    """Return the fields of a compaction and, as a second entry, the messages that Codex keeps with the summary."""
    summary = text(payload.get("message"))
    history = payload.get("replacement_history")
    items = [mapping(item) for item in history] if isinstance(history, list) else []
    sealed = any(item.get("encrypted_content") for item in items)
    kept: list[Block] = []
    for item in items:
        if item.get("type", "message") == "message" and item.get("role") != "developer":
            blocks = [block for block in blocks_of(item.get("content"), []) if isinstance(block, Text) and block.text]
            kept += [block for block in blocks if block.text.strip() != summary.strip()]
    details = {key: payload[key] for key in ("window_number", "window_id") if payload.get(key) is not None}
    details |= {"replacement": len(items)} | ({"encrypted": True} if sealed and not summary else {})
    shown = summary or (ENCRYPTED if sealed else "")
    left = () if shown else untaken(payload, "message", "replacement_history")
    fields: list[EntryFields] = [
        {"kind": Kind.COMPACTION, "blocks": (Text(shown),) if shown else left, "details": details_of(details)}
    ]
    if kept:
        fields.append(
            {
                "kind": Kind.CUSTOM_MESSAGE, "role": Role.CUSTOM, "name": "kept-messages", "blocks": tuple(kept),
                "flags": Flag.HIDDEN | Flag.INJECTED,
            }
        )  # fmt: skip
    return fields


def note_fields(name: str, payload: dict[str, Any]) -> EntryFields:
    """Return the fields of a note of Codex, such as an error or an aborted turn."""
    item = item_of(payload)
    said = next((item[key] for key in ("message", "text", "content", "reason") if isinstance(item.get(key), str)), "")
    return {
        "kind": Kind.CUSTOM,
        "name": name,
        "blocks": (Text(said),) if said else (),
        "flags": Flag.NONE if said else Flag.HIDDEN,
        "details": details_of(item),
    }


def unknown_fields(name: str, payload: dict[str, Any]) -> EntryFields:
    """Return the fields of a record of an unknown type."""
    return {"kind": Kind.UNKNOWN, "name": name, "flags": Flag.HIDDEN, "details": details_of(payload)}
