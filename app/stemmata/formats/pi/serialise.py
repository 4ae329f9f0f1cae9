"""Convert entries without a pi record of their own to pi v3 records, in pi's key order.

Such entries were made in Stemmata or read from another tool.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role, Usage
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.text.json_text import RawJson, parse_json
from stemmata.formats.pi.records import OWN_KINDS

_APIS = {"anthropic": "anthropic-messages", "openai": "openai-responses", "google": "google-generative-ai"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ANY_API = "openai-completions"
_BASH_FIELDS = ("exitCode", "cancelled", "truncated", "fullOutputPath")


class PiSerialiser:
    """Convert entries to records. `blob` returns the bytes of an image by its hash, or None when they are missing."""

    def __init__(self, blob: Callable[[str], bytes | None]) -> None:
        self._blob = blob

    def record(self, row: EntryRow, body: Body, parent: str | None, target: str | None) -> dict[str, Any]:
        """Return the record of an entry.

        `parent` and `target` are ids; kinds unknown to pi become `custom` records.
        """
        base = {"id": row.id, "parentId": parent, "timestamp": iso(row.time)}
        match row.kind:
            case Kind.MESSAGE if row.role is not Role.SYSTEM and _is_sent(row):
                return {"type": "message", **base, "message": self._message(row, body)}
            case Kind.CUSTOM_MESSAGE if _is_sent(row):
                return {"type": "custom_message", **self._custom(row, body), **base}
            case Kind.COMPACTION:
                payload = _without_none(
                    summary=plain_text(body.blocks),
                    firstKeptEntryId=target,
                    tokensBefore=row.usage.context if row.usage else 0,
                    details=_details(body),
                )
                return {"type": "compaction", **base, **payload}
            case Kind.BRANCH_SUMMARY:
                summary = {"fromId": target or parent or "root", "summary": plain_text(body.blocks)}
                return {"type": "branch_summary", **base, **summary, **_without_none(details=_details(body))}
            case Kind.LABEL if target is not None:
                return {"type": "label", **base, "targetId": target, **({"label": row.name} if row.name else {})}
            case Kind.MODEL_CHANGE:
                return {"type": "model_change", **base, "provider": row.provider, "modelId": row.model}
            case Kind.THINKING_LEVEL_CHANGE:
                return {"type": "thinking_level_change", **base, "thinkingLevel": row.name}
            case Kind.SESSION_INFO:
                return {"type": "session_info", **base, "name": row.name}
            case Kind.TOOL_PRUNE | Kind.PIN | Kind.TRASH | Kind.OMISSION:
                own = next(name for name, kind in OWN_KINDS.items() if kind is row.kind)
                hidden = True if Flag.HIDDEN in row.flags else None
                data = _without_none(target=target, name=row.name or None, details=_details(body), hidden=hidden)
                return {"type": "custom", "customType": own, "data": data, **base}
            case Kind.CUSTOM:
                return {"type": "custom", "customType": row.name, **_without_none(data=_details(body)), **base}
        return {"type": "custom", "customType": f"stemmata.{row.kind.text}", "data": _note(row, body), **base}

    def _message(self, row: EntryRow, body: Body) -> dict[str, Any]:
        time = {"timestamp": row.time // 1_000_000}
        match row.role:
            case Role.ASSISTANT:
                return {"role": "assistant", **self._assistant(row, body), **time}
            case Role.TOOL_RESULT:
                content = {"toolCallId": row.call, "toolName": row.tool, "content": self._content(body)}
                failed = {"isError": Flag.FAILED in row.flags}
                return {"role": "toolResult", **content, **_without_none(details=_details(body)), **failed, **time}
            case Role.BASH_EXECUTION:
                return {"role": "bashExecution", **_bash(row, body), **time}
            case Role.CUSTOM:
                return {"role": "custom", **self._custom(row, body), **time}
        return {"role": "user", "content": self._content(body), **time}

    def _assistant(self, row: EntryRow, body: Body) -> dict[str, Any]:
        details = _details(body)
        message = details.get("errorMessage") if isinstance(details, dict) else None
        return {
            "content": self._content(body),
            "api": _APIS.get(row.provider, _ANY_API),
            "provider": row.provider,
            "model": row.model,
            "usage": _usage(row.usage or Usage()),
            "stopReason": _stop_reason(row, body),
            **_without_none(errorMessage=message),
        }

    def _custom(self, row: EntryRow, body: Body) -> dict[str, Any]:
        display = Flag.HIDDEN not in row.flags
        fields = {"customType": row.name, "content": self._content(body), "display": display}
        return {**fields, **_without_none(details=_details(body))}

    def _content(self, body: Body) -> list[dict[str, Any]]:
        return [self._block(block) for block in body.blocks]

    def _block(self, block: Block) -> dict[str, Any]:
        match block:
            case Text(text, signature):
                return {"type": "text", "text": text, **_without_none(textSignature=signature or None)}
            case Thinking(text, signature, redacted):
                extras = _without_none(thinkingSignature=signature or None, redacted=redacted or None)
                return {"type": "thinking", "thinking": text, **extras}
            case ToolCall(id, name, _, signature):
                call = {"type": "toolCall", "id": id, "name": name, "arguments": _arguments(block)}
                return {**call, **_without_none(thoughtSignature=signature or None)}
            case Image(media_type, digest, size, name) if not media_type.startswith("image/"):
                # pi sends pictures only
                return {"type": "text", "text": f"[{name or 'file'}, {media_type}, {size:,} bytes: not sent by pi]"}
            case Image(media_type, digest):
                data = self._blob(digest)
                if data is None:
                    return {"type": "text", "text": f"[image {media_type}: data missing]"}
                return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": media_type}
        return {"type": "text", "text": block.json}  # pi has no such block; as text, the model still sees it


def iso(time: int) -> str:
    """Format nanoseconds since the epoch as JavaScript's Date does: UTC, milliseconds."""
    moment = _EPOCH + timedelta(seconds=time // 1_000_000_000)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{time // 1_000_000 % 1000:03d}Z"


def _is_sent(row: EntryRow) -> bool:
    """Return whether pi can represent the entry's inclusion in the context.

    pi can exclude only shell commands from the context; other excluded entries become notes.
    """
    return Flag.EXCLUDED not in row.flags or row.role is Role.BASH_EXECUTION


def _note(row: EntryRow, body: Body) -> dict[str, Any]:
    return _without_none(
        role=row.role.text or None,
        name=row.name or None,
        text=plain_text(body.blocks) or None,
        details=_details(body),
    )


def _bash(row: EntryRow, body: Body) -> dict[str, Any]:
    details = _details(body)
    details = details if isinstance(details, dict) else {}
    fields = {"cancelled": Flag.ABORTED in row.flags, "truncated": False} | {
        key: details[key] for key in _BASH_FIELDS if key in details
    }
    excluded = {"excludeFromContext": True} if Flag.EXCLUDED in row.flags else {}
    return {"command": row.name, "output": plain_text(body.blocks), **fields, **excluded}


def _stop_reason(row: EntryRow, body: Body) -> str:
    if Flag.FAILED in row.flags:
        return "error"
    if Flag.ABORTED in row.flags:
        return "aborted"
    calls = any(isinstance(block, ToolCall) for block in body.blocks)
    return "toolUse" if calls and Flag.ENDS_TURN not in row.flags else "stop"


def _usage(usage: Usage) -> dict[str, Any]:
    """Return pi's usage object. The archive keeps only the total cost, so the partial costs are zero."""
    parts = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    return {
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "totalTokens": usage.context,
        "cost": {**parts, "total": (usage.cost or 0) / 1_000_000},
    }


def _details(body: Body) -> Any:
    """Return the details as a JSON value; None when they are empty or not JSON."""
    try:
        return parse_json(body.details) if body.details else None
    except ValueError:
        return None


def _arguments(call: ToolCall) -> Any:
    """Return the call's arguments as an object, as pi stores them; {} when they are not an object."""
    try:
        value = parse_json(call.arguments)
    except ValueError:
        return {}
    if isinstance(value, RawJson):
        return value if call.arguments.lstrip().startswith("{") else {}
    return value if isinstance(value, dict) else {}


def _without_none(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}
