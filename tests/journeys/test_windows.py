"""Several windows over one archive: each with its own session, all found again after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import Application, build
from stemmata.gui.window.about_dialog import AboutDialog
from stemmata.gui.window.workspace import IdlePreloader, Workspace
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


@pytest.fixture
def second_file(session_file: Path) -> Path:
    """A file with the lines of the first session under another id and name."""
    path = session_file.with_name("2025-02-03T04-05-06_other.jsonl")
    text = session_file.read_text(encoding="utf-8")
    path.write_text(text.replace("journey-1", "journey-2").replace("Prompt number", "Question"), encoding="utf-8")
    return path


@pytest.fixture
def two_sessions(person: Person, session_file: Path, second_file: Path) -> tuple[int, int]:
    """The keys of two sessions; the first one is open in the first window."""
    person.drop(second_file)
    second = person.gui.opened.key
    person.drop(session_file)
    person.until(lambda: person.gui.opened.key != second and person.window.sessions_model.total == 2)
    person.until(lambda: person.gui.opened.session_tree is not None)
    first = person.gui.opened.key
    assert first is not None
    assert second is not None
    return first, second


def is_open(workspace: Workspace, key: int) -> bool:
    return workspace.is_warm and workspace.opened.key == key and workspace.opened.session_tree is not None


def has_labels(workspace: Workspace) -> bool:
    session_tree = workspace.opened.session_tree
    return session_tree is not None and bool(session_tree.tree.labels)


def open_second(person: Person, key: int) -> Workspace:
    workspace = person.gui.open_window(key)
    person.until(lambda: is_open(workspace, key))
    person.until(lambda: workspace.window.branches.outline is not None)
    return workspace


@pytest.fixture
def restart(person: Person, qtbot: QtBot, tmp_path: Path) -> Iterator[list[Application]]:
    """Build the application again; it is closed at the end."""
    built: list[Application] = []
    yield built
    for application in built:
        application.close()
    qtbot.wait(1)


def built_again(tmp_path: Path, restart: list[Application]) -> Application:
    again = build(["--profile", str(tmp_path / "profile")])
    restart.append(again)
    again.gui.restore()
    again.window.show()
    return again


def test_each_window_has_a_session_of_its_own(person: Person, two_sessions: tuple[int, int]) -> None:
    first, second = two_sessions
    person.until(lambda: bool(person.window.sessions.selected))
    person.window.sessions.select(second)
    person.until(lambda: [session.key for session in person.window.sessions.selected] == [second])
    person.window.actions_table["open-in-new-window"].trigger()
    person.until(lambda: len(person.gui.workspaces) == 2 and is_open(person.gui.workspaces[1], second))
    other = person.gui.workspaces[1]
    assert person.gui.opened.key == first
    assert other.window.isVisible()
    for window in (person.window, other.window):
        assert window.windowTitle() == f"{window.transcript.header.title} – Stemmata"
    assert other.window.windowTitle() != person.window.windowTitle()


def test_a_change_in_one_shows_in_the_other(person: Person, two_sessions: tuple[int, int]) -> None:
    first, _second = two_sessions
    other = open_second(person, first)
    entry = person.key("usr00002")
    person.application.services.branching.label(first, entry, "turning point").result(PATIENCE)
    person.until(lambda: all(has_labels(workspace) for workspace in person.gui.workspaces))
    person.application.services.sessions.rename(first, "Renamed").result(PATIENCE)
    person.until(lambda: other.window.transcript.header.title == "Renamed")
    person.until(lambda: person.window.transcript.header.title == "Renamed")


def test_a_window_stands_on_the_screen(person: Person) -> None:
    """A little off the first one, and lower where the screen ends."""
    first, room = person.window, person.window.screen().availableGeometry()
    first.setGeometry(room)
    second = person.gui.open_window().window
    assert second.pos() != first.pos()
    assert second.minimumHeight() <= second.height() < first.height()
    assert second.frameGeometry().bottom() <= room.bottom()


def test_looking_in_one_moves_nothing_in_the_other(person: Person, two_sessions: tuple[int, int]) -> None:
    first, _second = two_sessions
    other = open_second(person, first)
    person.gui.opened.view_entry(person.key("usr000b0"))
    assert person.window.transcript.branch_text == "branch 1 of 2"
    assert other.window.transcript.branch_text == "branch 2 of 2"


@pytest.mark.parametrize("asked", [False, True])
def test_what_is_opened_in_a_new_window_before_it_is_warm_stays(
    person: Person, two_sessions: tuple[int, int], asked: bool
) -> None:
    """The window then said that no session is open, or opened the one that it was made for."""
    first, second = two_sessions
    branch = person.key("usr000b0")
    person.application.services.branching.trash(first, branch, on=True).result(PATIENCE)
    workspace = person.gui.open_window(second if asked else None)
    preloader = workspace.findChild(IdlePreloader)
    assert preloader is not None
    preloader.stop()  # as if it took long
    workspace.open_session(first, branch)
    column = workspace.window.transcript
    person.until(lambda: column.deleted.key == branch)
    preloader.start()
    person.until(lambda: workspace.is_warm)
    assert workspace.opened.key == first
    assert (column.deleted.key, column.header.title) == (branch, person.window.transcript.header.title)
    assert column.view.isVisible()


def test_closing_one_leaves_the_other(person: Person, two_sessions: tuple[int, int], qtbot: QtBot) -> None:
    first, second = two_sessions
    open_second(person, second)
    person.window.close()
    assert len(person.gui.workspaces) == 1
    assert person.gui.opened.key == second
    qtbot.wait(1)
    person.gui.open_session(first)
    person.until(lambda: is_open(person.gui.workspaces[0], first))


def test_links_go_to_the_window_that_was_used_last(person: Person, two_sessions: tuple[int, int]) -> None:
    other = open_second(person, two_sessions[1])
    other.raise_()
    person.until(lambda: person.gui.active is other)
    person.window.activateWindow()
    person.until(lambda: person.gui.active is person.gui.workspaces[0])
    dialog = QDialog(other.window)
    dialog.show()
    dialog.activateWindow()
    person.until(lambda: person.gui.active is other)
    dialog.close()
    session = person.gui.sessions.sessions[two_sessions[0]]
    person.gui.open(f"stemmata://session/{session.id}")
    person.until(lambda: is_open(other, session.key))


def test_errors_are_told_where_they_were_caused(person: Person, two_sessions: tuple[int, int]) -> None:
    other = open_second(person, two_sessions[1])
    other.open("stemmata://session/ffffffffff")
    person.until(lambda: "No session matches" in other.window.banner.text)
    assert not person.window.banner.isVisible()


def test_all_windows_are_found_again(
    person: Person, two_sessions: tuple[int, int], restart: list[Application], tmp_path: Path
) -> None:
    first, second = two_sessions
    other = open_second(person, second)
    other.window.resize(800, 610)
    other.window.move(QPoint(40, 30))
    other.window.actions_table["show-context"].trigger()
    other.window.actions_table["group-date"].trigger()
    entry = person.key("usr000b0")
    person.gui.opened.view_entry(entry)
    person.gui.quit()
    person.application.close()
    again = built_again(tmp_path, restart)
    person.until(lambda: len(again.gui.workspaces) == 2)
    one, two = again.gui.workspaces
    person.until(lambda: is_open(one, first) and is_open(two, second))
    assert one.opened.viewed_key == entry
    one.window.resize(1440, 900)  # where there is room for all columns
    person.until(lambda: one.window.columns.is_shown("context"))
    assert not two.window.columns.is_shown("context")
    assert [workspace.window.actions_table["group-date"].isChecked() for workspace in (one, two)] == [False, True]
    assert (two.window.width(), two.window.height()) == (800, 610)
    assert two.window.pos().y() == 30  # across, the screen of the tests has no room to spare


def test_two_paths_of_one_session_are_found_again(
    person: Person, two_sessions: tuple[int, int], restart: list[Application], tmp_path: Path
) -> None:
    first, _second = two_sessions
    open_second(person, first)
    entry = person.key("usr000b0")
    person.gui.opened.view_entry(entry)
    person.application.close()
    again = built_again(tmp_path, restart)
    person.until(lambda: len(again.gui.workspaces) == 2)
    person.until(lambda: all(is_open(workspace, first) for workspace in again.gui.workspaces))
    assert [workspace.opened.viewed_key for workspace in again.gui.workspaces] == [entry, None]


def test_a_window_that_was_closed_stays_closed(
    person: Person, two_sessions: tuple[int, int], restart: list[Application], tmp_path: Path, qtbot: QtBot
) -> None:
    first, second = two_sessions
    open_second(person, second)
    person.window.actions_table["close-window"].trigger()
    qtbot.wait(1)
    person.application.close()
    again = built_again(tmp_path, restart)
    person.until(lambda: is_open(again.gui.workspaces[0], second))
    assert len(again.gui.workspaces) == 1
    assert first != second


def test_keys_that_are_changed_in_one_hold_in_the_other(person: Person, two_sessions: tuple[int, int]) -> None:
    other = open_second(person, two_sessions[1])
    person.gui.controllers.preferences.change("shortcuts.demo", "Ctrl+Alt+D")
    person.until(lambda: other.window.actions_table.keys("demo") == "Ctrl+Alt+D")
    third = person.gui.open_window()
    person.until(lambda: third.is_warm and third.window.actions_table.keys("demo") == "Ctrl+Alt+D")


def test_whether_enter_sends_counts_in_every_window(person: Person, two_sessions: tuple[int, int]) -> None:
    other = open_second(person, two_sessions[1])
    editors = [workspace.window.transcript.composer.editor for workspace in (person.gui.workspaces[0], other)]
    person.until(lambda: all(editor.enter_sends for editor in editors))
    person.gui.workspaces[0].controllers.preferences.change("window.enter_sends", value=False)
    person.until(lambda: not any(editor.enter_sends for editor in editors))


def test_about_is_one_dialog(person: Person) -> None:
    for _ in range(2):
        person.window.actions_table["about"].trigger()
    person.until(lambda: [dialog.isVisible() for dialog in person.window.findChildren(AboutDialog)] == [True])
