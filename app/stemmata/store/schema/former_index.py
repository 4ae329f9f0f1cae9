"""The full-text indexes of formats before 23, whose texts the view `indexed` computed, and their last renewal.

Like the steps that use it, it is not changed: an entry leaves an index only with the text with which it was added.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence

from stemmata.domain.search.cjk import apart, has_cjk, pairs
from stemmata.store.core.rows import insert_rows
from stemmata.store.entries.indexing import Text, index, texts_of

_STEP = 500  # keys of entries that are indexed at once


def fill_pairs(connection: sqlite3.Connection) -> None:
    """Add all texts with Chinese, Japanese or Korean to the index of pairs of characters, which is empty."""
    for start in range(0, _last(connection), _STEP):
        keys = [key for (key,) in connection.execute(_FOREIGN, (start, start + _STEP)).fetchall()]
        rows = [(key, pairs(text), facets) for key, text, facets in _viewed(connection, keys) if has_cjk(text)]
        insert_rows(connection, "cjk_fts", ("rowid", "text", "facets"), rows)


def fill_anew(connection: sqlite3.Connection) -> None:
    """Empty both indexes and fill them again; SQLite's own `rebuild` cannot read a view over JSON.

    Filled in steps, because SQLite holds the pages that one statement has changed in memory until the statement ends.
    """
    for table in ("entries_fts", "cjk_fts"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    for start in range(0, _last(connection), _STEP):
        connection.execute(_INDEX_SOME, (start, start + _STEP))
    fill_pairs(connection)


def renew(connection: sqlite3.Connection, tell: Callable[[float], None]) -> None:
    """Index again the entries whose words differ from the words that the view gave. `tell` is called with the share
    of the entries that were checked.
    """
    last = _last(connection)
    for start in range(0, last, _STEP):
        tell(start / last)
        keys = [key for (key,) in connection.execute(_SUSPECT, (start, start + _STEP)).fetchall()]
        changed = list(_changed(connection, keys))
        for key, text, facets in _viewed(connection, changed):
            connection.execute(_UNINDEX, (key,))
            if connection.execute("SELECT 1 FROM cjk_fts_docsize WHERE id = ?", (key,)).fetchone():
                connection.execute(_UNPAIR, (key, pairs(text), facets))
        index(connection, changed)


def _changed(connection: sqlite3.Connection, keys: Sequence[int]) -> Iterator[int]:
    """Yield the entries whose words have changed. Spaces and line ends between words do not matter.

    An entry with damaged content stays in the index as it is.
    """
    for key in keys:
        try:
            now = [apart(text).split() for _, text, _ in texts_of(connection, [key])]
        except (ValueError, LookupError, TypeError):
            continue
        if now != [text.split() for _, text, _ in _viewed(connection, [key])]:
            yield key


def _viewed(connection: sqlite3.Connection, keys: Iterable[int]) -> Iterator[Text]:
    """Yield key, text and facets of entries as the view computes them; bytes that are not UTF-8 are replaced."""
    for key in keys:
        for _, text, facets in connection.execute(_TEXT, (key,)).fetchall():
            yield key, text.decode(errors="replace"), facets


def _last(connection: sqlite3.Connection) -> int:
    last: int = connection.execute("SELECT ifnull(max(key), 0) FROM entries").fetchone()[0]
    return last


_TEXT = "SELECT key, CAST(text AS BLOB), facets FROM indexed WHERE key = ?"
_INDEX_SOME = """
    INSERT INTO entries_fts (rowid, text, facets) SELECT key, text, facets FROM indexed WHERE key > ? AND key <= ?"""
_UNINDEX = """
    INSERT INTO entries_fts (entries_fts, rowid, text, facets)
    SELECT 'delete', key, text, facets FROM indexed WHERE key = ?"""
_UNPAIR = "INSERT INTO cjk_fts (cjk_fts, rowid, text, facets) VALUES ('delete', ?, ?, ?)"
# A text has other characters than those of ASCII when it takes more bytes than characters.
_FOREIGN = """
    SELECT entries.key FROM entries JOIN bodies ON bodies.key = entries.key
    WHERE entries.key > ? AND entries.key <= ? AND (length(CAST(body AS BLOB)) > length(body)
        OR length(CAST(name AS BLOB)) > length(name)) ORDER BY entries.key"""
# Long texts, and those that may have escape sequences, overwritten text, NULs, halves of characters, or words beside
# runs of Chinese, Japanese or Korean.
_SUSPECT = """
    SELECT entries.key FROM entries JOIN bodies ON bodies.key = entries.key
    WHERE entries.key > ? AND entries.key <= ? AND (size > 1000000 OR instr(body, '\\u001b') OR instr(body, '\\r')
        OR instr(body, '\\b') OR instr(body, '\\u0000') OR instr(body, '\\ud') OR instr(body, char(155))
        OR unicode(name) = 57346 OR entries.key IN (SELECT id FROM cjk_fts_docsize)) ORDER BY entries.key"""
