"""Commits of others are noticed, once; our own are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive


@pytest.fixture
def pair(path: Path) -> Iterator[tuple[SqliteArchive, SqliteArchive]]:
    """Open two archives on one file, as two processes do."""
    ours, other = SqliteArchive(path), SqliteArchive(path)
    yield ours, other
    ours.close()
    other.close()


def write(archive: SqliteArchive, name: str) -> None:
    archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id=name))).result()


def seen(archive: SqliteArchive) -> bool:
    return archive.changed_elsewhere().result()


def test_nothing_written_nothing_seen(pair: tuple[SqliteArchive, SqliteArchive]) -> None:
    assert not seen(pair[0])
    assert not seen(pair[1])


def test_what_others_write_is_seen_once(pair: tuple[SqliteArchive, SqliteArchive]) -> None:
    ours, other = pair
    write(other, "a")
    assert seen(ours)
    assert not seen(ours)
    write(other, "b")
    write(other, "c")
    assert seen(ours)
    assert not seen(other)


def test_own_writes_are_not_seen(pair: tuple[SqliteArchive, SqliteArchive]) -> None:
    ours, _other = pair
    write(ours, "a")
    assert not seen(ours)
    write(ours, "b")
    assert not seen(ours)


def test_what_came_before_the_first_write_here_is_not_lost(pair: tuple[SqliteArchive, SqliteArchive]) -> None:
    ours, other = pair
    write(other, "a")
    write(ours, "b")
    assert seen(ours)
    assert not seen(ours)


def test_own_and_foreign_writes_in_turn(pair: tuple[SqliteArchive, SqliteArchive]) -> None:
    ours, other = pair
    for name in "abc":
        write(ours, f"ours-{name}")
        write(other, f"other-{name}")
        write(ours, f"again-{name}")
        assert seen(ours)
        assert not seen(ours)


def test_a_new_file_is_nobody_elses_change(tmp_path: Path) -> None:
    archive = SqliteArchive(tmp_path / "new.db")
    assert not seen(archive)
    archive.close()
