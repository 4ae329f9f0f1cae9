"""The lines of a card that fold a part of it: heads of tool calls and thoughts, and objects and lists of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QRect

from stemmata.gui.cards.content import Request
from stemmata.gui.cards.line_piece import LinePiece
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.text_piece import TextPiece

INDENT = 2  # spaces of a level of printed JSON


@dataclass(frozen=True, slots=True)
class FoldLine:
    """A line that folds `part` of a card. `area` is its place in the card; `depth` is 0 for the head of a call."""

    part: str
    area: QRect
    is_open: bool
    depth: int
    text: str


def fold_lines(pieces: list[Piece], unfolded: frozenset[str]) -> Iterator[FoldLine]:
    """Yield the lines that fold in the rendered pieces of a card, from the top."""
    for piece in pieces:
        if isinstance(piece, LinePiece):
            for action in piece.actions:
                if action.request is Request.FOLD:
                    yield FoldLine(action.text, piece.rect, action.text in unfolded, 0, piece.text())
        elif isinstance(piece, TextPiece) and piece.lines is not None:
            for box, text, fold in piece.lines.folds(piece.document):
                area = QRect(piece.rect.x(), piece.rect.y() + box.y(), piece.rect.width(), box.height())
                depth = 1 + (len(text) - len(text.lstrip())) // INDENT
                yield FoldLine(fold.part, area, fold.is_open, depth, text.strip())
