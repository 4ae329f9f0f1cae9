"""A tool result whose call is not on the path."""

from __future__ import annotations

from stemmata.gui.cards import parts, tool_call
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    head = parts.heading(style, tr("Tool result"), "tool", parts.time_word(content.entry.row.time))
    return [head, tool_call.piece(style, content, "answer", None, content.entry)]
