"""Work waits for a turn of the event loop in which nothing else has taken long, but not for ever."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QObject, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.core import turns
from stemmata.gui.core.turns import BUSY, PATIENCE, SpareTurn, TurnClock, TurnSteps, paint_in_turns


@pytest.fixture
def parent(qapp: object) -> Iterator[QObject]:
    parent = QObject()
    yield parent
    for timer in parent.findChildren(QTimer):
        timer.stop()


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The processor seconds of the thread, which only the test changes."""
    time = [100.0]
    monkeypatch.setattr(turns, "thread_time", lambda: time[0])
    return time


def test_each_turn_begins_with_nothing_spent(parent: QObject, time: list[float]) -> None:
    clock = TurnClock(parent)
    time[0] += 0.25
    assert clock.spent == 0.25
    QCoreApplication.processEvents()
    assert clock.spent == 0


def test_work_waits_for_a_turn_with_time_left(parent: QObject, time: list[float]) -> None:
    done, busy = list[float](), [True, True, False]
    clock = TurnClock(parent)
    paint = QTimer(parent, interval=0)  # stands for what comes before it in the same turn
    paint.timeout.connect(lambda: time.__setitem__(0, time[0] + (2 * BUSY if busy and busy.pop(0) else 0)))
    paint.start()
    spare = SpareTurn(parent, clock, lambda: done.append(clock.spent))
    spare.start()
    spare.start()
    for _ in range(2):
        QCoreApplication.processEvents()
        assert done == []
        assert spare.is_active
    QCoreApplication.processEvents()
    assert done == [0]
    assert not spare.is_active
    QCoreApplication.processEvents()
    assert done == [0]


def test_work_is_done_although_every_turn_is_busy(parent: QObject, time: list[float]) -> None:
    done = list[int]()
    clock = TurnClock(parent)
    paint = QTimer(parent, interval=0)
    paint.timeout.connect(lambda: time.__setitem__(0, time[0] + 2 * BUSY))
    paint.start()
    spare = SpareTurn(parent, clock, lambda: done.append(1))
    spare.start()
    for _ in range(PATIENCE):
        QCoreApplication.processEvents()
    assert done == []
    QCoreApplication.processEvents()
    assert done == [1]


def test_stopped_work_is_not_done(parent: QObject, qtbot: QtBot) -> None:
    done = list[int]()
    spare = SpareTurn(parent, TurnClock(parent), lambda: done.append(1))
    spare.start()
    spare.stop()
    qtbot.wait(20)
    assert done == []
    assert not spare.is_active


def test_steps_take_a_turn_each(parent: QObject, time: list[float]) -> None:
    done = list[str]()
    steps = TurnSteps(parent)
    steps.start(lambda: done.append("a"), lambda: done.append("b"))
    steps.start(lambda: done.append("c"))
    for count in range(4):
        assert "".join(done) == "abc"[:count]
        assert steps.is_active == (count < 3)
        QCoreApplication.processEvents()
    assert done == ["a", "b", "c"]
    steps.start(lambda: done.append("d"))
    steps.stop()
    assert not steps.is_active
    QCoreApplication.processEvents()
    assert done == ["a", "b", "c"]


def test_widgets_are_painted_one_in_a_turn(parent: QObject, qtbot: QtBot) -> None:
    turn, painted = [0], dict[str, list[int]]()

    class Noted(QLabel):
        def paintEvent(self, _event: object) -> None:
            painted.setdefault(self.text(), []).append(turn[0])

    host = QWidget()
    qtbot.addWidget(host)
    row = QHBoxLayout(host)
    widgets = [Noted("one"), Noted("two"), Noted("three"), Noted("closed meanwhile")]
    for widget in widgets:
        row.addWidget(widget)
    host.show()
    qtbot.waitUntil(lambda: len(painted) == 4)
    painted.clear()
    steps = TurnSteps(parent)
    paint_in_turns(widgets, steps)
    widgets.pop().deleteLater()
    for widget in widgets:
        widget.setText(f"{widget.text()}!")
    while steps.is_active or len(painted) < 3:
        turn[0] += 1
        QCoreApplication.processEvents()
        assert turn[0] < 1000
    assert list(painted) == ["one!", "two!", "three!"]
    assert all(len(turns) == 1 for turns in painted.values())
    assert len({turns[0] for turns in painted.values()}) == 3
