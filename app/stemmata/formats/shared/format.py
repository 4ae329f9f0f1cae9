"""The shape that every format module offers to the registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from stemmata.domain.entries.session_facts import Checkpoint, ReadEvent

if TYPE_CHECKING:
    from stemmata.services.ports.archive import ExportSource


@dataclass(frozen=True, slots=True)
class Folder:
    """A standard place of a tool's sessions. `deep`: files in folders below count too."""

    path: Path
    deep: bool = True


class Format(Protocol):
    """A format that can be read."""

    @property
    def name(self) -> str:
        """The source's name as sessions carry it: `pi`, `openclaw`, `claude-code`."""
        ...

    @property
    def title(self) -> str:
        """The tool's name for people."""
        ...

    def sniff(self, head: bytes, path: Path) -> bool:
        """Whether a file that begins so is of this format. `head` holds whole lines, the last one may be cut.

        Any line of it may be damaged, the first one too.
        """
        ...

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Folder]:
        """The standard places on this machine, whether or not they exist; patterns already resolved."""
        ...

    def main_of(self, path: Path) -> Path | None:
        """The session file that a file of this name only belongs to, if that is there; None for one of its own."""
        ...

    def has_grown_aside(self, path: Path, known: Checkpoint) -> bool:
        """Whether files that belong to this session file have changed since it was read, or have come."""
        ...

    def is_part(self, path: Path) -> bool:
        """Whether a file of this name only belongs to another session file (a subagent's transcript beside it)."""
        ...

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """See `services.ports.Formats.read`."""
        ...


class OneFile:
    """What formats have in common whose sessions are a file each, with nothing that belongs to it elsewhere."""

    def main_of(self, _path: Path) -> None:
        return None

    def has_grown_aside(self, _path: Path, _known: Checkpoint) -> bool:
        return False

    def is_part(self, _path: Path) -> bool:
        return False


class Writer(Protocol):
    """A format that can be written. `export` raises KnownError when it cannot hold the session."""

    @property
    def name(self) -> str: ...

    def export(self, source: ExportSource) -> Iterator[bytes]: ...
