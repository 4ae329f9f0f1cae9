"""Recognise opencode's database, and the files of its older versions, and read their sessions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import Begin, Checkpoint, ReadEvent, Skipped, SourceShape, UnusedPart
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.opencode.files import ENDING, Files, files_state
from stemmata.formats.opencode.forks import Forks
from stemmata.formats.opencode.history import SessionMessages
from stemmata.formats.opencode.rows import Rows, is_opencode
from stemmata.formats.opencode.session_info import SOURCE, info_of
from stemmata.formats.opencode.source import SessionRow, Source
from stemmata.formats.shared.database import LOG, MAGIC, TooLargeError, log_state, open_database
from stemmata.formats.shared.database_reading import Reading
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.source_file import open_source

_ENDING = ".db"
_SESSION = re.compile(rb'\A\s*\{[^{}\[\]]*"(projectID|directory)"\s*:')


class Opencode(SingleFileFormat):
    """The reader of opencode's sessions. `now` returns the time, in ns since the epoch."""

    name = SOURCE
    shape = SourceShape.DATABASE

    def __init__(self, now: Callable[[], int] = time.time_ns) -> None:
        self._now = now

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file is a database with opencode's tables, or the file of a session.

        Raises KnownError for a database that is locked.
        """
        if not head.startswith(MAGIC):
            return path.suffix == ENDING and path.parents[1].name == "session" and _SESSION.match(head) is not None
        try:
            with open_database(path) as database:
                return is_opencode(database)
        except (UnreadableSourceError, TooLargeError):
            return False

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of the database and of the older files, which are the same on all systems."""
        named, data = environment.get("OPENCODE_DB", ""), environment.get("XDG_DATA_HOME", "")
        standard = (Path(data) if data else home / ".local" / "share") / "opencode"
        other = standard / named
        folders = [standard, other.parent] if named and named != ":memory:" else [standard]
        databases = [SessionFolder(folder, deep=False) for folder in dict.fromkeys(folders)]
        return (*databases, SessionFolder(standard / "storage" / "session"))

    def main_file(self, path: Path) -> Path | None:
        """Return the database of a write-ahead log."""
        return path.with_name(path.name.removesuffix(LOG)) if path.name.endswith(_ENDING + LOG) else None

    def is_companion(self, path: Path) -> bool:
        """Return whether the file is the write-ahead log of a database."""
        return path.name.endswith(_ENDING + LOG)

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether the write-ahead log or the files of messages changed.

        Also when a reply that was held back counts as abandoned now.
        """
        state = Reading.of(known)
        return state.beside != _beside(path) or 0 < state.due <= self._now()

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the sessions that have changed since the checkpoint, those that began first before the others."""
        before, state = Reading.of(since), Reading(_beside(path), 0, {})
        if path.suffix == ENDING:
            yield from self._files(path, state)
        else:
            yield from self._database(path, None if since is None else before, state)
        yield state.end(path, before)

    def _files(self, path: Path, state: Reading) -> Iterator[ReadEvent]:
        """Yield the session of a file with its messages, which are files of their own."""
        with open_source(path):
            files = Files(path)
            session = files.session(path)
        above = {one.id: one for one in files.with_those_above(session)}
        damage = files.damage(path)
        for event in self._session(files, session, above, Forks(files, lambda: files.sessions), state):
            yield event
            if damage and isinstance(event, Begin):
                yield Skipped(0, f"the facts of the session: {damage}")

    def _database(self, path: Path, before: Reading | None, state: Reading) -> Iterator[ReadEvent]:
        try:
            with open_database(path) as database:
                listed, prints = state.listed(database, before, lambda: _Sessions(Rows(database)))
                yield from self._changed(listed, prints, before, state)
                if before is None:
                    yield from (
                        UnusedPart(f"{number} row{'s' * (number > 1)}", what)
                        for number, what in listed.rows.strays()
                        if number
                    )
                    yield from state.lost_rows()
        except TooLargeError as error:
            raise UnreadableSourceError(Phrase("{0} has a row that is too large.", path)) from error

    def _changed(
        self, listed: _Sessions, prints: Mapping[str, str], before: Reading | None, state: Reading
    ) -> Iterator[ReadEvent]:
        rows, sessions = listed.rows, listed.sessions
        by_id = {session.id: session for session in reversed(sessions)}
        forks = Forks(rows, lambda: sessions)
        for session in sessions:
            if by_id[session.id] is not session:
                yield UnusedPart(f"session {session.id}", "has the id of another session")
                continue
            state.prints[session.id] = prints[session.id]
            if before is not None and before.prints.get(session.id) == prints[session.id]:
                continue
            yield from self._session(rows, session, by_id, forks, state)

    def _session(
        self,
        source: Source,
        session: SessionRow,
        by_id: Mapping[str, SessionRow],
        forks: Forks,
        state: Reading,
    ) -> Iterator[ReadEvent]:
        origin = forks.origin(session)
        history = SessionMessages(source, session, origin.ids if origin is not None else {}, self._now())
        yield Begin(info_of(source, session, by_id, origin))
        yield from history
        if history.due:
            state.prints[session.id] = ""
            state.due = min(state.due or history.due, history.due)


class _Sessions:
    """The sessions of an open database."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.sessions = rows, rows.sessions()

    def prints(self) -> dict[str, str]:
        """Return the fingerprint of each session."""
        return self.rows.fingerprints(self.sessions)


def _beside(path: Path) -> str:
    """Return a fingerprint of the files that belong to a file: a database's log, the messages of a session's file."""
    return files_state(path) if path.suffix == ENDING else log_state(path)
