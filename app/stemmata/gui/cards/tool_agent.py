"""A call that gives a task to another agent: the task, the answer, and a link to that agent's transcript."""

from __future__ import annotations

from stemmata.domain.entries.blocks import ToolCall, first_text
from stemmata.domain.tool_calls.kinds import arguments_of
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.tool_output import result
from stemmata.gui.cards.tool_parts import caption
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry

_PROMPTS = ("prompt", "task", "message", "instructions")


def pieces(style: CardStyle, content: CardContent, call: ToolCall, answer: LoadedEntry | None) -> list[Piece]:
    """Return the pieces of a call that starts a subagent: its prompt and its answer."""
    arguments = arguments_of(call)
    prompt = first_text(arguments, _PROMPTS)
    if not prompt:
        return []
    way = Word(tr("Open its transcript"), "accent", action=Action(Request.SUBAGENT, call.id), icon="branch")
    kind = arguments.get("subagent_type") or arguments.get("agent")
    told = [Word(kind, "faint", "code")] if isinstance(kind, str) else []
    return [
        LinePiece(style, [way], told, gap=2),
        caption(style, tr("Instructions")),
        *parts.long_prose(style, content, prompt, color="dim", gap=1),
        *result(style, content, answer, arguments, call.name),
    ]
