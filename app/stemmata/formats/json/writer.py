"""Export a whole session as one JSON document: every entry of every branch with its content, streamed.

Shape: `{"stemmata": 1, "session": {…}, "leaf": id|null, "entries": [{…}, …], "blobs": {hash: base64, …}}`, with one
entry per line. Ids are the source's ids, times are ISO 8601, and costs are in millionths of a dollar.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Flag, Usage
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.session_facts import Session
from stemmata.domain.entries.source_facts import ExportSource
from stemmata.domain.text.json_text import compact_json, parse_json
from stemmata.formats.pi.serialise import iso
from stemmata.formats.shared.export_entries import entries_of, ids_of

VERSION = 1


class JsonWriter:
    """Export sessions as JSON."""

    name = "json"

    def export(self, source: ExportSource) -> Iterator[bytes]:
        """Yield the document as UTF-8 in chunks."""
        for part in _parts(source):
            yield part.encode("utf-8", "replace")


def _parts(source: ExportSource) -> Iterator[str]:
    ids = ids_of(source)
    leaf = None if source.leaf is None else ids[source.leaf]
    yield f'{{"stemmata":{VERSION},\n"session":{_text(_session(source.session))},\n"leaf":{_text(leaf)},\n"entries":['
    tree = source.tree
    blobs: dict[str, None] = {}
    comma = "\n"
    for entry, row, body in entries_of(source, range(len(tree))):
        parent = tree.parents[entry]
        target = tree.get(row.target)
        names = {
            "id": row.id,
            "parent": None if parent < 0 else ids[parent],
            "target": None if target is None else ids[target],
        }
        yield comma + _text({**names, **_entry(row, body)})
        blobs |= dict.fromkeys(block.blob for block in body.blocks if isinstance(block, Image))
        comma = ",\n"
    yield '\n],\n"blobs":{'
    comma = "\n"
    for digest in blobs:
        data = source.blob(digest)
        if data is not None:
            yield f'{comma}{_text(digest)}:"{base64.b64encode(data).decode()}"'
            comma = ",\n"
    yield "\n}}\n"


def _session(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "source": session.source,
        "source_id": session.source_id,
        "title": session.title,
        "cwd": session.cwd,
        "created_at": iso(session.created_at) if session.created_at else None,
        "model": session.model,
        "tags": list(session.tags),
        "details": _value(session.details),
    }


def _entry(row: EntryRow, body: Body) -> dict[str, Any]:
    """Return the entry's fields without empty values."""
    facts = {
        "provider": row.provider,
        "model": row.model,
        "tool": row.tool,
        "call": row.call,
        "name": row.name,
        "flags": [flag.name.lower() for flag in Flag if flag.name and flag in row.flags],
        "usage": None if row.usage is None else _usage(row.usage),
        "details": _value(body.details),
        "blocks": [_block(block) for block in body.blocks],
    }
    present = {key: value for key, value in facts.items() if value not in ("", None, [])}
    time = iso(row.time) if row.time else None
    return {"kind": row.kind.text, "role": row.role.text, "time": time, **present}


def _usage(usage: Usage) -> dict[str, int | None]:
    return {name: getattr(usage, name) for name in Usage.__slots__}


def _block(block: Block) -> Mapping[str, Any]:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text, signature, redacted):
            return {"type": "thinking", "text": text, "signature": signature, "redacted": redacted}
        case ToolCall(id, name, arguments):
            return {"type": "tool_call", "id": id, "name": name, "arguments": _value(arguments)}
        case Image(media_type, blob, size, name):
            return {"type": "image", "media_type": media_type, "blob": blob, "size": size, "name": name}
    return {"type": block.type or "unknown", "value": _value(block.json)}


def _value(text: str) -> Any:
    """Return the value of a JSON text, or the text itself when it is not JSON."""
    try:
        return parse_json(text) if text else None
    except ValueError:
        return text


def _text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, TypeError):  # nested too deeply for the json module
        return compact_json(value)
