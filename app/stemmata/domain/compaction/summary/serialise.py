"""Entries as one text for a summariser, so that a model reads the conversation instead of continuing it.

The form is pi's: one labelled part per message, tool results cut, parts joined by a blank line. Lengths count in
UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stemmata.domain.compaction.summary.model_text import model_text
from stemmata.domain.entries.blocks import Text, Thinking, ToolCall, arguments_of
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Flag, Kind, Role
from stemmata.domain.entries.tokens import units
from stemmata.domain.text.json_text import MAX_NESTING, compact, is_deeper

LONGEST_RESULT = 2000  # UTF-16 units of a tool result that are kept


def serialise(entries: Iterable[Entry]) -> str:
    """The conversation as text. Images are left out, as are entries that are no messages or were excluded."""
    return "\n\n".join(part for entry in entries for part in _parts(entry))


def _parts(entry: Entry) -> Iterator[str]:
    if entry.kind not in MESSAGE_KINDS or entry.flags & Flag.EXCLUDED:
        return
    if entry.role is Role.ASSISTANT:
        yield from _reply_parts(entry)
    elif entry.role is Role.TOOL_RESULT:
        text = model_text(entry)
        if text:
            yield f"[Tool result]: {_cut(text)}"
    elif entry.role not in (Role.NONE, Role.SYSTEM) or entry.kind is not Kind.MESSAGE:
        text = model_text(entry)
        if text:
            yield f"[User]: {text}"


def _reply_parts(entry: Entry) -> Iterator[str]:
    """Thinking, text and calls, each gathered: how they alternated inside the message is lost."""
    thinking = [block.text for block in entry.blocks if isinstance(block, Thinking)]
    texts = [block.text for block in entry.blocks if isinstance(block, Text)]
    calls = [_call(block) for block in entry.blocks if isinstance(block, ToolCall)]
    if thinking:
        yield "[Assistant thinking]: " + "\n".join(thinking)
    if texts:
        yield "[Assistant]: " + "\n".join(texts)
    if calls:
        yield "[Assistant tool calls]: " + "; ".join(calls)


def _call(call: ToolCall) -> str:
    arguments = arguments_of(call)
    if is_deeper(arguments, MAX_NESTING):
        return f"{call.name}({call.arguments})"
    return f"{call.name}({', '.join(f'{name}={compact(value)}' for name, value in arguments.items())})"


def _cut(text: str) -> str:
    size = units(text)
    if size <= LONGEST_RESULT:
        return text
    kept = text.encode("utf-16-le", "surrogatepass")[: 2 * LONGEST_RESULT].decode("utf-16-le", "ignore")
    return f"{kept}\n\n[... {size - LONGEST_RESULT} more characters truncated]"
