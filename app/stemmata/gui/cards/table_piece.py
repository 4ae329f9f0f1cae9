"""A table of a message. One that is wider than the card is scrolled sideways, so that no word is broken."""

from __future__ import annotations

from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.sideways import Sideways
from stemmata.gui.cards.sideways_bar import SidewaysBar
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.text.document import Wrap
from stemmata.gui.text.markdown import Table


class TablePiece(Piece):
    """A table with its scroll bar. Words longer than any column should be are still broken."""

    def __init__(self, style: CardStyle, table: Table, *, color: str = "text", gap: int = 4) -> None:
        super().__init__(style, min(gap, 1))  # a table has a margin of its own
        breaks = style.always_wraps or table.has_long_words
        document = style.prose(table.html, Wrap.WORDS if breaks else Wrap.WHOLE_WORDS)
        self.sideways = sideways = Sideways()
        text = TextPiece(style, document, color=color, gap=0, sideways=sideways)
        self.children = [text, SidewaysBar(style, sideways)]
