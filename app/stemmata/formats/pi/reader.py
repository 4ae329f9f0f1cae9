"""pi (`~/.pi/agent`): recognising its session files and reading them. Nothing is ever written to a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from stemmata.domain.entries.session_facts import Checkpoint, ReadEvent
from stemmata.formats.pi.header import header_in, header_of
from stemmata.formats.pi.reading import PiReading
from stemmata.formats.shared.format import Folder, OneFile
from stemmata.formats.shared.values import first_records


class Pi(OneFile):
    name = "pi"
    title = "pi"

    def sniff(self, head: bytes, _path: Path) -> bool:
        """By the header; by an entry where that is lost."""
        return header_in(enumerate(first_records(head), 1)) is not None

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Folder]:
        """The second is where version 0.30 put sessions."""
        named = environment.get("PI_CODING_AGENT_DIR", "")
        agent = expanded(named, home) if named else home / ".pi" / "agent"
        return (Folder(agent / "sessions"), Folder(agent, deep=False))

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        header = header_of(path)
        yield from PiReading(path, header, header.info(self.name, path), since).events()


def expanded(name: str, home: Path) -> Path:
    """A path from the environment with a leading `~` resolved."""
    if name == "~" or name.startswith(("~/", "~\\")):
        return home / name[2:]
    return Path(name)
