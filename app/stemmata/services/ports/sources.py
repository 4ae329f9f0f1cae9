"""The ports of importing, following and exporting: the formats, and the watch over folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from stemmata.domain.requests.hand_off import Extent, HandOffDocument
from stemmata.domain.settings.settings import FolderScan
from stemmata.domain.sources.export import ExportSource, LeftOut
from stemmata.domain.sources.reading import Checkpoint, ReadEvent, SourceShape
from stemmata.domain.sources.session_files import CleanUp, Discovered


class UnpackedFolder(Protocol):
    """The files of an archive in a temporary folder."""

    @property
    def path(self) -> Path:
        """The folder that holds the unpacked files."""
        ...

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """The files of the archive that were not unpacked, each with the reason."""
        ...

    def close(self) -> None:
        """Delete the unpacked files and their folder."""
        ...


class Formats(Protocol):
    """All formats that can be read or written."""

    def discover(self) -> list[Discovered]:
        """Return the session files in the standard folders of every tool on this machine."""
        ...

    def clean_ups(self) -> list[CleanUp]:
        """Return the tools that delete sessions by themselves, with the session files that they may delete."""
        ...

    def expand(self, path: Path, format: str = "") -> tuple[list[Path], int]:
        """Return the session files of a file or folder, and the number of further files that were not looked at.

        These have names that sessions rarely have. Raises UnreadableSourceError, NotFoundError.
        """
        ...

    def unpacked(self, path: Path, cancelled: Callable[[], bool]) -> UnpackedFolder | None:
        """Unpack a ZIP archive of a tool's folder; None for any other path.

        It asks `cancelled` between small pieces. Raises UnreadableSourceError, NotFoundError, CancelledError.
        """
        ...

    def identify(self, path: Path) -> str:
        """Return the name of a file's format, judged by its content first.

        Raises UnreadableSourceError with the reason.
        """
        ...

    def read(self, path: Path, format: str, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Stream the file's sessions. With `since`, continue after the part that was read before, when that part is
        unchanged and the reader supports it."""
        ...

    def read_start(self, path: Path, format: str, size: int) -> Iterator[ReadEvent] | None:
        """Stream a session as if its file ended with the first line end behind `size` bytes.

        Returns None for a format whose files are not only appended to.
        """
        ...

    def is_unchanged(self, path: Path, known: Checkpoint) -> bool:
        """Whether the file and the files that belong to it are unchanged. False when the file is gone."""
        ...

    def session_file(self, path: Path) -> Path | None:
        """Return the session file of a path, also for a subagent's file and for a file of facts beside a session.

        Returns None for other files.
        """
        ...

    def head(self, path: Path) -> tuple[int, int, str]:
        """Return size, mtime (ns) and a hash of the first bytes, to detect changes."""
        ...

    def writes(self, path: Path) -> int:
        """Return how often a database was written, which never decreases; 0 for other files.

        An older copy of a database has a smaller number.
        """
        ...

    def shape(self, source: str) -> SourceShape:
        """Return how the tool of this name keeps its sessions; LOG for an unknown one."""
        ...

    def import_names(self) -> Sequence[str]:
        """Return the names of the formats that can be read."""

    def export_names(self) -> Sequence[str]:
        """Return the names of the formats that can be written."""

    def ending(self, name: str) -> str:
        """Return the file ending of an export in this format, without the dot."""
        ...

    def title(self, name: str) -> str:
        """Return the name of the tool or file format as people know it; the given name for an unknown format."""
        ...

    def carriers(self) -> Mapping[str, Sequence[Extent]]:
        """Return the tools that sessions can be handed over to, by format name, with the extents that each takes."""
        ...

    def resume_command(self, name: str, id: str, path: str, *, is_subagent: bool = False) -> tuple[str, ...]:
        """Return the command that continues a session in its tool; () when the tool has none or a part is unknown.

        `is_subagent`: the session is that of a subagent, which not every tool continues.
        """
        ...

    def handed_over(self, name: str, document: HandOffDocument) -> tuple[Path, Iterator[bytes]]:
        """Return the path of a new session file of a tool, and the lines of the file. Raises NotFoundError."""
        ...

    def repeated_by(self, source: str) -> str:
        """Return the source whose sessions repeat this source's, with the same ids and fewer facts; "" for none."""
        ...

    def has_unique_ids(self, source: str) -> bool:
        """Return whether an entry id of this source stands for the same entry in every file."""
        ...

    def export(self, name: str, source: ExportSource) -> Iterator[bytes]:
        """Yield the session in another tool's format. Raises KnownError when that format cannot hold it."""
        ...

    def left_out(self, name: str, source: ExportSource) -> LeftOut:
        """Return what an export in this format will lack. Raises KnownError for an unknown format."""
        ...


class Watch(Protocol):
    """The port for watching folders. It calls `told` from its own thread, one call at a time."""

    def start(self, folders: Sequence[str], told: Callable[[FolderScan], None]) -> None:
        """Start watching these folders, or replace the watched folders when already started."""
        ...

    def stop(self) -> None:
        """Stop watching and end the thread."""
