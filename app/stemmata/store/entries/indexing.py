"""The texts of entries in the full-text indexes: one of words, and one of the pairs of characters of texts that have
Chinese, Japanese or Korean, which hold those entries a second time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import orjson

from stemmata.domain.search.cjk import has_cjk, pairs
from stemmata.store.core.rows import insert_rows

Text = tuple[int, str | None, str]  # key of an entry, its text, its facets


def add_texts(connection: sqlite3.Connection, texts: Sequence[Text]) -> None:
    """Index entries. A text that is None is computed by the archive.

    Many texts are indexed with one statement, because FTS5 writes to the disk after each.
    """
    known = [(key, text, facets) for key, text, facets in texts if text is not None]
    insert_rows(connection, "entries_fts", ("rowid", "text", "facets"), known)
    _add_pairs(connection, known)
    index(connection, [key for key, text, _ in texts if text is None])


def index(connection: sqlite3.Connection, keys: Iterable[int]) -> None:
    """Index entries by the text that the archive computes."""
    listed = list(keys)
    connection.executemany(_INDEX, [(key,) for key in listed])
    _add_pairs(connection, list(_texts(connection, listed)))


def unindex(connection: sqlite3.Connection, keys: Iterable[int]) -> None:
    """Take entries out of the indexes; to be called before they are changed or deleted."""
    listed = list(keys)
    connection.executemany(_UNINDEX, [(key,) for key in listed])
    query = "SELECT json_group_array(id) FROM cjk_fts_docsize WHERE id IN (SELECT value FROM json_each(?))"
    paired = orjson.loads(connection.execute(query, (orjson.dumps(listed).decode(),)).fetchone()[0])
    rows = [(key, pairs(text), facets) for key, text, facets in _texts(connection, paired)]
    connection.executemany(_UNPAIR, rows)


def index_pairs(connection: sqlite3.Connection) -> None:
    """Fill the empty index of pairs."""
    (last,) = connection.execute("SELECT ifnull(max(key), 0) FROM entries").fetchone()
    for start in range(0, last, _STEP):
        keys = [key for (key,) in connection.execute(_FOREIGN, (start, start + _STEP)).fetchall()]
        _add_pairs(connection, list(_texts(connection, keys)))


def index_anew(connection: sqlite3.Connection) -> None:
    """Empty both indexes and fill them again; SQLite's own `rebuild` cannot read a view over JSON.

    Filled in steps, because SQLite holds the pages that one statement has changed in memory until the statement ends.
    """
    for table in ("entries_fts", "cjk_fts"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    (last,) = connection.execute("SELECT ifnull(max(key), 0) FROM entries").fetchone()
    for start in range(0, last, _STEP):
        connection.execute(_INDEX_SOME, (start, start + _STEP))
    index_pairs(connection)


def _add_pairs(connection: sqlite3.Connection, texts: Iterable[tuple[int, str, str]]) -> None:
    rows = [(key, pairs(text), facets) for key, text, facets in texts if has_cjk(text)]
    insert_rows(connection, "cjk_fts", ("rowid", "text", "facets"), rows)


def _texts(connection: sqlite3.Connection, keys: Iterable[int]) -> Iterator[tuple[int, str, str]]:
    """Yield key, text and facets of entries as the archive computes them; half characters are replaced."""
    for key in keys:
        for _, text, facets in connection.execute(_TEXT, (key,)).fetchall():
            yield key, text.decode(errors="replace"), facets


_STEP = 500  # keys of entries that are indexed at once
_INDEX = "INSERT INTO entries_fts (rowid, text, facets) SELECT key, text, facets FROM indexed WHERE key = ?"
_UNINDEX = """
    INSERT INTO entries_fts (entries_fts, rowid, text, facets)
    SELECT 'delete', key, text, facets FROM indexed WHERE key = ?"""
_TEXT = "SELECT key, CAST(text AS BLOB), facets FROM indexed WHERE key = ?"
_UNPAIR = "INSERT INTO cjk_fts (cjk_fts, rowid, text, facets) VALUES ('delete', ?, ?, ?)"
_INDEX_SOME = """
    INSERT INTO entries_fts (rowid, text, facets) SELECT key, text, facets FROM indexed WHERE key > ? AND key <= ?"""
# A text has other characters than those of ASCII when it takes more bytes than characters.
_FOREIGN = """
    SELECT entries.key FROM entries JOIN bodies ON bodies.key = entries.key
    WHERE entries.key > ? AND entries.key <= ? AND (length(CAST(body AS BLOB)) > length(body)
        OR length(CAST(name AS BLOB)) > length(name)) ORDER BY entries.key"""
