"""The card of a branch summary, the summary of an abandoned branch."""

from __future__ import annotations

from stemmata.domain.compaction.summary.sections import split_file_lists
from stemmata.domain.entries.blocks import plain_text
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import HeadPiece, LinePiece, Word
from stemmata.gui.cards.piece import FramePiece, Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.theme import metrics


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of the summary of a branch that was left."""
    row = content.entry.row
    right = parts.time_word(row.time)
    if row.target is not None:
        right.append(Word(tr("Show that branch"), "dim", action=Action(Request.SHOW_SUMMARISED)))
    title = [Word(tr("Summary of the abandoned branch"), "lane_2", "small_bold", icon="branch")]
    head = HeadPiece(style, title, right)
    text, files = split_file_lists(plain_text(content.entry.body.blocks))
    words = parts.files_word(len(files.read), len(files.modified), tip="\n".join((*files.modified, *files.read)))
    foot = [LinePiece(style, words, gap=2)] if words else []
    inside: list[Piece] = [head, *parts.long_prose(style, content, text, gap=2), *foot]
    return [FramePiece(style, inside, border="lane_2", padding=(5, 6), radius=metrics.RADIUS_CARD)]
