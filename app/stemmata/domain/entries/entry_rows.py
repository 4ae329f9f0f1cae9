"""Immutable values of stored entries: a row of columns, a body of content. They are passed between threads."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.entries.blocks import Block
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """One entry without its content blocks: its columns, strings and preview. Keys are store keys."""

    key: int
    id: str
    parent: int | None
    kind: Kind
    role: Role
    time: int
    flags: Flag
    provider: str
    model: str
    tool: str
    call: str
    name: str
    target: int | None
    preview: str  # at most 200 characters, one line
    tokens: int  # estimated
    usage: Usage | None
    removed: int = 0  # when an import first missed it in its source (ns); 0 unless it has the flag REMOVED


@dataclass(frozen=True, slots=True)
class Body:
    """The content of an entry. `cut` is the number of characters left out when shortened blocks were requested."""

    key: int
    blocks: tuple[Block, ...]
    details: str = ""
    cut: int = 0


def whole_entry(row: EntryRow, body: Body) -> Entry:
    """Return an entry made of a row and its body, without parent and target, which are store keys in a row."""
    return Entry(
        id=row.id,
        kind=row.kind,
        role=row.role,
        time=row.time,
        blocks=body.blocks,
        provider=row.provider,
        model=row.model,
        tool=row.tool,
        call=row.call,
        name=row.name,
        usage=row.usage,
        flags=row.flags,
        details=body.details,
    )
