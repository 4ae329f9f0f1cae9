"""Recognise pi's session files (`~/.pi/agent`) and read them. Source files are never written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from stemmata.domain.sources.reading import Checkpoint, ReadEvent
from stemmata.formats.pi.header import header_in, header_of
from stemmata.formats.pi.reading import PiReading
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.values import first_records


class Pi(SingleFileFormat):
    """The reader of pi's sessions."""

    name = "pi"

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether the first records hold a pi header, or an entry when the header is lost."""
        return header_in(enumerate(first_records(head), 1)) is not None

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the session folder, and the folder in which pi 0.30 stored sessions."""
        named = environment.get("PI_CODING_AGENT_DIR", "")
        agent = expanded(named, home) if named else home / ".pi" / "agent"
        return (SessionFolder(agent / "sessions"), SessionFolder(agent, deep=False))

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, from the checkpoint on if it still applies."""
        header = header_of(path)
        yield from PiReading(path, header, header.info(self.name, path), since).events()

    def read_start(self, path: Path, size: int) -> Iterator[ReadEvent]:
        """Yield the events of the first `size` bytes, as if there were no more."""
        header = header_of(path)
        yield from PiReading(path, header, header.info(self.name, path), None, end=size).events()


def expanded(name: str, home: Path) -> Path:
    """Return a path from an environment variable with a leading `~` resolved."""
    if name == "~" or name.startswith(("~/", "~\\")):
        return home / name[2:]
    return Path(name)
