"""The facts about a source and its reading: checkpoints, the events of a reading, the report of an import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import groupby
from typing import Protocol

from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.session_facts import Session, SessionInfo
from stemmata.domain.entries.tree import Tree


class SourceShape(Enum):
    """How a tool keeps its sessions, which decides whether an entry that a later reading misses was removed."""

    LOG = "log"  # lines are only appended: a missing line was cut off or lost, and nobody removed it
    DOCUMENT = "document"  # a file that the tool rewrites: entries that it no longer contains were removed
    DATABASE = "database"  # rows that the tool changes in place: entries that it no longer contains were removed
    EXPORT = "export"  # a copy that a person fetched: only a later state of the same conversation tells of removals


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that could not be read and is kept as raw bytes. `line` counts from 1."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a source file was read, so that a grown file is read from there on.

    `offset` is the byte after the last complete line. `head` is a hash of the first bytes, which identifies the file.
    `state` is JSON text of the reader, which gets it back for the next reading. `writes` is the highest number of
    writes that the header of a database at this path has had; 0 for other files.
    """

    path: str
    size: int
    mtime: int
    offset: int
    lines: int
    head: str
    state: str = ""
    writes: int = 0


@dataclass(frozen=True, slots=True)
class Begin:
    """A session starts. With `offset` 0 all of the session follows; else the content of the file from that byte on.

    In the second case, entries before `offset` are repeated only when they have changed. The other entries should be
    new, with parents among them or in the archive; the importer checks this and raises RereadError otherwise.
    """

    info: SessionInfo
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Repaired:
    """Damage that the reader repaired, as text for the report: an entry without parent, a cycle, a duplicate id."""

    what: str
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Blob:
    """The bytes of an image or attachment, and their SHA-256 in hex. Comes before the entry that uses it."""

    digest: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Raw:
    """A chunk of the source's bytes, of any size. The chunks follow each other without gaps; export returns them.

    In a file of many sessions the source of a session is its own part of the file, whose first byte is at 0.
    """

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class End:
    """A session ends. `leaf` is the source id of its current entry; it counts only when `leaf_known` is true.

    `title` is the last name that the source gave the session, "" for none; `named`: a person gave it in the tool.
    `damaged`: parts of the source are missing, so what this reading lacks was not removed by the tool.
    """

    leaf: str | None = None
    leaf_known: bool = False
    title: str = ""
    checkpoint: Checkpoint | None = None
    named: bool = False
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class Removal:
    """How a reading marks entries that the source no longer contains.

    `time` is the time of the reading (ns). Only entries that came from the file `path` are marked; "" stands for any
    file. With `marks` false, marks of entries that came back are removed, and none is set. With `damaged`, parts of
    the source are missing: the reading moves no earlier entry below another parent.
    """

    time: int
    path: str
    marks: bool
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class SourceRead:
    """The result of storing one session of a file.

    `older`: the archive already holds all of it and more, so nothing was changed. `conflicts`: ids that the file uses
    for other content than the archive, each with the id under which the file's version is kept. `branched`: some ids
    of the file belong to such versions. `changed_earlier`: earlier entries moved, changed their marks or disappeared.
    `removed` and `returned` are the numbers of entries that this reading was the first to miss, or has found again.
    """

    older: bool = False
    conflicts: tuple[tuple[str, str], ...] = ()
    branched: bool = False
    changed_earlier: bool = False
    removed: int = 0
    returned: int = 0


