"""Convert the rows of librecode's entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.librecode.tool_text import tool_text
from stemmata.formats.shared.database_values import parsed
from stemmata.formats.shared.values import count, dump, instant, mapping, text

_CAMEL = re.compile(r"_([a-z])")


def entries_of(row: Mapping[str, str], blocks: Sequence[Block], record: Record) -> Iterator[Entry]:
    """Yield the entries of a row without parents: one, and the call before it for the result of a tool."""
    data = mapping(parsed(row["data_json"]))
    whole: dict[str, Any] = {"id": row["id"], "time": instant(row["created_at"]), "record": record}
    type = row["entry_type"]
    if type == "message":
        yield from _message(row, data, tuple(blocks), whole)
    elif type == "custom_message":
        shown = _says(row["display"], told(data, "display"))
        flags = Flag.NONE if _says(row["model_facing"], told(data, "model_facing")) else Flag.EXCLUDED
        yield Entry(
            kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name=row["custom_type"], blocks=tuple(blocks),
            flags=flags if shown else flags | Flag.HIDDEN, **whole,
        )  # fmt: skip
    else:
        yield Entry(**{"flags": Flag.NONE, **_other(row, data), **whole})


def told(data: Mapping[str, Any], name: str) -> Any:
    """Return a value of a row's data. Rows from before June 2026 have names of the form `fromId`."""
    return data[name] if name in data else data.get(_CAMEL.sub(lambda found: found[1].upper(), name))


def _message(
    row: Mapping[str, str], data: Mapping[str, Any], blocks: tuple[Block, ...], whole: dict[str, Any]
) -> Iterator[Entry]:
    spoke: dict[str, Any] = {"provider": row["provider"], "model": row["model"]}
    is_sent = _says(row["model_facing"], told(data, "model_facing"), default=True)
    flags = Flag.NONE if is_sent else Flag.EXCLUDED
    match row["role"]:
        case "user":
            shown = _says(row["display"], told(data, "display"), default=True)
            yield Entry(role=Role.USER, blocks=blocks, flags=flags if shown else flags | Flag.INJECTED, **whole)
        case "assistant":
            yield Entry(
                role=Role.ASSISTANT, blocks=blocks, flags=flags | Flag.ENDS_TURN, usage=_usage(data), **spoke, **whole
            )
        case "thinking":
            said = plain_text(blocks)
            yield Entry(role=Role.ASSISTANT, blocks=(Thinking(said),), flags=Flag.EXCLUDED, **spoke, **whole)
        case "toolResult":
            yield from _result(row, data, plain_text(blocks), spoke, whole)
        case "bashExecution":
            yield Entry(role=Role.BASH_EXECUTION, blocks=blocks, flags=flags, **whole)
        case "custom":
            yield Entry(kind=Kind.CUSTOM, name=f"librecode:{row['custom_type'] or 'note'}", blocks=blocks, **whole)
        case role:
            yield Entry(kind=Kind.UNKNOWN, name=role or "message", blocks=blocks, details=dump(dict(data)), **whole)


def _result(
    row: Mapping[str, str], data: Mapping[str, Any], content: str, spoke: dict[str, Any], whole: dict[str, Any]
) -> Iterator[Entry]:
    """Yield a call and its result. librecode stores them as one row, and never sends it again after its run."""
    found = tool_text(content)
    tool = found.tool if found is not None else row["tool_name"] or text(told(data, "tool_name"))
    given = found.arguments if found is not None else row["tool_args_json"] or text(told(data, "tool_args_json"))
    call = found.call if found is not None and found.call else row["id"]
    arguments = parsed(given) if given else {}
    asked = compact_json(arguments) if isinstance(arguments, dict) else compact_json({"arguments": given})
    said = content if found is None else "\n".join(filter(None, (found.error, found.output)))
    failed = row["tool_status"] == "error" if found is None else found.is_error or bool(found.error)
    details = {}
    if found is not None:
        nested = {"parentCall": found.parent, "sequence": found.sequence, "details": parsed(found.details)}
        details = {name: value for name, value in nested.items() if value}
    yield Entry(
        **{**whole, "id": f"{row['id']}#call"}, role=Role.ASSISTANT, blocks=(ToolCall(call, tool, asked),),
        flags=Flag.EXCLUDED, **spoke,
    )  # fmt: skip
    yield Entry(
        role=Role.TOOL_RESULT, tool=tool, call=call, blocks=(Text(said),) if said else (),
        flags=Flag.EXCLUDED | (Flag.FAILED if failed else Flag.NONE),
        details=dump(details) if details else "", **whole,
    )  # fmt: skip


def _other(row: Mapping[str, str], data: Mapping[str, Any]) -> dict[str, Any]:
    summary = row["summary"] or row["content"]
    blocks = (Text(summary),) if summary else ()
    details = told(data, "details")
    match row["entry_type"]:
        case "compaction":
            kept = (
                row["compaction_first_kept_entry_id"] or told(data, "compaction_first_kept_entry_id")
                or told(data, "first_kept_entry_id")
            )  # fmt: skip
            before = _number(row["compaction_tokens_before"]) or count(told(data, "tokens_before"))
            return {
                "kind": Kind.COMPACTION, "blocks": blocks, "target": text(kept) or None, "details": dump(details),
                "usage": Usage(total=before) if before else None,
            }  # fmt: skip
        case "branch_summary":
            left = row["branch_from_entry_id"] or told(data, "branch_from_entry_id") or told(data, "from_id")
            return {
                "kind": Kind.BRANCH_SUMMARY, "blocks": blocks, "target": text(left) or None, "details": dump(details),
            }  # fmt: skip
        case "label":
            return {
                "kind": Kind.LABEL, "target": text(told(data, "target_id")) or None, "name": text(told(data, "label"))
            }  # fmt: skip
        case "model_change":
            return {"kind": Kind.MODEL_CHANGE, "provider": row["provider"], "model": row["model"]}
        case "thinking_level_change":
            return {"kind": Kind.THINKING_LEVEL_CHANGE, "name": text(told(data, "thinking_level"))}
        case "session_info":
            return {"kind": Kind.SESSION_INFO, "name": text(told(data, "name"))}
        case "custom":
            return {
                "kind": Kind.CUSTOM, "name": row["custom_type"], "blocks": blocks, "details": dump(dict(data)),
                "flags": Flag.NONE if blocks else Flag.HIDDEN,
            }  # fmt: skip
        case type:
            return {"kind": Kind.UNKNOWN, "name": type, "blocks": blocks, "details": dump(dict(data))}


def _usage(data: Mapping[str, Any]) -> Usage | None:
    """Return the tokens of a run: input and output are sums over its requests, the context is the last one's."""
    found = mapping(told(data, "usage"))
    sent, written = count(told(found, "input_tokens")), count(told(found, "output_tokens"))
    context = count(told(found, "context_tokens"))
    return Usage(input=sent, output=written, total=context) if sent or written or context else None


def _says(column: str, value: Any, *, default: bool = False) -> bool:
    """Return a truth value of a row, from its column or, in older databases, from its data."""
    if column:
        return column != "0"
    return value if isinstance(value, bool) else default


def _number(value: str) -> int:
    return count(int(value)) if value.isdecimal() and len(value) < 19 else 0
