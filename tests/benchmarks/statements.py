"""`python -m tests.benchmarks.statements`: statements of the store in SQL, beside the same through the models.

Each figure is the best of several runs in milliseconds, once alone and once beside a thread that computes. Decision
0023 says which statements stay in SQL because of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, NamedTuple

from peewee import JOIN, SqliteDatabase, chunked

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role, Usage
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.domain.sources.reading import Checkpoint
from stemmata.store.core.database import connection_of, end_bulk, open_writer, writing
from stemmata.store.core.models import (
    BodyTable,
    EntryTable,
    ImportTable,
    NameTable,
    SessionTable,
    TagTable,
    UsageTable,
)
from stemmata.store.core.stored_json import from_json
from stemmata.store.entries.content import ContentRepository
from stemmata.store.entries.entry_rows import look_up
from stemmata.store.entries.tree_loader import TreeLoader
from stemmata.store.imports.imports import ImportRepository, _checkpoint, save_checkpoint
from stemmata.store.reader import TreeCache
from stemmata.store.schema.migrations import migrate
from stemmata.store.search.signs import SignCache
from stemmata.store.sessions.sessions import _COLUMNS, SessionRepository, _session
from stemmata.store.writer import Writer
from tests.benchmarks.report import best

ENTRIES, SESSIONS, FILES = 14_179, 10_000, 10_000  # the headline session; the largest list that the bars name
VIEWPORT, BATCH = 64, 500
RUNS = 5


class Compared(NamedTuple):
    name: str
    sql: Callable[[], object]
    models: Callable[[], object]


def main() -> int:
    with TemporaryDirectory() as folder:
        database = open_writer(Path(folder) / "archive.db")
        migrate(connection_of(database), Path(folder) / "archive.db")
        session = _fill(database)
        end_bulk(connection_of(database))
        compared = (*_reading(database, session), *_writing(database, session))
        _show("alone", compared)
        with _busy_thread():
            _show("beside a thread that computes", compared)
        database.close()
    return 0


def _show(title: str, compared: Iterable[Compared]) -> None:
    sys.stdout.write(f"{title}\n")
    for name, by_sql, by_models in compared:
        sql, models = best(by_sql, RUNS), best(by_models, RUNS)
        sys.stdout.write(f"  {name:32} SQL {sql:8.2f}   models {models:8.2f}   × {models / sql:.1f}\n")


@contextmanager
def _busy_thread() -> Iterator[None]:
    """A thread that computes all the time, as the window's does while it paints."""
    done = Event()

    def compute() -> None:
        while not done.is_set():
            sum(range(100))

    thread = Thread(target=compute)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _fill(database: SqliteDatabase) -> int:
    """Fill an archive: a long session with bodies and usage, many empty sessions, many files that were read."""
    usage = Usage(input=1, output=2)
    with writing(database):
        writer = Writer(database, lambda: None, 1, TreeCache(), SignCache())
        session = writer.create_session(SessionInfo(source="pi", source_id="long"))
        writer.append(session, _entries(ENTRIES, usage))
        for at in range(1, SESSIONS):
            writer.create_session(SessionInfo(source="pi", source_id=f"s{at}", title=f"Session {at}", cwd="/w"))
        for at in range(FILES):
            save_checkpoint(database, Checkpoint(f"/w/{at}.jsonl", 1, 1, 1, 1, "h", "{}"), session, None)
        writer.finish()
    return session


def _entries(count: int, usage: Usage) -> list[Entry]:
    return [
        Entry(
            id=f"e{at}", parent=f"e{at - 1}" if at else None, role=Role.ASSISTANT if at % 2 else Role.USER, time=at,
            blocks=(Text(f"Words of entry {at}, enough of them for a line or two. " * 4),), usage=usage,
        )
        for at in range(count)
    ]  # fmt: skip


def _rows(query: Any, database: SqliteDatabase) -> list[tuple[Any, ...]]:
    return list(query.tuples().execute(database))


def _all_sessions(database: SqliteDatabase) -> list[Session]:
    """The list of sessions through the models, as `SessionRepository.all` gives it."""
    columns = [getattr(SessionTable, name) for name in _COLUMNS]
    tags: dict[int, list[str]] = {}
    for of, tag in _rows(TagTable.select(TagTable.session, TagTable.tag).order_by(TagTable.tag), database):
        tags.setdefault(of, []).append(tag)
    newest = SessionTable.select(*columns).where(SessionTable.trashed == 0).order_by(SessionTable.updated_at.desc())
    return [_session([*found, tags.get(found[0], ())]) for found in _rows(newest, database)]


