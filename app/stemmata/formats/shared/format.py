"""The declaration of a format for the registry, and the interfaces of its reader and its writer.

See docs/how-to-add-a-format.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

from stemmata.domain.requests.hand_off import Extent, HandOffDocument
from stemmata.domain.sources.export import ExportSource, LeftOut
from stemmata.domain.sources.reading import Checkpoint, ReadEvent, SourceShape


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """A standard folder of a tool's sessions; with `deep`, sessions in its subfolders count too.

    With `only`, the folder belongs to a project, and only the file of this name in it holds sessions.
    """

    path: Path
    deep: bool = True
    only: str = ""


class SessionReader(Protocol):
    """Reads the sessions of one tool."""

    @property
    def name(self) -> str:
        """The source name that sessions carry: `pi`, `openclaw`, `claude-code`."""
        ...

    @property
    def shape(self) -> SourceShape:
        """How the tool keeps its sessions."""
        ...

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether a file that starts with `head` is in this format.

        `head` holds whole lines; only the last one may be cut. Any line may be damaged, including the first.
        """
        ...

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the tool's standard session folders on this machine, with patterns resolved.

        The folders need not exist.
        """
        ...

    def main_file(self, path: Path) -> Path | None:
        """Return the session file that a companion file belongs to.

        Returns None for a file that is a session itself, and when the session file does not exist.
        """
        ...

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether a companion file of this session was changed or added since the checkpoint."""
        ...

    def is_companion(self, path: Path) -> bool:
        """Return whether the file belongs to another session file, such as a subagent's transcript."""
        ...

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """As described in `services.ports.sources.Formats.read`."""
        ...


@runtime_checkable
class AppendedFormat(SessionReader, Protocol):
    """Reads sessions whose file is only appended to, so that its beginning can be stored before the rest."""

    def read_start(self, path: Path, size: int) -> Iterator[ReadEvent]:
        """As described in `services.ports.sources.Formats.read_start`."""
        ...


class SingleFileFormat:
    """Base of formats in which a session is exactly one file, without companion files.

    `shape` is how the tool keeps its sessions.
    """

    shape: ClassVar[SourceShape] = SourceShape.LOG

    def main_file(self, _path: Path) -> Path | None:
        """Return None: the file is a session itself."""
        return None

    def companions_changed(self, _path: Path, _known: Checkpoint) -> bool:
        """Return False: the session has no companion files."""
        return False

    def is_companion(self, _path: Path) -> bool:
        """Return False: every file is a session itself."""
        return False


class SessionWriter(Protocol):
    """Writes a session as a document."""

    @property
    def name(self) -> str:
        """The name under which the user selects the format, such as `markdown`."""
        ...

    def export(self, source: ExportSource) -> Iterator[bytes]:
        """Yield the exported document in chunks. Raises KnownError when the format cannot represent the session."""
        ...

    def left_out(self, source: ExportSource) -> LeftOut:
        """Return what the exported document will lack."""
        ...


class SessionCarrier(Protocol):
    """Writes sessions in a tool's folder, so that the tool continues them."""

    @property
    def extents(self) -> Sequence[Extent]:
        """The extents of a session that this tool takes over."""
        ...

    def place(self, document: HandOffDocument, home: Path, environment: Mapping[str, str]) -> Path:
        """Return the path of the new session's file, which does not exist yet, nor need its folder."""
        ...

    def lines(self, document: HandOffDocument) -> Iterator[bytes]:
        """Yield the lines of the file. `place` is called before."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """The declaration of one format.

    `name` is the source name that sessions carry and the name to export by, `title` the tool's name as shown to
    people. `reader` and `writer` create its reader and writer; None for a format that is not read or not written.
    `ending` is that of an exported file. `others` are files of the tool that hold no session, by name, and what they
    hold. With `unique_ids` an entry id stands for the same entry in every file. `resume` is the command that
    continues a session of the tool, with `{id}` for its id and `{path}` for its file; () for none. With
    `resumes_agents` it continues the session of a subagent, too.
    `carrier` writes sessions that the tool continues. `clean_up` returns, from the user's home and the environment,
    after how many days without use the tool deletes sessions by itself, and in which folder; None for a tool that
    deletes none. `repeated_by` is a source whose sessions repeat those of this one under the same ids, with less.
    """

    name: str
    title: str
    reader: Callable[[], SessionReader] | None = None
    writer: Callable[[], SessionWriter] | None = None
    ending: str = "jsonl"
    unique_ids: bool = False
    others: Mapping[str, str] = field(default_factory=dict)
    resume: tuple[str, ...] = ()
    resumes_agents: bool = False
    carrier: Callable[[], SessionCarrier] | None = None
    clean_up: Callable[[Path, Mapping[str, str]], tuple[int, Path]] | None = None
    repeated_by: str = ""
