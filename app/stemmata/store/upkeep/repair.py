"""Mending what `integrity` finds, as far as the archive itself still says what is right. Nothing is deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from stemmata.store.upkeep.integrity import LOST

_HOMELESS = """
    UPDATE sessions SET leaf = (SELECT max(key) FROM entries WHERE entries.session = sessions.key)
    WHERE leaf IS NOT NULL AND leaf NOT IN (SELECT key FROM entries)"""
_ORPHANS = "UPDATE entries SET parent = NULL WHERE parent IS NOT NULL AND parent NOT IN (SELECT key FROM entries)"
_BODILESS = """
    INSERT INTO bodies (key, size, head, body)
    SELECT key, 0, NULL, '{"b":[],"d":""}' FROM entries WHERE key NOT IN (SELECT key FROM bodies)"""
_READ_AGAIN = f"""
    UPDATE imports SET mtime = 0, offset = 0 WHERE session IN (SELECT entries.session FROM {LOST})"""


def repair(connection: sqlite3.Connection) -> Iterator[str]:
    """What was mended, in words. Runs inside the job's transaction."""
    for statement, one, many, done in (
        (_HOMELESS, "1 leaf that pointed nowhere", "{} leaves that pointed nowhere", "put on the newest entry"),
        (_ORPHANS, "1 entry without its parent", "{} entries without their parents", "made a root"),
        (_BODILESS, "1 entry without its content", "{} entries without their content", "kept, empty"),
    ):
        count = connection.execute(statement).rowcount
        if count:
            yield f"{one if count == 1 else many.format(count)}: {done}"
    lost = connection.execute(f"SELECT count(*) FROM {LOST}").fetchone()[0]
    if lost:
        connection.execute(_READ_AGAIN)
        what = "1 entry without its source record" if lost == 1 else f"{lost} entries without their source records"
        yield f"{what}: to be looked for in their files when these are imported again"
    yield _index_anew(connection)


def _index_anew(connection: sqlite3.Connection) -> str:
    """SQLite's own `rebuild` cannot read a view over JSON, so the index is emptied and filled again."""
    connection.execute("INSERT INTO entries_fts (entries_fts) VALUES ('delete-all')")
    connection.execute("INSERT INTO entries_fts (rowid, text, facets) SELECT key, text, facets FROM indexed")
    return "the full-text index was made anew"
