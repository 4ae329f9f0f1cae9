"""The full-text index of an older archive is brought forward: what people read is found, nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.store.archive import SqliteArchive
from stemmata.store.schema import former_index
from stemmata.store.schema.migrations import MIGRATIONS
from tests.indexes import index_differences, restore_former_views
from tests.unit.store.conftest import Filled

PRINTED = "\x1b[31mFAILED\x1b[0m tests/a.py\r\n 10 %\r100 %\x1b]8;;http://x/hidden\x1b\\shown\x1b]8;;\x1b\\ x\b数据"
PARTS = st.sampled_from(
    (
        *("word", "\x1b[1m", "\x1b]0;title\a", "\x9b2K", "\r", "\r\n", "\b"),
        *("\\", "\0", "\ud800", "\ue003", "数据", "é", " "),
    )
)
TEXTS = st.lists(PARTS, max_size=8).map("".join)
KEPT = ("FAILED", "100", "shown", "数据", "late")


def as_before(archive: SqliteArchive) -> None:
    """Close an archive and give it the index that format 22 had."""
    archive.close()
    with closing(sqlite3.connect(archive._path, isolation_level=None)) as connection:
        restore_former_views(connection)
        former_index.fill_anew(connection)
        at = next(at for at, step in enumerate(MIGRATIONS) if step.__name__ == "_read_texts")
        connection.execute(f"PRAGMA user_version = {at}")


def found(archive: SqliteArchive, word: str) -> list[int]:
    return [match.entry for match in archive.read(lambda reader: reader.unread_hits(f'"{word}"')).result().found]


def test_words_behind_escape_sequences_and_in_long_texts_are_found(filled: Filled, path: Path) -> None:
    said = [
        Entry(id="plain", role=Role.TOOL_RESULT, blocks=(Text("plain words of C:\\repo"),)),
        Entry(id="printed", role=Role.TOOL_RESULT, blocks=(Text(PRINTED),)),
        Entry(id="long", role=Role.TOOL_RESULT, blocks=(Text("early " * 200_000 + "late"),)),
    ]
    plain, printed, long = filled.append(filled.session(), said)
    as_before(filled.archive)
    archive = SqliteArchive(path, busy_timeout=0.2)
    assert [found(archive, word) for word in KEPT] == [[printed]] * 4 + [[long]]
    assert [found(archive, word) for word in ("31mFAILED", "hidden", "10")] == [[], [], []]
    assert found(archive, "plain") == [plain]
    assert archive.read(lambda reader: reader.check()).result() == []
    archive.close()
    assert index_differences(path) == []


@settings(max_examples=10)
@given(st.lists(st.tuples(st.sampled_from(Role), TEXTS, TEXTS, TEXTS), min_size=1, max_size=4))
def test_no_index_of_an_older_archive_keeps_words_that_are_gone(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[Role, str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("older")
    archive = SqliteArchive(folder / "a.db")
    filled = Filled(archive)
    session = filled.session()
    for at, (role, *texts) in enumerate(said):
        blocks: tuple[Block, ...] = (Text(texts[0]), Thinking(texts[1]), ToolCall("c", texts[0], texts[2]))
        filled.append(session, [Entry(id=f"e{at}", role=role, kind=Kind.MESSAGE, name=texts[2], blocks=blocks)])
    as_before(archive)
    again = SqliteArchive(folder / "a.db")
    assert index_differences(folder / "a.db") == []
    again.write(lambda writer: writer.delete_session(session)).result()
    assert again.read(lambda reader: reader.check()).result() == []
    again.close()
    assert index_differences(folder / "a.db") == []


def test_the_step_tells_how_much_is_done(filled: Filled, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(former_index, "_STEP", 2)
    texts = [Entry(id=str(at), role=Role.TOOL_RESULT, blocks=(Text(PRINTED),)) for at in range(8)]
    filled.append(filled.session(), texts)
    as_before(filled.archive)
    told = list[float | None]()
    monkeypatch.setattr(SqliteArchive, "_tell_upgraded", lambda _archive, share: told.append(share))
    archive = SqliteArchive(path, busy_timeout=0.2)
    assert archive.upgraded is None
    archive.close()
    assert [share for share in told if share is not None] == [0, 0.25, 0.5, 0.75]
    assert told[-1] is None  # the steps after it tell nothing
    monkeypatch.undo()
    archive = SqliteArchive(path, busy_timeout=0.2)
    archive._tell_upgraded(0.5)
    assert archive.upgraded == 0.5
    archive.close()


def test_damaged_content_does_not_stop_the_upgrade(filled: Filled, path: Path) -> None:
    said = [Entry(id=id, role=Role.TOOL_RESULT, blocks=(Text(PRINTED),)) for id in ("damaged", "printed")]
    damaged, printed = filled.append(filled.session(), said)
    as_before(filled.archive)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE bodies SET body = substr(body, 1, 80) WHERE key = ?", (damaged,))
    archive = SqliteArchive(path)
    assert printed in found(archive, "shown")
    archive.close()
