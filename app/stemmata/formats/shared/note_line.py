"""The lines that replace entries without a text, in the words of the window."""

from __future__ import annotations

from stemmata.domain.context.projection import CUT, OUT, SUPERSEDED
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.entry_rows import Body, EntryRow

_OMITTED = {
    OUT: "An entry above is excluded from the context",
    CUT: "An entry above is cut: only its beginning and end are sent",
    **dict.fromkeys(SUPERSEDED, "Tool results above are pruned: later ones replace them"),
}


def note_line(row: EntryRow, body: Body) -> str:
    """Return the line of a pruning, an entry that is not sent, or a skill; "" for other kinds."""
    match row.kind:
        case Kind.TOOL_PRUNE:
            return "Tool outputs above are pruned from the context"
        case Kind.OMISSION:
            return _OMITTED.get(row.name, "An entry above is sent in full again")
        case Kind.SKILL:
            return f"Skill “{row.name}” {'activated' if body.blocks else 'deactivated'}"
    return ""