@dataclass(frozen=True, slots=True)
class UnusedPart:
    """A part of a file of many sessions that became no session. It comes between sessions.

    `where` names the part: `conversations.json, conversation 3`. `damaged`: it should have been a session; otherwise
    it is known to be none, such as the list of a user's projects.
    """

    where: str
    reason: str
    damaged: bool = True
    path: str = ""  # path of the file; the importer sets it


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The last event of a file of many sessions whose reader skips those that have not changed since `checkpoint`.

    `sessions` is the number of sessions that were skipped, `checkpoint` that of this reading. `ids` are the tool's
    ids of all sessions that the file contains now, those that were read included.
    """

    sessions: int
    checkpoint: Checkpoint
    ids: frozenset[str] = frozenset()


ReadEvent = Begin | Entry | Skipped | Repaired | Blob | Raw | End | UnusedPart | Unchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSession:
    """The report on one imported session. `added` are the store keys added to an earlier import.

    `variants` are the ids of new entries for which the source uses the id of another entry. `older`: the archive
    already held all of the file and more. `changed_earlier`: the file has changed earlier entries. `path` is
    the file. `removed` entries are no longer in the source; `returned` ones are in it again.
    `reappeared`: the tool had deleted the session, and has it again.
    """

    key: int
    id: str
    source: str
    source_id: str
    title: str
    entries: int
    new_entries: int
    branches: int
    skipped: tuple[Skipped, ...] = ()
    repaired: tuple[Repaired, ...] = ()
    added: tuple[int, ...] = ()
    variants: tuple[str, ...] = ()
    older: bool = False
    changed_earlier: bool = False
    path: str = ""
    created: bool = False  # whether the archive did not have the session before
    removed: int = 0
    returned: int = 0
    reappeared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneSession:
    """A session that its tool has deleted from the file `path` since the last import. The archive keeps it."""

    key: int
    id: str
    source: str
    source_id: str
    title: str
    path: str


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """The result of importing one file: its sessions, its other parts, and sessions that it no longer contains.

    `hidden` are the store keys of sessions that were archived, since the file has them with more. All are empty for
    an unchanged file.
    """

    sessions: tuple[ImportedSession, ...] = ()
    unused: tuple[UnusedPart, ...] = ()
    gone: tuple[GoneSession, ...] = ()
    hidden: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was not imported. `is_transient`: a later try may succeed. `fault`: a bug in Stemmata."""

    path: str
    reason: str
    is_transient: bool = False
    fault: bool = False


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of importing files: sessions, skipped files, the given paths, and the unused parts of files.

    `gone` are sessions that their tools have deleted since the last import.
    """

    sessions: tuple[ImportedSession, ...] = ()
    skipped_files: tuple[SkippedFile, ...] = ()
    unchanged: int = 0  # files that had not changed since they were last imported
    cancelled: bool = False
    paths: tuple[str, ...] = field(default=())
    unused: tuple[UnusedPart, ...] = ()
    gone: tuple[GoneSession, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every file, every session of a file and every line was imported."""
        whole = not any(session.skipped for session in self.sessions) and not any(
            part.damaged for part in self.unused
        )
        return whole and not self.skipped_files

    def of_files(self) -> list[list[ImportedSession]]:
        """Return the sessions in groups, one group for each file."""
        return [list(group) for _, group in groupby(self.sessions, lambda one: one.path or one.key)]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The numbers of entries that an export in a format lacks.

    `others` are on branches that it does not show, `trashed` are in the trash. `unsent` are in the file, but the tool
    that reads it neither shows nor sends them.
    """

    others: int = 0
    trashed: int = 0
    unsent: int = 0


@dataclass(frozen=True, slots=True)
class Discovered:
    """The session files of one tool that were found on this machine and can be imported.

    `is_of_project`: the folder is that of a project, which is followed only when a person names it.
    """

    source: str
    name: str  # the tool's name, for people
    folder: str
    files: tuple[str, ...]
    size: int  # bytes
    is_of_project: bool = False


@dataclass(frozen=True, slots=True)
class CleanUp:
    """The clean-up of a tool, which deletes session files in `folder` that were not changed for a number of days.

    `days` is this number. `files` are the session files that are there now.
    """

    source: str
    name: str  # the tool's name, for people
    days: int
    folder: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndangeredFiles:
    """Session files that a tool may soon delete and that the archive lacks, in part or altogether.

    The files that may be deleted first come first; `first` is the time (ns) from which the first one may be.
    """

    source: str
    name: str
    days: int
    folder: str
    files: tuple[str, ...]
    first: int

    def only(self, files: tuple[str, ...]) -> EndangeredFiles:
        """Return the value with these files in place of all."""
        return replace(self, files=files)


class ExportSource(Protocol):
    """A session that is exported. Entries are given by their indices in the tree."""

    @property
    def session(self) -> Session:
        """The facts about the session."""
        ...

    @property
    def parent(self) -> Session | None:
        """The facts about the session that this one was forked from or spawned by; None for none."""
        ...

    @property
    def tree(self) -> Tree:
        """The tree of the session."""
        ...

    @property
    def leaf(self) -> int | None:
        """The index of the leaf; None for the start of the session."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether the person asked for all branches. A format that shows one branch then shows all."""
        ...

    def raw(self) -> Iterator[bytes]:
        """Yield the bytes of the source file in chunks; nothing for a part, or for a session without a source."""
        ...

    def rows(self, entries: Sequence[int]) -> list[EntryRow]:
        """Return the rows of the entries at these indices, in this order."""
        ...

    def bodies(self, entries: Sequence[int]) -> list[Body]:
        """Return the bodies of the entries at these indices, in this order."""
        ...

    def record(self, entry: int) -> bytes | None:
        """Return the entry's record in the source file; None for an entry without one."""
        ...

    def blob(self, digest: str) -> bytes | None:
        """Return the bytes of an image or attachment; None when the archive does not contain them."""
        ...
