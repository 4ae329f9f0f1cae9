"""The transcript by keys alone: the cursor, what its keys do, and the cheat sheet of each column."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from stemmata.gui.settings.column_keys import KEYS, fixed_keys
from stemmata.gui.settings.keys_dialog import KeysDialog
from tests.fakes.transcripts import cards, said
from tests.journeys.person import Person

Key = Qt.Key
ALT, SHIFT, NONE = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.NoModifier


def press(person: Person, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    focused = person.window.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key, held)


@pytest.fixture
def reader(person: Person, session_file: Path) -> Person:
    """Somebody who went to the transcript of a session by Alt+3."""
    person.drop(session_file)
    person.until(lambda: person.window.branches.outline is not None)
    QTest.keyClick(person.window, Key.Key_3, ALT)
    return person


def cursor(person: Person) -> int:
    return person.window.transcript.view.card_cursor.key


def test_the_cursor_moves_and_the_selection_follows(reader: Person) -> None:
    window, opened = reader.window, reader.gui.opened
    assert window.transcript.view.card_cursor.is_shown
    assert cursor(reader) == reader.key("ans00007")
    press(reader, Key.Key_K)
    assert cursor(reader) == opened.selection == reader.key("cal00007")
    assert window.branches.list.selected_row == window.branches.model.row_of(reader.key("cal00007"))
    press(reader, Key.Key_BracketLeft)
    press(reader, Key.Key_BracketLeft)
    assert cursor(reader) == opened.selection == reader.key("usr00006")
    press(reader, Key.Key_BracketRight)
    assert cursor(reader) == reader.key("usr00007")
    press(reader, Key.Key_Home)
    assert cursor(reader) == reader.key("usr00000")
    press(reader, Key.Key_End)
    assert cursor(reader) == reader.key("ans00007")


def test_the_branches_follow_what_is_read_and_mark_the_viewed_path(reader: Person) -> None:
    window, opened = reader.window, reader.gui.opened
    rows = window.branches.model
    assert rows.reading_row == rows.leaf_row
    selected = window.branches.list.selected
    window.transcript.view.scroll_by(-100_000)
    assert rows.reading_row == 0
    assert window.branches.list.selected == selected  # the mark selects nothing
    side = rows.row_of(reader.key("ans000b0"))
    assert side is not None
    assert not rows.shown(side).viewed
    opened.view_entry(reader.key("ans000b0"))
    reader.until(lambda: rows.shown(side).viewed)
    assert rows.leaf_row is not None
    assert not rows.shown(rows.leaf_row).viewed
    opened.view_leaf()
    reader.until(lambda: not rows.shown(side).viewed)


def test_the_cursor_folds_and_unfolds(reader: Person) -> None:
    view = reader.window.transcript.view
    press(reader, Key.Key_K)
    assert "line of module 07" not in said(view)
    for key, held, shown in (
        (Key.Key_Space, NONE, True), (Key.Key_Left, NONE, False),
        (Key.Key_Right, NONE, True), (Key.Key_Space, NONE, False),
        (Key.Key_O, NONE, True), (Key.Key_O, NONE, False), (Key.Key_O, SHIFT, False), (Key.Key_Return, NONE, True),
    ):  # fmt: skip
        press(reader, key, held)
        assert ("line of module 07" in said(view)) is shown


def test_the_cursor_copies_pins_labels_and_forks(reader: Person) -> None:
    press(reader, Key.Key_BracketLeft)
    prompt = reader.key("usr00007")
    press(reader, Key.Key_C)
    reader.until(lambda: "Prompt number 7" in QApplication.clipboard().text())
    press(reader, Key.Key_P)
    reader.until(lambda: reader.tree.get(prompt) in reader.tree.pins)
    press(reader, Key.Key_L)
    popup = reader.window.label_popup
    assert popup.isVisible()
    QTest.keyClicks(popup.field, "here")
    QTest.keyClick(popup.field, Key.Key_Return)
    reader.until(lambda: reader.tree.labels.get(reader.tree.get(prompt) or 0) == "here")
    reader.window.transcript.view.setFocus()
    session = reader.gui.opened.key
    press(reader, Key.Key_F)
    reader.until(lambda: reader.gui.opened.key != session and reader.gui.opened.session_tree is not None)
    assert len(reader.tree.path(reader.tree.get(reader.leaf))) >= 4 * 7 + 1


def test_a_reply_without_text_is_copied_as_its_calls(reader: Person) -> None:
    press(reader, Key.Key_K)
    assert cursor(reader) == reader.key("cal00007")
    QApplication.clipboard().setText("before")
    press(reader, Key.Key_C)
    reader.until(lambda: QApplication.clipboard().text() != "before")
    assert QApplication.clipboard().text().startswith(("read ", "bash ", "edit ", "I"))


def test_the_branches_keep_their_own_entries(reader: Person) -> None:
    """A key in the branches acts on their row, though the cursor of the transcript was used before."""
    press(reader, Key.Key_K)
    branches = reader.window.branches
    QTest.keyClick(reader.window, Key.Key_2, ALT)
    row = branches.list.selected_row
    assert row is not None
    press(reader, Key.Key_P)
    reader.until(lambda: branches.model.is_pinned(row))
    assert reader.tree.get(branches.model.key(row)) in reader.tree.pins


def test_the_menu_key_opens_the_menu_at_the_card(reader: Person) -> None:
    press(reader, Key.Key_Home)
    press(reader, Key.Key_Menu)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    view = reader.window.transcript.view
    card = next(card for card in cards(view) if card.key == cursor(reader))
    assert card.y() <= view.mapFromGlobal(menu.pos()).y() <= card.geometry().bottom()
    assert any(action.text().startswith("Label") for action in menu.actions())
    menu.close()


@pytest.mark.parametrize(
    ("held", "column", "text", "key"),
    [
        (Key.Key_3, "transcript", "Next card", "J"),
        (Key.Key_2, "branches", "Fold the branch", "Alt+Left"),
        (Key.Key_2, "branches", "Next sibling", "]"),
    ],
)
def test_a_sheet_shows_every_key_of_the_focused_column(
    reader: Person, held: Qt.Key, column: str, text: str, key: str
) -> None:
    QTest.keyClick(reader.window, held, ALT)
    press(reader, Key.Key_F1)
    (sheet,) = reader.window.findChildren(KeysDialog)
    assert key in dict(sheet.rows)[text]
    table = reader.window.actions_table
    heard = {keys for spec, _action in table for keys in spec.keys_in(column)}
    fixed = {key for _text, several in fixed_keys(column) for key in several}
    assert {keys for _text, several in sheet.rows for keys in several} == heard | fixed
    QTest.keyClick(sheet, Key.Key_F1)
    reader.until(lambda: not reader.window.findChildren(KeysDialog))


def test_pages_and_columns_have_sheets_of_their_own(reader: Person) -> None:
    """Each list, chart and page whose keys the sheet promises shows its sheet when it has the focus."""
    gui, window = reader.gui, reader.window
    gui.controllers.files.open()
    page = gui.controllers.files.view
    gui.controllers.search_sessions()
    gui.controllers.compare.open(reader.key("ans000b0"))
    reader.until(lambda: gui.controllers.compare.is_open)
    compare = gui.controllers.compare.view
    places = {
        "sessions": window.sessions.list, "context": window.context.over_time, "search": window.results.list,
        "files": page.text, "compare": compare.list, "composer": window.transcript.composer.editor,
        "transcript": window.transcript.view,
    }  # fmt: skip
    assert places.keys() == KEYS.keys()
    for name, place in places.items():
        assert gui.controllers.windows.sheet_of(place) == name


def test_the_question_mark_opens_the_sheet_and_is_typed_in_a_field(reader: Person) -> None:
    window = reader.window
    QTest.keyClicks(window.transcript.view, "?")
    (sheet,) = window.findChildren(KeysDialog)
    assert sheet.windowTitle() == "Keys of the transcript"
    sheet.change_requested.emit()
    assert reader.gui.controllers.preferences.shortcuts is not None
    reader.gui.controllers.preferences.shortcuts.close()
    reader.until(lambda: not window.findChildren(KeysDialog))
    for field in (window.sessions.filter, window.transcript.composer.editor):
        field.setFocus()
        QTest.keyClicks(field, "?")
        assert not window.findChildren(KeysDialog)
    assert window.sessions.filter.text() == "?"
    window.sessions.filter.clear()


def test_the_sheet_of_the_message_and_of_the_window(reader: Person) -> None:
    for place, title in (
        (reader.window.transcript.composer.editor, "Keys of the message"),
        (reader.window.top_bar.search, "Keys of the window"),
    ):
        focused: QWidget = place
        focused.setFocus()
        reader.window.actions_table["keys"].trigger()
        (sheet,) = reader.window.findChildren(KeysDialog)
        assert sheet.windowTitle() == title
        sheet.close()
        reader.until(lambda: not reader.window.findChildren(KeysDialog))
