"""The stored forms of entries that need no database: any thread may compute them, so that the db thread only writes.

The import computes them on the thread that reads the file, while the db thread waits for SQLite.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from stemmata.domain.entries.blocks import Image, encode
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.preview import preview_of
from stemmata.domain.entries.tokens import weigh
from stemmata.domain.entries.tree import fixed_of, name_of, reported_of
from stemmata.store.core.search_text import text_of
from stemmata.store.core.stored_text import shown, stored
from stemmata.store.entries.content import body_columns, encoded_blocks
from stemmata.store.entries.digests import digest_of


class EntryColumns(NamedTuple):
    """The columns of an entry that need no key. `numbers` and `texts` are in the order of the table."""

    digest: int
    label: str
    numbers: tuple[int, ...]  # kind, role, time, flags, weights, reported tokens, fixed parts
    texts: tuple[str, ...]  # id, provider, model, tool, call, name, preview
    body: tuple[int, str | None, str]  # size, head, body
    search: str  # the indexed text
    usage: tuple[int | None, ...] | None
    blobs: tuple[str, ...]


class PreparedEntries(tuple[Entry, ...]):
    """Entries with their columns, in the same order."""

    columns: tuple[EntryColumns, ...]

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> PreparedEntries:
        """Compute the columns of the entries."""
        prepared = cls(entries)
        prepared.columns = tuple(map(columns_of, prepared))
        return prepared


def columns_of(entry: Entry) -> EntryColumns:
    """Compute the columns of an entry."""
    rows = encode(entry.blocks)
    encoded = encoded_blocks(rows)
    weights, body, usage = weigh(entry), body_columns(entry, encoded), entry.usage
    return EntryColumns(
        digest=digest_of(entry, encoded),
        label=stored(name_of(entry)),
        numbers=(
            int(entry.kind), int(entry.role), entry.time, int(entry.flags),
            weights.text, weights.thinking, weights.calls, weights.images, reported_of(entry), *fixed_of(entry),
        ),
        texts=(
            stored(entry.id), stored(entry.provider), stored(entry.model), stored(entry.tool), stored(entry.call),
            stored(entry.name), shown(preview_of(entry)),
        ),
        body=body,
        search=text_of(entry.blocks, entry.name, entry.role, entry.kind),
        usage=None if usage is None else (
            usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cache_write_1h, usage.total,
            usage.cost,
        ),
        blobs=tuple(block.blob for block in entry.blocks if isinstance(block, Image) and block.blob),
    )  # fmt: skip
