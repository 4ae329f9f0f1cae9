"""Rows to which a torn index no longer leads are read all the same; rows that only an index has are told."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.cursor.reader import Cursor
from stemmata.formats.shared import database, database_reading
from stemmata.formats.shared.database import open_database
from stemmata.formats.shared.torn_indexes import TornTable, copy_torn_tables
from tests.unit.formats.database_sessions import read_sessions

SESSIONS = """
    CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
    CREATE TABLE other (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
    INSERT INTO cursorDiskKV VALUES
        ('composerData:s', '{"fullConversationHeadersOnly": [{"bubbleId": "a"}]}'),
        ('bubbleId:s:a', '{"bubbleId": "a", "type": 1, "text": "Which tea?"}');"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.vscdb"


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        yield made


def made(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def pointed(path: Path, index: str, to: str) -> None:
    """Let an index have the page of another one, as if it had never been told of its rows."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = 1")
        query = (
            "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = ?) WHERE name = ?"
        )
        connection.execute(query, (to, index))
        connection.commit()


def scribbled(path: Path, name: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        ((root, size),) = connection.execute(
            "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?", (name,)
        ).fetchall()
    content = bytearray(path.read_bytes())
    content[(root - 1) * size : root * size] = b"\xff" * size
    path.write_bytes(content)


def torn(path: Path) -> list[TornTable]:
    with open_database(path) as opened:
        return opened.copy_torn_tables()


def test_a_session_to_which_no_index_leads_is_read(path: Path) -> None:
    made(path, SESSIONS)
    pointed(path, "sqlite_autoindex_cursorDiskKV_1", "sqlite_autoindex_other_1")
    found = read_sessions(Cursor(), path)
    assert found.sessions["s"].said() == ["Which tea?"]
    assert not found.unused
    again = read_sessions(Cursor(), path, found.checkpoint)
    assert not again.sessions
    assert again.last is not None
    assert again.last.ids == {"s"}


@pytest.mark.parametrize("is_known", [False, True])
def test_a_large_database_is_examined_when_there_is_a_reason(
    path: Path, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    monkeypatch.setattr(database_reading, "_SMALL", 0)
    made(path, SESSIONS)
    sound = None if is_known else read_sessions(Cursor(), path)
    if sound is not None:
        assert not read_sessions(Cursor(), path, sound.checkpoint).sessions
    pointed(path, "sqlite_autoindex_cursorDiskKV_1", "sqlite_autoindex_other_1")
    first = sound or read_sessions(Cursor(), path)
    second = read_sessions(Cursor(), path, first.checkpoint)
    assert second.last is not None
    assert second.last.ids == {"s"}


def test_rows_that_only_an_index_has_are_told(path: Path) -> None:
    made(path, f"{SESSIONS} INSERT INTO other VALUES ('x', 1), ('y', 1), ('z', 1);")
    pointed(path, "sqlite_autoindex_cursorDiskKV_1", "sqlite_autoindex_other_1")
    [part] = read_sessions(Cursor(), path).unused
    assert part.where == "cursorDiskKV: 3"
    assert part.damaged


def test_an_index_that_cannot_be_read_is_done_without(path: Path) -> None:
    made(path, SESSIONS)
    scribbled(path, "sqlite_autoindex_cursorDiskKV_1")
    with pytest.raises(UnreadableSourceError), open_database(path) as opened:
        list(opened.rows("SELECT * FROM cursorDiskKV WHERE key = 'x'"))
    assert read_sessions(Cursor(), path).sessions["s"].said() == ["Which tea?"]


def test_a_table_that_cannot_be_read_is_left_to_its_reader(path: Path) -> None:
    made(path, SESSIONS)
    scribbled(path, "cursorDiskKV")
    assert torn(path) == [TornTable("cursorDiskKV", 0, is_unreadable=True)]
    with pytest.raises(UnreadableSourceError):
        read_sessions(Cursor(), path)


def test_a_table_that_cannot_be_copied_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LARGEST", 10_000)
    made(path, SESSIONS + "INSERT INTO cursorDiskKV VALUES ('y', zeroblob(20000));")
    pointed(path, "sqlite_autoindex_cursorDiskKV_1", "sqlite_autoindex_other_1")
    with open_database(path) as opened:
        assert opened.copy_torn_tables() == [TornTable("cursorDiskKV", 0, is_unreadable=True)]
        assert list(opened.rows("SELECT name FROM sqlite_temp_schema")) == []
        assert list(opened.rows("PRAGMA query_only")) == [(1,)]
    [part] = read_sessions(Cursor(), path).unused
    assert (part.where, part.damaged) == ("cursorDiskKV", True)


def test_rows_with_one_number_are_one(path: Path) -> None:
    """A page that was filled with zeros has them, while the index still has their keys."""
    made(path, SESSIONS)
    with closing(sqlite3.connect(path)) as connection:
        ((root, size),) = connection.execute(
            "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'cursorDiskKV'"
        ).fetchall()
    content = bytearray(path.read_bytes())
    content[(root - 1) * size + 100 : root * size] = bytes(size - 100)
    path.write_bytes(content)
    assert torn(path) == [TornTable("cursorDiskKV", 2)]
    [part] = read_sessions(Cursor(), path).unused
    assert part.where == "cursorDiskKV: 2"


def test_a_database_that_is_damaged_in_its_names_is_left_to_its_reader(path: Path) -> None:
    made(path, SESSIONS)
    path.write_bytes(path.read_bytes().replace(b"tableother", b"tabl\xff\xff\xff\xff\xff\xff"))
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE other", b"CREATE TABLX other"))
    with closing(sqlite3.connect(path)) as connection:
        assert copy_torn_tables(connection) == []


def test_a_copy_has_the_numbers_and_the_values_of_its_table(path: Path) -> None:
    kinds = "a INTEGER, b VARCHAR(9), c, d DOUBLE, e DECIMAL, UNIQUE (a, b)"
    made(
        path,
        f"""
        CREATE TABLE "t""1" ({kinds}); CREATE TABLE o ({kinds});
        CREATE TABLE numbered (id INTEGER PRIMARY KEY, k TEXT UNIQUE); CREATE TABLE other (k TEXT UNIQUE);
        INSERT INTO "t""1" (rowid, a, b, c, d, e) VALUES (7, '1', 2, '3', 4, 'x'), (9, NULL, NULL, x'00', NULL, '5');
        INSERT INTO numbered VALUES (5, 'k');""",
    )
    pointed(path, 'sqlite_autoindex_t"1_1', "sqlite_autoindex_o_1")
    pointed(path, "sqlite_autoindex_numbered_1", "sqlite_autoindex_other_1")
    with open_database(path) as opened:
        assert {one.name for one in opened.copy_torn_tables()} == {'t"1', "numbered"}
        rows = list(opened.rows('SELECT rowid, * FROM "t""1"'))
        assert rows == [(7, 1, "2", "3", 4.0, "x"), (9, None, None, b"\0", None, 5)]
        assert list(opened.rows('SELECT rowid FROM "t""1" WHERE a = 1 AND b = 2')) == [(7,)]
        assert list(opened.rows("SELECT rowid, * FROM numbered WHERE k = 'k'")) == [(5, 5, "k")]


def test_indexes_and_tables_of_other_kinds_are_passed_over(path: Path) -> None:
    made(
        path,
        """
        CREATE TABLE t (a TEXT, b TEXT); INSERT INTO t VALUES ('x', NULL), ('X', 'y'), ('x', NULL);
        CREATE INDEX plain ON t (a, b DESC); CREATE INDEX folded ON t (a COLLATE NOCASE);
        CREATE INDEX some ON t (b) WHERE b IS NOT NULL; CREATE INDEX computed ON t (lower(a));
        CREATE TABLE itself (a TEXT PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO itself VALUES ('x', 1);
        CREATE TABLE hides (rowid, k TEXT UNIQUE); INSERT INTO hides VALUES (1, 'x');
        CREATE VIEW seen AS SELECT * FROM t;""",
    )
    with closing(sqlite3.connect(path)) as connection:
        connection.create_collation("own", lambda one, other: (one > other) - (one < other))
        connection.execute("CREATE INDEX ordered ON t (a COLLATE own)")
    assert torn(path) == []


def test_the_file_stays_as_it_was(path: Path) -> None:
    made(path, SESSIONS)
    pointed(path, "sqlite_autoindex_cursorDiskKV_1", "sqlite_autoindex_other_1")
    before = path.read_bytes()
    assert torn(path) == [TornTable("cursorDiskKV", 0)]
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
