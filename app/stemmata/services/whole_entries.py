"""Reads entries with their whole contents from the archive, and frees them."""

from __future__ import annotations

from collections.abc import Sequence
from time import sleep

from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.entry_rows import whole_entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.ports.archive import EntrySource

HELD = 4_000  # entries that are made and freed at once


def whole_entries(reader: EntrySource, tree: Tree, entries: Sequence[int]) -> list[Entry]:
    """Return entries of a tree (indices) with their whole contents, in this order.

    Raises NotFoundError for an entry without content, which a damaged archive may have.
    """
    out: list[Entry] = []
    try:
        for start in range(0, len(entries), HELD):
            out += _some_entries(reader, [tree.key(entry) for entry in entries[start : start + HELD]])
    except Exception:
        free_in_parts(out)
        raise
    return out


def _some_entries(reader: EntrySource, keys: Sequence[int]) -> list[Entry]:
    rows, bodies = reader.rows(keys), reader.bodies(keys)
    missing = [key for key in keys if key not in rows or key not in bodies]
    if missing:
        raise NotFoundError(
            Phrase("Entry {0} has no content: the archive is damaged. A backup may hold it.", str(missing[0]))
        )
    return [whole_entry(rows[key], bodies[key]) for key in keys]


def free_in_parts(entries: list[Entry]) -> None:
    """Empty a list of entries that nothing else holds in parts, and let other threads go on in between.

    To free a million entries at once keeps Python's lock for a third of a second, for which the window would wait.
    """
    while entries:
        del entries[-HELD:]
        sleep(0)
