"""A narrow window keeps the transcript readable: other columns fold by themselves and come back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QSettings
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.columns import NAMES, ColumnSplitter


@pytest.fixture
def columns(theme: Theme, qtbot: QtBot) -> ColumnSplitter:
    columns = ColumnSplitter(theme, QWidget())
    qtbot.addWidget(columns)
    columns.put("branches", QWidget())
    columns.put("transcript", QWidget())
    columns.put_beside(QWidget())
    columns.resize(1440, 700)
    columns.show()
    return columns


def column(columns: ColumnSplitter, name: str) -> QWidget:
    found = columns.widget(NAMES.index(name))
    assert found is not None
    return found


def shown(columns: ColumnSplitter) -> list[str]:
    visible = [name for name in NAMES if column(columns, name).isVisible()]
    assert visible == [name for name in NAMES if columns.is_shown(name)]
    return visible


def transcript_width(columns: ColumnSplitter) -> int:
    return column(columns, "transcript").width()


def test_a_wide_window_shows_all(columns: ColumnSplitter) -> None:
    assert shown(columns) == list(NAMES)


@pytest.mark.parametrize("width", [1060, 900, 800])
def test_the_context_folds_first_and_comes_back(columns: ColumnSplitter, width: int, qtbot: QtBot) -> None:
    with qtbot.waitSignal(columns.shown_changed):
        columns.resize(width, 700)
    assert "context" not in shown(columns)
    assert transcript_width(columns) >= metrics.READABLE - 2
    with qtbot.waitSignal(columns.shown_changed):
        columns.resize(1440, 700)
    assert shown(columns) == list(NAMES)


@pytest.mark.parametrize("width", [1440, 1280, 1180, 1024, 900, 800])
def test_every_column_that_is_shown_can_be_read(columns: ColumnSplitter, width: int) -> None:
    for step in range(1440, width - 1, -4):  # as a hand does it
        columns.resize(step, 700)
        QApplication.processEvents()
    assert columns.width() == width
    widths = dict(zip(NAMES, columns.sizes(), strict=True))
    assert widths["branches"] >= (metrics.READABLE_BRANCHES if width > 870 else metrics.COLUMN_MINIMUMS[1])
    assert widths["transcript"] >= metrics.READABLE - 2
    assert widths["sessions"] >= metrics.COLUMN_MINIMUMS[0]


def test_widths_follow_the_window_both_ways(columns: ColumnSplitter) -> None:
    before = columns.sizes()
    columns.resize(1024, 700)
    assert columns.sizes()[1] > 290  # rows of branches are not cut more than they must be
    columns.resize(1440, 700)
    assert columns.sizes() == before


def test_widths_by_hand_are_found_again(columns: ColumnSplitter, theme: Theme, qtbot: QtBot, tmp_path: Path) -> None:
    settings = QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat)
    columns.save(settings)
    assert settings.value("columns/widths") is None
    columns.moveSplitter(200, 1)
    before = columns.sizes()
    assert before[0] == 200
    columns.resize(900, 700)
    columns.save(settings)
    columns.resize(1440, 700)
    assert columns.sizes() == before
    again = ColumnSplitter(theme, QWidget())
    qtbot.addWidget(again)
    again.restore(settings)
    again.put("branches", QWidget())
    again.put("transcript", QWidget())
    again.put_beside(QWidget())
    again.resize(columns.size())
    again.show()
    assert again.sizes() == before


@pytest.mark.parametrize("widths", ["", "1 2 3", "a b c d", "248 330 550 312 9", "-1 2 3 4"])
def test_widths_that_are_of_no_use_are_passed_over(columns: ColumnSplitter, tmp_path: Path, widths: str) -> None:
    settings = QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat)
    settings.setValue("columns/widths", widths)
    before = columns.sizes()
    columns.restore(settings)
    assert columns.sizes() == before


def test_large_text_folds_more(columns: ColumnSplitter, theme: Theme) -> None:
    theme.set_scale(200)
    columns.resize(1300, 700)
    assert "context" not in shown(columns)
    assert "transcript" in shown(columns)
    theme.set_scale(100)
    assert shown(columns) == list(NAMES)


def test_what_is_asked_for_is_shown_all_the_same(columns: ColumnSplitter) -> None:
    columns.resize(900, 700)
    columns.set_shown("context", on=True)
    assert "context" in shown(columns)
    columns.resize(910, 700)
    assert "context" in shown(columns)
    columns.resize(1440, 700)
    columns.resize(900, 700)
    assert "context" not in shown(columns)


def test_what_was_hidden_on_purpose_stays_hidden(columns: ColumnSplitter) -> None:
    columns.set_shown("context", on=False)
    columns.resize(900, 700)
    columns.resize(1440, 700)
    assert shown(columns) == ["sessions", "branches", "transcript"]


def test_a_split_view_takes_its_room(columns: ColumnSplitter) -> None:
    beside = QWidget()
    columns.put_other_side(beside)
    beside.show()
    columns.share_sides()
    assert "context" not in shown(columns)
    assert transcript_width(columns) >= 2 * metrics.READABLE - 2
    beside.hide()
    columns.join_sides()
    assert shown(columns) == list(NAMES)


def test_joining_gives_the_columns_their_widths_back(columns: ColumnSplitter) -> None:
    before = columns.sizes()
    beside = QWidget()
    columns.put_other_side(beside)
    beside.show()
    columns.share_sides()
    assert columns.sizes() != before
    beside.hide()
    columns.join_sides()
    assert columns.sizes() == before


def test_the_widths_of_a_split_view_are_not_remembered(
    columns: ColumnSplitter, theme: Theme, qtbot: QtBot, tmp_path: Path
) -> None:
    settings, before = QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat), columns.sizes()
    beside = QWidget()
    columns.put_other_side(beside)
    beside.show()
    columns.share_sides()
    columns.save(settings)
    again = ColumnSplitter(theme, QWidget())
    qtbot.addWidget(again)
    again.put("branches", QWidget())
    again.put("transcript", QWidget())
    again.put_beside(QWidget())
    again.resize(columns.size())
    again.restore(settings)
    again.show()
    assert again.sizes() == before


def test_folding_for_want_of_room_is_not_remembered(
    columns: ColumnSplitter, theme: Theme, qtbot: QtBot, tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings = QSettings(str(tmp_path_factory.mktemp("state") / "w.ini"), QSettings.Format.IniFormat)
    columns.resize(900, 700)
    columns.save(settings)
    again = ColumnSplitter(theme, QWidget())
    qtbot.addWidget(again)
    again.restore(settings)
    again.resize(1440, 700)
    again.show()
    assert [name for name in NAMES if again.is_shown(name)] == list(NAMES)


class Resizes(QObject):
    """Counts how often widgets are resized."""

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        self.count = dict.fromkeys(widgets, 0)
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.count[watched] += 1
        return False


@pytest.mark.parametrize("width", [1500, 1300, 1024])  # at the last one, the context folds
def test_another_width_lays_out_each_column_once(columns: ColumnSplitter, width: int) -> None:
    QApplication.processEvents()
    resizes = Resizes(*(column(columns, name) for name in NAMES))
    for size in (width, 1440):
        columns.resize(size, 700)
        QApplication.processEvents()
        again = (
            {column(columns, "context")} if width == 1024 and size == 1440 else set()
        )  # Qt lays it out as it comes back
        assert {widget for widget, count in resizes.count.items() if count > 1} == again
        resizes.count = dict.fromkeys(resizes.count, 0)


def test_the_columns_have_their_widths_before_they_have_their_contents(theme: Theme, qtbot: QtBot) -> None:
    columns = ColumnSplitter(theme, QWidget())
    qtbot.addWidget(columns)
    columns.resize(1440, 700)
    columns.show()
    first = columns.sizes()
    assert all(abs(width - wanted) <= 1 for width, wanted in zip(first, metrics.COLUMNS, strict=True))
    for name in ("branches", "transcript"):
        columns.put(name, QWidget())
    columns.put_beside(QWidget())
    assert columns.sizes() == first
