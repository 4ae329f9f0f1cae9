"""Reads entries with their whole contents from the archive, and finds entries in a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.entry_rows import whole_entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.ports.archive import EntrySource

READ = 200  # entries that are read at once


@dataclass(frozen=True)
class EntriesInParts:
    """Entries of a tree (indices) with their whole contents, of which only `READ` are in memory.

    Each iteration reads them from the archive. It raises NotFoundError for an entry without content, which a damaged
    archive may have.
    """

    reader: EntrySource
    tree: Tree
    entries: Sequence[int]

    def __iter__(self) -> Iterator[Entry]:
        for start in range(0, len(self.entries), READ):
            keys = [self.tree.key(entry) for entry in self.entries[start : start + READ]]
            rows, bodies = self.reader.rows(keys), self.reader.bodies(keys)
            for key in keys:
                if key not in rows or key not in bodies:
                    raise NotFoundError(
                        Phrase("Entry {0} has no content: the archive is damaged. A backup may hold it.", str(key))
                    )
                yield whole_entry(rows[key], bodies[key])


def whole_entries(reader: EntrySource, tree: Tree, entries: Sequence[int]) -> list[Entry]:
    """Return entries of a tree (indices) with their whole contents, in this order. Raises NotFoundError."""
    return list(EntriesInParts(reader, tree, entries))


def index_of(tree: Tree, entry: int) -> int:
    """Return the index of an entry by its store key. Raises NotFoundError when the tree does not contain it.

    The entry may have been in the tree that the caller saw: an import or another window may have removed it since.
    """
    at = tree.get(entry)
    if at is None:
        raise no_such_entry(entry)
    return at


def no_such_entry(entry: int) -> NotFoundError:
    """Return the error for a session without an entry of this store key."""
    return NotFoundError(Phrase("The session has no entry {0}.", str(entry)))
