"""The rows of entries in bulk, in SQL: looked up for an import, written, linked, indexed."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import orjson

from stemmata.domain.entries.entry import Entry, Record
from stemmata.store.core.key_ranges import note_keys
from stemmata.store.core.rows import insert_rows
from stemmata.store.core.search_text import facets_of
from stemmata.store.entries.indexing import INDEXED_AT_ONCE, ROWS_AT_ONCE, add_texts
from stemmata.store.entries.prepared import EntryColumns

Link = Literal["parent", "target"]  # a column that holds the key of another entry


def look_up(connection: sqlite3.Connection, session: int, ids: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the entries of a session with these ids (as stored): id, place, links, digest, usage."""
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
    """Store links between entries, as pairs: the key of the entry that is referred to, and the key of the entry that
    refers to it.
    """
    connection.executemany(f"UPDATE entries SET {column} = ? WHERE key = ?", links)


class Links(NamedTuple):
    """Links of an entry to others, by key. `variant` is the entry with the same id and other content."""

    parent: int | None
    target: int | None
    version: int | None
    variant: int | None


class EntryBatch:
    """Collect the rows of new entries and write them with few statements.

    Texts for the index, usage and blobs wait across several writes. The writer calls `settle` in the end, and before
    an entry is changed or deleted.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._names: dict[str, int] = {}
        self._next_key: int | None = None
        self._texts: list[tuple[int, str, str]] = []  # to be indexed; these four wait for `settle`
        self._characters = 0
        self._usage: list[tuple[object, ...]] = []
        self._blob_uses: list[tuple[int, str]] = []
        self._facets: dict[tuple[int, int, int, str], str] = {}  # by session, kind, role and tool
        self._clear()

    def _clear(self) -> None:
        self._entries: list[tuple[object, ...]] = []
        self._labels: list[str] = []
        self._bodies: list[tuple[int, int, str | None, str]] = []

    def next_key(self) -> int:
        """Return the key of the next entry. Keys ascend and are never used twice.

        The archive is asked once, because no other process adds entries before the end of the job.
        """
        if self._next_key is None:
            self._next_key = self._first_key()
        return self._next_key

    def _first_key(self) -> int:
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entries'").fetchone()
        return int(row[0]) + 1 if row else 1

    def add(self, session: int, key: int, entry: Entry, columns: EntryColumns, links: Links) -> None:
        """Collect the rows of an entry. `key` is the next one."""
        self._next_key = key + 1
        record = entry.record
        self._labels.append(columns.label)
        self._entries.append((
            key, session, links.parent, *columns.numbers, links.target, *columns.texts,
            *((record.offset, record.size, links.version) if record else (None, None, None)),
            columns.digest, links.variant,
        ))  # fmt: skip
        self._bodies.append((key, *columns.body))
        self._texts.append((key, columns.search, self._facets_of(session, entry, columns)))
        self._characters += len(columns.search)
        if columns.usage is not None:
            self._usage.append((key, *columns.usage))
        self._blob_uses += [(key, blob) for blob in columns.blobs]

    def _facets_of(self, session: int, entry: Entry, columns: EntryColumns) -> str:
        """Return the facets of an entry, which most entries share with others."""
        key = (session, columns.numbers[0], columns.numbers[1], entry.tool)
        facets = self._facets.get(key)
        if facets is None:
            if len(self._facets) >= MOST_FACETS:
                self._facets.clear()
            facets = self._facets[key] = facets_of(session, entry.role, entry.kind, entry.tool)
        return facets

    def write(self) -> None:
        """Write the collected entries and bodies; the others wait for `settle`, or until there are enough of them."""
        if self._entries:
            labels = self.label_ids(self._labels)
            rows = [(*row, label) for row, label in zip(self._entries, labels, strict=True)]
            insert_rows(self._connection, "entries", _ENTRY, rows)
            insert_rows(self._connection, "bodies", ("key", "size", "head", "body"), self._bodies)
            note_keys(self._connection, self._bodies[0][0], self._bodies[-1][0])
        self._clear()
        if self._characters >= INDEXED_AT_ONCE or len(self._texts) >= ROWS_AT_ONCE:
            self.settle()

    def settle(self) -> None:
        """Write the waiting rows."""
        insert_rows(self._connection, "usage", _USAGE, self._usage)
        insert_rows(self._connection, "blob_uses", ("entry", "digest"), self._blob_uses, or_ignore=True)
        add_texts(self._connection, self._texts)
        for waiting in (self._texts, self._usage, self._blob_uses):
            waiting.clear()
        self._characters = 0

    def label_ids(self, labels: Sequence[str]) -> list[int]:
        """Return the numbers of names, storing new names."""
        new = list(dict.fromkeys(label for label in labels if label not in self._names))
        if new:
            self._connection.executemany("INSERT OR IGNORE INTO names (text) VALUES (?)", [(text,) for text in new])
            query = "SELECT text, id FROM names WHERE text IN (SELECT value FROM json_each(?))"
            self._names.update(self._connection.execute(query, (orjson.dumps(new).decode(),)).fetchall())
        return [self._names[label] for label in labels]


MOST_FACETS = 1000  # facets that are held in memory
_ENTRY = (
    "key", "session", "parent", "kind", "role", "time", "flags", "text", "thinking", "calls", "images", "reported",
    "system", "tools", "target", "id", "provider", "model", "tool", "call", "name", "preview", "record_offset",
    "record_size", "version", "digest", "variant", "label",
)  # fmt: skip
_USAGE = ("key", "input", "output", "cache_read", "cache_write", "cache_write_1h", "total", "cost")
_LOOK_UP = """
    SELECT entries.id, entries.key, entries.parent, kind, time, digest, ifnull(version, session),
        record_offset, record_size, target, flags, tool, usage.key IS NOT NULL,
        usage.input, output, cache_read, cache_write, cache_write_1h, usage.total, cost
    FROM json_each(?2) AS wanted CROSS JOIN entries ON entries.session = ?1 AND entries.id = wanted.value
    LEFT JOIN usage ON usage.key = entries.key"""
_FACTS = """
    SELECT entries.key, kind, role, name, call FROM json_each(?) AS wanted
    CROSS JOIN entries ON entries.key = wanted.value"""
