"""The sessions that a reader finds in a database."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import (
    Begin,
    Blob,
    Checkpoint,
    End,
    Raw,
    Repaired,
    Skipped,
    Unchanged,
    UnusedPart,
)
from stemmata.formats.shared.format import SessionReader


@dataclass
class Found:
    begin: Begin
    entries: dict[str, Entry] = field(default_factory=dict)
    repaired: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    blobs: list[bytes] = field(default_factory=list)
    raw: bytes = b""
    end: End = End()  # noqa: RUF009 - a frozen value

    @property
    def parents(self) -> dict[str, str | None]:
        return {id: entry.parent for id, entry in self.entries.items()}

    def said(self) -> list[str]:
        return [plain_text(entry.blocks) for entry in self.entries.values()]


@dataclass
class Reading:
    sessions: dict[str, Found] = field(default_factory=dict)
    unused: list[UnusedPart] = field(default_factory=list)
    last: Unchanged | None = None

    @property
    def checkpoint(self) -> Checkpoint:
        assert self.last is not None
        return self.last.checkpoint


def read_sessions(reader: SessionReader, path: Path, since: Checkpoint | None = None) -> Reading:
    out = Reading()
    one = Found(Begin(None))  # type: ignore[arg-type]
    for event in reader.read(path, since):
        match event:
            case Begin(info):
                assert info.source_id not in out.sessions
                one = out.sessions[info.source_id] = Found(event)
            case Entry(id=id, record=record):
                assert id not in one.entries
                assert record is not None
                assert record.offset + record.size <= len(one.raw)
                assert event.parent is None or event.parent in one.entries
                one.entries[id] = event
            case Raw(offset, data):
                assert offset == len(one.raw)
                one.raw += data
            case Blob(data=data):
                one.blobs.append(data)
            case Repaired(what):
                one.repaired.append(what)
            case Skipped(reason=reason):
                one.skipped.append(reason)
            case UnusedPart():
                out.unused.append(event)
            case Unchanged():
                out.last = event
            case End():
                one.end = event
    return out
