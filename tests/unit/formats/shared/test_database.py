"""Databases of other programs are read in one state, and left as they were."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stemmata.domain.errors import KnownError, NotFoundError, UnreadableSourceError
from stemmata.formats.shared import database
from stemmata.formats.shared.database import TooLargeError, log_state, open_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a ä?#%.db"


@pytest.fixture
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (x, y)")
        yield connection


def values(path: Path) -> list[object]:
    with open_database(path) as found:
        return [value for (value,) in found.rows("SELECT x FROM t")]


def test_the_log_is_read_with_the_database(path: Path, writer: sqlite3.Connection) -> None:
    writer.execute("INSERT INTO t (x) VALUES (1)")
    assert log_state(path)
    assert values(path) == [1]


def test_a_reading_sees_one_state(path: Path, writer: sqlite3.Connection) -> None:
    writer.execute("INSERT INTO t (x) VALUES (1)")
    with open_database(path) as found:
        assert list(found.rows("SELECT x FROM t")) == [(1,)]
        writer.execute("INSERT INTO t (x) VALUES (2)")
        assert list(found.rows("SELECT x FROM t")) == [(1,)]
    assert values(path) == [1, 2]


def test_nothing_is_left_beside_a_database_that_nobody_uses(path: Path, writer: sqlite3.Connection) -> None:
    writer.execute("INSERT INTO t (x) VALUES (1)")
    writer.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    before = path.stat()
    assert values(path) == [1]
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.stat() == before


def test_a_log_that_a_crash_left_is_read(path: Path, writer: sqlite3.Connection, tmp_path: Path) -> None:
    writer.execute("INSERT INTO t (x) VALUES (1)")
    (tmp_path / "crashed").mkdir()
    copy = tmp_path / "crashed" / "a.db"
    for ending in ("", "-wal"):
        shutil.copy(f"{path}{ending}", f"{copy}{ending}")
    before = copy.read_bytes()
    assert values(copy) == [1]
    assert copy.read_bytes() == before


def test_a_database_without_a_log_is_locked_by_its_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_WAIT", 0)
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("CREATE TABLE t (x)")
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(KnownError, match="locked") as found:
            values(path)
    assert not isinstance(found.value, UnreadableSourceError)
    assert values(path) == []


def test_nothing_can_be_written(path: Path, writer: sqlite3.Connection) -> None:
    with open_database(path) as found, pytest.raises(UnreadableSourceError, match="readonly"):
        list(found.rows("INSERT INTO t (x) VALUES (1)"))
    assert values(path) == []


@pytest.mark.parametrize("fails", [False, True])
def test_a_database_that_is_written_meanwhile_is_to_be_tried_again(
    path: Path, writer: sqlite3.Connection, fails: bool
) -> None:
    writer.close()

    def read() -> None:
        with open_database(path) as found:
            os.utime(path, ns=(1, 1))
            list(found.rows("SELECT nothing" if fails else "SELECT 1"))

    with pytest.raises(KnownError, match="was written while it was read") as error:
        read()
    assert not isinstance(error.value, UnreadableSourceError)


def test_columns_are_those_of_tables(path: Path, writer: sqlite3.Connection) -> None:
    writer.execute("CREATE VIEW v AS SELECT 1 AS x")
    with open_database(path) as found:
        assert found.columns("t") == {"x", "y"}
        assert found.columns("v") == found.columns("none") == frozenset()


def test_texts_and_sizes(path: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LARGEST", 1000)
    writer.execute("INSERT INTO t VALUES (CAST(x'61ff' AS TEXT), x'ff'), (zeroblob(1001), 1)")
    with open_database(path) as found:
        assert list(found.rows("SELECT x, y FROM t WHERE rowid = ?", 1)) == [("a\ufffd", b"\xff")]
        with pytest.raises(TooLargeError):
            list(found.rows("SELECT x FROM t"))


def test_a_row_that_is_not_there_although_it_is_listed(path: Path, writer: sqlite3.Connection) -> None:
    """A damaged index lists rows that the table does not have."""
    writer.execute("CREATE TABLE listed AS SELECT 7 AS number")
    with open_database(path) as source:
        assert source.row("SELECT number FROM listed") == (7,)
        with pytest.raises(UnreadableSourceError, match="is damaged: some of its rows are missing"):
            source.row("SELECT number FROM listed WHERE number = ?", 8)


def test_a_file_that_is_no_database(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + bytes(200))
    with pytest.raises(UnreadableSourceError, match="is damaged or is not a database"):
        values(path)
    with pytest.raises(NotFoundError):
        values(tmp_path / "none.db")
    with pytest.raises(UnreadableSourceError, match="folder"):
        values(tmp_path)
    assert log_state(Path("a\0b")) == ""


def test_a_database_whose_fault_cannot_be_put_into_words(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute("UPDATE sqlite_master SET name = CAST(X'C5' AS TEXT), sql = 'CREATE TABLE'")
        connection.commit()
    with pytest.raises(UnreadableSourceError, match="is damaged"):
        values(path)


def test_a_database_that_cannot_be_opened(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(b"")

    def refuse(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    with pytest.raises(UnreadableSourceError, match="unable to open"):
        values(path)
