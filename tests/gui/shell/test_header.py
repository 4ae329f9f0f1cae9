"""The lines over the columns: their titles can be read however narrow a column may be."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from stemmata.domain.navigator.outline import Density
from stemmata.gui.branches.view import BranchesView, DensityButton
from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.column import TranscriptColumn
from stemmata.gui.widgets.header import ColumnHeader
from tests.fakes.pages import FakePages
from tests.gui.branches.conftest import actions_of


def is_whole(header: ColumnHeader) -> bool:
    """Whether the title and all beside it have the room that they ask for."""
    direct = header.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    inside = [widget for widget in direct if widget.isVisible()]
    QApplication.processEvents()
    return all(
        widget.width() >= widget.sizeHint().width() and header.rect().contains(widget.geometry()) for widget in inside
    )


@pytest.mark.parametrize("scale", [100, 150, 200])
def test_columns_at_their_narrowest_have_whole_titles(theme: Theme, qtbot: QtBot, scale: int) -> None:
    theme.set_scale(scale)
    sessions, branches = (
        SessionsView(theme, SessionsModel(lambda _model: None)),
        BranchesView(theme, FakePages([]), actions_of(theme)),
    )
    columns: list[SessionsView | BranchesView] = [sessions, branches]
    for column, least in zip(columns, metrics.COLUMN_MINIMUMS, strict=False):
        qtbot.addWidget(column)
        column.resize(theme.px(least), 400)
        column.show()
        assert is_whole(column.header)


def test_what_is_shortened_comes_back_with_room(theme: Theme, qtbot: QtBot) -> None:
    view = BranchesView(theme, FakePages([]), actions_of(theme))
    qtbot.addWidget(view)
    view.resize(metrics.COLUMN_MINIMUMS[1], 400)
    view.show()
    button = view.header.findChild(DensityButton)
    assert isinstance(button, QToolButton)
    QApplication.processEvents()
    narrow = button.width()
    view.set_density(Density.NO_TOOLS)
    assert button.accessibleName() == "No tools"
    assert is_whole(view.header)
    view.resize(500, 400)
    assert is_whole(view.header)
    assert button.width() > narrow + 2 * metrics.SPACE[5]
    assert button.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextOnly


def test_a_chip_takes_its_short_form_before_the_title_is_cut(theme: Theme, qtbot: QtBot) -> None:
    header = ColumnHeader(theme, "Search")
    qtbot.addWidget(header)
    header.set_chip("1 of 147 hits in 9 sessions", "1 / 147")
    header.resize(180, header.height())
    header.show()
    assert is_whole(header)
    assert header.chip_label.text() == "1 / 147"
    assert "1 of 147 hits in 9 sessions" in header.chip_label.toolTip()
    header.resize(400, header.height())
    assert is_whole(header)
    assert header.chip_label.text() == "1 of 147 hits in 9 sessions"


def test_a_longer_title_has_its_room_at_once(theme: Theme, qtbot: QtBot) -> None:
    header = ColumnHeader(theme, "Notes", "bg")
    qtbot.addWidget(header)
    header.set_chip("active")
    header.resize(500, header.height())
    header.show()
    assert is_whole(header)
    header.set_title("Make the import of CSV files twice as fast")  # painted before the next turn of Qt
    assert header.title_label.is_whole


def test_a_long_title_is_cut_short(theme: Theme, qtbot: QtBot) -> None:
    header = ColumnHeader(theme, "A title that is far too long for this", "bg")
    qtbot.addWidget(header)
    header.resize(120, header.height())
    header.show()
    assert not is_whole(header)
    assert header.width() == 120


def test_a_title_is_cut_only_when_everything_else_is_short(theme: Theme, qtbot: QtBot) -> None:
    header, told = ColumnHeader(theme, "A title of forty characters, as most are", "bg"), list[bool]()
    qtbot.addWidget(header)
    header.add(QPushButton("branch 4 of 4"), lambda *, on: told.append(on))
    header.set_chip("active", "●")
    header.resize(700, header.height())
    header.show()
    assert not told or told[-1] is False
    assert (header.chip_label.text(), header.chip_label.toolTip()) == ("active", "")
    forms = []
    for width in range(700, 300, -1):
        header.resize(width, header.height())
        forms.append((header.chip_label.text(), header.title_label.is_whole))
    assert list(dict.fromkeys(forms)) == [("active", True), ("●", True), ("●", False)]
    assert told[-1]
    assert (header.chip_label.toolTip(), header.chip_label.accessibleName()) == ("active", "active")
    header.resize(700, header.height())
    assert told[-1] is False


def test_a_title_is_whole_at_once_when_a_narrower_header_takes_its_short_form(theme: Theme, qtbot: QtBot) -> None:
    header = ColumnHeader(theme, "A title of forty characters, as most are", "bg")
    qtbot.addWidget(header)
    header.set_chip("a chip with many more words than its short form", "●")
    header.show()
    for width in range(900, 450, -50):
        header.resize(width, header.height())
        assert header.title_label.is_whole
    assert header.chip_label.text() == "●"


def test_a_mark_has_a_shortest_form_for_a_long_title(theme: Theme, qtbot: QtBot) -> None:
    header = ColumnHeader(theme, "A title of forty characters, as most are", "bg")
    qtbot.addWidget(header)
    marks = "Viewing another branch · messages go here", "Messages go here", "Viewing"
    header.set_mark(*marks)
    header.resize(900, header.height())
    header.show()
    shown = []
    for width in range(900, 340, -2):
        header.resize(width, header.height())
        shown.append(header.mark_label.text())
        assert header.title_label.is_whole or header.mark_label.text() == marks[-1]
    assert tuple(dict.fromkeys(shown)) == marks
    assert (header.mark, header.mark_label.accessibleName(), header.mark_label.toolTip()) == (marks[0],) * 3
    header.set_mark("")
    assert header.mark_label.isHidden()


def test_a_title_that_stands_for_a_longer_one_has_it_in_the_tooltip(theme: Theme, qtbot: QtBot) -> None:
    header = ColumnHeader(theme, "", "bg")
    qtbot.addWidget(header)
    header.resize(600, header.height())
    header.show()
    pointer = QEnterEvent(QPointF(), QPointF(), QPointF())
    for title, whole, tip in (("Short", "", ""), ("Short…", "Short and more", "Short and more")):
        header.set_title(title, whole)
        header.title_label.enterEvent(pointer)
        assert (header.title, header.title_label.toolTip()) == (title, tip)


def test_a_minor_chip_gives_way_to_a_title_that_would_be_cut(theme: Theme, qtbot: QtBot) -> None:
    column = TranscriptColumn(theme, FakePages([]))
    qtbot.addWidget(column)
    column.show()
    column.show_transcript()
    column.header.set_title("Forks, reverts and a compaction")
    column.show_branch(2, 2)
    column.show_active(on=True)
    title, chip = column.header.title_label, column.header.chip_label
    seen = set[tuple[bool, bool]]()
    for width in range(700, 300, -10):
        column.resize(width, 400)
        QApplication.processEvents()
        seen.add((title.is_whole, chip.isVisible()))
    assert seen == {(True, True), (True, False), (False, False)}
    column.show_active(on=False)
    assert chip.isVisible()  # where messages go matters more
    column.show_active(on=True)
    assert not chip.isVisible()
    column.resize(800, 400)
    assert chip.isVisible()


@pytest.mark.parametrize("scale", [100, 150])
def test_a_title_keeps_its_room_while_a_compaction_is_previewed(theme: Theme, qtbot: QtBot, scale: int) -> None:
    theme.set_scale(scale)
    column = TranscriptColumn(theme, FakePages([]))
    qtbot.addWidget(column)
    column.resize(552, 400)
    column.show()
    column.header.set_title("Make the CSV import fast")
    column.show_branch(4, 4)
    column.show_active(on=True)
    header = column.header
    chip, title, mark = header.chip_label, header.title_label, header.mark_label
    assert chip.isVisible()
    column.set_workbench(on=True)
    QApplication.processEvents()
    assert not chip.isVisible()
    assert title.width() >= title.fontMetrics().averageCharWidth() * len(title.text()) * 2 / 3
    assert "Esc" in mark.text()
    assert mark.width() >= mark.sizeHint().width()
    assert column.header.mark == "Compaction preview · Esc to leave"
    column.show_active(on=True)
    assert not chip.isVisible(), "also when it is told anew"
    column.set_workbench(on=False)
    assert chip.isVisible()
    assert column.header.mark == ""


@pytest.mark.parametrize("scale", [100, 125, 200])
def test_title_and_buttons_have_one_middle(theme: Theme, qtbot: QtBot, scale: int) -> None:
    theme.set_scale(scale)
    view = BranchesView(theme, FakePages([]), actions_of(theme))
    qtbot.addWidget(view)
    view.resize(theme.px(330), 400)
    view.show()
    QApplication.processEvents()
    direct = view.header.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    middles = {widget.geometry().center().y() for widget in direct if widget.isVisible()}
    assert max(middles) - min(middles) <= 1
    middle = (view.header.height() - 1) / 2  # over its line; a text of even height stands half a pixel off
    assert middle - 1.5 <= min(middles) <= middle


def test_the_title_has_its_margin_where_lines_begin(theme: Theme, qtbot: QtBot) -> None:
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        header = ColumnHeader(theme, "A title")
        qtbot.addWidget(header)
        header.setLayoutDirection(direction)
        header.resize(400, 38)
        header.show()
        QApplication.processEvents()
        label = header.findChild(QLabel)
        assert label is not None
        title = label.geometry()
        is_left = direction is Qt.LayoutDirection.LeftToRight
        assert (title.left() if is_left else header.width() - 1 - title.right()) == metrics.SPACE[6]


def test_without_a_session_the_transcript_has_no_buttons_of_one(theme: Theme, qtbot: QtBot) -> None:
    column = TranscriptColumn(theme, FakePages([]))
    qtbot.addWidget(column)

    def shown() -> list[str]:
        buttons = column.header.findChildren(QToolButton) + column.header.findChildren(QPushButton)
        return [button.accessibleName() for button in buttons if not button.isHidden()]

    assert shown() == []
    column.show_transcript()
    assert {*shown()} == {"Files of this branch", "Find in session"}
    column.set_workbench(on=True)
    assert shown() == ["Find in session"]
    column.show_nothing()
    column.set_workbench(on=False)
    assert shown() == []
