"""Files with many sessions: each conversation keeps to the laws of a session, whatever stands beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.report import ImportReport
from stemmata.services.importing import read_ahead
from stemmata.services.importing.importing import Progress
from tests.unit.formats.exports import zipped
from tests.unit.services.conftest import Bench

Chat = dict[str, Any]


def chat(id: str, *rows: tuple[str, str | None, str], at: int = 1, leaf: str = "", title: str = "") -> Chat:
    """A conversation of messages (id, parent, text); `at` is when it was updated."""
    mapping = {
        id: {
            "id": id,
            "parent": parent,
            "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}},
        }
        for id, parent, text in rows
    }
    leaf = leaf or rows[-1][0]
    return {
        "conversation_id": id, "title": title or id, "update_time": at, "current_node": leaf, "mapping": mapping,
    }  # fmt: skip


CHATGPT = Path(__file__).parents[3] / "data" / "chatgpt" / "conversations.json"
ONE = chat("one", ("a", None, "hello"), ("b", "a", "there"))
TWO = chat("two", ("a", None, "other"))


@pytest.fixture
def take(bench: Bench) -> Callable[..., ImportReport]:
    def taken(*chats: object, name: str = "conversations.json") -> ImportReport:
        path = bench.folder / name
        data = json.dumps(chats, indent=1).encode()
        before = path.stat().st_mtime_ns if path.exists() else 0
        if name.endswith(".zip"):
            zipped(path, {"conversations.json": data, "user.json": b"{}"})
        else:
            path.write_bytes(data)
        if before:
            os.utime(path, ns=(before + 1, before + 1))
        return bench.services.importing.import_paths([path]).result()

    return taken


Take = Callable[..., ImportReport]


def session(bench: Bench, source_id: str) -> Session:
    return next(one for one in bench.services.sessions.all().result() if one.source_id == source_id)


def ids(bench: Bench, source_id: str) -> list[str]:
    key = session(bench, source_id).key
    return bench.archive.read(lambda reader: reader.ids(key)).result()


def raw(bench: Bench, source_id: str) -> Any:
    key = session(bench, source_id).key
    parts = bench.archive.read(lambda reader: list(reader.raw(key))).result()
    return json.loads(b"".join(parts))


def figures(report: ImportReport) -> list[tuple[str, int, int]]:
    return [(one.source_id, one.new_entries, one.entries) for one in report.sessions]


def test_every_conversation_becomes_a_session_of_its_own(bench: Bench, take: Take) -> None:
    report = take(ONE, TWO, name="export.zip")
    assert figures(report) == [("one", 2, 2), ("two", 1, 1)]
    assert [len(group) for group in report.of_files()] == [2]
    assert {one.path for one in report.sessions} == {str(bench.folder / "export.zip")}
    assert [(part.where, part.damaged, part.path) for part in report.unused] == [
        ("user.json", False, str(bench.folder / "export.zip")),
    ]
    assert report.complete
    assert raw(bench, "one") == ONE
    assert raw(bench, "two") == TWO
    assert bench.services.sessions.check().result() == []


def test_a_bad_conversation_costs_itself_and_is_reported(bench: Bench, take: Take) -> None:
    report = take(ONE, {"title": "no messages", "id": "x"}, TWO)
    assert [one.source_id for one in report.sessions] == ["one", "two"]
    assert [(part.where, part.reason) for part in report.unused] == [
        ("conversations.json, conversation 2", "has no messages"),
    ]
    assert not report.complete


def test_an_export_without_conversations_is_reported(take: Take) -> None:
    [skipped] = take({**ONE, "mapping": {}}).skipped_files
    assert "contains no session" in skipped.reason


def test_the_same_export_again_changes_nothing(bench: Bench, take: Take) -> None:
    take(ONE, TWO)
    again = bench.services.importing.import_paths([bench.folder / "conversations.json"]).result()
    assert (again.sessions, again.unchanged) == ((), 1)
    copied = take(ONE, TWO, name="conversations-001.json")
    assert figures(copied) == [("one", 0, 2), ("two", 0, 1)]
    versions = bench.archive.read(lambda reader: reader.check()).result()
    assert versions == []


def test_a_newer_export_adds_what_is_new(bench: Bench, take: Take) -> None:
    take(ONE, TWO)
    grown = chat("one", ("a", None, "hello"), ("b", "a", "there"), ("c", "a", "edited"), at=2, title="Renamed")
    report = take(grown, TWO, chat("three", ("x", None, "new")), name="newer.zip")
    assert figures(report) == [("one", 1, 3), ("two", 0, 1), ("three", 1, 1)]
    assert ids(bench, "one") == ["a", "b", "c"]
    found = session(bench, "one")
    assert (found.title, found.branches, bench.id_of(found.leaf)) == ("Renamed", 2, "c")


def test_an_older_export_takes_nothing_back(bench: Bench, take: Take) -> None:
    grown = chat("one", ("a", None, "hello"), ("b", "a", "there"), ("c", "b", "more"), at=2, title="Renamed")
    take(grown, TWO)
    before = session(bench, "one")
    report = take(ONE, name="older.json")
    assert figures(report) == [("one", 0, 3)]
    assert report.sessions[0].older
    assert session(bench, "one") == before
    assert bench.id_of(session(bench, "one").leaf) == "c"


def test_an_older_export_still_adds_what_vanished_later(bench: Bench, take: Take) -> None:
    take(chat("one", ("a", None, "hello"), ("c", "a", "other"), at=2))
    report = take(ONE, name="older.json")
    assert figures(report) == [("one", 1, 3)]
    assert not report.sessions[0].older
    assert bench.id_of(session(bench, "one").leaf) == "c"


def test_a_conversation_or_a_message_that_vanished_is_kept(bench: Bench, take: Take) -> None:
    take(ONE, TWO)
    take(chat("one", ("a", None, "hello"), at=2))
    assert ids(bench, "one") == ["a", "b"]
    assert ids(bench, "two") == ["a"]


def test_the_same_id_with_another_text_is_a_variant(bench: Bench, take: Take) -> None:
    take(ONE)
    [told] = take(chat("one", ("a", None, "hello"), ("b", "a", "changed"), at=2)).sessions
    [variant] = told.variants
    assert ids(bench, "one") == ["a", "b", variant]


def test_the_same_conversation_twice_in_a_file_is_one_session(bench: Bench, take: Take) -> None:
    report = take(ONE, chat("one", ("a", None, "hello"), ("c", "a", "more"), at=2))
    assert figures(report) == [("one", 2, 2), ("one", 1, 3)]
    assert bench.services.sessions.check().result() == []


def test_a_title_given_here_and_a_leaf_moved_here_stay(bench: Bench, take: Take) -> None:
    take(ONE)
    key = session(bench, "one").key
    bench.services.sessions.rename(key, "Mine").result()
    tree = bench.services.sessions.open(key).result()
    bench.services.branching.move_leaf(key, bench.key(tree, "a")).result()
    take(chat("one", ("a", None, "hello"), ("b", "a", "there"), ("c", "b", "more"), at=2, title="Theirs"))
    found = session(bench, "one")
    assert (found.title, bench.id_of(found.leaf)) == ("Mine", "a")


def test_a_session_that_was_deleted_comes_back_with_its_export(bench: Bench, take: Take) -> None:
    take(ONE, TWO)
    for name in ("two", "one"):
        bench.services.sessions.delete([session(bench, name).key]).result()
        again = bench.services.importing.import_paths([bench.folder / "conversations.json"]).result()
        assert {one.source_id: one.new_entries > 0 for one in again.sessions} == {
            "one": name == "one", "two": name == "two",
        }  # fmt: skip


def test_an_export_that_was_only_copied_is_not_read_again(bench: Bench, take: Take) -> None:
    take(ONE, TWO)
    path = bench.folder / "conversations.json"
    os.utime(path, (1, 1))
    again = bench.services.importing.import_paths([path]).result()
    assert (again.sessions, again.unchanged) == ((), 1)


def test_progress_counts_the_sessions_of_a_file(bench: Bench, take: Take) -> None:
    take(ONE)
    path = bench.folder / "more.json"
    path.write_text(json.dumps([ONE, TWO, chat("three", ("x", None, "new"))]), encoding="utf-8")
    told: list[Progress] = []
    bench.services.importing.import_paths([path], progress=told.append).result()
    assert [(one.done, one.sessions) for one in told] == [(0, 0), (0, 1), (0, 2), (1, 0)]


def test_a_cancelled_export_leaves_nothing(bench: Bench) -> None:
    path = bench.folder / "conversations.json"
    path.write_text(json.dumps([ONE, TWO]), encoding="utf-8")
    seen: list[Progress] = []
    future = bench.services.importing.import_paths(
        [path], progress=seen.append, cancelled=lambda: any(one.sessions for one in seen)
    )
    report = future.result()
    assert (report.cancelled, report.sessions) == (True, ())
    assert bench.services.sessions.all().result() == []


def test_a_large_conversation_is_written_in_batches(
    bench: Bench, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_ahead, "GROUP", 2)
    rows: Sequence[tuple[str, str | None, str]] = [(f"m{at}", f"m{at - 1}" if at else None, "x") for at in range(9)]
    assert figures(take(chat("one", *rows), TWO)) == [("one", 9, 9), ("two", 1, 1)]
    assert Path(session(bench, "one").path).name == "conversations.json"


# -- files that end in the middle -----------------------------------------------------------------------------------


def rewrite(path: Path, data: bytes) -> None:
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_bytes(data)
    os.utime(path, ns=(before + 1, before + 1))


@pytest.mark.parametrize("name", ["conversations.json", "conversations-001.json"])
def test_a_cut_file_is_completed_by_the_whole_one_and_takes_nothing_from_it(bench: Bench, name: str) -> None:
    whole = json.dumps([ONE | {"title": "Tea"}]).encode()
    cut = whole[: whole.index(b'"b": {') + 20]
    path, other = bench.folder / "conversations.json", bench.folder / name
    rewrite(path, cut)
    [first] = bench.services.importing.import_paths([path]).result().sessions
    assert (first.entries, len(first.skipped)) == (1, 1)
    rewrite(path, whole)
    [second] = bench.services.importing.import_paths([path]).result().sessions
    assert (second.new_entries, second.repaired, second.skipped) == (1, (), ())
    before = session(bench, "one")
    rewrite(other, cut)
    report = bench.services.importing.import_paths([other]).result()
    assert not report.complete
    after = session(bench, "one")
    assert (after.entries, after.title, after.leaf) == (before.entries, before.title, before.leaf)


@pytest.mark.parametrize("is_whole_first", [False, True])
def test_a_cut_copy_of_a_conversation_of_chatgpt_is_the_same_session(
    bench: Bench, tmp_path: Path, *, is_whole_first: bool
) -> None:
    """ChatGPT writes the id of a conversation behind its messages, so a copy whose end is cut has none."""
    whole, cut = tmp_path / "whole" / "conversations.json", tmp_path / "cut" / "conversations.json"
    for path in (whole, cut):
        path.parent.mkdir()
    whole.write_bytes(CHATGPT.read_bytes())
    cut.write_bytes(CHATGPT.read_bytes().split(b'"k-a2": {')[0])
    bench.services.importing.import_paths([cut if not is_whole_first else whole]).result()
    before = {session.entries for session in bench.services.sessions.all().result()}
    bench.services.importing.import_paths([whole if not is_whole_first else cut]).result()
    kettle = [session for session in bench.services.sessions.all().result() if "kettle" in session.title]
    assert [session.source_id for session in kettle] == ["c0ffee00-0000-4000-8000-000000000001"]
    assert (kettle[0].entries in before) is is_whole_first
