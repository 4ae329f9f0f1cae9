"""Deleting a session for good; its forks keep the entries that they share with it, and get its parent."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from peewee import SqliteDatabase, chunked

from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase
from stemmata.store.chat.drafts import delete_unused_blobs
from stemmata.store.core.database import connection_of
from stemmata.store.core.models import EntryTable, SessionTable
from stemmata.store.entries.indexing import index, unindex
from stemmata.store.sessions.steps import forget_session

_STEP = 2000  # entries between two breaths

_NEEDED = """
    WITH RECURSIVE up (key) AS (
        SELECT entry FROM shares WHERE session = ?2
        UNION SELECT entries.parent FROM up CROSS JOIN entries ON entries.key = up.key
        WHERE entries.parent IS NOT NULL)
    SELECT entries.key FROM up CROSS JOIN entries ON entries.key = up.key WHERE entries.session = ?1"""


def delete_session(database: SqliteDatabase, session: int, breathe: Callable[[], None]) -> None:
    """Delete a session; its forks keep the entries that they share with it. Raises NotFoundError for an unknown one.

    `breathe` is called between batches of entries.
    """
    connection = connection_of(database)
    if not SessionTable.select(SessionTable.key).where(SessionTable.key == session).exists(database):
        raise NotFoundError(Phrase("Session {0} does not exist.", str(session)))
    # a file of many sessions is to be read again when it is imported by hand, and followed as before
    connection.execute(_HAND_ON, (session,))
    connection.execute(_FORGET, (session,))
    _hand_over(connection, session)
    connection.execute(_ADOPT, (session,))
    _delete_entries(database, session, breathe)
    forget_session(connection, session)
    SessionTable.delete().where(SessionTable.key == session).execute(database)
    delete_unused_blobs(database)


_HAND_ON = """
    UPDATE imports SET version = NULL,
        session = (SELECT min(key) FROM sessions WHERE path = imports.path AND key <> ?1)
    WHERE session = ?1 AND EXISTS (SELECT 1 FROM sessions WHERE path = imports.path AND key <> ?1)"""
_ADOPT = """
    UPDATE sessions SET parent = (SELECT nullif(deleted.parent, sessions.key) FROM sessions AS deleted WHERE key = ?1)
    WHERE parent = ?1 AND key <> ?1"""
_FORGET = "UPDATE imports SET mtime = 0 WHERE path = (SELECT path FROM sessions WHERE key = ?1) AND session <> ?1"


def _hand_over(connection: sqlite3.Connection, session: int) -> None:
    """Move shared entries to the first fork that needs them, which becomes the parent of the others."""
    query = """
        SELECT DISTINCT shares.session FROM shares WHERE shares.session <> ?1
        AND EXISTS (SELECT 1 FROM entries WHERE entries.session = ?1) ORDER BY 1"""
    heir = None
    for (fork,) in connection.execute(query, (session,)).fetchall():
        keys = connection.execute(_NEEDED, (session, fork)).fetchall()
        unindex(connection, [key for (key,) in keys])
        connection.executemany(_MOVE, [(fork, key) for (key,) in keys])
        index(connection, [key for (key,) in keys])
        heir = heir or (fork if keys else None)
    if heir is not None:
        connection.execute("UPDATE sessions SET parent = ?1 WHERE parent = ?2 AND key <> ?1", (heir, session))


_MOVE = """
    UPDATE entries SET session = ?1, record_offset = NULL, record_size = NULL, version = NULL, id = CASE
        WHEN EXISTS (SELECT 1 FROM entries AS own WHERE own.session = ?1 AND own.id = entries.id)
        THEN entries.id || '~' || entries.key ELSE entries.id END
    WHERE key = ?2"""


def _delete_entries(database: SqliteDatabase, session: int, breathe: Callable[[], None]) -> None:
    own = EntryTable.select(EntryTable.key).where(EntryTable.session == session).tuples()
    keys = [key for (key,) in own.execute(database)]
    for part in chunked(keys, _STEP):
        unindex(connection_of(database), part)
        EntryTable.delete().where(EntryTable.key.in_(part)).execute(database)
        breathe()
