"""An entry of a kind we do not know: kept, and shown as it is."""

from __future__ import annotations

from stemmata.gui.cards import parts
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    row, body = content.entry.row, content.entry.body
    title = tr("Unknown entry: {kind}").format(kind=row.name) if row.name else tr("Unknown entry")
    out: list[Piece] = parts.json_part(style, content, "record", title, body.details or "{}")
    return [*out, *parts.blocks(style, content, body.blocks)]
