"""pi (`~/.pi/agent`): recognising its session files and reading them. Nothing is ever written to a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions import Checkpoint, ReadEvent
from stemmata.formats.format import Folder, OneFile
from stemmata.formats.json_lines import first_records
from stemmata.formats.pi_header import header_of, headerless, is_header
from stemmata.formats.pi_reading import PiReading

_SETTINGS = frozenset({"model_change", "thinking_level_change", "session_info", "custom_message", "branch_summary"})


class Pi(OneFile):
    name = "pi"
    title = "pi"

    def sniff(self, head: bytes, path: Path) -> bool:
        """By the first record that parses, as pi itself does."""
        records = first_records(head)
        if records and is_header(records[0]):
            return True
        if any(map(_is_entry, records)):
            raise UnreadableSourceError(headerless(path))
        return False

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Folder]:
        """The second is where version 0.30 put sessions."""
        named = environment.get("PI_CODING_AGENT_DIR", "")
        agent = expanded(named, home) if named else home / ".pi" / "agent"
        return (Folder(agent / "sessions"), Folder(agent, deep=False))

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        header = header_of(path)
        yield from PiReading(path, header, header.info(self.name), since).events()


def expanded(name: str, home: Path) -> Path:
    """A path from the environment with a leading `~` resolved."""
    if name == "~" or name.startswith(("~/", "~\\")):
        return home / name[2:]
    return Path(name)


def _is_entry(record: Any) -> bool:
    """Whether this can only be an entry of a pi session."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if kind == "message":
        message = record.get("message")
        return isinstance(message, dict) and "role" in message and "timestamp" in record
    return isinstance(kind, str) and kind in _SETTINGS and "parentId" in record
