"""The command palette: lines, keys, matches."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.hits import Hit
from stemmata.gui.palette.delegate import BEHIND_MATCH, in_room
from stemmata.gui.palette.dialog import MOST_TYPED, CommandPalette
from stemmata.gui.palette.rows import ActionRow, HitRow, PaletteHeading, SessionHitRow, pieces
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

HIT = Hit(1, 42, "abc", Role.USER, Kind.MESSAGE, 0, "string \ue000width\ue001 for \ue000CJK\ue001")
ROWS = (
    PaletteHeading("In this session"),
    HitRow(HIT, "pi", "12 Nov"),
    PaletteHeading("Actions"),
    ActionRow("import", "Import", "Ctrl+I", "import"),
)


@pytest.fixture
def palette(theme: Theme, qtbot: QtBot) -> CommandPalette:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1000, 700)
    host.show()
    palette = CommandPalette(theme, host)
    palette.open()
    palette.show_rows(ROWS)
    qtbot.wait(1)
    host.setProperty("palette", palette)
    return palette


def test_the_first_match_of_a_row_is_in_its_room(theme: Theme) -> None:
    figures, room = QFontMetrics(theme.font("ui")), 300
    parts = pieces("many words before " * 10 + "\ue000width\ue001" + " and behind it" * 10)
    shown = in_room(parts, figures, room)
    assert shown[0][0].startswith("…")
    assert shown[1:] == parts[1:]
    end = sum(figures.horizontalAdvance(text) for text, _matched in shown[:2])
    assert room // 2 < end <= room * (1 - 1 / BEHIND_MATCH)
    short = pieces("string \ue000width\ue001 for")
    assert in_room(short, figures, room) == short


def test_arrows_pass_over_headings_and_enter_chooses(palette: CommandPalette, qtbot: QtBot) -> None:
    assert palette.list.currentIndex().row() == 1
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 3
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 3
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    with qtbot.waitSignal(palette.row_chosen) as chosen:
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert chosen.args == [ROWS[1]]
    assert not palette.isVisible()


def test_answers_that_come_late_leave_the_choice_alone(palette: CommandPalette) -> None:
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    late = (PaletteHeading("Sessions"), SessionHitRow(3, "late", "", ""), *ROWS)
    palette.show_rows(late)
    assert palette.rows[palette.list.currentIndex().row()] == ROWS[3]
    palette.show_rows(late[:2])  # what was chosen is gone
    assert palette.list.currentIndex().row() == 1
    QTest.keyClicks(palette.field, "w")
    palette.show_rows(ROWS)
    assert palette.list.currentIndex().row() == 1


def test_the_focus_goes_back_where_it_was(theme: Theme, qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1000, 700)
    _first, second, _third = (QLineEdit(host) for _ in range(3))
    palette = CommandPalette(theme, host)
    host.show()
    host.activateWindow()
    second.setFocus()
    palette.open()
    assert host.focusWidget() is palette.field
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert host.focusWidget() is second
    assert not palette.isVisible()


def test_escape_closes_and_typing_asks(palette: CommandPalette, qtbot: QtBot) -> None:
    with qtbot.waitSignal(palette.query_changed) as asked:
        QTest.keyClicks(palette.field, "c")
    assert asked.args == ["c"]
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_matches_are_marked_and_the_accessible_text_is_plain(palette: CommandPalette, theme: Theme) -> None:
    assert pieces(HIT.snippet) == [("string ", False), ("width", True), (" for ", False), ("CJK", True)]
    assert pieces("no \ue000end") == [("no ", False), ("end", False)]
    assert palette.list.model().index(1, 0).data() == "string width for CJK"
    image = palette.list.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(30, 60)}
    assert theme.color("match").name() in colors


def test_nothing_found_is_said(palette: CommandPalette) -> None:
    palette.show_rows(())
    assert not palette.list.isVisible()
    words = palette.findChild(QLabel)
    assert words is not None
    QApplication.processEvents()
    assert palette.rect().contains(words.geometry())
    assert words.height() >= words.sizeHint().height(), "the words are not cut"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_what_is_typed_begins_where_the_lines_do(palette: CommandPalette) -> None:
    palette.field.setText("x")
    palette.field.setCursorPosition(0)
    typed = palette.field.mapTo(palette, palette.field.cursorRect().center()).x()
    assert abs(typed - palette.list.x() - metrics.SPACE[6]) <= 2


@pytest.mark.parametrize("scale", [100, 150])
def test_a_dozen_lines_need_no_scrolling(palette: CommandPalette, theme: Theme, qtbot: QtBot, scale: int) -> None:
    theme.set_scale(scale)
    host = palette.parentWidget()
    assert host is not None
    host.resize(1000, 1200)
    palette.show_rows([PaletteHeading("Actions"), *(ActionRow(str(at), "Act", "", "import") for at in range(11))])
    qtbot.waitUntil(lambda: palette.list.verticalScrollBar().maximum() == 0)
    last = palette.list.visualRect(palette.list.model().index(11, 0))
    free = palette.list.viewport().height() - last.bottom()
    assert 0 <= free <= metrics.SPACE[6]


def test_no_line_is_cut_in_a_small_window(palette: CommandPalette, theme: Theme) -> None:
    palette.show_rows([ActionRow(f"one{number}", "Import", "", "import") for number in range(40)])
    assert palette.list.viewport().height() % theme.px(metrics.MENU_ROW) <= metrics.SPACE[2]


def test_a_pasted_text_is_cut_to_the_length_of_a_query(palette: CommandPalette) -> None:
    palette.field.setText("a word " * 10_000)
    assert len(palette.field.text()) == MOST_TYPED
