"""Compares the full-text indexes of an archive with indexes of its entries that are made anew."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from stemmata.domain.search.cjk import apart, has_cjk, pairs
from stemmata.store.entries.indexing import texts_of
from stemmata.store.schema import migrations


def index_differences(path: Path) -> list[str]:
    """Return the words that only one of the indexes and those made anew hold, each with its entry and place."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM entries ORDER BY key").fetchall()]
        texts = list(texts_of(connection, keys))
        paired = [(key, pairs(text), facets) for key, text, facets in texts if has_cjk(text)]
        out: list[str] = []
        words = [(key, apart(text), facets) for key, text, facets in texts]
        for table, rows in (("entries_fts", words), ("cjk_fts", paired)):
            with closing(sqlite3.connect(":memory:")) as anew:
                anew.execute("CREATE VIRTUAL TABLE anew USING fts5 (text, facets, tokenize = 'unicode61')")
                anew.executemany("INSERT INTO anew (rowid, text, facets) VALUES (?, ?, ?)", rows)
                anew.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (anew, instance)")
                expected = set(anew.execute("SELECT * FROM terms").fetchall())
            connection.execute(f"CREATE VIRTUAL TABLE temp.{table}_held USING fts5vocab (main, {table}, instance)")
            held = set(connection.execute(f"SELECT * FROM temp.{table}_held").fetchall())
            out += [f"{table} lacks {term}" for term in expected - held]
            out += [f"{table} holds {term}" for term in held - expected]
        return sorted(out)


def restore_former_views(connection: sqlite3.Connection) -> None:
    """Give an archive the views that computed the texts of its index before format 23."""
    connection.execute("DROP VIEW indexed")
    _, _, *created = migrations._THOUGHTS.split(";\n\n")
    for statement in created:
        connection.execute(statement)
