"""Damage is found and told in words."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.entries.entry import Entry, Record, Role
from stemmata.domain.errors import KnownError, NotStoredError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive
from stemmata.store.core.database import PAGE, connection_of, known, known_errors
from stemmata.store.entries.records import CHUNK
from stemmata.store.writer import Writer

DATA = b"image"
DIGEST = hashlib.sha256(DATA).hexdigest()


def fill(path: Path) -> None:
    def job(writer: Writer) -> None:
        session = writer.create_session(SessionInfo(source="pi", source_id="x"))
        other = writer.create_session(SessionInfo(source="pi", source_id="y", title="sourcetitle-x"))
        writer.add_blob(DIGEST, DATA)
        writer.add_raw(session, 0, b"ab" * CHUNK)
        image = Image("image/png", DIGEST)
        keys = writer.append(
            session,
            [
                Entry(id="a", role=Role.USER, blocks=(Text("word"), image), record=Record(0, 10)),
                Entry(id="b", parent="a", role=Role.USER, blocks=(Text("word"),)),
            ],
        )
        writer.append(other, [Entry(id="c")])
        writer.move_leaf(session, keys[-1], "import", time=1)

    archive = SqliteArchive(path)
    archive.write(job).result()
    assert archive.read(lambda reader: reader.check()).result() == []
    archive.close()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM bodies WHERE key = 1", "1 entries without a body"),
        ("UPDATE entries SET parent = 99 WHERE key = 2", "1 entries whose parent does not exist"),
        ("UPDATE entries SET parent = 1 WHERE key = 3", "1 entries whose parent belongs to a session"),
        ("UPDATE entries SET session = 99 WHERE key = 3", "row 3 of entries names something missing in sessions"),
        ("UPDATE sessions SET leaf = 99 WHERE key = 1", "1 sessions whose leaf does not exist"),
        ("UPDATE records SET offset = offset + 1 WHERE offset > 0", "records that do not follow"),
        ("DELETE FROM records", "1 entries whose source record is missing"),
        ("UPDATE records SET data = x'00' WHERE offset = 0", "source of session 1 is damaged at byte 0"),
        ("UPDATE records SET size = size + 1", "source of session 1 is damaged at byte"),
        ("UPDATE blobs SET data = x'00'", "is damaged"),
        ("DELETE FROM blobs", "1 images that are missing"),
        ("DELETE FROM entries_fts_docsize WHERE id = 1", "missing in the full-text index"),
        ("DELETE FROM entries_fts_data WHERE id > 10", "the full-text index is damaged"),
        ("DELETE FROM entries WHERE key = 3", "or the other way round"),
    ],
)
def test_damage_is_told(path: Path, damage: str, told: str) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(damage)
        connection.commit()
    archive = SqliteArchive(path)
    problems = archive.read(lambda reader: reader.check()).result()
    archive.close()
    assert any(told in problem for problem in problems), problems


def test_an_index_that_lost_its_rows_is_told(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute(
            "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'queue_session')"
            " WHERE name = 'leaf_moves_session'"
        )
        connection.commit()
    archive = SqliteArchive(path)
    problems = archive.read(lambda reader: reader.check()).result()
    archive.close()
    assert any(line.startswith("the file is damaged") for line in problems)
    assert len(problems) > 1


def test_a_scribbled_file_is_told(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as connection:
        roots = connection.execute("SELECT rootpage FROM sqlite_schema WHERE rootpage > 3 AND rootpage % 2 = 0")
        pages = [root - 1 for (root,) in roots]
    content = bytearray(path.read_bytes())
    for page in pages:
        content[page * PAGE : page * PAGE + 100] = b"\xff" * 100
    path.write_bytes(content)
    archive = SqliteArchive(path)
    try:
        assert any("the file is damaged" in line for line in archive.read(lambda reader: reader.check()).result())
        with pytest.raises(KnownError, match="damaged"):
            archive.read(lambda reader: [reader.search("word"), reader.bodies([1, 2]), reader.previews(1)]).result()
    finally:
        archive.close()


def test_the_index_is_not_looked_at_while_somebody_writes(path: Path) -> None:
    fill(path)
    archive = SqliteArchive(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert archive.read(lambda reader: reader.check()).result() == []
        other.execute("ROLLBACK")
    archive.close()


def test_a_disk_without_room_for_the_file_beside_the_archive_is_full(tmp_path: Path) -> None:
    """SQLite calls this an error of the disk, although nothing is wrong with the disk."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    assert "The disk is full" in str(known(error, tmp_path))


def test_errors_of_others_stay_what_they_are(tmp_path: Path) -> None:
    error = ValueError("x")
    assert known(error, tmp_path) is error
    with pytest.raises(ValueError, match="x"), known_errors(tmp_path):
        raise error
    bug = sqlite3.OperationalError("no such table")
    assert known(bug, tmp_path) is bug


def test_damage_in_a_name_that_is_no_longer_utf8_is_told(path: Path) -> None:
    """SQLite quotes the name in its message, and the `sqlite3` module cannot decode the message."""
    fill(path)
    archive = SqliteArchive(path)
    spoil(path, b"queue_session", b"qu\xffue_session")
    spoil(path, b"INDEX qu\xff", b"INDXX qu\xff")
    try:
        [problem] = archive.read(lambda reader: reader.check()).result()
        assert problem.startswith("the file is damaged")
    finally:
        archive.close()
    with pytest.raises(KnownError, match="The archive is damaged"):
        SqliteArchive(path).opened.result()


def test_damage_in_a_text_that_is_no_longer_utf8_is_told(path: Path) -> None:
    fill(path)
    spoil(path, b"sourcetitle-x", b"sourcetit\xff\xff-x")
    archive = SqliteArchive(path)
    try:
        with pytest.raises(KnownError, match="The archive is damaged"):
            archive.read(lambda reader: reader.sessions()).result()
    finally:
        archive.close()


def test_undecodable_bytes_of_others_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(UnicodeDecodeError), known_errors(tmp_path):
        b"\xff of a source".decode()


def spoil(path: Path, before: bytes, after: bytes) -> None:
    """Replace bytes of the file, in the table of names too."""
    content = path.read_bytes()
    assert before in content
    path.write_bytes(content.replace(before, after))


def test_an_error_that_peewee_wrapped_is_told_as_well(archive: SqliteArchive) -> None:
    """A statement through a model on a full disk: SQLite's error comes inside one of peewee's."""
    archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id="kept"))).result()
    pragma = "PRAGMA max_page_count = 1"
    archive._worker.submit(lambda: connection_of(archive._writer_db()).execute(pragma).fetchall()).result()
    large = SessionInfo(source="pi", source_id="x", title="x" * 1_000_000)
    with pytest.raises(NotStoredError, match="disk is full"):
        archive.write(lambda writer: writer.create_session(large)).result()
