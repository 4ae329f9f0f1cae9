"""What a reader yields from a file: sessions, entries, bytes, damage, and how far it has read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sessions.session import SessionInfo


class SourceShape(Enum):
    """How a tool keeps its sessions, which decides whether an entry that a later reading misses was removed."""

    LOG = "log"  # lines are only appended: a missing line was cut off or lost, and was not removed by the tool
    DOCUMENT = "document"  # a file that the tool rewrites: entries that it no longer contains were removed
    DATABASE = "database"  # rows that the tool changes in place: entries that it no longer contains were removed
    EXPORT = "export"  # a copy that the user fetched: only a later state of the conversation shows removals


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part that could not be read; its bytes are kept. `line` counts from 1 and is 0 if the part is no line."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a source file was read, so that a grown file is read from there on.

    `offset` is the byte after the last complete line. `head` is a hash of the first bytes, which identifies the file.
    `state` is JSON text of the reader, which gets it back for the next reading. `writes` is the highest number of
    writes that the header of a database at this path has had; 0 for other files. `source` is the tool whose reader
    made the checkpoint: the source of the file's sessions, which the archive adds.
    """

    path: str
    size: int
    mtime: int
    offset: int
    lines: int
    head: str
    state: str = ""
    writes: int = 0
    source: str = ""


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
    """The bytes of an image or attachment, and their SHA-256 in hex. Comes in the same reading as its entries."""

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
    `damaged`: parts of the source are missing, so entries that this reading lacks do not count as removed by the
    tool.
    """

    leaf: str | None = None
    leaf_known: bool = False
    title: str = ""
    checkpoint: Checkpoint | None = None
    named: bool = False
    damaged: bool = False


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
    ids of all sessions in the file, whether they were read or skipped.
    """

    sessions: int
    checkpoint: Checkpoint
    ids: frozenset[str] = frozenset()


ReadEvent = Begin | Entry | Skipped | Repaired | Blob | Raw | End | UnusedPart | Unchanged


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
