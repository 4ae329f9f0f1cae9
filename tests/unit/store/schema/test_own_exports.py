"""JSON exports that an older version took for files of Gemini CLI are read again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import zstandard

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.store.archive import SqliteArchive
from stemmata.store.schema.migrations import MIGRATIONS
from tests.unit.store.conftest import Filled

EXPORT = b'{"stemmata":1,"session":{"source":"gemini","projectHash":"x"}}'
OWN = b'{"sessionId":"s","projectHash":"x","messages":[]}'


def _stored(connection: sqlite3.Connection, session: int, file: str, data: bytes, *, is_whole: bool = True) -> None:
    """Store what an import of a file without entries stores."""
    compressed = zstandard.ZstdCompressor().compress(data)
    connection.execute("INSERT INTO versions (session, path) VALUES (?, ?)", (session, file))
    connection.execute(
        "INSERT INTO records (version, offset, size, data) SELECT max(key), 0, ?, ? FROM versions",
        (len(data), compressed if is_whole else compressed[:-9]),
    )
    connection.execute(
        "INSERT INTO imports (path, session, size, mtime, offset, lines, head) VALUES (?, ?, ?, 5, 0, 1, '')",
        (file, session, len(data)),
    )


def test_empty_sessions_of_own_exports_are_put_away_and_their_files_read_again(filled: Filled, path: Path) -> None:
    export, own, damaged, other = (filled.session(name, source="gemini") for name in ("a", "b", "c", "d"))
    pi = filled.session("e")
    filled.append(other, [Entry(id="x", role=Role.USER, blocks=(Text("It has an entry."),))])
    filled.archive.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        _stored(connection, export, "/export.json", EXPORT)
        _stored(connection, own, "/session.json", OWN)
        _stored(connection, damaged, "/damaged.json", EXPORT, is_whole=False)
        _stored(connection, other, "/other.json", EXPORT)
        _stored(connection, pi, "/pi.json", EXPORT)
        at = next(at for at, step in enumerate(MIGRATIONS) if step.__name__ == "_own_exports")
        connection.execute(f"PRAGMA user_version = {at}")
    archive = SqliteArchive(path)
    keys = (export, own, damaged, other, pi)
    trashed = archive.read(lambda reader: {key for key in keys if reader.session(key).trashed}).result()
    files = ("/export.json", "/session.json", "/damaged.json", "/other.json", "/pi.json")
    unread = archive.read(lambda reader: [file for file in files if reader.checkpoint(file) is None]).result()
    left_out = archive.read(lambda reader: [file for file in files if reader.is_left_out(file)]).result()
    assert archive.read(lambda reader: reader.check()).result() == [
        f"the source of session {damaged} is damaged at byte 0"
    ]
    archive.close()
    assert trashed == {export}
    assert unread == ["/export.json"]
    assert left_out == []  # a followed folder reads them again, too
