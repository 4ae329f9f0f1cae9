"""Results and notices reach the GUI thread: in order, once, batched, and never too late."""

from __future__ import annotations

import logging
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QTimer
from pytestqt.qtbot import QtBot

from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.gui.core.bridge import ANSWERING, Bridge, LatestOnly


@pytest.fixture
def bridge(qapp: object) -> Iterator[Bridge]:
    bridge = Bridge()
    yield bridge
    bridge.close()


def test_a_result_arrives_in_the_gui_thread_and_never_at_once(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[tuple[int, threading.Thread]] = []
    done: Future[int] = Future()
    done.set_result(7)
    bridge.when_done(done, lambda value: seen.append((value, threading.current_thread())))
    assert seen == []
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [(7, threading.main_thread())]


def test_a_delivered_result_is_freed_at_once(bridge: Bridge, qtbot: QtBot) -> None:
    """The garbage collector runs rarely, and a result may be the tree of a long session."""
    seen: list[weakref.ref[LatestOnly]] = []
    done: Future[LatestOnly] = Future()
    bridge.when_done(done, lambda value: seen.append(weakref.ref(value)))
    done.set_result(LatestOnly())
    del done
    qtbot.waitUntil(lambda: bool(seen))
    qtbot.waitUntil(lambda: seen[0]() is None)


def test_results_of_other_threads_arrive_in_the_gui_thread(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[threading.Thread] = []
    with ThreadPoolExecutor(1) as pool:
        for _ in range(20):
            bridge.when_done(pool.submit(int), lambda _value: seen.append(threading.current_thread()))
        qtbot.waitUntil(lambda: len(seen) == 20)
    assert set(seen) == {threading.main_thread()}


def test_only_the_latest_request_of_a_run_is_delivered(bridge: Bridge, qtbot: QtBot) -> None:
    run, seen = LatestOnly(), list[str]()
    first: Future[str] = Future()
    second: Future[str] = Future()
    bridge.when_done(first, seen.append, run=run)
    bridge.when_done(second, seen.append, run=run)
    second.set_result("second")
    first.set_result("first")
    qtbot.waitUntil(lambda: bool(seen))
    qtbot.wait(20)
    assert seen == ["second"]


def test_a_cancelled_run_delivers_nothing(bridge: Bridge, qtbot: QtBot) -> None:
    run, seen = LatestOnly(), list[object]()
    future: Future[str] = Future()
    bridge.when_done(future, seen.append, seen.append, run=run)
    run.cancel()
    future.set_exception(NothingToDoError("late"))
    qtbot.wait(20)
    assert seen == []


def test_errors_go_to_who_asked_else_to_the_window(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[Exception] = []
    failing: Future[str] = Future()
    failing.set_exception(NothingToDoError("nothing"))
    bridge.when_done(failing, lambda _value: None, seen.append)
    with qtbot.waitSignal(bridge.failed) as failed:
        bridge.when_done(failing, lambda _value: None)
    assert [str(error) for error in seen] == ["nothing"]
    assert isinstance(failed.args[0], NothingToDoError)


def test_what_was_stored_before_an_error_is_told_before_it(bridge: Bridge, qtbot: QtBot) -> None:
    told = list[str]()
    bridge.changed.connect(lambda _changes: told.append("stored"))
    bridge.failed.connect(lambda _error: told.append("failed"))
    refused: Future[int] = Future()
    refused.set_exception(NothingToDoError("No."))
    bridge.publish(ChangeSet(Change.MARKS, 1))
    bridge.when_done(refused, lambda _value: None)
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told == ["stored", "failed"]


def test_an_error_that_is_a_bug_is_logged(bridge: Bridge, qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    failing: Future[str] = Future()
    failing.set_exception(ZeroDivisionError("bug"))
    with caplog.at_level(logging.ERROR), qtbot.waitSignal(bridge.failed):
        bridge.when_done(failing, lambda _value: None)
    assert "a request failed" in caplog.text


def test_a_cancelled_future_is_silent(bridge: Bridge, qtbot: QtBot) -> None:
    future: Future[str] = Future()
    bridge.when_done(future, lambda _value: pytest.fail("delivered"))
    future.cancel()
    qtbot.wait(20)


def test_notices_of_one_moment_come_as_one_signal(bridge: Bridge, qtbot: QtBot) -> None:
    batches: list[tuple[ChangeSet, ...]] = []
    bridge.changed.connect(batches.append)
    changes = [ChangeSet(Change.ENTRIES, session=number) for number in range(50)]
    thread = threading.Thread(target=deque, args=(map(bridge.publish, changes),))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(batches))
    assert [change.session for change in batches[0]] == list(range(50))
    with qtbot.waitSignal(bridge.changed):
        bridge.publish(ChangeSet(Change.LEAF, session=51))
    assert len(batches) == 2


def test_after_close_nothing_is_delivered_and_the_subscription_ends(qtbot: QtBot) -> None:
    bridge, listeners, seen = Bridge(), list[object](), list[object]()

    def subscribe(callback: Callable[[ChangeSet], None]) -> Callable[[], None]:
        listeners.append(callback)
        return lambda: listeners.remove(callback)

    bridge.subscribe(subscribe)
    bridge.changed.connect(seen.append)
    future: Future[int] = Future()
    bridge.when_done(future, seen.append)
    bridge.publish(ChangeSet(Change.LEAF))
    bridge.close()
    bridge.close()
    future.set_result(1)
    bridge.publish(ChangeSet(Change.LEAF))
    qtbot.wait(60)
    assert seen == []
    assert listeners == []


def test_the_newest_value_always_arrives_and_a_flood_is_thinned(bridge: Bridge, qtbot: QtBot) -> None:
    seen: list[int] = []
    post = bridge.latest(seen.append)
    thread = threading.Thread(target=deque, args=(map(post, range(1000)),))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(seen) and seen[-1] == 999)
    assert len(seen) < 1000
    post(1000)
    qtbot.waitUntil(lambda: seen[-1] == 1000)


def test_an_answer_that_takes_long_leaves_the_others_to_the_next_turns(
    bridge: Bridge, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, turns, seen = [0.0], [0], list[int]()
    monkeypatch.setattr("stemmata.gui.core.turns.thread_time", lambda: clock[0])
    awake = QAbstractEventDispatcher.instance().awake
    count = awake.connect(lambda: turns.__setitem__(0, turns[0] + 1))

    def take(_answer: int) -> None:
        clock[0] += ANSWERING
        seen.append(turns[0])

    answers = [Future[int]() for _ in range(5)]
    for at, answer in enumerate(answers):
        bridge.when_done(answer, take)
        answer.set_result(at)
    qtbot.waitUntil(lambda: len(seen) == 5)
    awake.disconnect(count)
    assert len(set(seen)) == 5


def test_quick_answers_share_a_turn_and_keep_their_order(bridge: Bridge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stemmata.gui.core.turns.thread_time", lambda: 0.0)
    seen = list[int]()
    answers = [Future[int]() for _ in range(20)]
    for at, answer in enumerate(answers):
        bridge.when_done(answer, seen.append)
        answer.set_result(at)
    QCoreApplication.sendPostedEvents()  # only asks for a turn: layout and painting that are due come first
    assert seen == []
    QCoreApplication.processEvents()
    assert seen == list(range(20))


def test_an_answer_under_way_at_the_close_starts_no_timer(bridge: Bridge) -> None:
    done: Future[int] = Future()
    done.set_result(7)
    bridge.when_done(done, lambda _value: None)
    bridge.close()
    QCoreApplication.sendPostedEvents(bridge)
    assert not any(timer.isActive() for timer in bridge.findChildren(QTimer))
