"""Followed sessions come in as they grow; what stands in the way is told once, and nothing is lost by it."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.changes import Change
from stemmata.domain.settings.settings import FolderScan, FolderStatus, FollowingNotice, WatchMethod
from stemmata.domain.sources.report import ImportReport
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.registry import is_followed_name
from stemmata.services.importing import following as module
from stemmata.services.importing.following import Following
from stemmata.system.following.folder_watch import FolderWatch
from tests.fakes import cline, message_logs
from tests.fakes.waiting import until
from tests.unit.services.conftest import Bench, Records

ROWS = (("1", None, "user", "hello"), ("2", "1", "assistant", "hi"), ("3", "2", "user", "more"))


class ByHand:
    """A watch whose reports the test triggers."""

    def __init__(self) -> None:
        self.followed: list[tuple[str, ...]] = []
        self.stopped = False
        self._told: Callable[[FolderScan], None] = lambda _sighting: None

    def start(self, folders: Sequence[str], told: Callable[[FolderScan], None]) -> None:
        self.followed.append(tuple(folders))
        self._told = told

    def stop(self) -> None:
        self.stopped = True

    def see(self, *files: Path, ways: Sequence[tuple[str, WatchMethod]] = ()) -> None:
        self._told(FolderScan(tuple(map(str, files)), tuple(FolderStatus(name, way) for name, way in ways)))


class Follower:
    """The service with its watch and its notices."""

    def __init__(self, bench: Bench) -> None:
        services = bench.services
        self.watch = ByHand()
        self.following = Following(bench.archive, services.importing, lambda: services.formats, self.watch)
        self.news: list[FollowingNotice] = []
        self.reports: list[ImportReport] = []
        self.unsubscribe = self.following.subscribe(self.news.append, self.reports.append)
        self.following.follow(["/f"])


@pytest.fixture
def follower(bench: Bench) -> Iterator[Follower]:
    made = Follower(bench)
    yield made
    made.following.close()


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which the test moves."""
    time = [100.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: time[0]))
    return time


def write(path: Path, lines: Sequence[object], *, cut: int = 0) -> Path:
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data[: len(data) - cut])
    return path


def entries(bench: Bench) -> list[int]:
    return sorted(session.entries for session in bench.services.sessions.all().result())


def test_what_grows_comes_in(bench: Bench, follower: Follower, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines[:3])
    follower.watch.see(path)
    assert entries(bench) == [2]
    write(path, lines, cut=5)
    follower.watch.see(path)
    assert entries(bench) == [2]  # half a line waits
    write(path, lines)
    follower.watch.see(path, bench.folder / "other.txt", bench.folder / "none.jsonl")
    assert entries(bench) == [3]
    assert [report.sessions[0].new_entries for report in follower.reports] == [2, 0, 1]
    change = bench.published[-1]
    assert (change.what, len(change.entries)) == (Change.SESSIONS | Change.ENTRIES, 1)
    assert change.initiator is follower.following
    assert follower.news == []


def test_what_has_not_changed_is_not_read(bench: Bench, follower: Follower, talk: Records) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    follower.watch.see(path)
    follower.watch.see(path)
    assert len(follower.reports) == 1


def test_a_subagents_file_stands_for_its_session(bench: Bench, follower: Follower) -> None:
    def line(uuid: str) -> dict[str, object]:
        return {"type": "user", "uuid": uuid, "sessionId": "s", "timestamp": "2026-01-01T00:00:00.000Z",
                "message": {"role": "user", "content": uuid}}  # fmt: skip

    write(bench.folder / "s.jsonl", [line("u")])
    agent = write(bench.folder / "s" / "subagents" / "agent-1.jsonl", [line("g")])
    follower.watch.see(agent)
    assert entries(bench) == [1, 1]
    write(agent, [line("g"), line("h") | {"parentUuid": "g"}])
    follower.watch.see(agent)
    assert entries(bench) == [1, 2]


