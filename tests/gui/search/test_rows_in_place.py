"""The list of results is laid out again only when the height of a row has changed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListView
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.hits import Hit, UnreadHit
from stemmata.gui.search import rows as search_rows
from stemmata.gui.search.delegate import WRAPPING
from stemmata.gui.search.rows import ResultHitRow, ResultRow, ResultsModel, SessionHeading
from stemmata.gui.search.snippet_layout import laid_out
from stemmata.gui.search.view import ResultsView
from stemmata.gui.theme.theme import Theme

LONG = "a word and " * 60  # more than three lines


def row(entry: int, text: str | None) -> ResultHitRow:
    hit = UnreadHit(entry=entry, session=1, kind=Kind.MESSAGE, role=Role.USER, time=entry)
    read = None if text is None else Hit(1, entry, "", Role.USER, Kind.MESSAGE, entry, text)
    return ResultHitRow(hit, "You", "user", 0, read=read)


def rows_of(*texts: str | None) -> list[ResultRow]:
    return [SessionHeading(1, "Zebras", "pi"), *(row(at, text) for at, text in enumerate(texts, 1))]


@pytest.fixture
def view(theme: Theme, qtbot: QtBot) -> ResultsView:
    view = ResultsView(theme)
    qtbot.addWidget(view)
    view.resize(400, 500)
    view.show()
    return view


@pytest.fixture
def layouts(view: ResultsView, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of rows at each layout."""
    out: list[int] = []
    scheduled = QListView.scheduleDelayedItemsLayout

    def schedule(shown: QListView) -> None:
        out.append(view.model.rowCount())
        scheduled(shown)

    monkeypatch.setattr(type(view.list), "scheduleDelayedItemsLayout", schedule, raising=False)
    return out


def places(view: ResultsView) -> list[int]:
    view.list.indexAt(view.list.rect().topLeft())  # lays out what is due
    return [view.list.visualRect(view.model.index(at)).top() for at in range(view.model.rowCount())]


def test_a_text_that_was_read_moves_no_row(view: ResultsView, layouts: list[int]) -> None:
    """Every piece of text that was read laid out a thousand rows, in 14 ms each time."""
    view.show_rows(rows_of(*[None] * 40), ("", ""))
    before = places(view)
    assert layouts == [41]
    view.list.verticalScrollBar().setValue(100)  # stays, too: it jumped back to the first hit
    view.show_rows(rows_of(*[LONG] * 20, *[None] * 20), ("", ""))
    assert layouts == [41]
    assert view.list.verticalScrollBar().value() == 100
    assert places(view) == [top - 100 for top in before]


