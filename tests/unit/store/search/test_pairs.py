"""Chinese, Japanese and Korean are found inside their runs, however entries were written, changed and deleted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.search.query import parse
from stemmata.store.archive import SqliteArchive
from stemmata.store.core import search_text
from stemmata.store.schema.migrations import MIGRATIONS
from stemmata.store.search.snippets import CLOSING, OPENING
from tests.indexes import index_differences, restore_former_views
from tests.unit.store.conftest import Filled

TEXTS = {
    "zh": "我们需要修复数据库连接池的问题",
    "ja": "データベース接続プールを直す必要があります",
    "ko": "데이터베이스연결을 고쳐야 한다",
    "mixed": "修复connection pool的问题，然后运行tests",
    "latin": "the connection pool is café broken",
}


def said(id: str, text: str, **more: Any) -> Entry:
    return Entry(id=id, role=Role.USER, blocks=(Text(text),), **more)


def found(archive: SqliteArchive, text: str, **asked: Any) -> list[str]:
    def job(reader: Any) -> list[str]:
        query = parse(text, datetime(2026, 11, 25))
        keys = [match.entry for match in reader.find(query, **asked).found]
        old = {match.entry for match in reader.unread_hits(query.words).found}
        assert set(keys) <= old
        return sorted(hit.id for hit in reader.hits(query.words, keys))

    return archive.read(job).result()


@pytest.fixture
def spoken(filled: Filled) -> Filled:
    filled.append(filled.session(), [said(id, text) for id, text in TEXTS.items()])
    return filled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("数据库", ["zh"]), ("连接池", ["zh"]), ("池", ["zh"]), ("問題", []), ("问题", ["mixed", "zh"]),
        ("接続プール", ["ja"]), ("ベース", ["ja"]), ("ます", ["ja"]), ("연결", ["ko"]), ("고", ["ko"]),
        ("修复 tests", ["mixed"]), ("修复 tes", ["mixed"]), ('"pool的问题"', ["mixed"]), ("修复conn", ["mixed"]),
        ("修复数 连接", ["zh"]), ("库数据", []), ("数据库 role:assistant", []), ("数据库 role:user", ["zh"]),
        ("数据库 after:2000", []), ("connection", ["latin", "mixed"]), ("tests", ["mixed"]),
        ('"修复 connection"', ["mixed"]),
    ],
)  # fmt: skip
def test_any_part_of_a_run_is_found(spoken: Filled, text: str, expected: list[str]) -> None:
    assert found(spoken.archive, text) == expected
    assert found(spoken.archive, text, by_rank=True) == expected


def test_the_match_is_marked_inside_its_run(spoken: Filled) -> None:
    def job(reader: Any) -> str:
        query = parse("连接池", datetime(2026, 11, 25))
        [match] = reader.find(query).found
        [hit] = reader.hits(query.words, [match.entry])
        snippet: str = hit.snippet
        return snippet

    assert spoken.archive.read(job).result() == f"我们需要修复数据库{OPENING}连接池{CLOSING}的问题"


def test_only_texts_with_such_characters_are_indexed_twice(spoken: Filled, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM cjk_fts_docsize").fetchone() == (4,)


def test_a_fork_and_a_deletion_keep_the_index_true(spoken: Filled) -> None:
    archive = spoken.archive
    fork = spoken.session("fork", parent="one")
    spoken.append(fork, [said("zh", TEXTS["zh"]), said("own", "自己的数据", parent="zh")])
    archive.write(lambda writer: writer.delete_session(1)).result()
    assert found(archive, "数据库") == ["zh"]
    assert found(archive, "数据库", session=fork) == ["zh"]
    archive.write(lambda writer: writer.delete_session(fork)).result()
    assert found(archive, "数据") == []
    assert archive.read(lambda reader: reader.check()).result() == []


def test_odd_texts_and_very_long_ones(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    key = filled.session()
    monkeypatch.setattr(search_text, "LENGTH", 30)
    filled.append(key, [said("odd", "\0数据库"), said("long", "x" * 30 + "数据库", parent="odd")])
    filled.append(key, [Entry(id="name", kind=Kind.LABEL, name="标签名字", target="odd", parent="long")])
    assert found(filled.archive, "据库") == ["odd"]
    assert found(filled.archive, "名字") == ["name"]
    assert filled.archive.write(lambda writer: writer.repair()).result()
    assert found(filled.archive, "据库") == ["odd"]
    assert found(filled.archive, "名字") == ["name"]


def test_an_archive_of_an_older_format_is_indexed(spoken: Filled, path: Path) -> None:
    spoken.archive.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # of this and later formats
        for trigger in ("entries_updated", "entries_moved", "entries_deleted"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for table in ("tree_pieces", "hand_offs", "key_ranges", "cjk_fts", "step_scopes", "step_changes", "steps"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DROP INDEX entries_trash")
        restore_former_views(connection)
        connection.execute("ALTER TABLE entries DROP COLUMN removed")
        connection.execute("ALTER TABLE imports DROP COLUMN writes")
        at = next(at for at, step in enumerate(MIGRATIONS) if step.__name__ == "_pairs")
        connection.execute(f"PRAGMA user_version = {at}")
    archive = SqliteArchive(path, busy_timeout=0.2)
    assert found(archive, "连接池") == ["zh"]
    assert archive.read(lambda reader: reader.check()).result() == []
    archive.close()
    assert index_differences(path) == []


def test_an_index_that_names_what_is_not_there_is_told(spoken: Filled, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO cjk_fts (rowid, text, facets) VALUES (999, 'x', '')")
    [problem] = spoken.archive.read(lambda reader: reader.check()).result()
    assert "index of pairs" in problem
