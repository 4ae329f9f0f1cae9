"""Idle work: what the next step of scrolling needs is done between the frames, the rest when nobody scrolls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic, thread_time

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from stemmata.gui.core import turns
from stemmata.gui.core.turns import BUSY, TurnClock
from stemmata.gui.transcript.idle import REST_MS, IdleWork, LayoutAllowance


class Task:
    """A task with a number of slices, which records when it ran."""

    def __init__(self, slices: int) -> None:
        self.left = slices
        self.times: list[float] = []

    def __call__(self, _seconds: float) -> bool:
        if not self.left:
            return False
        self.left -= 1
        self.times.append(monotonic())
        return True


def test_what_can_wait_waits_for_the_last_wake(qtbot: QtBot) -> None:
    parent, soon, later, wakes = QObject(), Task(3), Task(3), []
    idle = IdleWork(parent, [soon], [later])
    for _ in range(8):  # steps of scrolling, together longer than the rest that is waited for
        wakes.append(monotonic())
        idle.wake()
        qtbot.waitUntil(lambda: monotonic() - wakes[-1] > REST_MS / 3000 and not soon.left)
    qtbot.waitUntil(lambda: not later.left)
    rests = [at - max(wake for wake in wakes if wake <= at) for at in later.times]
    assert min(rests) >= REST_MS / 1000 * 0.9  # Qt's coarse timers may be a twentieth early


def test_work_that_waited_for_a_rest_is_done_after_it(qtbot: QtBot) -> None:
    """Such as the colours of several pieces of code, once the lexer is loaded."""
    parent, loads, colors = QObject(), Task(1), Task(2)
    idle = IdleWork(parent, [lambda seconds: not loads.left and colors(seconds)], [loads])
    idle.wake()
    qtbot.waitUntil(lambda: not colors.left)


def test_no_work_is_done_in_a_turn_that_has_painted_for_long(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds for both kinds of work, also when the rest ends in that turn."""
    time, painted, spent = [100.0], [0], list[float]()
    monkeypatch.setattr(turns, "thread_time", lambda: time[0])
    parent = QObject()
    clock = TurnClock(parent)
    soon, later = Task(1), Task(1)

    def note(task: Task, _seconds: float) -> bool:
        if task.left:
            spent.append(clock.spent)
        return task(0)

    def paint() -> None:
        painted[0] += 1
        if painted[0] % 2:
            time[0] += 2 * BUSY

    painting = QTimer(parent, interval=0)
    painting.timeout.connect(paint)
    painting.start()
    idle = IdleWork(parent, [partial(note, soon)], [partial(note, later)])
    idle.wake()
    qtbot.waitUntil(lambda: not soon.left and not later.left)
    painting.stop()
    assert spent == [0, 0]


def test_everything_is_done_in_the_end_and_then_nothing(qtbot: QtBot) -> None:
    parent, soon, later = QObject(), Task(5000), Task(50)
    idle = IdleWork(parent, [soon], [later])
    idle.wake()
    qtbot.waitUntil(lambda: not soon.left and not later.left)
    assert not idle.run(1)


def test_the_most_urgent_goes_first(qtbot: QtBot) -> None:
    parent, first, second = QObject(), Task(2), Task(2)
    idle = IdleWork(parent, [first, second], [])
    idle.wake()
    qtbot.waitUntil(lambda: not second.left)
    assert max(first.times) <= min(second.times)


def test_everything_in_a_turn_of_the_event_loop_shares_one_allowance(qtbot: QtBot) -> None:
    parent = QObject()
    allowance = LayoutAllowance(parent)
    first = allowance.until()
    assert first > thread_time()
    assert allowance.until() == first
    qtbot.waitUntil(lambda: allowance.until() != first)
    assert allowance.until() > first


def test_what_can_wait_may_make_way_for_the_urgent(qtbot: QtBot) -> None:
    """A lexer that was loaded in a rest lets the code be coloured at full speed."""
    parent, soon = QObject(), Task(0)

    def load(_seconds: float) -> bool:
        if soon.times:
            return False
        soon.left = 200
        return True

    idle = IdleWork(parent, [soon], [load])
    idle.wake()
    qtbot.waitUntil(lambda: len(soon.times) == 200 and not idle.is_resting)


def test_a_slice_ends_in_time() -> None:
    parent = QObject()

    def endless(_seconds: float) -> bool:
        return True

    tasks: list[Callable[[float], bool]] = [endless]
    idle = IdleWork(parent, tasks, [])
    begun = thread_time()
    assert idle.run(0.005)
    assert thread_time() - begun < 0.5
