"""The text around a match in three lines: the first match is whole, however wide the column is."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetrics
from pytestqt.qtbot import QtBot

from stemmata.gui.search.rows import MATCH_END, MATCH_START
from stemmata.gui.search.snippet_layout import LINES, LaidOut, laid_out, parts_of


def marked(before: int, match: str, behind: int) -> str:
    return "before " * before + MATCH_START + match + MATCH_END + " behind" * behind


def shown(found: LaidOut) -> str:
    """The text of the lines that are painted."""
    lines = min(found.layout.lineCount(), LINES)
    last = found.layout.lineAt(lines - 1)
    return found.layout.text()[: last.textStart() + last.textLength()]


@pytest.mark.parametrize("width", [60, 120, 240, 400, 1000])
@pytest.mark.parametrize("before", [0, 3, 12, 60])
def test_the_first_match_is_never_cut(qtbot: QtBot, width: int, before: int) -> None:
    found = laid_out(marked(before, "needle in hay", 40), QFont(), width)
    assert found.layout.lineCount() <= LINES
    start, stop = found.spans[0]
    assert shown(found)[start:stop] == "needle in hay"


def test_what_does_not_fit_ends_with_an_ellipsis(qtbot: QtBot) -> None:
    found = laid_out(marked(2, "needle", 100), QFont(), 200)
    assert shown(found).endswith("…")
    assert shown(laid_out(marked(0, "needle", 0), QFont(), 200)) == "needle"
    assert shown(laid_out("word " * 200, QFont(), 200)).endswith("…")


def test_a_match_longer_than_the_lines_begins_them(qtbot: QtBot) -> None:
    font = QFont()
    width = QFontMetrics(font).horizontalAdvance("x" * 10)
    found = laid_out(marked(20, "x" * 200, 0), font, width)
    start, stop = found.spans[0]
    assert shown(found)[start:stop].startswith("xxxx")
    assert found.layout.lineCount() <= LINES


def test_marks_that_do_not_close_are_no_matches() -> None:
    assert parts_of(f"a{MATCH_START}b{MATCH_END}c{MATCH_START}d") == ("abcd", ((1, 2),))


def test_three_lines_of_a_long_text_are_shown(qapp: object) -> None:
    assert laid_out("word " * 200, QFont(), 200).layout.lineCount() == 3
