"""A tool call with its result: one line, and all of it when unfolded."""

from __future__ import annotations

from stemmata.domain.blocks import Image, ToolCall, arguments_of, plain_text
from stemmata.gui.cards import parts
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.diff_piece import DiffPiece
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.picture_piece import PicturePiece
from stemmata.gui.cards.piece import Frame, Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.cards.tool_line import diff_of, main_argument, outcomes, within
from stemmata.gui.cards.words import tr
from stemmata.gui.models.transcript_pages import Loaded
from stemmata.gui.theme import metrics


def piece(style: CardStyle, content: CardContent, part: str, call: ToolCall | None, answer: Loaded | None) -> Frame:
    """`call` is None for a result whose call is not here."""
    tool = call.name if call is not None else answer.row.tool if answer is not None else ""
    arguments = arguments_of(call) if call is not None else {}
    is_open = part in content.unfolded
    left = [
        Word(tool or tr("tool"), "tool", "code", icon="triangle-down" if is_open else "triangle-right"),
        Word(within(style.folder, main_argument(arguments)), "dim", "code", shorten="middle"),
    ]
    right = [Word(outcome.text, outcome.tone, "code") for outcome in outcomes(tool, call, answer)]
    line = LinePiece(style, left, right, height=metrics.TOOL_ROW, action=Action(Request.FOLD, part))
    inside = _inside(style, content, call, answer) if is_open else []
    return Frame(style, [line, *inside, *([_Space(style)] if inside else [])], gap=3)


def _inside(style: CardStyle, content: CardContent, call: ToolCall | None, answer: Loaded | None) -> list[Piece]:
    change = diff_of(call, answer)
    out: list[Piece] = []
    if call is not None and not change and len(arguments_of(call)) != 0:
        out += _arguments(style, content, call)
    if change:
        out.append(DiffPiece(style, change, gap=2))
    if answer is not None:
        out += _result(style, content, answer, brief=bool(change))
    return out


def _arguments(style: CardStyle, content: CardContent, call: ToolCall) -> list[Piece]:
    """One argument as it is, several as JSON."""
    arguments = arguments_of(call)
    texts = [value for value in arguments.values() if isinstance(value, str)]
    text = texts[0] if len(arguments) == len(texts) == 1 else parts.pretty(call.arguments)
    shown = parts.first_part(content, text)
    return [_caption(style, tr("Arguments")), TextPiece(style, style.code(shown), gap=1)]


def _result(style: CardStyle, content: CardContent, answer: Loaded, *, brief: bool) -> list[Piece]:
    out: list[Piece] = [PicturePiece(style, block) for block in answer.body.blocks if isinstance(block, Image)]
    text = plain_text(answer.body.blocks)
    if text.strip() and not brief:
        own = CardContent(answer, whole=content.whole)
        out += [_caption(style, tr("Result")), *parts.output(style, own, text)]
    return out


def _caption(style: CardStyle, text: str) -> LinePiece:
    return LinePiece(style, [Word(text, "faint")], gap=2)


class _Space(Piece):
    """Keeps the last line off the frame."""

    def measure(self, _width: int) -> int:
        return self.style.space(2)
