"""An archive of its own for every test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "archive.db"


@pytest.fixture
def archive(path: Path) -> Iterator[SqliteArchive]:
    archive = SqliteArchive(path, busy_timeout=0.2)
    yield archive
    archive.close()


class Filled:
    """An archive with the data that most tests begin with."""

    def __init__(self, archive: SqliteArchive) -> None:
        self.archive = archive

    def session(self, source_id: str = "one", parent: str = "", source: str = "pi") -> int:
        info = SessionInfo(source=source, source_id=source_id, parent_source_id=parent, created_at=1)
        return self.archive.write(lambda writer: writer.create_session(info)).result()

    def append(self, session: int, entries: Iterable[Entry]) -> list[int]:
        return self.archive.write(lambda writer: writer.append(session, entries)).result()


@pytest.fixture
def filled(archive: SqliteArchive) -> Filled:
    return Filled(archive)
