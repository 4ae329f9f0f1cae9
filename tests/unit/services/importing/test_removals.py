"""What a tool removes from its source stays in the archive, is marked, and loses the mark when it comes back."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from stemmata.domain.entries.entry import Flag
from stemmata.domain.sessions.changes import Change
from stemmata.domain.sessions.details import gone_from_source, with_gone_from_source
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.report import ImportReport
from stemmata.formats.registry import standard_formats
from stemmata.services.importing.importing import Importing
from stemmata.services.notices import Notices
from stemmata.store.archive import SqliteArchive
from stemmata.system.processes import SystemClock
from tests.fakes import (
    amp,
    cline,
    copilot_cli,
    crush,
    cursor,
    gemini,
    goose,
    hermes,
    librecode,
    llm,
    open_webui,
    opencode,
    vscode_chat,
    zed,
)
from tests.unit.services.conftest import Bench

CLINE_FILE = "s/s.messages.json"


def take(bench: Bench, path: Path) -> ImportReport:
    report = bench.services.importing.import_paths([path]).result()
    assert report.skipped_files == ()
    return report


def session(bench: Bench, id: str = "s") -> Session:
    return next(one for one in bench.services.sessions.all().result() if one.source_id == id)


def marked(bench: Bench, id: str = "s") -> dict[str, int]:
    """Return the ids of marked entries with their times."""
    return {row[0]: row[2] for row in rows_of(bench.archive, session(bench, id).key) if row[1]}


def rows_of(archive: SqliteArchive, key: int) -> list[tuple[str, bool, int]]:
    """Return id, mark and its time of each entry that the session itself has."""

    def read(reader: Any) -> list[tuple[str, bool, int]]:
        tree = reader.tree(key)
        rows = reader.rows([tree.key(at) for at in range(len(tree))])
        flags = [bool(flag & Flag.REMOVED) for flag in tree.columns.flags]
        assert flags == [bool(row.flags & Flag.REMOVED) for row in rows.values()]
        return [(row.id, bool(row.flags & Flag.REMOVED), row.removed) for row in rows.values()]

    return archive.read(read).result()


def parents(bench: Bench, id: str = "s") -> dict[str, str | None]:
    tree = bench.services.sessions.open(session(bench, id).key).result().tree
    rows = bench.services.entries.rows([tree.key(at) for at in range(len(tree))]).result()
    return {row.id: bench.id_of(row.parent) for row in rows.values()}


# -- databases -------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(bench: Bench) -> Iterator[librecode.Store]:
    made = librecode.Store(bench.folder / "librecode.db")
    made.session("s")
    made.said("a", None, "user", "Which tea?", at=1)
    made.said("b", "a", "assistant", "Sencha.", at=2)
    made.said("c", "b", "user", "Why?", at=3)
    made.said("d", "c", "assistant", "It is green.", at=4)
    yield made
    made.close()


def test_the_end_of_a_session_becomes_a_branch(bench: Bench, store: librecode.Store) -> None:
    take(bench, store.path)
    store.connection.execute("DELETE FROM session_entries WHERE id IN ('c', 'd')")
    bench.published.clear()
    [one] = take(bench, store.path).sessions
    assert (one.removed, one.returned, one.new_entries, one.entries, one.older) == (2, 0, 0, 4, False)
    times = marked(bench)
    assert list(times) == ["c", "d"]
    assert all(time > 1_700_000_000_000_000_000 for time in times.values())
    assert bench.id_of(session(bench).leaf) == "b"
    assert [(change.what, change.entries) for change in bench.published] == [(Change.SESSIONS | Change.ENTRIES, ())]
    assert bench.services.sessions.check().result() == []
    store.said("e", "b", "user", "How?", at=5)
    take(bench, store.path)
    assert marked(bench) == times
    assert (session(bench).branches, bench.id_of(session(bench).leaf)) == (2, "e")


def test_what_comes_back_loses_its_mark(bench: Bench, store: librecode.Store) -> None:
    take(bench, store.path)
    row = store.connection.execute("SELECT * FROM session_entries WHERE id = 'd'").fetchone()
    store.connection.execute("DELETE FROM session_entries WHERE id = 'd'")
    take(bench, store.path)
    assert list(marked(bench)) == ["d"]
    store.connection.execute(f"INSERT INTO session_entries VALUES ({', '.join('?' * len(row))})", row)
    [one] = take(bench, store.path).sessions
    assert (one.removed, one.returned, one.new_entries) == (0, 1, 0)
    assert marked(bench) == {}
    assert bench.id_of(session(bench).leaf) == "d"


def test_what_hung_from_a_removed_entry_hangs_from_the_one_before(bench: Bench, store: librecode.Store) -> None:
    take(bench, store.path)
    store.connection.execute("DELETE FROM session_entries WHERE id = 'b'")
    store.connection.execute("UPDATE session_entries SET parent_id = 'a' WHERE id = 'c'")
    [one] = take(bench, store.path).sessions
    assert (one.removed, one.changed_earlier) == (1, True)
    assert parents(bench) == {"a": None, "b": "a", "c": "a", "d": "c"}
    assert list(marked(bench)) == ["b"]
    store.said("e", "d", "user", "And?", at=6)
    take(bench, store.path)
    assert parents(bench) == {"a": None, "b": "a", "c": "a", "d": "c", "e": "d"}
    assert bench.services.sessions.check().result() == []


def test_an_older_copy_in_its_place_marks_nothing(bench: Bench, store: librecode.Store) -> None:
    before = bench.folder / "before.db"
    shutil.copy(store.path, before)
    store.said("e", "d", "user", "And?", at=6)
    store.session("t")
    store.said("f", None, "user", "Other", session_id="t", at=7)
    take(bench, store.path)
    newest = store.path.read_bytes()
    shutil.copy(before, store.path)  # with a new time
    report = take(bench, store.path)
    assert (report.gone, [one.removed for one in report.sessions]) == ((), [0])
    os.utime(store.path, ns=(1, 2**60))
    assert take(bench, store.path).gone == ()
    assert marked(bench) == {}
    store.path.write_bytes(newest)
    take(bench, store.path)
    assert (marked(bench), gone_from_source(session(bench, "t").details)) == ({}, 0)


def test_a_copy_elsewhere_marks_nothing(bench: Bench, store: librecode.Store) -> None:
    take(bench, store.path)
    copy = bench.folder / "copy" / "librecode.db"
    copy.parent.mkdir()
    shutil.copy(store.path, copy)
    with closing(sqlite3.connect(copy)) as other, other:
        other.execute("DELETE FROM session_entries WHERE id = 'd'")
        other.execute("DELETE FROM session_entries WHERE id = 'b'")
    take(bench, copy)
    take(bench, copy)
    assert marked(bench) == {}


def test_a_reading_with_damaged_rows_marks_nothing(bench: Bench, store: librecode.Store) -> None:
    take(bench, store.path)
    store.connection.execute("DELETE FROM session_entries WHERE id = 'd'")
    store.connection.execute("CREATE TABLE old AS SELECT * FROM session_entries")
    store.connection.execute("DROP TABLE session_entries")
    store.connection.execute("ALTER TABLE old RENAME TO session_entries")
    store.said("a", None, "user", "The same id", at=9)
    store.connection.execute("UPDATE sessions SET updated_at = 'later'")
    [one] = take(bench, store.path).sessions
    assert (len(one.skipped), one.removed) == (1, 0)
    store.connection.execute("DELETE FROM session_entries WHERE content = 'The same id'")
    [one] = take(bench, store.path).sessions
    assert (one.removed, list(marked(bench))) == (1, ["d"])


def test_a_database_whose_end_was_cut_off_marks_nothing(bench: Bench, store: librecode.Store) -> None:
    for number in range(200):
        store.said(f"n{number}", "d", "user", "x" * 500, at=9)
    store.session("t", 5)
    store.said("k", None, "user", "Other", session_id="t")
    take(bench, store.path)
    whole = store.path.read_bytes()
    for part in (2, 3, 4, 8):
        store.path.write_bytes(whole[: len(whole) // part // 4096 * 4096])
        assert bench.services.importing.import_paths([store.path]).result().gone == ()
    assert (marked(bench), gone_from_source(session(bench, "t").details)) == ({}, 0)


def test_a_locked_database_marks_nothing(
    bench: Bench, store: librecode.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stemmata.formats.shared.database._WAIT", 0.01)
    take(bench, store.path)
    store.connection.execute("DELETE FROM session_entries")
    store.connection.execute("BEGIN EXCLUSIVE")
    report = bench.services.importing.import_paths([store.path]).result()
    assert ([one.is_transient for one in report.skipped_files], report.gone) == ([True], ())
    assert marked(bench) == {}


def test_an_entry_that_a_fork_still_has_is_not_marked(bench: Bench) -> None:
    with opencode.store(bench.folder / "opencode.db", events=False) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.turn("s", 2, at=4)
        take(bench, made.path)
        made.fork("s", "f", "s_u2", at=20)
        take(bench, made.path)
        made.remove("s", "s_u1", "s_a1", "s_u2", "s_a2")
        made.turn("s", 3, at=30)
        take(bench, made.path)
    assert list(marked(bench)) == ["s_u2", "s_a2"]


def test_a_message_that_opencode_itself_tells_of_is_marked(bench: Bench) -> None:
    with opencode.store(bench.folder / "opencode.db") as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.turn("s", 2, at=4)
        made.remove("s", "s_u2", "s_a2")
        take(bench, made.path)
        assert marked(bench) == {"s_u2": 0, "s_a2": 0}  # nobody knows when
        made.turn("s", 3, at=8)
        take(bench, made.path)
        assert marked(bench) == {"s_u2": 0, "s_a2": 0}
        made.remove("s", "s_u3", "s_a3")
        take(bench, made.path)
    times = marked(bench)
    assert sorted(times) == ["s_a2", "s_a3", "s_u2", "s_u3"]
    assert times["s_u3"] > 0


def test_a_session_that_was_emptied(bench: Bench, store: librecode.Store) -> None:
    take(bench, store.path)
    store.connection.execute("DELETE FROM session_entries")
    report = take(bench, store.path)
    assert ([one.removed for one in report.sessions], report.gone) == ([4], ())
    assert (list(marked(bench)), session(bench).leaf) == (["a", "b", "c", "d"], None)


# -- sessions --------------------------------------------------------------------------------------------------------


def test_a_session_that_its_tool_deleted_is_safe(bench: Bench, store: librecode.Store) -> None:
    store.session("x/y", 5)
    store.said("k", None, "user", "Other", session_id="x/y")
    take(bench, store.path)
    store.connection.execute("DELETE FROM sessions WHERE id = 's'")
    bench.published.clear()
    report = take(bench, store.path)
    assert [(one.id, one.source_id, one.path) for one in report.gone] == [(session(bench).id, "s", str(store.path))]
    assert gone_from_source(session(bench).details) > 0
    assert gone_from_source(session(bench, "x/y").details) == 0
    assert [change.what for change in bench.published] == [Change.SESSIONS]
    assert marked(bench) == {}  # the whole session is marked, none of its entries
    store.said("l", None, "user", "More", session_id="x/y")
    assert take(bench, store.path).gone == ()
    store.session("s")
    bench.published.clear()
    [one] = take(bench, store.path).sessions
    assert (one.source_id, one.reappeared, one.new_entries) == ("s", True, 0)
    assert gone_from_source(session(bench).details) == 0
    assert [change.session for change in bench.published] == [session(bench).key]


def test_the_last_session_of_a_database(bench: Bench, store: librecode.Store) -> None:
    empty = bench.folder / "empty" / "librecode.db"
    empty.parent.mkdir()
    librecode.Store(empty).close()
    assert "contains no session" in bench.services.importing.import_paths([empty]).result().skipped_files[0].reason
    take(bench, store.path)
    store.connection.execute("DELETE FROM sessions")
    assert [one.source_id for one in take(bench, store.path).gone] == ["s"]
    assert take(bench, store.path).unchanged == 1


def test_a_name_that_the_user_gave_outlives_the_mark() -> None:
    details = with_gone_from_source('{"a":1}', 7)
    assert (details, gone_from_source(details)) == ('{"a":1,"goneFromSource":7}', 7)
    assert with_gone_from_source(details, 0) == '{"a":1}'
    assert with_gone_from_source('{"goneFromSource":1}', 0) == ""
    assert gone_from_source('{"goneFromSource":"x"}') == 0


# -- documents and exports -------------------------------------------------------------------------------------------


def vscode(*requests: dict[str, Any]) -> bytes:
    return json.dumps(vscode_chat.session(*requests)).encode()


def test_a_document_that_only_became_shorter_marks_nothing_until_it_goes_on(bench: Bench) -> None:
    path = bench.folder / "5e550000-0000-4000-8000-000000000001.json"
    asked = [vscode_chat.answered(id, f"Question {id}", f"Answer {id}", at) for at, id in enumerate("abcd", 1)]
    path.write_bytes(vscode(*asked[:3]))
    take(bench, path)
    path.write_bytes(vscode(asked[0]))  # an older copy looks the same
    take(bench, path)
    assert marked(bench, "5e55") == {}
    path.write_bytes(vscode(asked[0], asked[3]))
    take(bench, path)
    assert {id[0] for id in marked(bench, "5e55")} == {"b", "c"}
    path.write_bytes(vscode(*asked))
    os.utime(path, ns=(1, 1))
    take(bench, path)
    assert marked(bench, "5e55") == {}


@pytest.mark.parametrize("change", [(b'"id":"b"', b'"id":"x"'), (b'"id":"b",', b""), (None, b"")])
def test_a_damaged_log_moves_and_marks_nothing(bench: Bench, change: tuple[bytes | None, bytes]) -> None:
    events = [copilot_cli.start(), copilot_cli.said("a", "Which tea?"), copilot_cli.reply("b", "Sencha.", 2)]
    events += [copilot_cli.said("c", "Thanks.", 3), copilot_cli.reply("d", "Welcome.", 4)]
    for before, after in itertools.pairwise(events):
        after["parentId"] = before["id"]
    lines = [json.dumps(event, separators=(",", ":")).encode() + b"\n" for event in events]
    path = bench.folder / "5e55" / "events.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(lines[:-1]))
    take(bench, path)
    sound = parents(bench, "5e55")
    assert sound == {"a": None, "b": "a", "c": "b"}
    old, new = change
    lines[2] = lines[2].replace(old, new) if old is not None else new
    path.write_bytes(b"".join(lines))
    report = take(bench, path)
    after = parents(bench, "5e55")
    assert {id: after[id] for id in sound} == sound
    assert after["d"] == "c"
    assert marked(bench, "5e55") == {}
    assert "Events are missing or damaged" in report.sessions[0].repaired[0].what


def test_a_damaged_file_beside_the_messages_moves_nothing(bench: Bench) -> None:
    for name, data in cline.files_of_session().items():
        path = bench.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    take(bench, bench.folder / CLINE_FILE)
    sound = parents(bench)
    beside = bench.folder / "s" / "s.compaction.json"
    beside.write_bytes(beside.read_bytes()[:-9])
    report = take(bench, bench.folder / CLINE_FILE)
    assert report.sessions[0].skipped
    assert parents(bench) == sound
    assert marked(bench) == {}


def test_an_export_marks_what_a_later_state_of_the_conversation_lacks(bench: Bench) -> None:
    def chat(*ids: str, at: int) -> Path:
        listed = [open_webui.message(id, ids[n - 1] if n else None, "user", id) for n, id in enumerate(ids)]
        path = bench.folder / f"chat-export-{at}.json"
        path.write_bytes(open_webui.export(open_webui.record(open_webui.chat(*listed), updated_at=at)))
        return path

    older, newer, newest = chat("a", "b", "x", at=100), chat("a", "b", "c", at=200), chat("a", "d", at=300)
    take(bench, newer)
    take(bench, older)
    assert marked(bench, "c1") == {}
    take(bench, newest)
    assert sorted(marked(bench, "c1")) == ["b", "c", "x"]
    assert take(bench, chat("a", at=250)).gone == ()
    assert sorted(marked(bench, "c1")) == ["b", "c", "x"]


def test_a_log_marks_nothing(bench: Bench, talk: Any) -> None:
    lines = talk("s", ("1", None, "user", "a"), ("2", "1", "assistant", "b"), ("3", "2", "user", "c"))
    path = bench.folder / "s.jsonl"
    for some in (lines, [*lines[:2], lines[3]]):
        path.write_text("".join(json.dumps(line) + "\n" for line in some), encoding="utf-8")
        take(bench, path)
    assert marked(bench) == {}


# -- every format ----------------------------------------------------------------------------------------------------

Cut = Callable[[Path, Random], None]


@dataclass(frozen=True)
class Source:
    """A source that can be cut: `cut` removes some of its records as its tool would."""

    name: str
    data: bytes
    cut: Cut


def _rows(*tables: tuple[str, str]) -> Cut:
    """Delete rows of tables; a row may take further ones with it by the tool's own rules."""

    def cut(path: Path, random: Random) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            for table, column in tables:
                ids = [id for (id,) in connection.execute(f"SELECT {column} FROM {table} ORDER BY 1").fetchall()]
                for id in random.sample(ids, random.randint(0, min(2, len(ids)))):
                    connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (id,))

    return cut


