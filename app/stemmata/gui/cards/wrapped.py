"""User messages that a tool wrote (its commands, their output, reminders), shown as quiet lines without a card."""

from __future__ import annotations

from stemmata.domain.tool_calls.notes import ToolNote, one_title, tool_note
from stemmata.gui.cards import note, parts
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import MarkedLine, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.text.phrases import translate_phrase


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return one foldable line for a user message that a tool wrote; [] for a message of the person."""
    row = content.entry.row
    found = tool_note(row, content.entry.body.blocks)
    if found is None:
        return []
    is_open = note.PART in content.unfolded
    icon = "triangle-down" if is_open else "triangle-right"
    words = [Word("", "faint", icon=icon), *_words(found)]
    line = MarkedLine(style, words, parts.time_word(row.time), action=Action(Request.FOLD, note.PART))
    return [line, *parts.output(style, content, found.inside)] if is_open and found.inside.strip() else [line]


def _words(found: ToolNote) -> list[Word]:
    """Return a command and the first line of its output; for other messages of a tool, the kind of the note."""
    said = found.said
    tone = "bad" if said.failed else "faint"
    if said.command:
        answered = [Word(one_title(said.output), tone, "code")] if said.output else []
        return [Word(one_title(said.command), "dim", "code", icon="terminal"), *answered]
    if said.output:
        return [Word(one_title(said.output), tone, "code", icon="terminal")]
    return [Word(one_title(said.summary) or translate_phrase(found.kind), "faint", icon="info")]
