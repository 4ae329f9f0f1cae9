"""The texts of entries in the full-text indexes: one of words, and one of the pairs of characters of texts that have
Chinese, Japanese or Korean, which hold those entries a second time.

The indexes keep no texts. To take an entry out, its text is computed again, as it was when it was added.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import orjson

from stemmata.domain.entries.blocks import decode
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.cjk import apart, has_cjk, pairs
from stemmata.store.core.rows import insert_rows
from stemmata.store.core.search_text import facets_of, text_of
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored

Text = tuple[int, str, str]  # key of an entry, its text, its facets
INDEXED_AT_ONCE, ROWS_AT_ONCE = 8_000_000, 1024  # characters of text, texts


def add_texts(connection: sqlite3.Connection, texts: Sequence[Text]) -> None:
    """Index entries.

    Many texts are indexed with one statement, because FTS5 writes to the disk after each.
    """
    insert_rows(connection, "entries_fts", _COLUMNS, [(key, apart(text), facets) for key, text, facets in texts])
    paired = [(key, pairs(text), facets) for key, text, facets in texts if has_cjk(text)]
    insert_rows(connection, "cjk_fts", _COLUMNS, paired)


def index(connection: sqlite3.Connection, keys: Iterable[int]) -> None:
    """Index entries by their stored content."""
    for texts in _batches(connection, keys):
        add_texts(connection, texts)


def unindex(connection: sqlite3.Connection, keys: Iterable[int]) -> None:
    """Take entries out of the indexes; to be called before they are changed or deleted."""
    for texts in _batches(connection, keys):
        connection.executemany(_UNINDEX, [(key, apart(text), facets) for key, text, facets in texts])
        query = "SELECT json_group_array(id) FROM cjk_fts_docsize WHERE id IN (SELECT value FROM json_each(?))"
        listed = orjson.dumps([key for key, _, _ in texts]).decode()
        paired = set(orjson.loads(connection.execute(query, (listed,)).fetchone()[0]))
        rows = [(key, pairs(text), facets) for key, text, facets in texts if key in paired]
        connection.executemany(_UNPAIR, rows)


def index_anew(connection: sqlite3.Connection) -> None:
    """Empty both indexes and fill them again."""
    for table in ("entries_fts", "cjk_fts"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    (last,) = connection.execute("SELECT ifnull(max(key), 0) FROM entries").fetchone()
    index(connection, range(1, last + 1))


def _batches(connection: sqlite3.Connection, keys: Iterable[int]) -> Iterator[list[Text]]:
    """Yield the texts of entries, as many at a time as one statement takes: SQLite holds its pages until it ends."""
    texts: list[Text] = []
    characters = 0
    for text in texts_of(connection, keys):
        texts.append(text)
        characters += len(text[1])
        if characters >= INDEXED_AT_ONCE or len(texts) >= ROWS_AT_ONCE:
            yield texts
            texts, characters = [], 0
    if texts:
        yield texts


def texts_of(connection: sqlite3.Connection, keys: Iterable[int]) -> Iterator[Text]:
    """Yield key, text and facets of entries as they are stored; entries without content have no text."""
    for key in keys:
        row = connection.execute(_ENTRY, (key,)).fetchone()
        if row is not None:
            session, role, kind, tool, name, body = row
            role, kind = Role(role), Kind(kind)
            text = text_of(decode(from_json(body)["b"]), restored(name), role, kind)
            yield key, text, facets_of(session, role, kind, restored(tool))


_COLUMNS = ("rowid", "text", "facets")
_ENTRY = """
    SELECT session, role, kind, tool, name, body FROM entries JOIN bodies ON bodies.key = entries.key
    WHERE entries.key = ?"""
_UNINDEX = "INSERT INTO entries_fts (entries_fts, rowid, text, facets) VALUES ('delete', ?, ?, ?)"
_UNPAIR = "INSERT INTO cjk_fts (cjk_fts, rowid, text, facets) VALUES ('delete', ?, ?, ?)"
