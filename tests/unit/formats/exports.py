"""Read exports in tests: the sessions of a file, and zip archives."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, End, Raw, Repaired, UnusedPart
from stemmata.formats.shared.export_format import ExportFormat


@dataclass
class Read:
    """One session of an export."""

    begin: Begin
    entries: dict[str, Entry] = field(default_factory=dict)
    repaired: list[str] = field(default_factory=list)
    raw: bytes = b""
    end: End = End()  # noqa: RUF009 - a frozen value

    def record(self, id: str) -> bytes:
        found = self.entries[id].record
        assert found is not None
        return self.raw[found.offset : found.offset + found.size]


def sessions_of(reader: ExportFormat, path: Path) -> tuple[list[Read], list[UnusedPart]]:
    out: list[Read] = []
    unused: list[UnusedPart] = []
    for event in reader.read(path, None):
        match event:
            case Begin():
                out.append(Read(event))
            case Entry():
                out[-1].entries[event.id] = event
            case Raw(_, data):
                out[-1].raw += data
            case Repaired(what):
                out[-1].repaired.append(what)
            case UnusedPart():
                unused.append(event)
            case End():
                out[-1].end = event
    return out, unused


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path
