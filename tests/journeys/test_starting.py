"""Where the keys go right after the start."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QSplitter
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import build
from stemmata.gui.theme import metrics
from tests.journeys.person import Person


def test_with_nothing_found_files_are_one_key_away(person: Person) -> None:
    person.until(lambda: person.window.focusWidget() is person.window.welcome.choose_button)


def test_the_list_of_sessions_has_the_focus(person: Person, session_file: Path, qtbot: QtBot, tmp_path: Path) -> None:
    person.drop(session_file)
    person.application.close()
    again = build(["--profile", str(tmp_path / "profile")])
    again.window.show()
    again.window.activateWindow()
    qtbot.waitUntil(lambda: again.window.focusWidget() is again.window.sessions.list)
    again.close()
    qtbot.wait(1)


def minimums(columns: QSplitter) -> list[int]:
    found = (columns.widget(at) for at in range(columns.count()))
    return [column.minimumWidth() for column in found if column is not None]


def test_large_text_makes_no_window_larger_than_the_screen(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "profile" / "config").mkdir(parents=True)
    (tmp_path / "profile" / "config" / "settings.toml").write_text("[window]\nfont_scale = 200\n")
    application = build(["--profile", str(tmp_path / "profile")])
    window, room = application.window, application.window.screen().availableSize()
    assert window.width() <= room.width()
    assert window.height() < room.height()  # the system's title bar stands above it
    least = sum(minimums(window.columns))
    assert least <= max(room.width(), sum(metrics.COLUMN_MINIMUMS))
    window.show()
    application.close()
    qtbot.wait(1)


def test_columns_grow_with_the_text(person: Person) -> None:
    columns = person.window.columns
    before = minimums(columns)
    person.window.theme.set_scale(200)
    after = minimums(columns)
    assert all(now >= then for now, then in zip(after, before, strict=True))


def test_a_file_that_was_imported_before_is_opened_again(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    key = person.gui.opened.key
    person.gui.opened.close()
    person.gui.open(str(session_file))
    person.until(lambda: person.gui.opened.key == key)
