"""Convert a message of Amp to entries: a prompt, a reply with its calls, results, a command, or a summary."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import count, dump, image, instant, mapping, text, untaken

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "info": Role.USER}
_OVER = frozenset(("done", "error", "cancelled", "rejected-by-user"))  # states of a call that do not change any more
_WRITING = frozenset(("streaming", "running"))  # states of a reply
_ENDS = {"cancelled": Flag.ABORTED, "error": Flag.FAILED, "streaming": Flag.ABORTED, "running": Flag.ABORTED}
# keys of a result; the first text under one of them is shown in place of the object
_SHOWN = ("output", "content", "diff")


def is_message(found: Mapping[str, Any]) -> bool:
    """Return whether a value is a message of Amp."""
    return text(found.get("role")) in _ROLES and isinstance(found.get("content"), list)


def is_open(found: Mapping[str, Any]) -> bool:
    """Return whether Amp still writes a message: a reply that is not over, a call that runs."""
    runs = (mapping(mapping(item).get("run")) for item in found["content"] if _type(item) == "tool_result")
    state = text(mapping(found.get("state")).get("type"))
    return state in _WRITING or any(text(run.get("status")) not in _OVER for run in runs)


def time_of(found: Mapping[str, Any]) -> int:
    """Return when a message was sent or brought, in ns; 0 when it does not say so."""
    return instant(mapping(found.get("meta")).get("sentAt")) or instant(mapping(found.get("usage")).get("timestamp"))


def entry_id(above: str, found: Mapping[str, Any]) -> str:
    """Return the id of a message: its number, and a digest of its content and of the previous message.

    When a prompt is edited, Amp deletes the messages after it and uses their numbers again. The results of calls are
    no part of the digest.
    """
    said = [item for item in found["content"] if _type(item) != "tool_result"]
    answered = [text(mapping(item).get("toolUseID")) for item in found["content"] if _type(item) == "tool_result"]
    told = compact_json([above, found["role"], said, answered]).encode("utf-8", "replace")
    return f"{text(found.get('messageId'))}.{hashlib.blake2b(told, digest_size=8).hexdigest()}"


def entries_of(
    id: str, found: Mapping[str, Any], time: int, record: Record, tools: dict[str, str], blobs: list[Blob]
) -> Iterator[Entry]:
    """Yield the entries of a message without parents. `tools` are the names of the tools by their calls so far."""
    role = _ROLES[text(found["role"])]
    whole = Entry(id=id, role=role, time=time, record=record)
    if text(found["role"]) == "info":
        yield from _info(found, whole)
        return
    parts = [part for item in found["content"] for part in _parts(mapping(item), item, tools, blobs)]
    if role is Role.USER:
        yield from split_at_results(whole, parts)
        return
    state, used = mapping(found.get("state")), mapping(found.get("usage"))
    goes_on = state.get("stopReason") == "tool_use" or any(isinstance(part, ToolCall) for part in parts)
    flags = _ENDS.get(text(state.get("type")), Flag.NONE if goes_on else Flag.ENDS_TURN)
    if state.get("stopReason") == "max_tokens":
        flags = Flag.CUT
    model, providers = text(used.get("model")), (text(mapping(item).get("provider")) for item in found["content"])
    yield from split_at_results(
        Entry(
            id=id, role=role, time=time, record=record, flags=flags, usage=_usage(used), model=model,
            provider=next(filter(None, providers), ""),
            details=dump({"error": state["error"]}) if state.get("error") else "",
        ),
        parts,
    )  # fmt: skip


def summary_of(found: Mapping[str, Any]) -> str:
    """Return the summary that a message holds; "" for another message. Amp sends it in place of all before it."""
    for item in found["content"] if found.get("role") == "info" else ():
        summary = mapping(mapping(item).get("summary"))
        if _type(item) == "summary" and summary.get("type") == "message":
            return text(summary.get("summary"))
    return ""


def _info(found: Mapping[str, Any], whole: Entry) -> Iterator[Entry]:
    """Yield what an `info` message holds: a summary, commands that the person ran, or notes that are sent."""
    shared: dict[str, Any] = {"time": whole.time, "record": whole.record}
    made: list[dict[str, Any]] = []
    for item in found["content"]:
        one = mapping(item)
        if _type(item) == "manual_bash_invocation":
            made.append(_command(one))
        elif _type(item) == "text":
            made.append({"role": Role.USER, "blocks": _text(one.get("text")), "flags": Flag.INJECTED})
        elif not summary_of({"role": "info", "content": [item]}):
            name = f"amp:{_type(item) or 'note'}"
            made.append({"kind": Kind.CUSTOM, "name": name, "flags": Flag.HIDDEN, "details": dump(item)})
    if summary := summary_of(found):
        made.append({"kind": Kind.COMPACTION, "blocks": (Text(summary),)})
    for at, facts in enumerate(made or [{"kind": Kind.CUSTOM, "name": "amp:note", "flags": Flag.HIDDEN}]):
        yield Entry(id=f"{whole.id}#{at + 1}" if at else whole.id, **shared, **facts)


def _command(found: Mapping[str, Any]) -> dict[str, Any]:
    run = mapping(found.get("toolRun"))
    result = mapping(run.get("result"))
    code = result.get("exitCode")
    flags = Flag.EXCLUDED if found.get("hidden") is True else Flag.NONE
    flags |= Flag.FAILED if run.get("status") == "error" or (isinstance(code, int) and code) else Flag.NONE
    return {
        "role": Role.BASH_EXECUTION, "name": text(mapping(found.get("args")).get("cmd")),
        "blocks": _text(result.get("output")), "flags": flags, "details": compact_json({"exitCode": code}),
    }  # fmt: skip


def _parts(one: dict[str, Any], item: Any, tools: dict[str, str], blobs: list[Blob]) -> Iterator[Block | Result]:
    match one.get("type"):
        case "text":
            yield from _text(one.get("text")) if text(one.get("text")).strip() else ()
        case "thinking":
            yield Thinking(text(one.get("thinking")), text(one.get("signature")))
        case "redacted_thinking":
            yield Thinking("", text(one.get("data")), redacted=True)
        case "tool_use":
            call = ToolCall(text(one.get("id")), text(one.get("name")), compact_json(mapping(one.get("input"))))
            tools[call.id] = call.name
            yield call
        case "tool_result":
            yield _result(one, tools, blobs)
        case "image":
            yield _picture(one, blobs)
        case type:
            yield UnknownBlock(text(type) or "content", dump(item))


def _result(one: dict[str, Any], tools: Mapping[str, str], blobs: list[Blob]) -> Result:
    call, run = text(one.get("toolUseID") or one.get("tool_use_id")), mapping(one.get("run"))
    error, reason = run.get("error"), text(run.get("reason"))
    blocks: list[Block] = [*untaken(one.get("run"), "status", "result", "error")]
    match text(run.get("status")):
        case "error":
            blocks += _text(mapping(error).get("message") or error)
        case "cancelled":
            blocks += _text(f"Cancelled: {reason}" if reason else "Cancelled")
        case "rejected-by-user":
            blocks += _text(f"Rejected by the user: {reason}" if reason else "Rejected by the user")
        case _:
            blocks += _told(run.get("result"), blobs)
    failed = text(run.get("status")) in _OVER - {"done"} or mapping(run.get("result")).get("success") is False
    return Result(call, tools.get(call, ""), tuple(blocks), failed=failed)


def _told(result: Any, blobs: list[Blob]) -> Iterator[Block]:
    """Yield the content of a call's result: its text and pictures; without these, all of the result as JSON."""
    if isinstance(result, list) and result and all(_type(item) in ("text", "image") for item in result):
        for item in result:
            yield from _text(item.get("text")) if _type(item) == "text" else [_picture(item, blobs)]
        return
    found = mapping(result)
    said = next((found[name] for name in _SHOWN if isinstance(found.get(name), str) and found[name]), None)
    yield from _text(said if said is not None else result)


def _picture(found: dict[str, Any], blobs: list[Blob]) -> Block:
    source = mapping(found.get("source"))
    data, kind = source.get("data") or found.get("data"), source.get("mediaType") or found.get("mimeType")
    return image(data, kind or "image/png", blobs) or UnknownBlock("image", dump(found))


def _usage(found: Mapping[str, Any]) -> Usage | None:
    """Return the tokens of a request.

    OpenAI's servers do not charge for writing to the cache, so these tokens count as input.
    """
    names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    sent, written, read, made = (count(found.get(name)) for name in names)
    if text(found.get("model")).startswith("gpt-"):
        sent, made = sent + made, 0
    return Usage(sent, written, read, made) if sent or written or read or made else None


def _type(item: Any) -> str:
    return text(mapping(item).get("type"))


def _text(value: Any) -> tuple[Text, ...]:
    said = text(value)
    return (Text(said),) if said else ()
