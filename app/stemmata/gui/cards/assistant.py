"""The card of a reply: thinking, text, and tool calls with their results."""

from __future__ import annotations

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Flag
from stemmata.domain.text.one_line import one_line
from stemmata.domain.text.phrases import from_data
from stemmata.gui.cards import parts, tool_call
from stemmata.gui.cards.content import Action, CardContent, Request
from stemmata.gui.cards.line_piece import LinePiece, Word
from stemmata.gui.cards.piece import Piece
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.usage_words import thinking_time, usage_words
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.text.phrases import translate_phrase

FULL = "model_context_window_exceeded"
LIMIT = "chat.max_tokens"
SILENT = 120  # characters
MOST_CALLS = 24  # calls shown before *Show all*


def pieces(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of a reply: its head, text, thinking and tool calls."""
    row = content.entry.row
    if row.flags & Flag.HIDDEN:
        return _silent(style, content)
    out: list[Piece] = []
    if content.heading:
        right = usage_words(row.usage, content.entry.details) or parts.time_word(row.time)
        out.append(parts.heading(style, row.model or tr("Assistant"), "assistant", right))
    calls = 0
    answers = {answer.row.call: answer for answer in content.answers if answer.row.call}
    for at, block in enumerate(content.entry.body.blocks):
        calls += isinstance(block, ToolCall)
        if calls <= MOST_CALLS or content.whole or not isinstance(block, ToolCall):
            out += _block(style, content, at, block, answers)
    out += _unmatched_results(style, content)
    if calls > MOST_CALLS and not content.whole:
        out.append(_more_calls(style, calls - MOST_CALLS))
    return [*out, *_ending(style, content.entry)]


def _silent(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of a silent reply: its text as one dimmed line, its calls as usual."""
    answers = {answer.row.call: answer for answer in content.answers if answer.row.call}
    out: list[Piece] = []
    for at, block in enumerate(content.entry.body.blocks):
        if isinstance(block, ToolCall):
            out += _block(style, content, at, block, answers)
        elif isinstance(block, Text) and block.text.strip():
            words = one_line(block.text, SILENT)
            out.append(LinePiece(style, [Word(tr("Silent turn: {0}").format(words), "faint", icon="bulb")], gap=3))
    return out or [LinePiece(style, [Word(tr("Silent turn"), "faint", icon="bulb")], gap=3)]


def _block(
    style: CardStyle, content: CardContent, at: int, block: Block, answers: dict[str, LoadedEntry]
) -> list[Piece]:
    match block:
        case Thinking():
            return parts.thinking(style, content, f"thinking{at}", block, thinking_time(content.entry, at))
        case ToolCall():
            answer = answers.pop(block.id, None)
            return [tool_call.piece(style, content, f"call{at}", block, answer)]
        case Text(text):
            return parts.long_prose(style, content, text) if text.strip() else []
        case _:
            return parts.blocks(style, content, [block])


def _unmatched_results(style: CardStyle, content: CardContent) -> list[Piece]:
    """Return the pieces of results that follow the entry but answer none of its calls."""
    called = {block.id for block in content.entry.body.blocks if isinstance(block, ToolCall)}
    return [
        tool_call.piece(style, content, f"answer{answer.row.key}", None, answer)
        for answer in content.answers
        if answer.row.call not in called
    ]


def _more_calls(style: CardStyle, count: int) -> Piece:
    words = tr("Show %Ln more calls", None, count)
    return LinePiece(style, [Word(words, "accent", action=Action(Request.SHOW_ALL))], gap=3)


def _ending(style: CardStyle, entry: LoadedEntry) -> list[Piece]:
    """Return a line with the reason why the reply is incomplete; empty for a complete reply."""
    if entry.row.flags & Flag.CUT:
        return [LinePiece(style, _limit(entry), gap=3)]
    if entry.row.flags & Flag.FAILED:
        reason = entry.details.get("errorMessage") or translate_phrase(_problem(entry))
        words = tr("Ended in an error: {reason}").format(reason=reason) if reason else tr("Ended in an error")
        return [LinePiece(style, [Word(words, "bad", icon="error")], gap=3)]
    if entry.row.flags & Flag.ABORTED:
        words = tr("Interrupted") if entry.details.get("interrupted") else tr("Stopped before it was complete")
        return [LinePiece(style, [Word(words, "warning", icon="stop")], gap=3)]
    ends = {"refusal": tr("The model refused to continue"), FULL: tr("The reply filled the model’s context window")}
    why = ends.get(str(entry.details.get("stop")))
    if why is None and entry.row.flags & Flag.OWN and not entry.body.blocks:
        why = tr("The reply is empty")
    return [LinePiece(style, [Word(why, "warning", icon="stop")], gap=3)] if why else []


def _problem(entry: LoadedEntry) -> str:
    """Return the stored reason why the reply broke off: a text, or for our own replies a translatable phrase."""
    details = entry.details
    phrase = from_data(details.get("phrase")) if entry.row.flags & Flag.OWN else ""
    return phrase or str(details.get("problem") or "")


def _limit(entry: LoadedEntry) -> list[Word]:
    """Return the words for a reply that reached its limit of tokens, with its actions."""
    limit = entry.details.get("limit")
    known = limit if isinstance(limit, int) else 0
    reached = tr("The reply reached the limit of %Ln tokens", None, known)
    on, more = Action(Request.CONTINUE), Action(Request.SETTING, LIMIT)
    return [
        Word(reached if known else tr("The reply reached its limit of tokens"), "warning", icon="stop"),
        Word(tr("Continue"), "accent", action=on, tip=tr("Continue the reply in a sibling entry")),
        Word(tr("Raise the limit…"), "accent", action=more, tip=tr("Open the setting for the longest reply")),
    ]