@pytest.mark.parametrize("width", range(335, 515, 15))
def test_a_text_that_just_fits_on_two_lines_has_the_height_of_two(
    view: ResultsView, theme: Theme, qtbot: QtBot, width: int
) -> None:
    delegate, figures = view.list.delegate, QFontMetrics(theme.font("ui"))
    view.resize(width, 500)
    view.show_rows(rows_of("short", LONG), ("", ""))
    qtbot.waitUntil(lambda: bool(places(view)) and delegate.width == view.list.viewport().width())
    width = delegate.width - delegate.beside
    texts = ["a " * count for count in range(width // 2)]
    just = [text for text in texts if WRAPPING * figures.horizontalAdvance(text) > 2 * width]
    text = next(text for text in reversed(texts) if laid_out(text, theme.font("ui"), width).layout.lineCount() == 2)
    assert text in just, "its width alone says three"
    one, three = (delegate.height_of(row) for row in view.model.rows[1:])
    assert delegate.height_of(row(3, text)) * 2 == one + three


def test_a_text_of_one_line_moves_the_rows_below(view: ResultsView, layouts: list[int]) -> None:
    view.show_rows(rows_of(None, None, None), ("", ""))
    before = places(view)
    view.show_rows(rows_of(LONG, "short", None), ("", ""))
    assert len(layouts) == 2
    after = places(view)
    assert after[:3] == before[:3]
    assert after[3] < before[3]


def test_other_hits_are_shown_from_the_first(view: ResultsView) -> None:
    view.show_rows(rows_of(*[LONG] * 40), ("", ""))
    places(view)
    view.list.verticalScrollBar().setValue(200)
    heading, *others = rows_of(*[LONG] * 41)
    view.show_rows([heading, *others[1:]], ("", ""))
    assert view.list.verticalScrollBar().value() == 0


def test_a_change_of_data_is_painted_without_a_layout(view: ResultsView, monkeypatch: pytest.MonkeyPatch) -> None:
    view.show_rows(rows_of(*[None] * 5), ("", ""))
    places(view)
    asked: list[ResultRow | None] = []
    height_of = view.delegate.height_of

    def height(row: ResultRow | None) -> int:
        asked.append(row)
        return height_of(row)

    monkeypatch.setattr(view.delegate, "height_of", height)
    changed = view.model.index(1)
    view.model.dataChanged.emit(changed, changed)
    view.list.indexAt(view.list.rect().topLeft())  # lays out what is due
    assert view.model.rows[5] not in asked


@pytest.fixture
def measured(view: ResultsView, monkeypatch: pytest.MonkeyPatch) -> list[ResultRow | None]:
    """The rows whose heights were computed."""
    out: list[ResultRow | None] = []
    height_of = view.delegate.height_of

    def height(row: ResultRow | None) -> int:
        out.append(row)
        return height_of(row)

    monkeypatch.setattr(view.delegate, "height_of", height)
    return out


def test_a_height_is_computed_once_for_a_width(view: ResultsView, measured: list[ResultRow | None]) -> None:
    rows = rows_of(*[LONG] * 40)
    view.show_rows(rows, ("", ""))
    places(view)
    QApplication.processEvents()  # there is a scroll bar now
    places(view)
    measured.clear()
    more = row(41, LONG)
    view.show_rows([*rows, more], ("", ""))
    places(view)
    assert measured == [more]
    view.resize(500, 500)
    QApplication.processEvents()
    places(view)
    assert len(measured) == 1 + 42


def test_rows_are_laid_out_for_another_width_alone(view: ResultsView, layouts: list[int]) -> None:
    """A page that came or went changed the height, and a thousand rows were laid out twice, in 8 ms each time."""
    view.show_rows(rows_of(*[LONG] * 40), ("", ""))
    places(view)
    QApplication.processEvents()
    places(view)
    layouts.clear()
    view.resize(400, 300)
    view.resize(300, 300)
    view.resize(400, 300)  # another width for a moment
    QApplication.processEvents()
    assert layouts == []
    wide = places(view)
    view.resize(250, 300)
    QApplication.processEvents()
    assert layouts == [41]
    assert view.delegate.height_of(view.model.rows[1]) == places(view)[2] - places(view)[1]
    assert len(wide) == 41


def test_visible_rows_come_first(view: ResultsView) -> None:
    view.show_rows(rows_of(*[LONG] * 40), ("", ""))
    view.select(30)
    first, *_ = view.rows_from_top
    assert isinstance(first, ResultHitRow)
    assert first.hit.entry > 20
    assert len(view.rows_from_top) == 41


def test_the_time_of_a_hit_is_put_into_words_when_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """To list a thousand hits, the times of all were put into words: 10 ms."""
    asked: list[int] = []

    def when_said(time: int, now: int) -> str:
        asked.append(time)
        return f"at {now}"

    monkeypatch.setattr(search_rows, "when_said", when_said)
    made = row(7, "text")
    assert asked == []
    assert made.when == "at 0"
    assert asked == [7]


def test_a_list_with_a_scroll_bar_is_laid_out_once(view: ResultsView, layouts: list[int]) -> None:
    """All rows were laid out again when the scroll bar appeared, since it left them less room."""
    view.show_rows(rows_of(*[LONG] * 40), ("", ""))
    places(view)
    QApplication.processEvents()
    places(view)
    QApplication.processEvents()
    assert view.list.verticalScrollBar().isVisible()
    assert layouts == [41]
    assert view.delegate.width == view.list.viewport().width()
    view.show_rows(rows_of("short"), ("", ""))
    QApplication.processEvents()
    QApplication.processEvents()
    assert view.delegate.width == view.list.viewport().width()


def test_qt_asks_for_no_size_of_a_row(view: ResultsView, monkeypatch: pytest.MonkeyPatch) -> None:
    """To lay out a thousand rows, Qt called Python 3,000 times: 8 ms at each text that moved a row."""
    sizes, counts = list[int](), list[int]()

    def row_count(model: ResultsModel, _parent: object = None) -> int:
        counts.append(len(model.rows))
        return len(model.rows)

    monkeypatch.setattr(type(view.delegate), "sizeHint", lambda *_arguments: sizes.append(1))
    monkeypatch.setattr(type(view.model), "rowCount", row_count)
    view.show_rows(rows_of(*[None] * 400), ("", ""))
    view.select(300)
    view.show_rows(rows_of("short", *[None] * 399), ("", ""))
    QApplication.processEvents()
    assert sizes == []
    assert len(counts) < 100


def test_the_cursor_moves_by_rows_and_by_pages(view: ResultsView) -> None:
    view.show_rows(rows_of(*[LONG] * 40), ("", ""))
    shown = view.list
    page = shown.viewport().height() // (places(view)[2] - places(view)[1])
    seen = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_End, Qt.Key.Key_Up,
                Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_PageUp, Qt.Key.Key_Up):  # fmt: skip
        QTest.keyClick(shown, key)
        seen.append(shown.currentIndex().row())
        row = shown.visualRect(shown.currentIndex())
        assert row.top() >= 0
        assert row.bottom() <= shown.viewport().height()
    assert seen[:2] == [2, 1 + page]
    assert seen[2] in {1, 2}
    assert seen[3:] == [40, 39, 40, 1, 1, 1]


def test_a_point_leads_to_the_row_that_is_painted_there(view: ResultsView) -> None:
    view.show_rows(rows_of(*[LONG] * 40), ("", ""))
    view.select(30)
    shown = view.list
    for at in range(41):
        rect = shown.visualRect(view.model.index(at))
        if shown.viewport().rect().contains(rect):
            assert {shown.indexAt(point).row() for point in (rect.topLeft(), rect.bottomRight())} == {at}
    clicked: list[ResultRow] = []
    view.row_chosen.connect(clicked.append)
    QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=shown.visualRect(view.model.index(30)).center())
    assert clicked == [view.model.rows[30]]
