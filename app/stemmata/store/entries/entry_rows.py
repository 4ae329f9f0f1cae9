"""The rows of entries in bulk, in SQL: looked up for an import, written, linked, indexed."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import orjson

from stemmata.domain.entries.blocks import Image
from stemmata.domain.entries.entry import Entry, Record
from stemmata.domain.entries.preview import preview_of
from stemmata.domain.entries.tokens import weigh
from stemmata.domain.entries.tree import fixed_of, name_of, reported_of
from stemmata.store.core.search_text import facets_of, search_text
from stemmata.store.core.stored_text import shown, stored
from stemmata.store.entries.content import body_columns

Link = Literal["parent", "target"]  # a column that holds the key of another entry


def look_up(connection: sqlite3.Connection, session: int, ids: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return what a session has of entries with these ids (as stored): id, place, links, digest, usage."""
    return connection.execute(_LOOK_UP, (session, orjson.dumps(ids).decode())).fetchall()


def facts_of(connection: sqlite3.Connection, keys: Sequence[int]) -> list[tuple[int, int, int, str, str]]:
    """Return key, kind, role, name and call of entries, the texts as stored."""
    return connection.execute(_FACTS, (orjson.dumps(list(keys)).decode(),)).fetchall()


def store_digests(connection: sqlite3.Connection, digests: Mapping[int, int]) -> None:
    """Store the digests of entries, by key."""
    rows = [(digest, key) for key, digest in digests.items()]
    connection.executemany("UPDATE entries SET digest = ? WHERE key = ?", rows)


def store_place(connection: sqlite3.Connection, key: int, version: int, record: Record) -> None:
    """Store where the source record of an entry is."""
    query = "UPDATE entries SET version = ?, record_offset = ?, record_size = ? WHERE key = ?"
    connection.execute(query, (version, record.offset, record.size, key))


def link(connection: sqlite3.Connection, column: Link, links: Sequence[tuple[int, int]]) -> None:
    """Store links between entries: pairs of the key that is named and the key of the entry that names it."""
    connection.executemany(f"UPDATE entries SET {column} = ? WHERE key = ?", links)


class Links(NamedTuple):
    """Links of an entry to others, by key. `variant` is the entry with the same id and other content."""

    parent: int | None
    target: int | None
    version: int | None
    digest: int
    variant: int | None


class EntryBatch:
    """Collect the rows of new entries and write them with one statement for each table."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._names: dict[str, int] = {}
        self._clear()

    def _clear(self) -> None:
        self._entries: list[tuple[object, ...]] = []
        self._labels: list[str] = []
        self._bodies: list[tuple[int, int, str | None, str]] = []
        self._texts: list[tuple[int, str | None, str]] = []
        self._usage: list[tuple[object, ...]] = []
        self._blob_uses: list[tuple[int, str]] = []

    def next_key(self) -> int:
        """Return the key of the next entry. Keys ascend and are never used twice."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entries'").fetchone()
        return int(row[0]) + 1 if row else 1

    def add(self, session: int, key: int, entry: Entry, links: Links) -> None:
        """Collect the rows of an entry."""
        weights = weigh(entry)
        record = entry.record
        self._labels.append(stored(name_of(entry)))
        self._entries.append((
            key, session, links.parent, int(entry.kind), int(entry.role), entry.time, int(entry.flags),
            weights.text, weights.thinking, weights.calls, weights.images, reported_of(entry), *fixed_of(entry),
            links.target,
            stored(entry.id), stored(entry.provider), stored(entry.model), stored(entry.tool), stored(entry.call),
            stored(entry.name), shown(preview_of(entry)), *((record.offset, record.size) if record else (None, None)),
            links.version if record else None, links.digest, links.variant,
        ))  # fmt: skip
        size, head, body = body_columns(entry)
        self._bodies.append((key, size, head, body))
        self._texts.append((key, search_text(entry, body), facets_of(session, entry)))
        if entry.usage is not None:
            usage = entry.usage
            self._usage.append((
                key, usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cache_write_1h,
                usage.total, usage.cost,
            ))  # fmt: skip
        for block in entry.blocks:
            if isinstance(block, Image) and block.blob:
                self._blob_uses.append((key, block.blob))

    def write(self) -> None:
        """Write the collected rows and index the entries."""
        many = self._connection.executemany
        if self._entries:
            labels = self.label_ids(self._labels)
            many(_ENTRY, [(*row, label) for row, label in zip(self._entries, labels, strict=True)])
            many("INSERT INTO bodies (key, size, head, body) VALUES (?, ?, ?, ?)", self._bodies)
            many("INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?)", self._usage)
            many("INSERT OR IGNORE INTO blob_uses (entry, digest) VALUES (?, ?)", self._blob_uses)
            many(
                "INSERT INTO entries_fts (rowid, text, facets) VALUES (?, ?, ?)",
                [row for row in self._texts if row[1] is not None],
            )
            many(INDEX, [(key,) for key, text, _ in self._texts if text is None])
        self._clear()

    def label_ids(self, labels: Sequence[str]) -> list[int]:
        """Return the numbers of names, storing new names."""
        new = list({label for label in labels if label not in self._names})
        if new:
            self._connection.executemany("INSERT OR IGNORE INTO names (text) VALUES (?)", [(text,) for text in new])
            query = "SELECT text, id FROM names WHERE text IN (SELECT value FROM json_each(?))"
            self._names.update(self._connection.execute(query, (orjson.dumps(new).decode(),)).fetchall())
        return [self._names[label] for label in labels]


_ENTRY = """
    INSERT INTO entries (key, session, parent, kind, role, time, flags, text, thinking, calls, images, reported,
        system, tools, target, id, provider, model, tool, call, name, preview, record_offset, record_size,
        version, digest, variant, label)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
INDEX = "INSERT INTO entries_fts (rowid, text, facets) SELECT key, text, facets FROM indexed WHERE key = ?"
UNINDEX = """
    INSERT INTO entries_fts (entries_fts, rowid, text, facets)
    SELECT 'delete', key, text, facets FROM indexed WHERE key = ?"""
_LOOK_UP = """
    SELECT entries.id, entries.key, entries.parent, kind, time, digest, ifnull(version, session),
        record_offset, record_size, target, flags, tool, usage.key IS NOT NULL,
        usage.input, output, cache_read, cache_write, cache_write_1h, usage.total, cost
    FROM json_each(?2) AS wanted CROSS JOIN entries ON entries.session = ?1 AND entries.id = wanted.value
    LEFT JOIN usage ON usage.key = entries.key"""
_FACTS = """
    SELECT entries.key, kind, role, name, call FROM json_each(?) AS wanted
    CROSS JOIN entries ON entries.key = wanted.value"""
