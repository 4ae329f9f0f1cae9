from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive
from stemmata.store.entries import indexing
from stemmata.store.writer import Writer
from tests.unit.store.conftest import Filled


def test_what_is_found_is_mended_and_nothing_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "archive" / "a.db"
    archive = SqliteArchive(path)
    entries = [
        Entry(id=str(at), parent=str(at - 1) if at else None, role=Role.USER, blocks=(Text(f"word{at}"),))
        for at in range(5)
    ]

    def fill(writer: Writer) -> None:
        session = writer.create_session(SessionInfo(source="pi", source_id="s"))
        keys = writer.append(session, entries)
        writer.move_leaf(session, keys[-1], "import", time=1)

    archive.write(fill).result()
    archive.close()
    with sqlite3.connect(path) as damaged:
        damaged.execute("PRAGMA foreign_keys = OFF")
        damaged.execute("UPDATE sessions SET leaf = 999")
        damaged.execute("UPDATE entries SET parent = 777 WHERE id = '3'")
        damaged.execute("DELETE FROM bodies WHERE key = (SELECT key FROM entries WHERE id = '4')")
        damaged.execute("INSERT INTO entries_fts (entries_fts) VALUES ('delete-all')")
        damaged.execute("UPDATE key_ranges SET latest = -1")
    damaged.close()
    archive = SqliteArchive(path)
    assert len(archive.read(lambda reader: reader.check()).result()) >= 5
    repaired = archive.write(lambda writer: writer.repair()).result()
    assert len(repaired) == 4
    assert archive.read(lambda reader: reader.check()).result() == []
    assert archive.read(lambda reader: reader.search("word1").total).result() == 1
    assert archive.read(lambda reader: reader.totals()["entries"]).result() == 5
    archive.close()


def test_the_index_is_made_anew_in_short_statements(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite holds the changed pages until a statement ends, so no statement indexes many entries."""
    monkeypatch.setattr(indexing, "ROWS_AT_ONCE", 3)
    session = filled.session()
    filled.append(session, [Entry(id=str(at), role=Role.USER, blocks=(Text(f"word{at}"),)) for at in range(10)])
    rows: list[int] = []

    def counted(connection: Any, texts: Sequence[indexing.Text]) -> None:
        rows.append(len(texts))
        add_texts(connection, texts)

    add_texts = indexing.add_texts
    monkeypatch.setattr(indexing, "add_texts", counted)
    filled.archive.write(lambda writer: writer.repair()).result()
    assert rows == [3, 3, 3, 1]
    monkeypatch.setattr(indexing, "INDEXED_AT_ONCE", len("word0word1"))
    filled.archive.write(lambda writer: writer.repair()).result()
    assert rows[4:] == [2] * 5
    later = filled.session("later")
    filled.append(later, [Entry(id="later", role=Role.USER, blocks=(Text("later"),))])
    filled.archive.write(lambda writer: writer.delete_session(session)).result()
    filled.archive.write(lambda writer: writer.repair()).result()
    assert rows[-1] == 1, "keys without entries are passed over"
    assert filled.archive.read(lambda reader: reader.check()).result() == []
