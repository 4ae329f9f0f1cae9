"""The file of an open archive that is moved, deleted or replaced."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stemmata.domain.errors import NotStoredError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive


def add(archive: SqliteArchive, id: str) -> None:
    archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id=id))).result()


def ids(archive: SqliteArchive) -> list[str]:
    return [session.source_id for session in archive.read(lambda reader: reader.sessions()).result()]


def delete(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replace_by_copy(path: Path) -> None:
    delete(path)
    shutil.copy(path.with_name("elsewhere.db"), path)


@pytest.mark.parametrize("has_written", [True, False])
@pytest.mark.parametrize("move", [delete, replace_by_copy])
def test_nothing_is_written_to_a_file_that_is_no_longer_in_its_place(
    tmp_path: Path, move: Callable[[Path], None], *, has_written: bool
) -> None:
    """SQLite goes on with the file that it has opened, which the next start does not find."""
    path = tmp_path / "archive.db"
    archive = SqliteArchive(path)
    add(archive, "first")
    if not has_written:  # the connection that writes is opened by the first write
        archive.close()
        archive = SqliteArchive(path)
    move(path)
    for _ in range(2):
        with pytest.raises(NotStoredError, match="moved, deleted or replaced"):
            add(archive, "lost")
    assert ids(archive) == ["first"]
    assert path.exists() == (move is replace_by_copy)
    path.with_name("elsewhere.db").replace(path)
    add(archive, "second")
    archive.close()
    archive = SqliteArchive(path)
    assert sorted(ids(archive)) == ["first", "second"]
    archive.close()
