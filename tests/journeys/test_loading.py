"""A session that takes its time to open says so, and one that does not shows nothing in between."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QTimer

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import Session
from stemmata.gui.branches.controller import SLOW_MS
from stemmata.gui.core import freed_memory
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


@pytest.fixture
def keys(person: Person, session_file: Path) -> tuple[int, int]:
    """The keys of two sessions; the second one is open."""
    other = session_file.with_name("2025-02-03T04-05-06_other.jsonl")
    text = session_file.read_text(encoding="utf-8")
    other.write_text(text.replace("journey-1", "journey-2").replace("Prompt number", "Question"), encoding="utf-8")
    person.drop(session_file)
    first = person.gui.opened.key
    person.drop(other)
    person.until(lambda: person.gui.opened.key != first and person.window.branches.outline is not None)
    second = person.gui.opened.key
    assert first is not None
    assert second is not None
    return first, second


@pytest.fixture
def gate(person: Person) -> Iterator[Event]:
    """Jobs of the archive wait until this event is set."""
    gate = Event()
    yield gate
    gate.set()


def held_up(person: Person, gate: Event) -> None:
    person.application.services.sessions.archive.read(lambda _reader: gate.wait(PATIENCE))


def test_what_takes_long_is_told(person: Person, keys: tuple[int, int], gate: Event) -> None:
    window = person.window
    held_up(person, gate)
    person.gui.open_session(keys[0])
    assert not window.transcript.is_loading
    assert window.transcript.header.title.startswith("Question")
    person.until(lambda: window.transcript.is_loading)
    person.until(lambda: window.branches.list.is_waiting)
    assert window.transcript.header.title == "Opening…"
    gate.set()
    person.until(lambda: window.branches.outline is not None)
    assert not window.transcript.is_loading
    assert not window.branches.list.is_waiting
    assert window.transcript.header.title.startswith("Prompt")


def test_what_is_fast_shows_nothing_in_between(
    person: Person, keys: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    person.gui.controllers.session._slow.setInterval(round(PATIENCE * 1000))  # no busy machine makes it slow
    monkeypatch.setattr(person.window.transcript, "show_loading", lambda: told.append("transcript"))
    person.gui.open_session(keys[0])
    person.until(lambda: person.window.branches.outline is not None)
    assert not person.gui.controllers.session.is_waiting
    assert told == []


def test_quick_steps_through_sessions_do_not_keep_the_old_branches(
    person: Person, keys: tuple[int, int], gate: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers, begun = person.gui.controllers.branches.findChildren(QTimer), list[int]()
    (slow,) = (timer for timer in timers if timer.interval() == SLOW_MS)
    person.gui.open_session(keys[0])
    person.until(lambda: person.window.branches.outline is not None)
    assert not slow.isActive()
    held_up(person, gate)
    slow.setInterval(round(PATIENCE * 1000))
    person.gui.open_session(keys[1])
    assert slow.isActive()
    monkeypatch.setattr(slow, "start", lambda: begun.append(1))
    person.gui.open_session(keys[0])
    assert slow.isActive()
    assert not begun
    gate.set()
    person.until(lambda: person.window.branches.outline is not None)


def test_a_failure_ends_it(
    person: Person, keys: tuple[int, int], gate: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Future[Any]()
    monkeypatch.setattr(person.application.services.sessions, "tail", lambda *_asked: answer)
    person.gui.open_session(keys[0])
    person.until(lambda: person.window.transcript.is_loading)
    answer.set_exception(KnownError("The disk is gone."))
    person.until(lambda: not person.window.transcript.is_loading)
    assert person.window.banner.text.startswith("The disk is gone")


def test_what_fails_beside_it_does_not(person: Person, keys: tuple[int, int], gate: Event) -> None:
    held_up(person, gate)
    person.gui.open_session(keys[0])
    person.until(lambda: person.window.transcript.is_loading)
    person.gui.bridge.failed.emit(KnownError("The label was not stored."))
    assert person.window.transcript.is_loading
    gate.set()
    person.until(lambda: person.window.branches.outline is not None and not person.window.transcript.is_loading)


def test_no_session_is_not_waited_for(person: Person, keys: tuple[int, int]) -> None:
    person.gui.open_session(keys[0])
    person.gui.opened.close()
    assert not person.gui.controllers.session.is_waiting
    assert not person.window.transcript.is_loading


def test_what_was_left_while_it_was_opened_is_shown_beside(
    person: Person, keys: tuple[int, int], gate: Event
) -> None:
    window, split = person.window, person.gui.controllers.split
    split.show_beside(keys[1], None)
    held_up(person, gate)
    person.gui.open_session(keys[0])
    person.until(lambda: window.transcript.is_loading)
    split.switch()
    gate.set()
    person.until(lambda: window.branches.outline is not None)
    person.until(lambda: not window.transcript.is_loading)
    assert window.transcript.header.title.startswith("Prompt")
    assert window.beside.header.title.startswith("Question")


@pytest.mark.parametrize("is_older", [True, False])
def test_a_list_that_was_asked_for_before_does_not_close_it(
    person: Person, keys: tuple[int, int], is_older: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    gui, known = person.gui, person.gui.sessions.sessions[keys[1]]
    answer, lists = Future[list[Session]](), list[object]()
    monkeypatch.setattr(gui.sessions, "_all", SimpleNamespace(all=lambda **_asked: answer))
    if is_older:
        gui.sessions.read()
    gui.open_session(keys[0])
    if not is_older:
        gui.sessions.read()
    person.until(lambda: person.window.branches.outline is not None)
    gui.sessions.listed.connect(lists.append)
    answer.set_result([known])
    person.until(lambda: bool(lists))
    assert (gui.opened.key == keys[0]) is is_older


def test_a_large_session_is_followed_by_giving_memory_back(
    person: Person, session_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freed_memory, "LARGE", 1)
    assert not person.gui.freed_memory.is_waiting
    person.drop(session_file)
    assert person.gui.freed_memory.is_waiting
