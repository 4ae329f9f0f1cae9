"""What a row of the navigator shows in the width it has, and how what a search does not find is dimmed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from stemmata.domain.navigator.outline import Row
from stemmata.gui.branches.graph import mixed
from stemmata.gui.branches.model import ShownRow
from stemmata.gui.branches.row import DIMMED_WORDS, marks, words_of
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.theme.theme import Scheme, Theme
from tests.gui.branches.conftest import Session
from tests.gui.theme.contrast import contrast

LABELLED, TOOLS = 1, 3  # rows of the session


class Recorder(QPainter):
    """A painter that records texts with their places instead of painting them."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self._image = image  # Qt does not keep it
        self.told: list[tuple[QRectF, str, str]] = []  # where, what, in which colour
        self.filled: list[QRectF] = []
        self.struck: list[str] = []  # the texts that are struck out

    def drawText(self, *given: Any) -> None:  # type: ignore[override]  # of Qt's many shapes rows use one
        place, _flags, text = given
        self.told.append((QRectF(place), text, self.pen().color().name()))
        self.struck += [text] if self.font().strikeOut() else []

    def fillRect(self, *given: Any) -> None:
        self.filled.append(QRectF(given[0]))


def painted(view: BranchesView, row: int, width: int = 330, *, selected: bool = False) -> Recorder:
    view.list.model.load(range(len(view.list.model)))
    return painted_as(view, view.list.model.shown(row), width, selected=selected)


def painted_as(view: BranchesView, shown: ShownRow, width: int, *, selected: bool = False) -> Recorder:
    painter = Recorder(QImage(width, 40, QImage.Format.Format_RGB32))
    area = QRectF(0, 0, width, view.list.row_height)
    view.list._rows.paint(painter, shown, area, selected=selected, hovered=False)
    painter.end()
    return painter


def texts(view: BranchesView, row: int, width: int) -> list[str]:
    return [text for _place, text, _colour in painted(view, row, width).told]


def test_all_is_shown_where_there_is_room(view: BranchesView) -> None:
    assert texts(view, LABELLED, 330) == ["2 tools", "known-good", "Ported"]


def test_what_stands_at_the_right_gives_way_first(view: BranchesView) -> None:
    advance = QFontMetricsF(view.theme.font("ui")).horizontalAdvance("known-good Ported")
    assert texts(view, LABELLED, round(advance) + 75) == ["known-good", "Ported"]
    assert texts(view, TOOLS, 230)[0] == "1 tool"
    assert texts(view, TOOLS, 170)[0].startswith("Wrapping b")


@pytest.mark.parametrize("width", [180, 200, 240, 300])
def test_a_label_shows_ten_characters_at_least(view: BranchesView, session: Session, width: int) -> None:
    session.label(session.ported, "before the long detour")
    view.show_tree(session.tree, int(session.end))
    label = next(text for text in texts(view, LABELLED, width) if text.startswith("before"))
    assert len(label) >= 10
    assert QFontMetricsF(view.theme.font("small")).horizontalAdvance(label) < width


def test_words_label_and_figures_stand_on_one_base_line(view: BranchesView) -> None:
    (tools, _, _), (label, _, _), (words, _, _) = painted(view, LABELLED).told
    small, plain = (QFontMetricsF(view.theme.font(role)) for role in ("small", "ui"))

    def base(place: QRectF, font: QFontMetricsF) -> float:
        return place.center().y() + (font.ascent() - font.descent()) / 2

    assert base(tools, small) == pytest.approx(base(words, plain))
    assert base(label, small) == pytest.approx(base(words, plain))


@pytest.mark.parametrize("scheme", ["dark", "light", "high-contrast"])
def test_what_is_dimmed_can_be_read(theme: Theme, scheme: Scheme) -> None:
    theme.set_scheme(scheme)
    ground = theme.color("bg")
    dimmed = mixed(theme.color("faint"), ground, DIMMED_WORDS).name()
    assert 3 <= contrast(dimmed, ground.name()) < contrast(theme.color("faint").name(), ground.name())


def test_what_is_not_found_is_dimmed_unless_it_is_selected(view: BranchesView, theme: Theme) -> None:
    view.list.model.set_matches({0})
    dimmed = mixed(theme.color("faint"), theme.color("bg"), DIMMED_WORDS).name()
    assert {colour for _place, _text, colour in painted(view, TOOLS).told} == {dimmed}
    assert dimmed not in {colour for _place, _text, colour in painted(view, 0).told}
    assert dimmed not in {colour for _place, _text, colour in painted(view, TOOLS, selected=True).told}


def test_found_words_are_marked(view: BranchesView) -> None:
    view.set_find(lambda _query, _stopped: {0})
    view.search.query_changed.emit("SELECT por")
    assert view.list.model.searched == ("SELECT", "por")
    assert len(painted(view, 0).filled) == 2  # "Port the selectors"
    assert {colour for _place, text, colour in painted(view, 0).told if text} == {view.theme.color("text").name()}
    assert painted(view, 8).filled == []
    view.search.query_changed.emit("")
    assert painted(view, 0).filled == []


def test_marks_stand_where_the_words_do(theme: Theme) -> None:
    font = theme.font("ui")
    measures = QFontMetricsF(font)
    (first, second) = marks("Import 🚀 the imports, reimport", ("import",), font)
    width = measures.horizontalAdvance("import")
    assert first == pytest.approx((0, measures.horizontalAdvance("Import")), abs=1)
    assert second == pytest.approx((measures.horizontalAdvance("Import 🚀 the "), width), abs=1)
    assert marks("anything", (), font) == []
    assert marks("anything", ("else",), font) == []


def test_marks_in_a_line_that_is_read_from_the_right(theme: Theme) -> None:
    font, text = theme.font("ui"), "שלום, מה שלומך"
    measures = QFontMetricsF(font)
    ((left, width),) = marks(text, ("שלום",), font)
    assert left + width == pytest.approx(measures.horizontalAdvance(text), abs=1)
    assert left > 0


@pytest.mark.parametrize(
    ("query", "words"),
    [("", ()), ("  a-b ", ("a", "b")), ('"two words" more more', ("two", "words", "more")), ("(*)", ())],
)
def test_words_of_a_query(query: str, words: tuple[str, ...]) -> None:
    assert words_of(query) == words


def test_a_narrow_row_says_in_one_word_that_its_branch_was_removed(view: BranchesView) -> None:
    view.list.model.load(range(len(view.list.model)))
    shown = view.list.model.shown(TOOLS)
    told = "removed by Claude Code on 12 Nov 2024"
    removed = replace(shown, removed=told, meta="", row=Row(*shown.row[:-1], begins_removed=True))
    for width, chip in ((700, told), (330, "removed"), (170, "removed")):
        assert painted_as(view, removed, width).told[0][1] == chip


def test_a_deleted_branch_is_struck_out_and_dimmed(view: BranchesView) -> None:
    view.list.model.load(range(len(view.list.model)))
    kept = view.list.model.shown(LABELLED)
    deleted = replace(kept, row=kept.row._replace(deleted=True))
    assert painted_as(view, kept, 330).struck == []
    assert painted_as(view, deleted, 330).struck == ["Ported"]
    assert painted_as(view, deleted, 330).told[-1][2] != painted_as(view, kept, 330).told[-1][2]
