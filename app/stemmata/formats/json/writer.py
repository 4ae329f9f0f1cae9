"""Export a whole session as one JSON document: every entry of every branch with its content, streamed.

Shape: `{"stemmata": 1, "session": {…}, "leaf": id|null, "entries": [{…}, …], "blobs": {hash: base64, …}}`, with one
entry per line. Ids are the source's ids, times are ISO 8601, and costs are in millionths of a dollar. Further fields
have the facts that these forms lack: `time_ns`, and `details_text`, `arguments_text`, `value_text` for JSON that the
source printed in another way. So `reader.py` restores every entry as it was.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Flag
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.export import ExportSource, LeftOut
from stemmata.domain.text.json_text import RawJson, nests_deeper_than, parse_json
from stemmata.formats.pi.carried import usage_json
from stemmata.formats.pi.serialise import iso
from stemmata.formats.shared.export_entries import entries_of, ids_of
from stemmata.formats.shared.values import MAX_DEPTH, exact_json

VERSION = 1
_TYPES = frozenset({"text", "thinking", "tool_call", "image", "unknown"})


class JsonWriter:
    """Export sessions as JSON."""

    name = "json"

    def export(self, source: ExportSource) -> Iterator[bytes]:
        """Yield the document as UTF-8 in chunks."""
        for part in _parts(source):
            yield part.encode()

    def left_out(self, _source: ExportSource) -> LeftOut:
        """Return nothing: every entry of the session is in the document."""
        return LeftOut()


def _parts(source: ExportSource) -> Iterator[str]:
    ids = ids_of(source)
    leaf = None if source.leaf is None else ids[source.leaf]
    session = exact_json(_session(source.session, source.parent))
    yield f'{{"stemmata":{VERSION},\n"session":{session},\n"leaf":{exact_json(leaf)},\n"entries":['
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
        yield comma + exact_json({**names, **_entry(row, body)})
        blobs |= dict.fromkeys(block.blob for block in body.blocks if isinstance(block, Image))
        comma = ",\n"
    yield '\n],\n"blobs":{'
    comma = "\n"
    for digest in blobs:
        data = source.blob(digest)
        if data is not None:
            yield f'{comma}{exact_json(digest)}:"{base64.b64encode(data).decode()}"'
            comma = ",\n"
    yield "\n}}\n"


def _session(session: Session, parent: Session | None) -> dict[str, Any]:
    above = None if parent is None else {"source": parent.source, "source_id": parent.source_id or parent.id}
    return {
        "id": session.id,
        "source": session.source,
        "source_id": session.source_id,
        "title": session.title,
        "named": session.named,
        "cwd": session.cwd,
        **_time("created_at", session.created_at),
        "model": session.model,
        "tags": list(session.tags),
        "details": _value(session.details),
        **({} if above is None else {"parent": above}),
    }


def _time(name: str, time: int) -> dict[str, Any]:
    """Return a time as text, and also in nanoseconds when the text is less exact."""
    exact = {f"{name}_ns": time} if time % 1_000_000 else {}
    return {name: iso(time) if time else None, **exact}


def _entry(row: EntryRow, body: Body) -> dict[str, Any]:
    """Return the entry's fields without empty values."""
    facts = {
        "provider": row.provider,
        "model": row.model,
        "tool": row.tool,
        "call": row.call,
        "name": row.name,
        "flags": [flag.name.lower() for flag in Flag if flag.name and flag in row.flags] if row.flags else [],
        "usage": None if row.usage is None else usage_json(row.usage),
        **_printed("details", body.details),
        "blocks": [_block(block) for block in body.blocks],
    }
    present = {key: value for key, value in facts.items() if value not in ("", None, [])}
    return {"kind": row.kind.text, "role": row.role.text, **_time("time", row.time), **present}


def _block(block: Block) -> Mapping[str, Any]:
    match block:
        case Text(text, signature):
            return {"type": "text", "text": text, **_signed(signature)}
        case Thinking(text, signature, redacted):
            return {"type": "thinking", "text": text, "signature": signature, "redacted": redacted}
        case ToolCall(id, name, arguments, signature):
            call = {"type": "tool_call", "id": id, "name": name, **_printed("arguments", arguments)}
            return {**call, **_signed(signature)}
        case Image(media_type, blob, size, name):
            return {"type": "image", "media_type": media_type, "blob": blob, "size": size, "name": name}
    # a block of an unknown type may have the name of a known one
    named = {"block_type": block.type} if block.type in _TYPES or not block.type else {}
    return {"type": "unknown" if named else block.type, **named, **_printed("value", block.json)}


def _signed(signature: str) -> dict[str, str]:
    return {"signature": signature} if signature else {}


def _printed(name: str, text: str) -> dict[str, Any]:
    """Return the value of a JSON text, and the text itself when the value is printed in another way."""
    value = _value(text)
    is_same = not text or (value is not None and exact_json(value) == text)
    return {name: value, **({} if is_same else {f"{name}_text": text})}


def _value(text: str) -> Any:
    """Return the value of a JSON text, or the text itself when it is not JSON; None for JSON nested too deep."""
    try:
        value = parse_json(text) if text else None
    except ValueError:
        return text
    return None if isinstance(value, RawJson) or nests_deeper_than(value, MAX_DEPTH) else value
