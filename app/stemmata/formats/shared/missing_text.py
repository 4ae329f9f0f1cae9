"""The words that an exported page has for entries without a text of their own."""

from __future__ import annotations

from stemmata.domain.context.projection import CUT, OUT, SUPERSEDED
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow

NO_OUTPUT = "No output"
_WITHOUT = {Role.USER: "Message without text", Role.ASSISTANT: "Reply without text", Role.TOOL_RESULT: NO_OUTPUT}
_OMITTED = {
    OUT: "An entry above is excluded from the context",
    CUT: "An entry above is cut: only its beginning and end are sent",
    **dict.fromkeys(SUPERSEDED, "Tool results above are pruned: later ones replace them"),
}


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


def note_line(row: EntryRow, body: Body) -> str:
    """Return the line of a pruning, an entry that is not sent, or a skill, as in the window; "" for other kinds."""
    match row.kind:
        case Kind.TOOL_PRUNE:
            return "Tool outputs above are pruned from the context"
        case Kind.OMISSION:
            return _OMITTED.get(row.name, "An entry above is sent in full again")
        case Kind.SKILL:
            return f"Skill “{row.name}” {'activated' if body.blocks else 'deactivated'}"
    return ""
