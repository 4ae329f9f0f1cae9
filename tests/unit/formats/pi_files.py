"""Small pi session files, written record by record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stemmata.formats.pi.reader import Pi
from tests.fakes.export_source import MemorySource

TIME = "2026-01-01T00:00:{:02d}.000Z"


def header(version: int | None = 3, id: str = "s1", **fields: Any) -> dict[str, Any]:
    start: dict[str, Any] = {"type": "session"} | ({} if version is None else {"version": version})
    return start | {"id": id, "timestamp": TIME.format(0), "cwd": "/w"} | fields


def record(type: str, id: str, parent: str | None, **payload: Any) -> dict[str, Any]:
    return {"type": type, "id": id, "parentId": parent, "timestamp": TIME.format(1), **payload}


def said(id: str, parent: str | None, text: str = "hi", role: str = "user", **fields: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return record("message", id, parent, message={"role": role, "content": content, "timestamp": 1000} | fields)


def old(type: str = "message", **payload: Any) -> dict[str, Any]:
    """A version 1 record: no id, no parent."""
    return {"type": type, "timestamp": TIME.format(1), **payload}


def old_said(text: str, role: str = "user") -> dict[str, Any]:
    return old(message={"role": role, "content": text, "timestamp": 1000})


def lines(*records: dict[str, Any] | bytes) -> bytes:
    return b"".join(
        (record if isinstance(record, bytes) else json.dumps(record, separators=(",", ":")).encode()) + b"\n"
        for record in records
    )


def write(folder: Path, *records: dict[str, Any] | bytes, name: str = "s.jsonl") -> Path:
    path = folder / name
    path.write_bytes(lines(*records))
    return path


def read(folder: Path, *records: dict[str, Any] | bytes) -> MemorySource:
    return MemorySource.read(Pi(), write(folder, *records))


def shape(source: MemorySource) -> dict[str, str | None]:
    """Return the parent of each entry."""
    return {entry.id: entry.parent for entry in source.entries}
