"""What the person said."""

from __future__ import annotations

from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    row, body = content.entry.row, content.entry.body
    head = parts.heading(style, tr("You"), "user", parts.time_word(row.time))
    return [head, *parts.blocks(style, content, body.blocks)]
