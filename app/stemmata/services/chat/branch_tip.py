"""Where a run goes on, and what is a part of the conversation."""

from __future__ import annotations

from stemmata.domain.entries.entry import Flag, Kind
from stemmata.domain.entries.session_facts import EntryRow
from stemmata.services.ports.archive import ArchiveReader


def tip_now(reader: ArchiveReader, session: int, tip: int | None) -> int | None:
    """The tip, or the leaf when only what is no part of the conversation lies between: notes, picks, summaries."""
    leaf = at = reader.session(session).leaf
    while at != tip:
        row = None if at is None else reader.rows([at]).get(at)
        if row is None or speaks(row):
            return tip
        at = row.parent
    return leaf


def speaks(row: EntryRow) -> bool:
    """Whether the entry is a part of the conversation."""
    if row.kind is Kind.MESSAGE or row.kind is Kind.BRANCH_SUMMARY:
        return True
    return row.kind is Kind.CUSTOM_MESSAGE and not row.flags & Flag.EXCLUDED
