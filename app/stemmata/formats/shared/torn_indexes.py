"""Finds tables of a database whose index does not fit them, and lets all queries read copies of these.

A power failure or a faulty disk can leave an index that no longer leads to all rows. SQLite reports no error then: a
query that uses the index has fewer rows. The rows themselves are whole, so a copy of the table with new indexes is
read in its place. It is a temporary table of the same name, in a file that SQLite deletes; the database is unchanged.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

log = logging.getLogger(__name__)

DAMAGE = (sqlite3.Error, UnicodeDecodeError)  # the latter: a message that quotes damaged bytes cannot be decoded
# ordinary tables with numbers of rows; others are their own index
_TABLES = """
    SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT wr AND name NOT LIKE 'sqlite%'
    AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(pragma_table_list.name) AS c WHERE lower(c.name) = 'rowid')"""
_INDEXES = "SELECT name FROM pragma_index_list(?, 'main') WHERE NOT partial"
_INDEXED = "SELECT name, coll FROM pragma_index_xinfo(?, 'main') WHERE key ORDER BY seqno"  # NULL for an expression
_COLUMNS = "SELECT name, upper(type), pk, sum(pk > 0) OVER () FROM pragma_table_xinfo(?, 'main') ORDER BY cid"


TableIndex = tuple[str, list[tuple[str, str]]]  # its name; its columns, quoted, each with its order


@dataclass(frozen=True, slots=True)
class TornTable:
    """A table with an index that does not fit it. It was copied unless it `is_unreadable` itself.

    `missing` is the number of rows that an index lists and the table lacks.
    """

    name: str
    missing: int
    is_unreadable: bool = False


def copy_torn_tables(connection: sqlite3.Connection) -> list[TornTable]:
    """Copy each table with an index that does not fit it, and return these tables.

    Reads the whole of the indexes, and of the tables as much as the columns of the indexes need.
    """
    found: list[TornTable] = []
    with suppress(*DAMAGE):
        misfits = list(_misfits(connection))
        if misfits and connection.in_transaction:  # after an error of damage it would refuse to write the copies
            connection.execute("ROLLBACK")
            connection.execute("BEGIN")
        for table, indexes, missing in misfits:
            log.info("An index of the table %s does not fit it.", table)
            try:
                _copy(connection, table, indexes)
            except DAMAGE:
                found.append(TornTable(table, missing, is_unreadable=True))
            else:
                found.append(TornTable(table, missing))
    return found


def _misfits(connection: sqlite3.Connection) -> Iterator[tuple[str, list[TableIndex], int]]:
    """Yield each table with an index that does not fit it, its indexes, and how many rows only an index has."""
    for (table,) in connection.execute(_TABLES).fetchall():
        indexes = list(_indexes(connection, table))
        missing = _misfit(connection, table, indexes)
        if missing is not None:
            yield table, indexes, missing


def _indexes(connection: sqlite3.Connection, table: str) -> Iterator[TableIndex]:
    """Yield the indexes, except those of expressions."""
    for (name,) in connection.execute(_INDEXES, (table,)).fetchall():
        columns = connection.execute(_INDEXED, (name,)).fetchall()
        if all(column is not None for column, _ in columns):
            yield name, [(_name(column), _name(order)) for column, order in columns]


def _misfit(connection: sqlite3.Connection, table: str, indexes: list[TableIndex]) -> int | None:
    """Return None if all indexes fit their table, else the number of rows that an index has and the table lacks."""
    torn: int | None = None
    for index, columns in indexes:
        same = " AND ".join(f"b.{column} IS a.{column} COLLATE {order}" for column, order in columns)
        by_index = f"{_name(table)} AS b INDEXED BY {_name(index)}"
        try:
            ((rows, led_to),) = connection.execute(
                f"SELECT count(*), total(EXISTS (SELECT 1 FROM {by_index} WHERE {same} AND b.rowid = a.rowid))"
                f" FROM {_name(table)} AS a NOT INDEXED"
            ).fetchall()
            ((listed,),) = connection.execute(f"SELECT count(*) FROM {by_index}").fetchall()
        except DAMAGE as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF != sqlite3.SQLITE_ERROR:
                torn = torn or 0
            continue  # else the program has an order of its own for this index
        if not rows == led_to == listed:
            torn = max(torn or 0, listed - int(led_to))
    return torn


def _copy(connection: sqlite3.Connection, table: str, indexes: list[TableIndex]) -> None:
    """Make the copy, with the same numbers of rows. Rows with one number, which a damaged table may have, are one.

    An index of it may have equal rows.
    """
    columns, listed = [], []
    number = "rowid"
    for name, kind, key, keys in connection.execute(_COLUMNS, (table,)).fetchall():
        is_number = key and keys == 1 and kind == "INTEGER"
        number = "" if is_number else number
        columns.append(f"{_name(name)} {'INTEGER PRIMARY KEY' if is_number else _affinity(kind)}")
        listed.append(_name(name))
    chosen = ", ".join([number, *listed] if number else listed)
    connection.execute("PRAGMA query_only = 0")  # the file is open for reading only all the same
    try:
        connection.execute("SAVEPOINT copying")
        connection.execute(f"CREATE TEMP TABLE {_name(table)} ({', '.join(columns)})")
        rows = f"SELECT {chosen} FROM main.{_name(table)} NOT INDEXED"
        connection.execute(f"INSERT OR IGNORE INTO temp.{_name(table)} ({chosen}) {rows}")
        for at, (_, keys) in enumerate(indexes):
            name = _name(f"{table} {at}")
            connection.execute(f"CREATE INDEX temp.{name} ON {_name(table)} ({', '.join(key for key, _ in keys)})")
    except DAMAGE:
        connection.execute("ROLLBACK TO copying")
        raise
    finally:
        connection.execute("RELEASE copying")
        connection.execute("PRAGMA query_only = 1")


def _name(text: str) -> str:
    escaped = text.replace('"', '""')
    return f'"{escaped}"'


def _affinity(kind: str) -> str:
    """Return how a column of this type compares values, by SQLite's rules."""
    if "INT" in kind:
        return "INTEGER"
    if any(part in kind for part in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if not kind or "BLOB" in kind:
        return "BLOB"
    return "REAL" if any(part in kind for part in ("REAL", "FLOA", "DOUB")) else "NUMERIC"
