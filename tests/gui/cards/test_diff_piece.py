"""Differences: stripes without gaps, the words that differ, colours that can be read."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from stemmata.gui.cards.diff_piece import DiffPiece, marked_words
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Scheme, Theme
from tests.gui.theme.contrast import contrast

DIFF = " def total(rows):\n-    out = 0\n-    old = 1\n+    out = Decimal(0)\n+    fresh = [1]\n     return out"


def placed(style: CardStyle, diff: str, width: int = 500) -> DiffPiece:
    piece, out = DiffPiece(style, diff), list[Piece]()
    piece.place(0, 0, width, out)
    return piece


def words(lines: list[str]) -> list[tuple[int, str]]:
    return [(number, lines[number][start:stop]) for number, (start, stop) in marked_words(lines)]


def test_lines_of_one_kind_share_a_ground_without_gaps(style: CardStyle) -> None:
    piece = placed(style, DIFF)
    (removed, bad), (added, good) = piece.stripes()
    assert (bad, good) == ("bad_bg", "good_bg")
    assert removed.bottom() == added.top()
    assert removed.width() == added.width() == piece.rect.width()
    assert removed.height() == pytest.approx(added.height(), abs=1)


def test_a_ground_at_the_end_reaches_the_end(style: CardStyle) -> None:
    piece = placed(style, " a\n+b")
    ((stripe, _),) = piece.stripes()
    assert stripe.bottom() == piece.rect.height()


def test_a_line_that_wraps_is_on_its_ground_altogether(style: CardStyle) -> None:
    piece = placed(style, "+" + "word " * 60 + "\n a", 300)
    ((stripe, _),) = piece.stripes()
    assert stripe.height() > 4 * metrics.FONT_CODE


def test_wrapped_words_are_not_below_the_sign(style: CardStyle) -> None:
    piece = placed(style, "+" + "word " * 60, 300)
    layout = piece.document.firstBlock().layout()
    sign = style.font_metrics("code").horizontalAdvance("+")
    assert layout.lineAt(1).x() - layout.lineAt(0).x() == sign


def test_words_that_differ_are_marked() -> None:
    assert words(["-the red box stays", "+the green box stays"]) == [(0, "red"), (1, "green")]
    assert words(["-total(rows)", "+total(rows, currency)"]) == [(1, ", currency")]


def test_nothing_is_marked_where_nothing_is_alike() -> None:
    assert not words(["-one two three", "+vier fünf sechs"])
    assert not words(["+only added"])
    assert not words(["-removed", " between", "+removed too"])


def test_a_line_that_is_new_altogether_is_not_marked() -> None:
    assert words(["-a = 1  # first of them", "+a = 2  # first of them", "+b = 3"]) == [(0, "1"), (1, "2")]


def test_marks_count_as_documents_do(style: CardStyle) -> None:
    piece = placed(style, "-a 🚀🚀 red one\n+a 🚀🚀 green one")
    cursor = piece._cursor(0, 0)
    marked = ""
    for at in range(piece.length()):
        cursor.setPosition(at + 1)
        marked += piece.document.characterAt(at) if cursor.charFormat().background().color().alpha() < 255 else ""
    assert marked == "redgreen"


@pytest.mark.parametrize("scheme", ["dark", "light", "high-contrast"])
def test_words_can_be_read_on_their_grounds(theme: Theme, scheme: Scheme) -> None:
    theme.set_scheme(scheme)
    for tone in ("good", "bad"):
        ground, mark = theme.color(f"{tone}_bg"), theme.color(tone)
        pairs = ((mark.red(), ground.red()), (mark.green(), ground.green()), (mark.blue(), ground.blue()))
        shades = [round(metrics.MARKED * of + (1 - metrics.MARKED) * under) for of, under in pairs]
        assert contrast(theme.color("text").name(), QColor(*shades).name()) >= 4.5
        assert contrast(theme.color(tone).name(), ground.name()) >= 4.5


@pytest.mark.parametrize("scheme", ["dark", "light", "high-contrast"])
def test_code_that_differs_keeps_the_text_colour(style: CardStyle, theme: Theme, scheme: Scheme) -> None:
    """Its background is too strong for the colours of a language, above all for comments."""
    theme.set_scheme(scheme)
    piece = DiffPiece(style, "-x = 1  # 🚀 the queue\n+x = 1  # 🚀 the defer", language="python")
    while not piece.highlighting.is_done:
        piece.highlighting.work(1)
    for number, word in enumerate(("queue", "defer")):
        block = piece.document.findBlockByNumber(number)
        at = block.text().encode("utf-16-le").index(word.encode("utf-16-le")) // 2
        formats = [it for it in block.layout().formats() if it.start <= at < it.start + it.length]
        assert formats[-1].format.foreground().color() == theme.color("text")
        assert formats[0].format.foreground().color() == theme.color("code_comment")
