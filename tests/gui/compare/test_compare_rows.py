"""A row of huge turns is laid out in parts: only what is in sight, and as far as the time reaches."""

from __future__ import annotations

from math import inf

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter, QRegion
from pytestqt.qtbot import QtBot

from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.compare.pieces import SHORT, ShownTurn
from stemmata.gui.compare.row import MOST_REALISED, RowPieces, SideOf
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.layout import NOTHING, CardInSight
from tests.fakes.conversation import assistant, user
from tests.gui.compare.conftest import Bench, MakeView

LONG = "Some **words** that differ here and there.\n\n" * 400
SIGHT = CardInSight(0, 600, 0)


def row_of(make_view: MakeView, left: str = LONG, right: str = LONG + "more") -> RowPieces:
    view = make_view(Bench([user(left), assistant(left)], [user(right), assistant(right)]))
    view.hide()  # nothing but the test lays the row out
    view.list._whole |= {(0, SideOf.LEFT), (0, SideOf.RIGHT)}
    view.list.set_shown(ShownTurn.ALL)
    view.list._built.clear()
    return view.list.pieces(0)


def documents(row: RowPieces) -> int:
    return sum(isinstance(part, TextPiece) for placed in row.placed for part in placed)


def test_a_row_renders_nothing_long_before_it_is_in_sight(make_view: MakeView) -> None:
    row = row_of(make_view)
    assert documents(row) == 0
    assert sum(isinstance(part, LongText) for placed in row.placed for part in placed) > 4
    assert row.fit(NOTHING, SideOf.RIGHT, inf).height == row.height
    assert documents(row) == 0
    assert LONG[:40].rstrip() in row.text(SideOf.LEFT)


def test_only_what_is_in_sight_is_rendered(make_view: MakeView) -> None:
    row = row_of(make_view)
    row.fit(SIGHT, SideOf.RIGHT, inf)
    assert 0 < documents(row) < 10
    assert not row.is_late


def test_what_the_time_does_not_reach_is_late(make_view: MakeView) -> None:
    row = row_of(make_view)
    row.fit(SIGHT, SideOf.RIGHT, 0.0)
    assert row.is_late
    assert documents(row) == 0


def test_the_rest_follows_in_other_turns_of_the_event_loop(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(Bench([user(LONG), assistant(LONG)], [user(LONG + "more"), assistant(LONG)]))
    view.list._allowance.until = lambda: 0.0  # type: ignore[method-assign]
    view.list.set_shown(ShownTurn.ALL)
    assert view.list._built == {}
    del view.list._allowance.until
    qtbot.waitUntil(lambda: documents(view.list.pieces(0)) > 0 and not view.list._is_late)


def test_what_is_read_stays_where_it_is_when_a_part_above_is_rendered(make_view: MakeView) -> None:
    row = row_of(make_view)
    keep = row.height // 2
    before = next(part for part in row.placed[SideOf.RIGHT] if part.rect.y() >= keep)
    y = before.rect.y()
    measured = row.fit(CardInSight(keep - 400, keep, keep), SideOf.RIGHT, inf)
    assert documents(row) > 0
    assert before.rect.y() - y == measured.keep - keep


def test_rendered_parts_far_away_are_released(make_view: MakeView) -> None:
    row = row_of(make_view, *[("line\n\n" * 5000)] * 2)
    for _ in range(3):
        for top in range(0, row.height, 500):
            row.fit(CardInSight(top, top + 500, top), SideOf.RIGHT, inf)
    assert len(row._realised) <= 2 * MOST_REALISED


def test_a_short_turn_is_rendered_at_once(make_view: MakeView) -> None:
    row = row_of(make_view, "Hello **there**", "x" * SHORT)
    assert documents(row) == 4


def test_parts_that_are_slow_to_paint_wait_for_another_turn(make_view: MakeView, theme: Theme) -> None:
    row = row_of(make_view)
    row.fit(SIGHT, SideOf.RIGHT, inf)
    image = QImage(2000, 700, QImage.Format.Format_RGB32)
    exposed = QRegion(0, 0, 2000, 600)

    def paint(until: float, exposed: QRegion = exposed) -> QRect:
        painter = QPainter(image)
        try:
            return row.paint(painter, exposed, until)
        finally:
            painter.end()

    row.slow.clear()
    assert paint(0.0).isEmpty() or row.slow  # nothing is known to be slow, so that all is painted
    slow = next(part for part in row.placed[0] if isinstance(part, TextPiece))
    row.slow.add(slow)
    assert paint(0.0).contains(slow.rect.intersected(exposed.boundingRect()))
    above, beside = QRegion(0, 0, 2000, 5), QRegion(0, slow.rect.bottom() + 5, 5, 5)
    assert paint(0.0, above + beside).isEmpty()  # between the exposed parts nothing waits again
    assert paint(inf).isEmpty()


@pytest.mark.parametrize("text", ["```\n" * 2500 + "a" * 5000, "b" * 600_000], ids=["fences", "long"])
def test_a_prompt_that_is_no_markdown_is_shown_as_written(make_view: MakeView, text: str) -> None:
    from stemmata.gui.compare.pieces import prompt_parts

    view = make_view()
    pieces = prompt_parts(view.list._style, text, (), "good")
    assert all(isinstance(piece, LongText) for piece in pieces)
    assert len(pieces) <= 10
