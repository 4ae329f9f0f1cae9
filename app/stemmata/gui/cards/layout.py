"""Chooses the builder for each kind of entry, and builds the short cards."""

from __future__ import annotations

from collections.abc import Callable

from stemmata.domain.compaction.summary.sections import split_file_lists
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.tool_calls.notes import ToolNote, note_name, one_title, tool_note
from stemmata.gui.cards import assistant, compaction, note, parts, shell, tool_call, written_text
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import HeadPiece, LinePiece, MarkedLine, Word
from stemmata.gui.cards.piece import FramePiece, Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme import metrics

Builder = Callable[[CardStyle, CardContent], list[Piece]]


def _written_by_tool(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return a quiet, foldable line for a user message that a tool wrote; [] for a message of the person."""
    row = content.entry.row
    found = tool_note(row, content.entry.body.blocks)
    if found is None:
        return []
    is_open = note.PART in content.unfolded
    icon = "triangle-down" if is_open else "triangle-right"
    words = [Word("", "faint", icon=icon), *_note_words(found)]
    line = MarkedLine(style, words, parts.time_word(row.time), action=Action(Request.FOLD, note.PART))
    return [line, *parts.output(style, content, found.inside)] if is_open and found.inside.strip() else [line]


def _note_words(found: ToolNote) -> list[Word]:
    """Return a command and the first line of its output; for other messages of a tool, the kind of the note."""
    said = found.said
    tone = "bad" if said.failed else "faint"
    if said.command:
        answered = [Word(one_title(said.output), tone, "code")] if said.output else []
        return [Word(one_title(said.command), "dim", "code", icon="terminal"), *answered]
    if said.output:
        return [Word(one_title(said.output), tone, "code", icon="terminal")]
    return [Word(one_title(said.summary) or translate_phrase(found.kind), "faint", icon="info")]


def _user(style: CardStyle, content: CardContent) -> list[Piece]:
    row, body = content.entry.row, content.entry.body
    speaker = translate_phrase(note_name(row)) or tr("You")
    head = parts.heading(style, speaker, "user", parts.time_word(row.time))
    return [head, *parts.blocks(style, content, body.blocks)]


def _tool_result(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of a tool result whose call is not on the path."""
    head = parts.heading(style, tr("Tool result"), "tool", parts.time_word(content.entry.row.time))
    return [head, tool_call.piece(style, content, "answer", None, content.entry)]


def _branch_summary(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of the summary of a branch that was left."""
    row = content.entry.row
    right = parts.time_word(row.time)
    if row.target is not None:
        right.append(Word(tr("Show the summarised branch"), "dim", action=Action(Request.SHOW_SUMMARISED)))
    title = [Word(tr("Summary of the abandoned branch"), "lane_2", "small_bold", icon="branch")]
    head = HeadPiece(style, title, right)
    text, files = split_file_lists(plain_text(content.entry.body.blocks))
    words = parts.files_word(len(files.read), len(files.modified), tip="\n".join((*files.modified, *files.read)))
    foot = [LinePiece(style, words, gap=2)] if words else []
    inside: list[Piece] = [head, *parts.long_prose(style, content, text, gap=2), *foot]
    return [FramePiece(style, inside, border="lane_2", padding=(5, 6), radius=metrics.RADIUS_CARD)]


def _unknown(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of an entry of an unknown kind: its record and its blocks."""
    row, body = content.entry.row, content.entry.body
    title = tr("Unknown entry: {kind}").format(kind=row.name) if row.name else tr("Unknown entry")
    out: list[Piece] = parts.json_part(style, content, "record", title, body.details or "{}")
    return [*out, *parts.blocks(style, content, body.blocks)]


BY_ROLE: dict[Role, tuple[Builder, str]] = {
    Role.USER: (_user, "user"),
    Role.ASSISTANT: (assistant.pieces, "assistant"),
    Role.TOOL_RESULT: (_tool_result, "tool"),
    Role.BASH_EXECUTION: (shell.pieces, "user"),
}  # builder, colour token of the bar
BY_KIND: dict[Kind, tuple[Builder, str]] = {
    Kind.COMPACTION: (compaction.pieces, ""),
    Kind.BRANCH_SUMMARY: (_branch_summary, ""),
    Kind.CUSTOM_MESSAGE: (note.pieces, "system"),
    Kind.UNKNOWN: (_unknown, "system"),
}
NOTE: tuple[Builder, str] = (note.pieces, "")


def build(style: CardStyle, content: CardContent) -> tuple[list[Piece], str]:
    """Return the pieces of a card, and the colour token of the bar at its left ("" for none)."""
    row = content.entry.row
    if row.kind is Kind.MESSAGE:
        if row.role is Role.USER and (quiet := _written_by_tool(style, content)):
            return [*quiet, *_written(style, content)], ""
        builder, bar = BY_ROLE.get(row.role, (note.pieces, "system"))
    else:
        builder, bar = BY_KIND.get(row.kind, NOTE)
    return [*builder(style, content), *_written(style, content)], bar


def _written(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the requested texts of which the card does not show all words; calls show their own texts."""
    is_result = content.entry.row.role is Role.TOOL_RESULT
    return [] if is_result else written_text.pieces(style, content, content.entry)
