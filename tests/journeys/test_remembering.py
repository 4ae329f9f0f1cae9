"""A session is found again as it was left, in the same run and in the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import build
from stemmata.domain.navigator.outline import Density
from stemmata.gui.window import saved_views
from stemmata.gui.window.saved_views import SessionMemory
from tests.journeys.person import Person


def left_somewhere(person: Person) -> dict[str, Any]:
    """View another branch, fold, choose a density and scroll; return the state to remember."""
    window = person.window
    person.until(lambda: window.branches.outline is not None)
    window.branches.set_density(Density.NO_TOOLS)
    person.until(lambda: window.branches.outline is not None and window.branches.outline.density is Density.NO_TOOLS)
    person.gui.opened.view_entry(person.key("usr000b0"))
    window.transcript.view.show_place(person.key("res00001"), 30)
    window.branches.list.fold_given.emit(window.branches.list.model.row_of(person.key("usr000b0")) or 0)
    return {**window.branches.state(), "place": window.transcript.view.place}


def assert_found_again(person: Person, left: dict[str, Any]) -> None:
    """Fail unless the session is shown as it was left; a wait for this says at its end what differs."""
    window = person.window
    assert window.branches.outline is not None
    assert {**window.branches.state(), "place": window.transcript.view.place} == left
    assert window.transcript.branch_text == "branch 1 of 2"
    assert person.gui.opened.selection == left["selected"]


def test_within_a_run(person: Person, session_file: Path) -> None:
    person.window.resize(1024, 600)
    person.drop(session_file)
    person.until(lambda: person.window.sessions_model.total == 1)
    key, left = person.gui.opened.key, left_somewhere(person)
    assert key is not None
    assert left["place"] is not None
    person.gui.opened.close()
    person.gui.open_session(key)
    person.until(lambda: assert_found_again(person, left))


def test_across_a_restart(qtbot: QtBot, person: Person, session_file: Path, tmp_path: Path) -> None:
    person.window.resize(1024, 600)
    person.drop(session_file)
    person.until(lambda: person.window.sessions_model.total == 1)
    key, left = person.gui.opened.key, left_somewhere(person)
    assert key is not None
    person.application.close()
    again = build(["--profile", str(tmp_path / "profile")])
    try:
        other = Person(again, qtbot)
        again.window.resize(1024, 600)
        again.window.show()
        other.until(lambda: other.window.sessions_model.total == 1)
        again.gui.open_session(key)
        other.until(lambda: assert_found_again(other, left))
    finally:
        again.close()


def test_an_entry_that_is_asked_for_wins(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(lambda: person.window.sessions_model.total == 1)
    key, entry = person.gui.opened.key, person.key("usr00005")
    assert key is not None
    left_somewhere(person)
    person.gui.opened.close()
    person.gui.open_session(key, entry)
    person.until(lambda: person.window.branches.outline is not None)
    person.until(lambda: entry in person.window.transcript.view.visible_keys)
    assert person.window.branches.density is Density.NO_TOOLS
    assert person.gui.opened.selection == entry


def test_whoever_was_at_the_leaf_is_there_again(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None)
    key, leaf = person.gui.opened.key, person.leaf
    assert key is not None
    person.gui.opened.close()
    person.gui.open_session(key)
    person.until(lambda: person.gui.opened.session_tree is not None)
    assert person.gui.opened.selection == leaf
    assert person.window.transcript.view.follows_end


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "state.ini"), QSettings.Format.IniFormat)


def test_the_sessions_left_first_are_forgotten_first(
    qapp: object, settings: QSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_views, "MOST_SESSIONS", 2)
    memory = SessionMemory(settings)
    for session in ("a", "b", "a", "c"):
        memory.put(session, {"selected": session})
    again = SessionMemory(settings)
    assert [again.get(session) for session in ("a", "b", "c")] == [{"selected": "a"}, {}, {"selected": "c"}]
    again.put("d", {})
    assert again.get("a") == {}


@pytest.mark.parametrize("text", ["", "{", "[1]", "3"])
def test_what_cannot_be_read_is_forgotten(qapp: object, settings: QSettings, text: str) -> None:
    settings.setValue("views/session-a", text)
    settings.setValue("views/order", 5)
    assert SessionMemory(settings).get("a") == {}
