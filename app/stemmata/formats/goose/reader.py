"""Recognise Goose's database, and the files of its older versions, and read their sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from stemmata.domain.errors import KnownError
from stemmata.domain.sources.reading import Checkpoint, ReadEvent, Unchanged, UnusedPart
from stemmata.formats.goose.log import is_header, is_message, log_events
from stemmata.formats.goose.sessions import NEEDED, SOURCE, GooseSessions
from stemmata.formats.shared.database import MAGIC, SourceDatabase, TooLargeError, open_database
from stemmata.formats.shared.database_format import DatabaseFormat, DatabaseSessions
from stemmata.formats.shared.file_digest import digest_checkpoint
from stemmata.formats.shared.format import SessionFolder
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import first_records

_NAME = "sessions.db"


class Goose(DatabaseFormat):
    """The reader of Goose's sessions."""

    name = SOURCE
    needed: ClassVar[Mapping[str, frozenset[str]]] = NEEDED
    files: ClassVar[re.Pattern[str]] = re.compile(r"sessions\.db")

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file is Goose's database, or has facts of a session or a message of Goose."""
        if head.startswith(MAGIC):
            return super().sniff(head, path)
        return any(is_header(record) or is_message(record) for record in first_records(head))

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of the sessions on Linux, macOS and Windows, or the one that the environment names.

        Goose ignores a name that is not an absolute path.
        """
        root, data = environment.get("GOOSE_PATH_ROOT", ""), environment.get("XDG_DATA_HOME", "")
        if Path(root).is_absolute():
            return (SessionFolder(Path(root, "data", "sessions"), deep=False),)
        roaming = environment.get("APPDATA", "")
        places = (
            (Path(data) if data else home / ".local" / "share") / "goose",
            home / "Library" / "Application Support" / "Block" / "goose",
            (Path(roaming) if roaming else home / "AppData" / "Roaming") / "Block" / "goose" / "data",
        )
        return tuple(SessionFolder(place / "sessions", deep=False) for place in places)

    def sessions(self, database: SourceDatabase) -> DatabaseSessions:
        """Return the sessions of a database."""
        return GooseSessions(database)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the sessions that have changed, or the session of an older file that the database does not have."""
        if _is_database(path):
            yield from super().read(path, since)
        elif _is_in_database(path):
            yield UnusedPart(f"session {path.stem}", f"Goose has copied it into {_NAME}", damaged=False)
            yield Unchanged(1, digest_checkpoint(path), frozenset((path.stem,)))
        else:
            yield from log_events(path)


def _is_database(path: Path) -> bool:
    with open_source(path) as file, known_read_errors(path):
        return file.read(len(MAGIC)) == MAGIC


def _is_in_database(path: Path) -> bool:
    """Return whether the database in the folder of an older file has its session; False if it cannot be read."""
    try:
        with open_database(path.with_name(_NAME)) as database:
            rows = database.rows("SELECT 1 FROM messages WHERE session_id = ? LIMIT 1", path.stem)
            return bool(database.columns("messages")) and any(rows)
    except (KnownError, TooLargeError):
        return False
