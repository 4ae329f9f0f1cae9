"""Makes the preview of an entry: one line of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stemmata.domain.entries.blocks import (
    Block,
    Image,
    Text,
    Thinking,
    ToolCall,
    arguments_of,
    main_argument,
    name_of,
)
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.text.one_line import GLANCE, one_line
from stemmata.domain.text.plain_text import plain_text
from stemmata.domain.text.tool_wrappers import without_wrappers

_NAMED_KINDS = frozenset({Kind.LABEL, Kind.SESSION_INFO, Kind.THINKING_LEVEL_CHANGE, Kind.CUSTOM, Kind.UNKNOWN})
_WRAPPED = frozenset({Role.USER, Role.CUSTOM})  # messages of these roles may have been written by a tool


def preview_of(entry: Entry) -> str:
    """Return at most 200 characters on one line: the entry's text, else its tool call, its thinking or its name.

    The text is shown without Markdown marks. A tool result shows its first line that is not blank, a shell command
    the command. A user message that a tool wrote shows the wrapped command or output, or "" for a note to the model.
    """
    if entry.role is Role.BASH_EXECUTION:
        return one_line(entry.name)
    if entry.kind is not Kind.MESSAGE:  # most are messages, and to look up a kind calls Python's hash of an enum
        if entry.kind is Kind.MODEL_CHANGE:
            return one_line(f"{entry.provider}/{entry.model}" if entry.provider else entry.model)
        if entry.kind in _NAMED_KINDS:
            return one_line(entry.name)
    if entry.role is Role.TOOL_RESULT:
        return _first_line(entry.blocks) or _of_blocks(entry.blocks)
    blocks = map(_unwrapped, _text_first(entry.blocks)) if entry.role in _WRAPPED else entry.blocks
    return _of_blocks(blocks) or one_line(entry.name)


def _of_blocks(blocks: Iterable[Block]) -> str:
    """Return the line of the first text that has one; without one, of the first call, then thinking, then others.

    The sort is stable, so blocks of one kind stay in order. Only lines that may be shown are made.
    """
    ranked = list(blocks)
    if len(ranked) > 1:
        ranked.sort(key=lambda block: _RANKS.get(type(block), len(_RANKS)))
    return next(filter(None, map(_line_of, ranked)), "")


_RANKS: Mapping[type[Block], int] = {Text: 0, ToolCall: 1, Thinking: 2}


def _line_of(block: Block) -> str:
    match block:
        case Text(text):
            return one_line(plain_text(text[: 2 * GLANCE]))
        case ToolCall():
            return _call_line(block)
        case Thinking(text):
            return one_line(text)
        case Image(name=name):
            return one_line(name or "image")
        case _:
            return one_line(block.type)


def _text_first(blocks: Sequence[Block]) -> Iterable[Block]:
    """Return the blocks of a message with the text moved before the attachments."""
    if len(blocks) < 2:
        return blocks
    last = len(blocks) - 1
    places = sorted(range(len(blocks)), key=lambda at: at < last and bool(name_of(blocks[at])))
    return [blocks[at] for at in places]


def _unwrapped(block: Block) -> Block:
    return Text(without_wrappers(block.text)) if isinstance(block, Text) else block


def _first_line(blocks: Iterable[Block]) -> str:
    for block in blocks:
        if isinstance(block, Text):
            start = block.text.lstrip()[:GLANCE]
            if start:
                return one_line(start.splitlines()[0])
    return ""


def _call_line(call: ToolCall) -> str:
    if len(call.arguments) > 64 * GLANCE:  # the call writes a whole file; parsing it would take too long
        return one_line(f"{call.name} {call.arguments[:GLANCE]}")
    return one_line(f"{call.name} {main_argument(arguments_of(call))[:GLANCE]}")
