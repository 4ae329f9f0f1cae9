"""Checking an archive and repairing it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import zstandard

from stemmata.store.core.database import address, is_read_only
from stemmata.store.core.key_ranges import note_keys_anew
from stemmata.store.entries.indexing import index_anew
from stemmata.store.entries.tree_loader import TreeLoader
from stemmata.store.entries.tree_pieces import TreePieces

LOST = """
    entries LEFT JOIN (SELECT version, max(offset + size) AS size FROM records GROUP BY version) AS sources
    ON sources.version = ifnull(entries.version, entries.session)
    WHERE record_offset + record_size > ifnull(sources.size, 0)"""
_RULES = {
    "entries without a body": "SELECT count(*) FROM entries WHERE key NOT IN (SELECT key FROM bodies)",
    "entries that are missing in the full-text index, or the other way round": """
        SELECT count(*) FROM (SELECT key FROM entries EXCEPT SELECT id FROM entries_fts_docsize)
        UNION ALL SELECT count(*) FROM (SELECT id FROM entries_fts_docsize EXCEPT SELECT key FROM entries)
        ORDER BY 1 DESC LIMIT 1""",
    "entries in the index of pairs that do not exist": """
        SELECT count(*) FROM (SELECT id FROM cjk_fts_docsize EXCEPT SELECT key FROM entries)""",
    "entries that are not noted in their range of keys": """
        SELECT count(*) FROM entries WHERE NOT EXISTS (
            SELECT 1 FROM key_ranges AS noted WHERE noted.place = entries.key >> 10 AND noted.model = entries.model
            AND earliest <= time AND latest >= time AND noted.images >= (entries.images > 0))""",
    "entries whose parent does not exist": """
        SELECT count(*) FROM entries WHERE parent IS NOT NULL AND parent NOT IN (SELECT key FROM entries)""",
    "entries whose parent belongs to a session that is not shared": """
        SELECT count(*) FROM entries JOIN entries AS above ON above.key = entries.parent
        WHERE above.session <> entries.session AND NOT EXISTS (
            SELECT 1 FROM shares WHERE shares.session = entries.session)""",
    "sessions whose leaf does not exist": """
        SELECT count(*) FROM sessions WHERE leaf IS NOT NULL AND leaf NOT IN (SELECT key FROM entries)""",
    "records that do not follow on each other": """
        SELECT count(*) FROM (SELECT offset, lag(offset + size, 1, 0) OVER (PARTITION BY version ORDER BY offset)
            AS due FROM records) WHERE offset <> due""",
    "entries whose source record is missing": f"SELECT count(*) FROM {LOST}",
    "images that are missing": """
        SELECT count(*) FROM blob_uses WHERE digest NOT IN (SELECT digest FROM blobs)""",
}


def sessions_with_lost_records(connection: sqlite3.Connection) -> list[int]:
    """Return the sessions with entries whose source record is not stored."""
    return [session for (session,) in connection.execute(f"SELECT DISTINCT entries.session FROM {LOST}").fetchall()]


def problems(connection: sqlite3.Connection) -> list[str]:
    """Return the faults of the archive, as sentences. Reads the whole file with little memory.

    Uses a separate connection: SQLite 3.46 reports the cached index pages of a long-lived connection as damage.
    """
    try:
        with closing(sqlite3.connect(address(Path(_path(connection))), uri=True)) as own:
            return list(_problems(own))
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter: a message that quotes damaged bytes
        return [f"the file is damaged: {error}"]


def _problems(connection: sqlite3.Connection) -> Iterator[str]:
    yield from _damaged_file(connection)
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
        yield f"row {row} of {table} names something missing in {parent}"
    for what, query in _RULES.items():
        (count,) = connection.execute(query).fetchone()
        if count:
            yield f"{count} {what}"
    yield from _damaged_index(connection)
    yield from _damaged_records(connection)
    yield from _damaged_blobs(connection)
    yield from _damaged_pieces(connection)


def _damaged_file(connection: sqlite3.Connection) -> Iterator[str]:
    for (line,) in connection.execute("PRAGMA integrity_check").fetchall():
        if line != "ok":
            yield f"the file is damaged: {line}"


def _path(connection: sqlite3.Connection) -> str:
    found: str = connection.execute("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()[0]
    return found


def _damaged_index(connection: sqlite3.Connection) -> Iterator[str]:
    """Check the full-text index on a separate connection, because FTS5's check counts as a write.

    Skipped while another connection writes, and for a read-only archive.
    """
    if is_read_only(Path(_path(connection))):
        return
    with closing(sqlite3.connect(_path(connection), timeout=0, isolation_level=None)) as own:
        try:
            own.execute("BEGIN IMMEDIATE")
            for table in ("entries_fts", "cjk_fts"):
                own.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 0)")
            own.execute("ROLLBACK")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY):
                yield f"the full-text index is damaged: {error}"


def _damaged_records(connection: sqlite3.Connection) -> Iterator[str]:
    decompressor = zstandard.ZstdDecompressor()
    query = "SELECT session, offset, size, data FROM records JOIN versions ON versions.key = records.version"
    for session, offset, size, data in connection.execute(query):
        try:
            whole = len(decompressor.decompress(data, max_output_size=size)) == size
        except zstandard.ZstdError:
            whole = False
        if not whole:
            yield f"the source of session {session} is damaged at byte {offset}"


def _damaged_blobs(connection: sqlite3.Connection) -> Iterator[str]:
    for digest, data in connection.execute("SELECT digest, data FROM blobs"):
        if sha256(data).hexdigest() != digest:
            yield f"the image {digest[:12]}… is damaged"


def _damaged_pieces(connection: sqlite3.Connection) -> Iterator[str]:
    trees, pieces = TreeLoader(connection), TreePieces(connection)
    for (session,) in connection.execute("SELECT DISTINCT session FROM tree_pieces").fetchall():
        if pieces.damaged(session):
            yield f"stored columns of session {session} are damaged; its entries are read instead"
        elif trees.tree(session).columns != trees.from_rows(session).columns:
            yield f"the stored columns of session {session} differ from its entries"


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
    """Repair the archive inside the job's transaction; yield a sentence for each repair."""
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
    connection.execute("DELETE FROM tree_pieces")  # stored again when their sessions are opened
    note_keys_anew(connection)
    index_anew(connection)
    yield "the full-text index was made anew"
