"""The list of sessions: the newest ones are listed while all of them are being read."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtCore import QCoreApplication, QSettings, QTimer
from pytestqt.qtbot import QtBot

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import Session
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.sessions import model as model_module
from stemmata.gui.sessions import session_list
from stemmata.gui.sessions.listing import Listing, Order
from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.sessions.session_list import SessionList
from stemmata.gui.sessions.words import Grouping
from stemmata.services.sessions.sessions import Sessions

Answer = Future[list[Session]]
Make = Callable[..., Session]
Some = Callable[[int], list[Session]]


@pytest.fixture
def model(qapp: QCoreApplication) -> SessionsModel:
    return SessionsModel(lambda _model: None)


class Asked:
    """Replaces the service; the answer to a query for all sessions is still to come."""

    def __init__(self) -> None:
        self.answer: Answer = Future()
        self.archive = self
        self.jobs: list[tuple[Callable[[object], object], Future[object]]] = []

    def read(self, job: Callable[[object], object]) -> Future[object]:
        self.jobs.append((job, Future()))
        return self.jobs[-1][1]

    def run(self) -> None:
        """Run the jobs that were given to the archive."""
        while self.jobs:
            job, answer = self.jobs.pop(0)
            answer.set_result(job(None))

    def all(self, *, trashed: bool = False) -> Answer:
        assert not trashed
        return self.answer


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def listed(model: SessionsModel, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> SessionList:
    monkeypatch.setattr(session_list, "FIRST", 2)
    return SessionList(cast("Sessions", asked), Bridge(model), model)


@pytest.fixture
def some(make_session: Make) -> Some:
    return lambda count: [make_session(key, f"title {key}") for key in range(1, count + 1)]


def test_the_newest_sessions_are_listed_before_all_are_read(
    qtbot: QtBot, model: SessionsModel, asked: Asked, listed: SessionList, some: Some
) -> None:
    first: Answer = Future()
    told: list[Any] = []
    listed.listed.connect(told.append)
    listed.show_first(first)
    listed.read()
    first.set_result(some(2))
    qtbot.waitUntil(lambda: model.total == 2)
    assert len(listed.sessions) == 2, "they can be opened"
    assert not told  # other parts of the window wait for all
    asked.answer.set_result(some(5))
    qtbot.waitUntil(lambda: model.total == 5)
    assert len(listed.sessions) == 5
    assert len(told) == 1


def test_the_newest_sessions_that_come_late_or_are_all_change_nothing(
    qtbot: QtBot, model: SessionsModel, asked: Asked, listed: SessionList, some: Some
) -> None:
    replaced: list[int] = []
    model.replaced.connect(lambda: replaced.append(model.total))
    late: Answer = Future()
    few: Answer = Future()
    listed.show_first(few)
    few.set_result(some(1))
    listed.show_first(late)
    listed.read()
    asked.answer.set_result(some(3))
    qtbot.waitUntil(lambda: model.total == 3)
    late.set_result(some(2))
    for _ in range(5):
        QCoreApplication.processEvents()
    assert replaced == [3]


def test_sessions_that_are_read_before_the_window_is_shown_are_listed_at_once(
    model: SessionsModel, listed: SessionList, some: Some
) -> None:
    for count in (1, 3):
        read: Answer = Future()
        read.set_result(some(count))
        listed.show_first(read)
        assert model.total == len(listed.sessions) == count


def test_an_archive_that_cannot_be_read_is_told_by_the_bridge(
    qtbot: QtBot, model: SessionsModel, listed: SessionList
) -> None:
    broken: Answer = Future()
    broken.set_exception(KnownError("The archive is damaged."))
    bridge = model.findChild(Bridge)
    assert bridge is not None
    with qtbot.waitSignal(bridge.failed) as failed:
        listed.show_first(broken)
    assert "damaged" in str(failed.args[0])
    assert not model.total


def test_the_repositories_of_the_last_start_group_the_list_at_once(
    qtbot: QtBot, model: SessionsModel, some: Some, tmp_path: Path
) -> None:
    file = str(tmp_path / "window.ini")
    all: Answer = Future()
    all.set_result(some(2))
    services = SimpleNamespace(all=lambda **_: all, fork_points=Future)
    first = SessionList(cast("Sessions", services), Bridge(model), model, QSettings(file, QSettings.Format.IniFormat))
    first.set_repositories({"/p/sub": "/p"})
    qtbot.waitUntil(lambda: model.total == 2)
    settings = QSettings(file, QSettings.Format.IniFormat)
    later = SessionList(cast("Sessions", services), Bridge(model), model, settings)
    read: list[object] = []
    later.listed.connect(read.append)
    later.set_repositories({"/p/sub": "/p"})
    qtbot.wait(1)
    assert not read, "the same repositories list nothing again"
    for damaged in ("[1]", "{", '{"/a": 1}'):
        settings.setValue("sessions/repositories", damaged)
        assert session_list.remembered(settings) == {}


def titles(model: SessionsModel) -> list[str]:
    return [session.title for row in range(model.rowCount()) if (session := model.session_at(row)) is not None]


def test_many_sessions_are_arranged_on_another_thread(
    listed: SessionList, model: SessionsModel, asked: Asked, make_session: Make, qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(model_module, "MANY", 3)
    listed.read()
    asked.answer.set_result([make_session(at, title) for at, title in enumerate("BCA", 1)])
    qtbot.waitUntil(lambda: titles(model) == ["B", "C", "A"])
    model.set_order(Order.TITLE)
    model.set_grouping(Grouping.TAG)
    assert titles(model) == ["B", "C", "A"], "the trees are not made in this thread"
    asked.run()
    qtbot.waitUntil(lambda: titles(model) == ["A", "B", "C"])
    model.show_archived(on=True)
    other = Listing([make_session(7, "read meanwhile")])
    model.set_listing(other)
    asked.run()
    QCoreApplication.sendPostedEvents()
    qtbot.waitUntil(lambda: not any(timer.isActive() for timer in model.findChildren(QTimer)))  # none is delivered
    assert model.listing is other
    model.set_order(Order.CREATED)
    assert not asked.jobs, "few sessions are arranged at once"
