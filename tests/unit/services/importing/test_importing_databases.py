"""Databases of other programs: only changed sessions are read, and nothing that was read is lost."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stemmata.domain.sessions.lineage import Relation, relation_of
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.report import ImportReport
from stemmata.formats.shared import database
from tests.fakes import cursor, cursor_cli
from tests.fakes.llm import Logs
from tests.fakes.opencode import Store
from tests.unit.services.conftest import Bench
from tests.unit.services.importing.test_following import Follower


@pytest.fixture
def made(bench: Bench) -> Iterator[Store]:
    store = Store(bench.folder / "opencode.db", log=True)
    for at, id in enumerate("st"):
        store.session(id, at, title=id)
        store.turn(id, 1, at=2)
    yield store
    store.close()


@pytest.fixture
def follower(bench: Bench) -> Iterator[Follower]:
    made = Follower(bench)
    yield made
    made.following.close()


def take(bench: Bench, path: Path | None = None) -> ImportReport:
    return bench.services.importing.import_paths([path or bench.folder / "opencode.db"]).result()


def figures(report: ImportReport) -> list[tuple[str, int, int]]:
    assert report.skipped_files == ()
    return [(one.source_id, one.new_entries, one.entries) for one in report.sessions]


def session(bench: Bench, id: str) -> Session:
    return next(one for one in bench.services.sessions.all().result() if one.source_id == id)


def parents(bench: Bench, id: str) -> dict[str, str | None]:
    tree = bench.services.sessions.open(session(bench, id).key).result().tree
    keys = [tree.key(entry) for entry in range(len(tree))]
    rows = bench.services.entries.rows(keys).result()
    return {rows[key].id: bench.id_of(rows[key].parent) for key in keys}


def test_only_changed_sessions_are_read_again(bench: Bench, made: Store) -> None:
    assert figures(take(bench)) == [("s", 2, 2), ("t", 2, 2)]
    assert take(bench).unchanged == 1
    made.turn("t", 2, at=4)
    assert figures(take(bench)) == [("t", 2, 4)]
    made.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    report = take(bench)
    assert (figures(report), report.unchanged) == ([], 1)
    assert take(bench).unchanged == 1
    assert bench.services.sessions.check().result() == []


def test_a_fork_is_stored_once_and_hangs_from_its_origin(bench: Bench, made: Store) -> None:
    take(bench)
    made.turn("s", 2, at=4)
    made.fork("s", "f", "s_u2", at=20)
    made.turn("f", 2, at=21)
    made.session("sub", 30, parent_id="s")
    made.turn("sub", 1, at=31)
    assert figures(take(bench)) == [("s", 2, 4), ("f", 2, 4), ("s/sub", 2, 2)]
    origin, fork = session(bench, "s"), session(bench, "f")
    assert fork.parent == origin.key
    assert relation_of(fork, origin) is Relation.FORKED
    assert relation_of(session(bench, "s/sub"), origin) is Relation.SPAWNED
    assert parents(bench, "f") == {"s_u1": None, "s_a1": "s_u1", "f_u2": "s_a1", "f_a2": "f_u2"}
    assert bench.services.sessions.totals().result()["entries"] == 10


def test_turns_that_vanish_stay_as_a_branch(bench: Bench) -> None:
    """Without the table of events, only an earlier reading contains them."""
    store = Store(bench.folder / "opencode.db", events=False)
    store.session("s")
    store.turn("s", 1, at=2)
    store.turn("s", 2, at=4)
    take(bench)
    store.revert("s", "s_u2")
    take(bench)
    assert bench.id_of(session(bench, "s").leaf) == "s_a1"
    store.remove("s", "s_u2", "s_a2")
    store.turn("s", 3, at=8)
    store.close()
    take(bench)
    found = session(bench, "s")
    assert (found.entries, found.branches, bench.id_of(found.leaf)) == (6, 2, "s_a3")
    assert parents(bench, "s") == {
        "s_u1": None, "s_a1": "s_u1", "s_u2": "s_a1", "s_a2": "s_u2", "s_u3": "s_a1", "s_a3": "s_u3",
    }  # fmt: skip


def test_a_session_that_its_program_deleted_stays(bench: Bench, made: Store) -> None:
    take(bench)
    made.connection.execute("PRAGMA foreign_keys = ON")
    made.connection.execute("DELETE FROM session WHERE id = 's'")
    report = take(bench)
    assert ([one.source_id for one in report.gone], report.unchanged) == (["s"], 0)
    assert session(bench, "s").entries == 2


def test_an_older_copy_takes_nothing_back(bench: Bench, made: Store, tmp_path: Path) -> None:
    made.change("session", "s", time_updated=10)
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        made.connection.backup(copy)
    made.turn("s", 2, at=4)
    made.change("session", "s", title="Newer", time_updated=20)
    take(bench)
    assert [one.older for one in take(bench, tmp_path / "copy.db").sessions] == [True, False]  # t is as it was
    found = session(bench, "s")
    assert (found.title, found.entries, bench.id_of(found.leaf)) == ("Newer", 4, "s_a2")


def test_another_database_in_its_place(bench: Bench, made: Store) -> None:
    take(bench)
    made.close()
    made.path.unlink()
    other = Store(made.path)
    other.session("u")
    other.turn("u", 1, at=2)
    other.close()
    assert figures(take(bench)) == [("u", 2, 2)]
    assert {one.source_id for one in bench.services.sessions.all().result()} == {"s", "t", "u"}


def test_a_spoilt_database_costs_nothing_that_is_known(bench: Bench, made: Store) -> None:
    take(bench)
    made.close()
    data = made.path.read_bytes()
    made.path.write_bytes(data[: len(data) // 2])
    report = take(bench)
    [left_out] = report.skipped_files
    assert (left_out.is_transient, "damaged" in left_out.reason) == (False, True)
    assert session(bench, "t").entries == 2
    made.path.write_bytes(data)
    assert figures(take(bench)) in ([], [("s", 0, 2), ("t", 0, 2)])
    assert bench.services.sessions.check().result() == []


def test_a_locked_database_is_tried_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_WAIT", 0)
    store = Store(bench.folder / "opencode.db")
    store.session("s")
    store.turn("s", 1, at=2)
    assert figures(take(bench)) == [("s", 2, 2)]
    store.turn("s", 2, at=4)
    store.connection.execute("BEGIN EXCLUSIVE")
    report = take(bench)
    assert [file.is_transient for file in report.skipped_files] == [True]
    store.connection.execute("COMMIT")
    store.close()
    assert figures(take(bench)) == [("s", 2, 4)]


def test_a_writer_in_the_middle_of_its_work_is_no_obstacle(bench: Bench, made: Store) -> None:
    """It holds the lock of the write-ahead log; what it has not committed does not count yet."""
    take(bench)
    made.turn("s", 2, at=4)
    made.connection.execute("BEGIN IMMEDIATE")
    made.turn("s", 3, at=6)
    assert figures(take(bench)) == [("s", 2, 4)]
    made.connection.execute("COMMIT")
    assert figures(take(bench)) == [("s", 2, 6)]


def test_it_is_followed_while_its_program_writes(bench: Bench, made: Store, follower: Follower) -> None:
    log = made.path.with_name("opencode.db-wal")
    follower.watch.see(made.path)
    made.turn("s", 2, at=4)
    follower.watch.see(log)
    follower.watch.see(log)
    assert [figures(report) for report in follower.reports] == [[("s", 2, 2), ("t", 2, 2)], [("s", 2, 4)]]
    follower.watch.see(bench.folder / "other.db", bench.folder / "other.db-wal")
    assert follower.news == []


@pytest.mark.parametrize("deleted", ["s", "t"])
def test_a_session_that_was_deleted_here_comes_back_only_by_hand(
    bench: Bench, made: Store, follower: Follower, deleted: str
) -> None:
    take(bench)
    bench.services.sessions.delete([session(bench, deleted).key]).result()
    other = "t" if deleted == "s" else "s"
    made.turn(other, 2, at=4)
    follower.watch.see(made.path)
    made.turn(other, 3, at=6)
    follower.watch.see(made.path)
    assert [figures(report) for report in follower.reports] == [[(other, 2, 4)], [(other, 2, 6)]]
    assert (deleted, 2, 2) in figures(take(bench))
    assert take(bench).unchanged == 1


def test_threads_of_llm_share_their_messages(bench: Bench, follower: Follower) -> None:
    logs = Logs(bench.folder / "logs.db")
    logs.connection.execute("PRAGMA journal_mode = WAL")
    logs.thread("t", name="Tea")
    logs.turn("t", logs.say("u", "user", None, "Which?"), tip=logs.say("a", "assistant", "u", "Sencha."))
    assert figures(take(bench, logs.path)) == [("t", 2, 2)]
    logs.thread("v", forked_from="t", tip="a")
    logs.turn("v", logs.say("w", "user", "a", "Why?"), tip=logs.say("x", "assistant", "w", "It is green."))
    follower.watch.see(logs.path.with_name("logs.db-wal"))
    assert [figures(report) for report in follower.reports] == [[("v", 2, 4)]]
    assert session(bench, "v").parent == session(bench, "t").key
    assert parents(bench, "v") == {"u": None, "a": "u", "w": "a", "x": "w"}
    assert bench.services.sessions.totals().result()["entries"] == 4
    logs.close()
    assert take(bench, logs.path).unchanged == 1


def test_the_samples_twice_and_in_any_order(bench: Bench, samples: Path) -> None:
    folder = bench.folder / "samples"
    folder.mkdir()
    for file in (samples / "opencode").glob("*.db"):
        shutil.copy(file, folder / f"opencode-{file.name}")
    first = bench.services.importing.import_paths([folder]).result()
    assert first.skipped_files == ()
    assert {one.source_id for one in first.sessions if one.source_id.startswith("ses_dfbb")} == {
        "ses_dfbb51194ffe75qFA7sNgp97d5", "ses_dfbb4b279ffeQ2b3Raa6yTFVCc", "ses_dfbb4a8b1ffeF4AJYWbcurV9ED",
        "ses_dfbb51194ffe75qFA7sNgp97d5/ses_dfbb4858affeyp7sO7X0Kkr3cy",
    }  # fmt: skip
    again = bench.services.importing.import_paths([folder]).result()
    assert (again.sessions, again.unchanged) == ((), 3)
    assert bench.services.sessions.check().result() == []


@pytest.mark.parametrize("use", ["", "star", "move", "archive"])
def test_a_transcript_of_cursor_that_the_database_repeats_is_archived(bench: Bench, use: str) -> None:
    """It was imported when the editor's database was not there yet."""
    path = bench.folder / "s.jsonl"
    path.write_bytes(cursor_cli.lines(*cursor_cli.talk()))
    [transcript] = bench.services.importing.import_paths([path]).result().sessions
    tree = bench.services.sessions.open(transcript.key).result().tree
    if use == "star":
        bench.services.sessions.star([transcript.key], on=True).result()
    if use == "archive":
        bench.services.sessions.set_archived([transcript.key], on=True).result()
    if use == "move":
        bench.services.branching.move_leaf(transcript.key, tree.key(0)).result()
    database = bench.folder / "state.vscdb"
    store = cursor.Store(database)
    for id in ("s", "other"):
        store.composer(id, "a")
        store.user(id, "a", "Which tea?")
    store.close()
    bench.published.clear()
    report = bench.services.importing.import_paths([database]).result()
    told = {one.source_id: len(one.repaired) for one in report.sessions}
    assert told == {"s": int(not use), "other": 0}
    archived = {one.source: one.archived for one in bench.services.sessions.all().result() if one.source_id == "s"}
    assert archived == {"cursor": False, "cursor-cli": use in ("", "archive")}
    assert (transcript.key in [change.session for change in bench.published]) is (not use)