def _reading(database: SqliteDatabase, session: int) -> Sequence[Compared]:
    connection = connection_of(database)
    trees, content, sessions = TreeLoader(connection), ContentRepository(connection), SessionRepository(connection)
    keys = [key for (key,) in connection.execute("SELECT key FROM entries LIMIT ?", (BATCH,))]
    shown, row = keys[:VIEWPORT], EntryTable
    session_tree = row.select(
        row.key, row.parent, row.kind, row.role, row.time, row.flags, row.text, row.thinking, row.calls, row.images,
        row.reported, row.target, row.label,
    ).where(row.session == session).order_by(row.key)  # fmt: skip
    listed = (
        row.select(row, UsageTable)
        .join(UsageTable, JOIN.LEFT_OUTER, on=(UsageTable.key == row.key))
        .where(row.key.in_(shown))
    )
    bodies = BodyTable.select(BodyTable.key, BodyTable.body).where(BodyTable.key.in_(shown))
    ids = [f"e{at}" for at in range(BATCH)]
    known = (
        row.select(row, UsageTable)
        .join(UsageTable, JOIN.LEFT_OUTER, on=(UsageTable.key == row.key))
        .where((row.session == session) & row.id.in_(ids))
    )
    files = "SELECT json_group_array(json_array(path, size, mtime, offset, lines, head, state)) FROM imports"

    return (
        Compared("tree of 14,179 entries", lambda: trees.tree(session), lambda: _rows(session_tree, database)),
        Compared("list of 10,000 sessions", sessions.all, lambda: _all_sessions(database)),
        Compared("64 rows of a viewport", lambda: content.rows(shown), lambda: _rows(listed, database)),
        Compared("64 bodies of a viewport", lambda: content.bodies(shown), lambda: _rows(bodies, database)),
        Compared(
            "500 ids looked up on import",
            lambda: look_up(connection, session, ids),
            lambda: _rows(known, database),
        ),
        Compared(
            "10,000 checkpoints",
            lambda: [_checkpoint(*found) for found in from_json(connection.execute(files).fetchone()[0])],
            ImportRepository(database).all,
        ),
        Compared(
            "one checkpoint",
            lambda: connection.execute("SELECT state FROM imports WHERE path = ?", ("/w/7",)).fetchone(),
            lambda: _rows(
                ImportTable.select(ImportTable.path, ImportTable.state).where(ImportTable.path == "/w/7"), database
            ),
        ),
    )


def _new_rows(session: int, names: Sequence[str]) -> list[tuple[object, ...]]:
    """Return the rows of 5,000 entries, with the columns in this order."""
    usual = dict.fromkeys(_TEXTS, "") | {"session": session}
    return [tuple((usual | {"id": f"n{at}"}).get(name, 0) for name in names) for at in range(5_000)]


def _changed_by_models(database: SqliteDatabase) -> None:
    usage = {"input": 1, "output": 1, "cache_read": 0, "cache_write": 0, "cache_write_1h": 0, "total": 2}
    for key in range(1, BATCH):
        EntryTable.update(parent=None, flags=0, tool="x").where(EntryTable.key == key).execute(database)
        NameTable.insert(text="x").on_conflict_ignore().execute(database)
        UsageTable.delete().where(UsageTable.key == key).execute(database)
        UsageTable.insert(usage | {"key": key}).execute(database)


def _changed_by_sql(connection: Connection) -> None:
    for key in range(1, BATCH):
        connection.execute("UPDATE entries SET parent = NULL, flags = 0, tool = 'x' WHERE key = ?", (key,))
        connection.execute("INSERT OR IGNORE INTO names (text) VALUES ('x')")
        connection.execute("DELETE FROM usage WHERE key = ?", (key,))
        connection.execute("INSERT INTO usage VALUES (?, 1, 1, 0, 0, 0, 2, NULL)", (key,))


def _writing(database: SqliteDatabase, session: int) -> Sequence[Compared]:
    """Run statements that write, each in a transaction that is rolled back."""
    connection = connection_of(database)
    fields = [field for field in EntryTable._meta.sorted_fields if field.name != "key"]
    names = [field.column_name for field in fields]
    insert = f"INSERT INTO entries ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"

    def undone(work: Callable[[], object]) -> Callable[[], object]:
        def run() -> None:
            connection.execute("BEGIN IMMEDIATE")
            work()
            connection.execute("ROLLBACK")

        return run

    def inserted() -> None:
        for some in chunked(_new_rows(session, names), 1_000):
            EntryTable.insert_many(some, fields=fields).execute(database)

    return (
        Compared(
            "5,000 entries written",
            undone(lambda: connection.executemany(insert, _new_rows(session, names))),
            undone(inserted),
        ),
        Compared(
            "500 entries told otherwise",
            undone(lambda: _changed_by_sql(connection)),
            undone(lambda: _changed_by_models(database)),
        ),
    )


_TEXTS = ("id", "provider", "model", "tool", "call", "name", "preview")


if __name__ == "__main__":
    sys.exit(main())
