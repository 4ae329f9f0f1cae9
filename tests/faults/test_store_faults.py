"""What the disk, the folder and other programs do to an archive, and what is left of it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.errors import KnownError, NotStoredError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive
from stemmata.store.writer import Writer
from tests.fakes.waiting import PATIENCE

HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("holding", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
"""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[SqliteArchive]:
    archive = SqliteArchive(tmp_path / "data" / "archive.db", busy_timeout=0.1)
    archive.write(lambda writer: append(writer, 3)).result()
    yield archive
    archive.close()


def append(writer: Writer, count: int, text: str = "hello") -> list[int]:
    session = writer.create_session(SessionInfo(source="pi", source_id="x"))
    start = len(writer.ids(session))
    entries = [Entry(id=f"e{start + at}", role=Role.USER, blocks=(Text(text),)) for at in range(count)]
    return writer.append(session, entries)


def kept(archive: SqliteArchive) -> int:
    problems, entries = archive.read(lambda reader: (reader.check(), reader.totals()["entries"])).result()
    assert problems == []
    return entries


@pytest.mark.parametrize("size", [20_000, 3_000_000])
def test_a_full_disk_keeps_what_was_stored(archive: SqliteArchive, size: int) -> None:
    def job(writer: Writer) -> list[int]:
        pages = writer.connection.execute("PRAGMA page_count").fetchone()[0]
        writer.connection.execute(f"PRAGMA max_page_count = {pages + 100}")
        return append(writer, 100, "many words " * (size // 11))

    with pytest.raises(NotStoredError, match="disk is full"):
        archive.write(job).result()
    assert kept(archive) == 3
    archive.write(lambda writer: writer.connection.execute("PRAGMA max_page_count = 1000000")).result()
    archive.write(lambda writer: append(writer, 2)).result()
    assert kept(archive) == 5


def test_a_really_full_disk_keeps_what_was_stored(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    if os.name != "posix" or os.system(f"mount -t tmpfs -o size=4m none '{folder}' 2>/dev/null"):
        pytest.skip("no small disk can be made here")
    try:
        archive = SqliteArchive(folder / "archive.db")
        archive.write(lambda writer: append(writer, 3)).result()
        with pytest.raises(KnownError, match="disk is full"):
            archive.write(lambda writer: append(writer, 100, os.urandom(30_000).hex())).result()
        assert kept(archive) == 3
        archive.close()
        again = SqliteArchive(folder / "archive.db")
        assert kept(again) == 3
        again.close()
    finally:
        os.system(f"umount '{folder}'")


def test_another_program_that_writes_is_waited_for_and_then_told(archive: SqliteArchive, tmp_path: Path) -> None:
    path = tmp_path / "data" / "archive.db"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "holding\n"
        with pytest.raises(KnownError, match="Another program is writing"):
            archive.write(lambda writer: append(writer, 1)).result()
        assert archive.read(lambda reader: reader.totals()["entries"]).result() == 3
        other.stdin.write("\n")
        other.stdin.close()
        assert other.wait(PATIENCE) == 0
    archive.write(lambda writer: append(writer, 1)).result()
    assert kept(archive) == 4


def test_two_programs_share_an_archive(archive: SqliteArchive, tmp_path: Path) -> None:
    path = tmp_path / "data" / "archive.db"
    other = SqliteArchive(path)
    try:
        for _ in range(5):
            archive.write(lambda writer: append(writer, 2)).result()
            other.write(lambda writer: append(writer, 2)).result()
        assert kept(archive) == kept(other) == 23
        ids = archive.read(lambda reader: reader.ids(1)).result()
        assert ids == [f"e{at}" for at in range(23)]
        assert other.pages.rows([23])[23].id == "e22"
    finally:
        other.close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    with pytest.raises(KnownError, match="cannot be opened"):
        SqliteArchive(folder / "archive.db")
    folder.chmod(0o700)
    assert list(folder.iterdir()) == []


def test_a_place_that_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    for path in (tmp_path / "file" / "archive.db", tmp_path):
        with pytest.raises(KnownError, match="cannot be opened"):
            SqliteArchive(path)
    assert (tmp_path / "file").read_text() == "text"


def test_a_read_only_archive_is_told(archive: SqliteArchive, tmp_path: Path) -> None:
    def job(writer: Writer) -> None:
        writer.connection.execute("PRAGMA query_only = 1")
        append(writer, 1)

    with pytest.raises(KnownError, match="read-only"):
        archive.write(job).result()
    assert kept(archive) == 3


def test_a_write_ahead_log_that_was_cut_is_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    archive = SqliteArchive(path)
    archive.write(lambda writer: append(writer, 3)).result()
    with closing(sqlite3.connect(path)) as other:  # keeps the log from being folded in
        other.execute("SELECT count(*) FROM entries").fetchone()
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM entries").fetchone()
        archive.write(lambda writer: append(writer, 3)).result()
        copy = tmp_path / "copy.db"
        copy.write_bytes(path.read_bytes())
        log = path.with_name("archive.db-wal").read_bytes()
        copy.with_name("copy.db-wal").write_bytes(log[: len(log) * 2 // 3])
    archive.close()
    survivor = SqliteArchive(copy)
    assert survivor.read(lambda reader: reader.check()).result() == []
    survivor.close()
