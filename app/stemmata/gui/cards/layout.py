"""Chooses the builder for each kind of entry, and builds the short cards."""

from __future__ import annotations

from collections.abc import Callable

from stemmata.domain.entries.entry import Kind, Role
from stemmata.gui.cards import assistant, branch_summary, compaction, note, parts, shell, tool_call, wrapped
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.words import tr

Builder = Callable[[CardStyle, CardContent], list[Piece]]


def _user(style: CardStyle, content: CardContent) -> list[Piece]:
    row, body = content.entry.row, content.entry.body
    head = parts.heading(style, tr("You"), "user", parts.time_word(row.time))
    return [head, *parts.blocks(style, content, body.blocks)]


def _tool_result(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of a tool result whose call is not on the path."""
    head = parts.heading(style, tr("Tool result"), "tool", parts.time_word(content.entry.row.time))
    return [head, tool_call.piece(style, content, "answer", None, content.entry)]


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
    Kind.BRANCH_SUMMARY: (branch_summary.pieces, ""),
    Kind.CUSTOM_MESSAGE: (note.pieces, "system"),
    Kind.UNKNOWN: (_unknown, "system"),
}
NOTE: tuple[Builder, str] = (note.pieces, "")


def build(style: CardStyle, content: CardContent) -> tuple[list[Piece], str]:
    """Return the pieces of a card, and the colour token of the bar at its left ("" for none)."""
    row = content.entry.row
    if row.kind is Kind.MESSAGE:
        if row.role is Role.USER and (quiet := wrapped.pieces(style, content)):
            return quiet, ""
        builder, bar = BY_ROLE.get(row.role, (note.pieces, "system"))
    else:
        builder, bar = BY_KIND.get(row.kind, NOTE)
    return builder(style, content), bar
