"""The card of a shell command that the user ran in the tool, with its output."""

from __future__ import annotations

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Flag
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import MarkedLine, Word
from stemmata.gui.cards.piece import FramePiece, Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.theme import metrics

PART = "output"


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of a shell command that the user ran: command, outcome and output."""
    row = content.entry.row
    is_open = PART in content.unfolded
    left = [
        Word("$", "tool", "code", icon="triangle-down" if is_open else "triangle-right"),
        Word(row.name or row.preview, "text", "code"),
    ]
    line = MarkedLine(style, left, _outcome(content), height=metrics.TOOL_ROW, action=Action(Request.FOLD, PART))
    text = plain_text(content.entry.body.blocks)
    inside = parts.output(style, content, text) if is_open and text.strip() else []
    head = parts.heading(style, tr("You ran"), "user", parts.time_word(row.time))
    return [head, FramePiece(style, [line, *inside], gap=2)]


def _outcome(content: CardContent) -> list[Word]:
    words: list[Word] = []
    if content.entry.row.flags & Flag.EXCLUDED:
        words.append(Word(tr("not sent"), "faint"))
    code = content.entry.details.get("exitCode")
    if content.entry.row.flags & Flag.ABORTED:
        words.append(Word(tr("cancelled"), "warning", "code"))
    elif isinstance(code, int):
        words.append(Word(tr("exit {code}").format(code=code), "bad" if code else "good", "code"))
    return words
