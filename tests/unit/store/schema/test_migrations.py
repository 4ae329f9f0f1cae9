"""A backup is put into the place of a damaged archive, which is kept."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive
from stemmata.store.schema.migrations import backups_of, restore


@pytest.fixture
def backup(path: Path) -> Path:
    """A backup of an archive with one session; the archive was damaged afterwards."""
    target = path.with_name(f"{path.name}.format-1.bak")
    archive = SqliteArchive(path)
    archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id="kept"))).result()
    archive.backup(target).result()
    archive.close()
    path.write_bytes(b"damaged" * 1000)
    return target


def test_the_newest_backup_comes_first(path: Path, backup: Path) -> None:
    older = path.with_name(f"{path.name}.format-0.bak")
    older.write_bytes(b"")
    os.utime(older, (1, 1))
    path.with_name("other.db.bak").write_bytes(b"")
    assert backups_of(path) == [backup, older]


def test_it_takes_the_place_and_the_damaged_one_is_kept(path: Path, backup: Path) -> None:
    path.with_name(f"{path.name}-wal").write_bytes(b"left over")
    aside = restore(path, backup)
    assert aside.read_bytes().startswith(b"damaged")
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == b"left over"
    assert backup.exists()
    archive = SqliteArchive(path)
    assert [session.source_id for session in archive.read(lambda reader: reader.sessions()).result()] == ["kept"]
    archive.close()
    path.write_bytes(b"again")
    assert restore(path, backup) != aside


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_it_is_for_its_owner_only(path: Path, backup: Path) -> None:
    restore(path, backup)
    assert path.stat().st_mode & 0o077 == 0


def test_what_is_no_archive_is_refused(path: Path, backup: Path) -> None:
    backup.write_bytes(b"no database at all")
    with pytest.raises(KnownError, match="cannot be read"):
        restore(path, backup)
    with closing(sqlite3.connect(backup.with_name("named.bak"))) as named:
        named.execute("CREATE TABLE entries (x)")
    named_backup = backup.with_name("named.bak")
    named_backup.write_bytes(named_backup.read_bytes().replace(b"tableentriesentries", b"tableentri\xffsentries"))
    with pytest.raises(KnownError):
        restore(path, named_backup)
    backup.unlink()
    with closing(sqlite3.connect(backup)) as foreign:
        foreign.execute("CREATE TABLE other (x)")
    with pytest.raises(KnownError, match="not an intact Stemmata archive"):
        restore(path, backup)
    assert path.read_bytes().startswith(b"damaged")


def test_a_folder_that_takes_nothing_is_told(path: Path, backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(KnownError, match="could not be put into place"):
        restore(path, backup)
    assert path.read_bytes().startswith(b"damaged")