def _cut_zed(path: Path, random: Random) -> None:
    with closing(zed.Store.__new__(zed.Store)) as made:
        made.path, made.connection = path, sqlite3.connect(path, isolation_level=None)
        if random.random() < 0.5:
            made.connection.execute("DELETE FROM threads WHERE id = 'o'")
        said = [zed.user("Which?"), zed.agent("Sencha.")][: random.randint(1, 2)]
        ((before,),) = made.connection.execute("SELECT updated_at FROM threads WHERE id = 't'").fetchall()
        made.thread("t", *said, zed.user(f"And {random.random()}?"), at=int(before[17:19]) + 1)


def _cut_cursor(path: Path, random: Random) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        key = "composerData:s"
        ((text,),) = connection.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchall()
        document = json.loads(text)
        listed = document["fullConversationHeadersOnly"]
        gone = random.sample([one["bubbleId"] for one in listed], random.randint(0, max(0, len(listed) - 1)))
        document["fullConversationHeadersOnly"] = [one for one in listed if one["bubbleId"] not in gone]
        document["lastUpdatedAt"] += 1000
        connection.execute("UPDATE cursorDiskKV SET value = ? WHERE key = ?", (json.dumps(document), key))
        for id in gone:
            connection.execute("DELETE FROM cursorDiskKV WHERE key = ?", (f"bubbleId:s:{id}",))


