"""A person's way through the real window: import, read, go back, continue, mark, fork, undo."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QWidget

from stemmata.domain.entries.entry import Kind
from stemmata.domain.sources.session_files import Discovered
from stemmata.gui.cards.content import Action, Request
from stemmata.gui.sessions.model import SessionRole
from tests.fakes.transcripts import cards
from tests.journeys.person import Person


def test_an_empty_archive_welcomes_and_the_main_widgets_have_their_names(person: Person) -> None:
    assert person.window.shows_welcome
    names = (
        "sessionsView", "branchesView", "transcriptView", "contextView", "composer", "commandPalette",
        "compactionWorkbench",
    )  # fmt: skip
    for name in names:
        assert person.window.findChild(QWidget, name) is not None, name
    assert not person.window.grab().isNull()


def test_import_by_the_dialog_then_everything_shows_the_session(person: Person, session_file: Path) -> None:
    window, dialog = person.window, person.window.import_dialog
    window.actions_table["import"].trigger()
    found = Discovered("pi", "pi", str(session_file.parent), (str(session_file),), 1)
    person.gui.importing._discovery.cancel()
    dialog.show_discovered([found])
    QTest.mouseClick(dialog.import_button, Qt.MouseButton.LeftButton)
    person.until(lambda: person.gui.opened.session_tree is not None)
    assert dialog.headline.text() == "1 session, 36 new entries."
    assert not window.shows_welcome
    person.until(lambda: bool(window.sessions.selected))
    assert window.sessions.selected[0].cwd == "/home/me/journey"
    assert window.transcript.header.title == "Prompt number 0: please look at module 0"
    assert window.transcript.branch_text == "branch 2 of 2"
    assert person.key("ans00007") in window.transcript.view.visible_keys
    person.until(lambda: window.branches.outline is not None and not window.context.preview.reason)
    assert person.total().endswith(" of 200k")
    person.until(lambda: window.status.texts[0].startswith("1 session"))
    assert window.status.texts[1].startswith("This session: 36 entries · 2 branches")


def test_looking_moves_nothing_and_continuing_moves_the_leaf(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    window, branch, before = person.window, person.key("ans000b0"), person.leaf
    window.branches.view_requested.emit(branch)
    assert branch in window.transcript.view.visible_keys
    assert window.transcript.branch_text == "branch 1 of 2"
    assert person.leaf == before
    person.gui.controllers.branches.leave_for(branch)
    person.just_go()
    person.until(lambda: person.leaf == branch)
    assert person.gui.opened.is_at_leaf


def test_continuing_from_a_prompt_puts_it_into_the_composer(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    prompt, parent = person.key("usr00003"), person.key("ans00002")
    person.window.transcript.view.wanted.emit(prompt, Action(Request.EDIT))
    person.until(lambda: person.leaf == parent)
    composer = person.window.transcript.composer
    assert composer.text == "Prompt number 3: please look at module 3."
    assert not composer.send.isEnabled()


def test_undo_in_the_composer_takes_back_typing_first_and_then_the_move(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    start, parent = person.leaf, person.key("ans00002")
    person.window.transcript.view.wanted.emit(person.key("usr00003"), Action(Request.EDIT))
    person.until(lambda: person.leaf == parent and person.window.actions_table["undo"].isEnabled())
    editor = person.window.transcript.composer.editor
    person.window.activateWindow()
    QTest.keyClicks(editor, "!")
    assert editor.toPlainText().endswith("module 3.!")
    QTest.keySequence(editor, QKeySequence.StandardKey.Undo)
    assert editor.toPlainText().endswith("module 3.")
    assert person.leaf == parent
    QTest.keySequence(editor, QKeySequence.StandardKey.Undo)
    person.until(lambda: person.leaf == start)


def test_the_transcript_goes_where_the_leaf_goes(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    start, view = person.leaf, person.window.transcript.view
    person.window.resize(1024, 700)
    person.gui.controllers.branches.leave_for(person.key("ans00004"))
    person.just_go()
    person.until(lambda: person.leaf != start and person.window.actions_table["undo"].isEnabled())
    view.scroll_to(person.key("usr00000"))
    assert person.key("ans00007") not in view.visible_keys
    person.window.actions_table["undo"].trigger()
    person.until(lambda: start in view.visible_keys)


def test_undo_and_redo_walk_the_moves_of_the_leaf(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    actions, start, there = person.window.actions_table, person.leaf, person.key("ans00004")
    person.window.branches.list.setFocus()  # in the list of sessions, the import could be undone
    person.until(lambda: not actions["undo"].isEnabled())
    person.gui.controllers.branches.leave_for(there)
    person.just_go()
    person.until(lambda: person.leaf == there and actions["undo"].text().startswith("Undo move to “"))
    actions["undo"].trigger()
    person.until(lambda: person.leaf == start and actions["redo"].isEnabled())
    actions["redo"].trigger()
    person.until(lambda: person.leaf == there)


def test_label_and_pin_mark_an_entry_and_leave_the_leaf_alone(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    entry, before = person.key("ans00001"), person.leaf
    person.gui.controllers.branches.label([entry])
    popup = person.window.label_popup
    assert popup.isVisible()
    QTest.keyClicks(popup.field, "known-good")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    person.until(lambda: person.tree.labels.get(person.tree.index(entry)) == "known-good")
    person.window.transcript.view.wanted.emit(entry, Action(Request.PIN))
    person.until(lambda: person.tree.index(entry) in person.tree.pins)
    assert person.leaf == before


def test_a_fork_is_a_session_of_its_own_and_is_opened(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    first, entry = person.gui.opened.key, person.key("ans00002")
    person.gui.controllers.branches.fork(entry)
    person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
    assert person.leaf == entry
    person.until(lambda: person.window.sessions_model.total == 2)


def test_trash_can_be_undone_from_the_toast(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(lambda: bool(person.window.sessions.selected))
    person.window.actions_table["trash"].trigger()
    person.until(lambda: person.window.sessions_model.total == 0)
    assert person.window.toast.isVisible()
    QTest.keyClick(person.window, Qt.Key.Key_U, Qt.KeyboardModifier.AltModifier)
    person.until(lambda: person.window.sessions_model.total == 1)
    assert not person.window.actions_table["take-offer"].isEnabled()


def test_the_trash_can_be_looked_into_and_emptied_backwards(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    model, actions = person.window.sessions_model, person.window.actions_table
    person.until(lambda: bool(person.window.sessions.selected))
    actions["trash"].trigger()
    person.until(lambda: model.total == 0)
    actions["show-trash"].setChecked(True)
    person.until(lambda: model.total == 1)
    person.window.sessions.select(model.index(1).data(SessionRole.KEY))
    actions["trash"].trigger()
    person.until(lambda: model.total == 0)
    actions["show-trash"].setChecked(False)
    person.until(lambda: model.total == 1)


def test_the_palette_finds_text_and_goes_to_the_entry(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    palette = person.window.palette_box
    person.window.actions_table["palette"].trigger()
    QTest.keyClicks(palette.field, "wrap before themi")
    person.until(lambda: any(type(row).__name__ == "HitRow" for row in palette.rows))
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    person.until(lambda: person.key("usr000b0") in person.window.transcript.view.visible_keys)


def test_files_that_are_no_sessions_are_reported_in_words(person: Person, tmp_path: Path) -> None:
    bad = tmp_path / "holiday.jsonl"
    bad.write_bytes(b"\x00\x01\x02 not a session")
    person.gui.importing.import_paths([str(bad)])
    dialog = person.window.import_dialog
    person.until(lambda: dialog.isVisible() and "not imported" in dialog.headline.text())
    assert "holiday.jsonl" in dialog.report.toPlainText()
    assert person.window.shows_welcome


def test_the_demo_opens(person: Person) -> None:
    QTest.mouseClick(person.window.welcome.demo_button, Qt.MouseButton.LeftButton)
    person.until(lambda: person.gui.opened.session_tree is not None)
    assert len(person.tree.leaves) > 1
    assert any(True for _ in person.tree.of_kind(Kind.COMPACTION))


def test_columns_are_hidden_by_key_and_remembered(person: Person, session_file: Path, tmp_path: Path) -> None:
    person.drop(session_file)
    window = person.window
    person.until(lambda: window.sessions_model.total == 1)
    QTest.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert not window.context.isVisible()
    QTest.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert window.context.isVisible()
    for name, focused in (("2", window.branches.list), ("3", window.transcript.view), ("1", window.sessions.list)):
        for _ in range(2):
            QTest.keyClick(window, Qt.Key(ord(name)), Qt.KeyboardModifier.ControlModifier)
        assert window.focusWidget() is focused  # what is shown is where the keys go
    window.actions_table["show-branches"].trigger()
    person.application.close()
    assert "columns" in (tmp_path / "profile" / "state" / "window.ini").read_text()
    from stemmata.bootstrap.window import build

    again = build(["--profile", str(tmp_path / "profile")])
    try:
        assert not again.window.columns.is_shown("branches")
        assert again.window.columns.is_shown("context")
    finally:
        again.close()


def test_by_keyboard_only(person: Person, session_file: Path) -> None:
    """Open by the filter, walk the navigator, look, label, continue, undo."""
    person.drop(session_file)
    window, gui = person.window, person.gui
    person.until(lambda: window.sessions_model.total == 1)
    gui.opened.close()
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(window.sessions.filter, "number 0")
    window.sessions.select(None)
    QTest.keyClick(window.sessions.filter, Qt.Key.Key_Return)
    person.until(lambda: gui.opened.session_tree is not None and window.branches.outline is not None)
    start = person.leaf
    navigator = window.branches.list
    navigator.setFocus()
    for _ in range(2):
        QTest.keyClick(navigator, Qt.Key.Key_K)
    person.until(lambda: gui.opened.selection not in (None, start))
    QTest.keyClick(navigator, Qt.Key.Key_L)
    assert window.label_popup.isVisible()
    QTest.keyClicks(window.label_popup.field, "here")
    QTest.keyClick(window.label_popup.field, Qt.Key.Key_Return)
    person.until(lambda: "here" in person.tree.labels.values())
    QTest.keyClick(navigator, Qt.Key.Key_Return)
    person.just_go()
    person.until(lambda: person.leaf != start)
    person.until(window.actions_table["undo"].isEnabled)
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    person.until(lambda: person.leaf == start)


def test_drops_of_nothing_local_are_ignored(person: Person) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/session.jsonl")])
    event = QDropEvent(
        QPointF(QPoint(1, 1)), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    with person.qtbot.assertNotEmitted(person.window.files_dropped):
        person.window.dropEvent(event)


def test_siblings_switch_in_place(person: Person) -> None:
    person.gui.importing.open_demo()
    person.until(lambda: person.gui.opened.session_tree is not None)
    tree = person.tree
    prompts = [entry for entry in range(len(tree)) if len([*tree.children(entry)]) == 3]
    first, second, _third = (tree.key(child) for child in tree.children(prompts[0]))
    person.gui.opened.view_entry(first)
    assert person.gui.opened.selection == first
    person.window.transcript.view.wanted.emit(first, Action(Request.SIBLING, step=1))
    assert person.gui.opened.selection == second
    assert second in person.window.transcript.view.visible_keys
    person.window.transcript.branch_step_requested.emit(1)
    person.window.actions_table["go-to-leaf"].trigger()
    assert person.gui.opened.is_at_leaf


def test_cards_and_branches_count_the_same_siblings(person: Person) -> None:
    person.gui.importing.open_demo()
    person.until(lambda: person.gui.opened.session_tree is not None and person.window.branches.outline is not None)
    model, view, tree = person.window.branches.model, person.window.transcript.view, person.tree
    counted = {}
    for key in map(tree.key, range(len(tree))):
        row = model.row_of(key)
        if row is not None and (siblings := model.shown(row).row.siblings) is not None:
            person.gui.opened.view_entry(key)
            person.until(lambda key=key: any(card.key == key for card in cards(view)))  # type: ignore[misc]
            (card,) = [card for card in cards(view) if card.key == key]
            counted[siblings] = [remark for remark in card.remarks if remark.startswith("Version ")]
    assert {(1, 3), (2, 3), (3, 3)} <= counted.keys()
    assert counted == {(at, of): [f"Version {at} of {of}"] for at, of in counted}


def test_the_context_of_the_selected_entry_can_be_shown(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    now = person.total()
    person.gui.controllers.show_context_at(person.key("ans00001"))
    assert person.total() != now
    assert person.window.context.breakdown.title.text() == "At the selected entry"
    person.window.actions_table["context-now"].trigger()
    assert person.total() == now


def test_export_writes_the_file(person: Person, session_file: Path, tmp_path: Path) -> None:
    person.drop(session_file)
    key, target = person.gui.opened.key, tmp_path / "out.jsonl"
    assert key is not None
    person.gui.controllers.entries.export(key, "pi", target)
    person.until(target.exists)
    person.until(lambda: person.window.toast.text.startswith("Exported to "))
    assert target.read_bytes() == session_file.read_bytes()


def test_the_file_that_is_exported_is_the_one_that_the_dialog_was_asked_about(
    person: Person, session_file: Path, tmp_path: Path
) -> None:
    """The dialog asks before it replaces a file: it must know the ending."""
    person.drop(session_file)
    person.gui.controllers.entries.choose_export()
    person.until(lambda: person.window.findChild(QFileDialog) is not None)
    dialog = person.window.findChild(QFileDialog)
    assert dialog is not None
    (filters,) = dialog.findChildren(QComboBox, "fileTypeCombo")
    markdown = filters.findText("markdown", Qt.MatchFlag.MatchStartsWith)
    assert filters.itemText(markdown) == "markdown, without 4 messages of other branches (*.md)"
    filters.setCurrentIndex(markdown)
    filters.textActivated.emit(filters.currentText())
    assert dialog.defaultSuffix() == "md"
    (name,) = dialog.findChildren(QLineEdit, "fileNameEdit")
    name.setText(str(tmp_path / "story"))
    dialog.accept()
    person.until((tmp_path / "story.md").exists)


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("size", [(1440, 900), (1024, 700)])
def test_the_window_fits_both_sizes(
    person: Person, session_file: Path, scheme: Literal["dark", "light"], size: tuple[int, int]
) -> None:
    person.drop(session_file)
    person.gui.theme.set_scheme(scheme)
    person.window.resize(*size)
    person.qtbot.wait(10)
    person.see()
    image = person.window.grab()
    assert (person.window.width(), person.window.height()) == size
    assert not image.isNull()
    context = person.window.context
    edges = [child.mapTo(context, child.rect().topRight()).x() for child in (context.preview, context.breakdown)]
    assert max(edges) <= context.width()
