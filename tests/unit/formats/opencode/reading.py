"""Read a database in tests: its sessions, and what became none."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, Skipped, Unchanged, UnusedPart
from stemmata.formats.opencode.reader import Opencode
from tests.fakes.opencode import ms

LATER = ms(100_000) * 1_000_000  # ns: whatever is still being written is abandoned by then


@dataclass
class Read:
    """One session, as the reader returned it."""

    begin: Begin
    entries: dict[str, Entry] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    blobs: list[bytes] = field(default_factory=list)
    raw: bytes = b""
    end: End = End()  # noqa: RUF009 - a frozen value

    @property
    def parents(self) -> dict[str, str | None]:
        return {id: entry.parent for id, entry in self.entries.items()}

    def said(self, id: str) -> str:
        return plain_text(self.entries[id].blocks)

    def record(self, id: str) -> bytes:
        found = self.entries[id].record
        assert found is not None
        return self.raw[found.offset : found.offset + found.size]


@dataclass
class Reading:
    """All that a reading yields."""

    sessions: dict[str, Read] = field(default_factory=dict)
    unused: list[UnusedPart] = field(default_factory=list)
    unchanged: Unchanged | None = None

    @property
    def checkpoint(self) -> Checkpoint:
        assert self.unchanged is not None
        return self.unchanged.checkpoint


def read(path: Path, since: Checkpoint | None = None, *, now: int = LATER) -> Reading:
    out = Reading()
    one = Read(Begin(None))  # type: ignore[arg-type]
    for event in Opencode(lambda: now).read(path, since):
        match event:
            case Begin(info):
                one = out.sessions[info.source_id] = Read(event)
            case Entry(id=id):
                assert id not in one.entries
                one.entries[id] = event
            case Skipped():
                one.skipped.append(event)
            case Raw(offset, data):
                assert offset == len(one.raw)
                one.raw += data
            case Blob(_, data):
                one.blobs.append(data)
            case UnusedPart():
                out.unused.append(event)
            case Unchanged():
                out.unchanged = event
            case End():
                one.end = event
    return out