def _listed(read: Callable[[bytes], tuple[dict[str, Any], list[Any]]], new: Callable[[Random], Any]) -> Cut:
    """Remove elements of a list in a document, and add a new one."""

    def cut(path: Path, random: Random) -> None:
        document, listed = read(path.read_bytes())
        for _ in range(random.randint(0, len(listed))):
            listed.pop(random.randrange(len(listed)))
        listed.append(new(random))
        path.write_bytes(json.dumps(document).encode())

    return cut


def _vscode(data: bytes) -> tuple[dict[str, Any], list[Any]]:
    document = json.loads(data)
    return document, document["requests"]


def _messages(data: bytes) -> tuple[dict[str, Any], list[Any]]:
    document = json.loads(data)
    return document, document["messages"]


def _gemini() -> bytes:
    said = [gemini.said("a", "Which?", 1), gemini.reply("b", "Sencha.", 2), gemini.said("c", "Why?", 3)]
    return json.dumps({**gemini.head(), "messages": [*said, gemini.reply("d", "Green.", 4)]}).encode()


def _opencode() -> bytes:
    """Return a database without events, which would keep what is deleted, and without forks, which keep it, too."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "opencode.db")
        with opencode.store(path, events=False) as made:
            for at, id in enumerate("st"):
                made.session(id, at)
                for number in range(1, 4):
                    made.turn(id, number, at=2 * number)
            made.session("sub", 30, parent_id="s")
            made.turn("sub", 1, at=31)
        return path.read_bytes()


def _cline() -> bytes:
    return cline.session(*(cline.said("user", f"Say {id}", id=id, at=at) for at, id in enumerate("abcd", 1)))


SOURCES = (
    Source("librecode.db", librecode.packed(), _rows(("session_entries", "id"), ("sessions", "id"))),
    Source("logs.db", llm.packed(), _rows(("threads", "id"), ("turns", "id"))),
    Source("opencode.db", _opencode(), _rows(("message", "id"), ("session", "id"))),
    Source("threads.db", zed.packed(), _cut_zed),
    Source("sessions.db", goose.packed(), _rows(("messages", "id"), ("sessions", "id"))),
    Source("state.db", hermes.packed(), _rows(("messages", "id"), ("sessions", "id"))),
    Source("crush.db", crush.packed(), _rows(("messages", "id"), ("sessions", "id"))),
    Source("state.vscdb", cursor.packed(), _cut_cursor),
    Source(
        "5e550000-0000-4000-8000-000000000001.json",
        vscode(*(vscode_chat.answered(id, f"Q {id}", f"A {id}", at) for at, id in enumerate("abcd", 1))),
        _listed(_vscode, lambda random: vscode_chat.answered(f"n{random.random()}", "New", "Answer", 30)),
    ),
    Source(
        "session-2026-06-12T10-00-5e55.json",
        _gemini(),
        _listed(_messages, lambda random: gemini.said(f"n{random.random()}", "New", 30)),
    ),
    Source(
        CLINE_FILE,
        _cline(),
        _listed(_messages, lambda random: cline.said("user", "New", id=f"n{random.random()}", at=30)),
    ),
    Source(
        f"{amp.ID}.json",
        amp.thread(*amp.talk()),
        _listed(_messages, lambda random: amp.said(30, "user", f"New {random.random()}")),
    ),
)


def _imported(archive: SqliteArchive, home: Path, path: Path) -> ImportReport:
    importing = Importing(archive, standard_formats(home, {}), Notices(), SystemClock())
    report = importing.import_paths([path]).result()
    assert not any(one.fault for one in report.skipped_files)
    return report


def _state(archive: SqliteArchive) -> dict[str, tuple[bool, dict[str, bool]]]:
    """Return for each session whether it is deleted in its tool, and its entries with their marks."""
    sessions = archive.read(lambda reader: reader.sessions()).result()
    return {
        one.source_id: (
            gone_from_source(one.details) > 0,
            {id: mark for id, mark, _ in rows_of(archive, one.key)},
        )
        for one in sessions
    }


def _first_id(id: str) -> str:
    """Return the id that the source uses for an entry or its variant."""
    return id.rpartition("~")[0] or id


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_records_that_a_tool_deletes_are_kept_and_marked(source: Source, seed: int) -> None:
    random = Random(seed)
    with TemporaryDirectory() as folder:
        path = Path(folder, source.name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(source.data)
        with closing(SqliteArchive(Path(folder, "a", "archive.db"))) as archive:
            _imported(archive, Path(folder), path)
            first = _state(archive)
            for at in range(2):
                source.cut(path, random)
                _imported(archive, Path(folder), path)
                with closing(SqliteArchive(Path(folder, f"b{at}", "archive.db"))) as fresh:
                    _imported(fresh, Path(folder), path)
                    _compare(_state(archive), _state(fresh), first, is_left=source.name == "librecode.db")
            path.write_bytes(source.data)
            before = _state(archive)
            _imported(archive, Path(folder), path)
            _compare_back(_state(archive), before)
            assert archive.read(lambda reader: reader.check()).result() == []


def _compare(
    found: dict[str, tuple[bool, dict[str, bool]]],
    now: dict[str, tuple[bool, dict[str, bool]]],
    first: dict[str, tuple[bool, dict[str, bool]]],
    *,
    is_left: bool,  # whether messages of a session that its tool deleted may be left, which a first reading finds
) -> None:
    for id, (gone, entries) in found.items():
        assert gone or id in now, id
        assert id not in now or not gone or is_left, id
        assert entries.keys() >= first.get(id, (False, {}))[1].keys()
        if not gone:
            there = {_first_id(one) for one, mark in entries.items() if not mark}
            elsewhere = {one for other, (_, ids) in now.items() if other != id for one in ids}
            expected = {one for one, mark in now[id][1].items() if not mark}
            assert expected <= there, id
            assert there - expected <= elsewhere, id  # a fork still has it


def _compare_back(
    found: dict[str, tuple[bool, dict[str, bool]]], before: dict[str, tuple[bool, dict[str, bool]]]
) -> None:
    """After an older copy has taken the file's place, nothing that was not marked is marked."""
    for id, (gone, entries) in found.items():
        assert gone <= before[id][0]
        assert all(mark <= before[id][1].get(one, False) for one, mark in entries.items())
