"""The words that an exported page has in place of a text that an entry does not have."""

from __future__ import annotations

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow

NO_OUTPUT = "No output"
_WITHOUT = {Role.USER: "Message without text", Role.ASSISTANT: "Reply without text", Role.TOOL_RESULT: NO_OUTPUT}


def missing_text(row: EntryRow) -> str:
    """Return the words that replace the text of an entry without a text, such as `Reply without text`."""
    if row.kind is not Kind.MESSAGE:
        return f"Entry without text ({row.kind.text.replace('_', ' ')})"
    if row.flags & Flag.INJECTED:
        return "Note for the model"
    return _WITHOUT.get(row.role, "Entry without text")


def is_empty(row: EntryRow, body: Body) -> bool:
    """Return whether an entry is a message in which nothing is stored but blank texts."""
    blank = all(isinstance(block, Text) and not block.text.strip() for block in body.blocks)
    return blank and row.kind is Kind.MESSAGE
