"""Convert a record of Qwen Code to entries. Its messages have the form of Google's API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.reply_parts import Result, split_at_results
from stemmata.formats.shared.values import count, dump, image, instant, listed, mapping, text, untaken

TYPES = frozenset({"user", "assistant", "tool_result", "system"})
_BY_PROGRAM = frozenset({"notification", "cron", "background_task_completed", "goal_runtime"})
_STOPPED = ("cancelled", "canceled")
# records of the program about itself, which no one is shown
BOOKKEEPING = frozenset({
    "ui_telemetry", "file_history_snapshot", "attribution_snapshot", "session_artifact_event", "session_notes",
    "session_artifact_snapshot", "session_sources_snapshot", "user_text_elements", "branch_checkpoint", "turn_result",
    "goal_state", "goal_turn_end", "agent_session_ready", "session_source", "parent_session", "session_model",
    "session_approval_mode", "session_execution_engine", "agent_bootstrap", "agent_retry",
})  # fmt: skip


def parts_of(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a message."""
    message = found.get("message")
    parts = listed(message["parts"] if isinstance(message, dict) and "parts" in message else message)
    return [one if isinstance(one, dict) else {"text" if isinstance(one, str) else "part": one} for one in parts]


def is_bookkeeping(found: Mapping[str, Any]) -> bool:
    """Return whether a record makes no entry."""
    return found.get("type") == "system" and text(found.get("subtype")) in BOOKKEEPING


def record_entries(
    id: str, found: Mapping[str, Any], record: Record, kept: str, blobs: list[Blob]
) -> Iterator[Entry]:
    """Yield the entries of a record without parents. `kept` is the first record that a compaction keeps."""
    flags = Flag.EXCLUDED if found.get("isSidechain") is True else Flag.NONE
    base: dict[str, Any] = {"id": id, "time": instant(found.get("timestamp")), "record": record}
    if found["type"] == "system":
        yield Entry(**{"flags": flags, **_system(found, kept), **base})
        return
    parts = list(_blocks(id, found, blobs))
    if found["type"] == "assistant":
        goes_on = bool(parts) and isinstance(parts[-1], ToolCall)
        whole = Entry(
            role=Role.ASSISTANT, model=text(found.get("model")), usage=_usage(found.get("usageMetadata")),
            flags=flags if goes_on else flags | Flag.ENDS_TURN, **base,
        )  # fmt: skip
    else:
        by_program = text(found.get("subtype")) in _BY_PROGRAM
        whole = Entry(role=Role.USER, flags=flags | Flag.INJECTED if by_program else flags, **base)
    yield from split_at_results(whole, parts)


def _blocks(id: str, found: Mapping[str, Any], blobs: list[Blob]) -> Iterator[Block | Result]:
    state = text(mapping(found.get("toolCallResult")).get("status"))
    for at, part in enumerate(parts_of(found)):
        call, response = mapping(part.get("functionCall")), mapping(part.get("functionResponse"))
        data = mapping(part.get("inlineData"))
        if call:
            asked = compact_json(mapping(call.get("args")))
            yield ToolCall(text(call.get("id")) or f"{id}/{at}", text(call.get("name")), asked)
        elif response:
            yield _result(response, failed=state == "error" or state in _STOPPED)
        elif part.get("thought") is True and part.get("text"):
            yield Thinking(text(part["text"]), text(part.get("thoughtSignature")))
        elif "text" in part:
            yield from [Text(text(part["text"]))] if part["text"] else []
        elif data and (picture := image(data.get("data"), data.get("mimeType"), blobs)) is not None:
            yield picture
        else:
            yield UnknownBlock(next(iter(part), "part"), compact_json(part))


def _result(response: Mapping[str, Any], *, failed: bool) -> Result:
    told = mapping(response.get("response"))
    said = told.get("output", told.get("error"))
    whole = text(said) if said is not None else dump(told) if told else ""
    has_failed = failed or ("error" in told and "output" not in told)
    return Result(
        text(response.get("id")), text(response.get("name")), (Text(whole),) if whole else (), failed=has_failed
    )  # fmt: skip


def _system(found: Mapping[str, Any], kept: str) -> dict[str, Any]:
    payload, kind = mapping(found.get("systemPayload")), text(found.get("subtype"))
    if kind == "chat_compression":
        info = mapping(payload.get("info"))
        before = count(info.get("originalTokenCount"))
        said = text(payload.get("summary")) or _first_text(payload.get("compressedHistory"))
        rest = () if said else untaken(found.get("systemPayload"))
        return {
            "kind": Kind.COMPACTION, "blocks": (Text(said),) if said else rest, "target": kept or None,
            "usage": Usage(total=before) if before else None, "details": dump(info) if info else "",
        }  # fmt: skip
    if kind == "custom_title":
        rest = untaken(found.get("systemPayload"), "customTitle")
        return {"kind": Kind.SESSION_INFO, "name": text(payload.get("customTitle")), "blocks": rest}
    given = found.get("systemPayload")
    told = payload.get("rawCommand") or payload.get("displayText") or payload.get("userText")
    said = told if isinstance(told, str) else ""
    return {
        "kind": Kind.CUSTOM, "name": f"qwen:{kind or 'system'}", "blocks": (Text(said),) if said else (),
        "details": dump(given) if given else "", "flags": Flag.NONE if said else Flag.HIDDEN,
    }  # fmt: skip


def _first_text(history: Any) -> str:
    first = mapping(history[0]) if isinstance(history, list) and history else {}
    return "\n".join(filter(None, (text(part.get("text")) for part in parts_of({"message": first}))))


def kept_of(found: Mapping[str, Any], above: Iterator[tuple[str, Mapping[str, Any]]]) -> str:
    """Return the first record that a compaction keeps; "" when it keeps none.

    `above` are the records before it with messages, the last one first. The history that it leaves ends with those.
    """
    history = mapping(found.get("systemPayload")).get("compressedHistory")
    left = [mapping(one) for one in history] if isinstance(history, list) else []
    kept = ""
    for one, (id, record) in zip(reversed(left[1:]), above, strict=False):
        if dump(one.get("parts")) != dump(mapping(record.get("message")).get("parts")):
            break
        kept = id
    return kept


def _usage(value: Any) -> Usage | None:
    """Return the tokens of a reply. Google's API counts cached tokens as part of the input."""
    found = mapping(value)
    sent, read = count(found.get("promptTokenCount")), count(found.get("cachedContentTokenCount"))
    written = count(found.get("candidatesTokenCount")) + count(found.get("thoughtsTokenCount"))
    if not sent and not written:
        return None
    read = min(read, sent)
    return Usage(input=sent - read, output=written, cache_read=read, total=count(found.get("totalTokenCount")))
