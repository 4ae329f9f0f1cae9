"""Reads entries with their whole contents from the archive."""

from __future__ import annotations

from collections.abc import Sequence

from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.entry_rows import whole_entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.ports.archive import EntrySource


def whole_entries(reader: EntrySource, tree: Tree, entries: Sequence[int]) -> list[Entry]:
    """Return entries of a tree (indices) with their whole contents, in this order.

    Raises NotFoundError for an entry without content, which a damaged archive may have.
    """
    keys = [tree.key(entry) for entry in entries]
    rows, bodies = reader.rows(keys), reader.bodies(keys)
    missing = [key for key in keys if key not in rows or key not in bodies]
    if missing:
        raise NotFoundError(
            Phrase("Entry {0} has no content: the archive is damaged. A backup may hold it.", str(missing[0]))
        )
    return [whole_entry(rows[key], bodies[key]) for key in keys]