def test_a_session_that_was_deleted_stays_so_until_it_is_imported_by_hand(
    bench: Bench, follower: Follower, talk: Records
) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines[:3])
    follower.watch.see(path)
    [session] = bench.services.sessions.all().result()
    bench.services.sessions.delete([session.key]).result()
    write(path, lines)
    follower.watch.see(path)
    assert (entries(bench), follower.news) == ([], [])
    bench.services.importing.import_paths([path]).result()
    write(path, [*lines, lines[-1] | {"id": "4", "parentId": "3"}])
    follower.watch.see(path)
    assert entries(bench) == [4]


def test_what_is_no_session_or_not_yet_one_is_passed_over(bench: Bench, follower: Follower) -> None:
    begun = write(bench.folder / "begun.jsonl", [])
    facts = write(bench.folder / "facts.jsonl", [{"type": "mode", "sessionId": "s", "uuid": ""}])
    other = write(bench.folder / "other.jsonl", [[1]])
    follower.watch.see(begun, facts, other)
    assert (follower.news, entries(bench)) == ([], [])


def test_a_session_that_cannot_be_read_on_is_told_once_and_its_return(
    bench: Bench, follower: Follower, talk: Records
) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "a.jsonl", lines[:3])
    follower.watch.see(path)
    path.write_bytes(b"\0" * 10)
    follower.watch.see(path)
    follower.watch.see(path)
    [news] = follower.news
    assert news.bad
    assert news.text.startswith("A followed session cannot be read further.")
    write(path, lines)
    follower.watch.see(path)
    assert [(news.about, news.bad) for news in follower.news] == [(str(path), True), (str(path), False)]
    assert entries(bench) == [3]


def test_a_file_replaced_by_a_link(bench: Bench, follower: Follower, talk: Records) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    secret = write(bench.folder / "secret.jsonl", talk("t", *ROWS))
    follower.watch.see(path)
    path.unlink()
    path.symlink_to(secret)
    new = bench.folder / "new.jsonl"
    new.symlink_to(secret)
    follower.watch.see(path, new)
    [news] = follower.news
    assert "is a symbolic link now" in news.text
    assert entries(bench) == [3]


def test_a_file_that_is_itself_again(bench: Bench, follower: Follower, talk: Records) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    away = bench.folder / "away"
    follower.watch.see(path)
    path.rename(away)
    path.symlink_to(away)
    follower.watch.see(path)
    path.unlink()
    away.rename(path)
    follower.watch.see(path)
    assert [news.bad for news in follower.news] == [True, False]


