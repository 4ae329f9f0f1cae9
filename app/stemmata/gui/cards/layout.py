"""Chooses the builder for each kind of entry."""

from __future__ import annotations

from collections.abc import Callable

from stemmata.domain.entries.entry import Kind, Role
from stemmata.gui.cards import assistant, branch_summary, compaction, note, shell, tool_result, unknown, user, wrapped
from stemmata.gui.cards.content import CardContent
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle

Builder = Callable[[CardStyle, CardContent], list[Piece]]

BY_ROLE: dict[Role, tuple[Builder, str]] = {
    Role.USER: (user.pieces, "user"),
    Role.ASSISTANT: (assistant.pieces, "assistant"),
    Role.TOOL_RESULT: (tool_result.pieces, "tool"),
    Role.BASH_EXECUTION: (shell.pieces, "user"),
}  # builder, colour token of the bar
BY_KIND: dict[Kind, tuple[Builder, str]] = {
    Kind.COMPACTION: (compaction.pieces, ""),
    Kind.BRANCH_SUMMARY: (branch_summary.pieces, ""),
    Kind.CUSTOM_MESSAGE: (note.pieces, "system"),
    Kind.UNKNOWN: (unknown.pieces, "system"),
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
