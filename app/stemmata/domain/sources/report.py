"""The report of an import: what was imported from each file, and what was not."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

from stemmata.domain.sources.reading import Repaired, Skipped, UnusedPart
from stemmata.domain.text.phrases import Phrase


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

    `hidden` are the store keys of sessions that were archived because the file has the same sessions with more facts.
    All are empty for an unchanged file.
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

    `gone` are sessions that their tools have deleted since the last import. `notes` say what the import did not look
    at, although nothing is known to be missing.
    """

    sessions: tuple[ImportedSession, ...] = ()
    skipped_files: tuple[SkippedFile, ...] = ()
    unchanged: int = 0  # files that had not changed since they were last imported
    cancelled: bool = False
    paths: tuple[str, ...] = field(default=())
    unused: tuple[UnusedPart, ...] = ()
    gone: tuple[GoneSession, ...] = ()
    notes: tuple[Phrase, ...] = ()

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