def test_a_bug_in_one_file_keeps_out_no_other(
    bench: Bench, follower: Follower, talk: Records, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    files = [write(bench.folder / f"{at}.jsonl", talk(f"s{at}", *ROWS)) for at in range(5)]
    formats = type(bench.services.formats)
    read = formats.read

    def buggy(self: Any, path: Path, *more: Any) -> object:
        if path == files[2]:
            raise ZeroDivisionError
        return read(self, path, *more)

    monkeypatch.setattr(formats, "read", buggy)
    caplog.set_level(logging.ERROR)
    follower.watch.see(*files)
    assert entries(bench) == [3] * 4
    assert [record.getMessage() for record in caplog.records] == [f"{files[2]} cannot be imported."]
    assert [news.about for news in follower.news] == [str(files[2])]


@pytest.mark.parametrize("what", ["session_file", "is_unchanged"])
def test_a_bug_in_looking_at_one_file_keeps_out_no_other(
    bench: Bench,
    follower: Follower,
    talk: Records,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    what: str,
) -> None:
    files = [write(bench.folder / f"{at}.jsonl", talk(f"s{at}", *ROWS)) for at in range(3)]
    follower.watch.see(*files[:2])
    formats = type(bench.services.formats)
    plain = getattr(formats, what)

    def buggy(self: Any, path: Path, *more: Any) -> object:
        if path == files[1]:
            raise ZeroDivisionError
        return plain(self, path, *more)

    monkeypatch.setattr(formats, what, buggy)
    caplog.set_level(logging.ERROR)
    follower.watch.see(*files)
    assert entries(bench) == [3] * 3
    assert [record.getMessage() for record in caplog.records] == [f"{files[1]} cannot be imported."]


def test_a_file_that_is_gone_is_kept_and_not_complained_about(
    bench: Bench, follower: Follower, talk: Records
) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    follower.watch.see(path)
    path.unlink()
    follower.watch.see(path)
    assert (follower.news, entries(bench)) == ([], [3])


def test_a_log_that_was_rotated(bench: Bench, follower: Follower, talk: Records) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    follower.watch.see(path)
    path.rename(bench.folder / "a.jsonl.1")
    write(path, talk("t", *ROWS[:1]))
    follower.watch.see(path)
    assert entries(bench) == [1, 3]


def test_a_full_disk_is_waited_out(
    bench: Bench, follower: Follower, talk: Records, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write(bench.folder / f"{at}.jsonl", talk(f"s{at}", *ROWS)) for at in range(3 * module.AT_ONCE)]
    tried: list[object] = []
    store = bench.archive.write

    def full(_writer: object) -> None:
        tried.append(1)
        raise KnownError("The disk is full.")

    monkeypatch.setattr(bench.archive, "write", lambda _job: store(full))
    follower.watch.see(*files)
    assert len(tried) == module.AT_ONCE  # the others would fare no better
    follower.watch.see()
    assert len(tried) == module.AT_ONCE
    now[0] += module.FIRST_WAIT
    follower.watch.see()
    assert len(tried) == 2 * module.AT_ONCE
    assert [(news.text, news.bad) for news in follower.news] == [("The disk is full.", True)]
    monkeypatch.setattr(bench.archive, "write", store)
    now[0] += module.FIRST_WAIT
    follower.watch.see()
    assert entries(bench) == []  # each time it is waited longer
    now[0] += module.LONGEST_WAIT
    follower.watch.see()
    assert entries(bench) == [3] * len(files)
    assert [news.bad for news in follower.news] == [True, False]


def test_what_comes_meanwhile_does_not_wait(
    bench: Bench, follower: Follower, talk: Records, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (write(bench.folder / f"{at}.jsonl", talk(f"s{at}", *ROWS)) for at in range(2))
    store = bench.archive.write

    def locked(_writer: object) -> None:
        raise KnownError("Another program is writing.")

    monkeypatch.setattr(bench.archive, "write", lambda _job: store(locked))
    follower.watch.see(one)
    monkeypatch.setattr(bench.archive, "write", store)
    follower.watch.see(two)
    assert entries(bench) == [3]
    assert [news.bad for news in follower.news] == [True]  # the other one is still to come
    now[0] += module.LONGEST_WAIT
    follower.watch.see()
    assert entries(bench) == [3, 3]
    assert [news.bad for news in follower.news] == [True, False]


def test_an_archive_that_cannot_be_asked(
    bench: Bench, follower: Follower, talk: Records, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    read = bench.archive.read

    def broken(_reader: object) -> None:
        raise KnownError("The disk reports an error.")

    monkeypatch.setattr(bench.archive, "read", lambda _job: read(broken))
    follower.watch.see(path)
    monkeypatch.setattr(bench.archive, "read", read)
    now[0] += module.LONGEST_WAIT
    follower.watch.see()
    assert entries(bench) == [3]
    assert [news.bad for news in follower.news] == [True, False]


def test_what_becomes_of_folders_is_told_once(follower: Follower) -> None:
    for way in (
        WatchMethod.TOLD,
        WatchMethod.GONE,
        WatchMethod.GONE,
        WatchMethod.TOLD,
        WatchMethod.REFUSED,
        WatchMethod.NETWORK,
        WatchMethod.NETWORK,
        WatchMethod.LIMIT,
        WatchMethod.TOLD,
    ):
        follower.watch.see(ways=[("~/f", way)])
    assert [(news.bad, news.about) for news in follower.news] == [
        (True, "~/f"), (False, "~/f"), (True, "~/f"), (False, "~/f"), (False, "~/f"),
    ]  # fmt: skip
    assert all(isinstance(news.text, Phrase) for news in follower.news)  # the window says it in its language
    texts = [news.text for news in follower.news]
    for text, words in zip(
        texts, ("does not exist", "followed again", "cannot be read", "network", "limit"), strict=True
    ):
        assert words in text


def test_what_is_followed_no_longer_is_no_trouble(follower: Follower) -> None:
    follower.watch.see(ways=[("~/f", WatchMethod.GONE), ("~/g", WatchMethod.TOLD)])
    follower.watch.see()
    assert [(news.bad, news.about) for news in follower.news] == [(True, "~/f"), (False, "~/f")]


def test_files_are_looked_at_where_nobody_waits_for_the_archive(
    bench: Bench, follower: Follower, talk: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(bench.folder / "a.jsonl", talk("s", *ROWS))
    follower.watch.see(path)
    threads: list[threading.Thread] = []

    def look(*_about: object) -> bool:
        threads.append(threading.current_thread())
        return True

    monkeypatch.setattr(type(bench.services.formats), "is_unchanged", look)
    follower.watch.see(path)
    assert threads == [threading.current_thread()]


def test_nobody_hears_once_he_has_left(follower: Follower) -> None:
    follower.unsubscribe()
    follower.unsubscribe()
    follower.watch.see(ways=[("~/f", WatchMethod.GONE)])
    assert follower.news == []


def test_closing_stops_between_files(bench: Bench, follower: Follower, talk: Records) -> None:
    files = [write(bench.folder / f"{at}.jsonl", talk(f"s{at}", *ROWS)) for at in range(5)]
    bench.services.notices.subscribe(lambda _change: follower.following.close())
    follower.watch.see(*files)
    assert follower.watch.stopped
    assert entries(bench) == [3]


def test_on_a_real_disk(bench: Bench, talk: Records) -> None:
    lines = talk("s", *ROWS)
    path = write(bench.folder / "watched" / "a.jsonl", lines[:2])
    services = bench.services
    following = Following(bench.archive, services.importing, lambda: services.formats, FolderWatch(is_followed_name))
    try:
        following.follow([str(path.parent)])
        until(lambda: entries(bench) == [1])
        for line in lines[2:]:
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")
        until(lambda: entries(bench) == [3])
        os.utime(path)
    finally:
        following.close()


@pytest.fixture
def on_disk(bench: Bench) -> Iterator[Path]:
    """A folder on a real disk that is followed."""
    folder = bench.folder / "watched"
    folder.mkdir()
    services = bench.services
    watch = FolderWatch(is_followed_name)
    following = Following(bench.archive, services.importing, lambda: services.formats, watch)
    following.follow([str(folder)])
    yield folder
    following.close()


def titles(bench: Bench) -> list[str]:
    return [session.title for session in bench.services.sessions.all().result()]


def test_a_document_that_its_tool_rewrites_is_followed(bench: Bench, on_disk: Path) -> None:
    """A task of Cline, whose messages and whose facts are documents, gets its title while it is followed."""
    task = on_disk / "tasks" / "1767225600000"
    task.mkdir(parents=True)
    (task / "history_item.json").write_text(json.dumps({"id": task.name, "task": "Tea"}))
    messages = json.loads(cline.task())
    (task / "api_conversation_history.json").write_text(json.dumps(messages[:2]))
    until(lambda: entries(bench) == [2] and titles(bench) == ["Tea"])
    (task / "api_conversation_history.json").write_text(json.dumps(messages))
    until(lambda: entries(bench) == [4])
    (task / "history_item.json").write_text(json.dumps({"id": task.name, "task": "Green tea"}))
    until(lambda: titles(bench) == ["Green tea"])


def test_facts_beside_a_log_are_followed(bench: Bench, on_disk: Path) -> None:
    """The settings of Droid's session have its model, and the facts of Vibe's session its title."""
    log = on_disk / "s.jsonl"
    log.write_bytes(message_logs.lines(message_logs.droid_start(), *message_logs.droid_talk()))
    until(lambda: len(entries(bench)) == 1)
    log.with_name("s.settings.json").write_text('{"model": "sencha"}')
    until(lambda: ["sencha" in session.details for session in bench.services.sessions.all().result()] == [True])
    vibe = on_disk / "session_20260613_100000_5e550000"
    vibe.mkdir()
    (vibe / "messages.jsonl").write_bytes(message_logs.lines(*message_logs.vibe_talk()))
    until(lambda: len(entries(bench)) == 2)
    (vibe / "meta.json").write_bytes(message_logs.vibe_facts())
    until(lambda: "Tea" in titles(bench))
