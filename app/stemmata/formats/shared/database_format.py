"""The base of formats in which a database of a program has many sessions.

A reading sees one state of the database and changes nothing. The checkpoint has a fingerprint of each session, so
only the sessions that have changed are read again.
"""

from __future__ import annotations

import re
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import Checkpoint, ReadEvent, SourceShape, UnusedPart
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.shared.database import LOG, MAGIC, SourceDatabase, TooLargeError, log_state, open_database
from stemmata.formats.shared.database_reading import Reading
from stemmata.formats.shared.database_values import plain
from stemmata.formats.shared.format import SingleFileFormat


class DatabaseSessions(Protocol):
    """The sessions of an open database."""

    def prints(self) -> Mapping[str, str]:
        """Return the fingerprint of each session, by the session's id, in the order in which the sessions are read.

        A session with "" is read each time.
        """
        ...

    def read(self, id: str) -> Iterator[ReadEvent]:
        """Yield the events of a session."""
        ...

    def unlisted(self) -> Iterator[ReadEvent]:
        """Yield the records outside of the sessions of `prints`: messages whose session is gone, and unused parts.

        Only the first reading of a database asks for it.
        """
        ...

    def due(self, _id: str) -> int:
        """Return when something of a session that `read` held back counts as abandoned, in ns; 0 for nothing."""
        return 0


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A row of a table `sessions`: its number, and its columns by name, each None when the table lacks it."""

    row: int
    facts: Mapping[str, Any]

    def __getitem__(self, column: str) -> str:
        return plain(self.facts[column])

    @property
    def parent(self) -> str:
        """The id of the session that this one belongs to; "" for none."""
        return self["parent_session_id"]


def session_rows(database: SourceDatabase, columns: Sequence[str]) -> dict[str, SessionRow]:
    """Return these columns of the table `sessions`, by session id; of two rows with one id, the first."""
    there = database.columns("sessions")
    listed = ", ".join(name if name in there else "NULL" for name in columns)
    found: dict[str, SessionRow] = {}
    for row, *values in database.rows(f"SELECT rowid, {listed} FROM sessions ORDER BY rowid"):
        session = SessionRow(row, dict(zip(columns, values, strict=True)))
        found.setdefault(session["id"], session)
    return found


class DatabaseFormat(SingleFileFormat):
    """A reader of databases. A subclass names its tables and files, and reads a session.

    `now` returns the time, in ns since the epoch.
    """

    name: ClassVar[str]
    shape = SourceShape.DATABASE
    needed: ClassVar[Mapping[str, frozenset[str]]]  # table → columns without which the database is none of the tool's
    files: ClassVar[re.Pattern[str]]  # names of the tool's databases

    def __init__(self, now: Callable[[], int] = time.time_ns) -> None:
        self.now = now

    @abstractmethod
    def sessions(self, database: SourceDatabase) -> DatabaseSessions:
        """Return the sessions of an open database that has the needed tables."""

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file is a database with the tool's tables. Raises KnownError when it is locked."""
        if not head.startswith(MAGIC):
            return False
        try:
            with open_database(path) as database:
                return all(database.columns(table) >= columns for table, columns in self.needed.items())
        except (UnreadableSourceError, TooLargeError):
            return False

    def main_file(self, path: Path) -> Path | None:
        """Return the database of a write-ahead log."""
        name = path.name.removesuffix(LOG)
        return path.with_name(name) if name != path.name and self.files.fullmatch(name) else None

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether the write-ahead log changed, or something that was held back counts as abandoned now."""
        state = Reading.of(known)
        return state.beside != log_state(path) or 0 < state.due <= self.now()

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the sessions that have changed since the checkpoint."""
        before, found = Reading.of(since), Reading(log_state(path), 0, {})
        try:
            with open_database(path) as database:
                sessions, prints = found.listed(
                    database, None if since is None else before, lambda: self.sessions(database)
                )
                for id, print in prints.items():
                    found.prints[id] = print
                    if not print or before.prints.get(id) != print:
                        yield from sessions.read(id)
                        if due := sessions.due(id):
                            found.prints[id] = ""
                            found.due = min(found.due or due, due)
                if since is None:
                    yield from sessions.unlisted()
                    yield from found.lost_rows()
        except TooLargeError as error:
            raise UnreadableSourceError(Phrase("{0} has a row that is too large.", path)) from error
        yield found.end(path, before)


def messages_without_session(database: SourceDatabase) -> Iterator[UnusedPart]:
    """Yield the number of rows of `messages` whose `session_id` is no id of `sessions`."""
    (number,) = database.row(
        "SELECT count(*) FROM messages WHERE session_id IS NULL"
        " OR session_id NOT IN (SELECT id FROM sessions WHERE id NOT NULL)"
    )
    if number:
        yield UnusedPart(f"messages: {number}", "their session is missing")
