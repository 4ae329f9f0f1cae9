"""Statements on the rows of one table, as SQL text that is put together from the model's names.

peewee compiles a query each time that it runs, which takes 0.1 to 0.25 ms. The import of a session runs some twenty
queries, so an export of 1,000 conversations spent 2 of 6 s in compiling. These statements take a few µs, and
`sqlite3` holds them prepared. Other queries of the store use peewee. Queries that need more than one table and equal
values are SQL in the module that needs them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from peewee import Model

VARIABLES = 32_000  # variables of one statement; SQLite allows 32,766


def insert_row(
    connection: sqlite3.Connection, table: type[Model], row: Mapping[str, object], *, or_ignore: bool = False
) -> int:
    """Insert a row and return its key. With `or_ignore` a row that violates a constraint is left out."""
    names, marks = _quoted(row), ", ".join("?" * len(row))
    key = connection.execute(
        f"{_insert_clause(or_ignore=or_ignore)} INTO {_name(table)} ({names}) VALUES ({marks})", tuple(row.values())
    ).lastrowid
    assert key is not None
    return key


def update_row(connection: sqlite3.Connection, table: type[Model], key: int, row: Mapping[str, object]) -> None:
    """Set columns of the row with this key."""
    changes = ", ".join(f'"{name}" = ?' for name in row)
    connection.execute(f'UPDATE {_name(table)} SET {changes} WHERE "key" = ?', (*row.values(), key))


def find_row(
    connection: sqlite3.Connection, table: type[Model], columns: Sequence[str], **equal: object
) -> tuple[Any, ...] | None:
    """Return these columns of a row with equal values, None without such a row."""
    condition = " AND ".join(f'"{name}" = ?' for name in equal)
    query = f"SELECT {_quoted(columns)} FROM {_name(table)} WHERE {condition} LIMIT 1"
    found: tuple[Any, ...] | None = connection.execute(query, tuple(equal.values())).fetchone()
    return found


def insert_rows(
    connection: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    or_ignore: bool = False,
) -> None:
    """Insert many rows with as few statements as SQLite allows. `or_ignore` is as in `insert_row`.

    `executemany` runs a statement for each row and takes Python's lock after each row. A computing thread releases
    this lock only every half millisecond. One statement for many rows takes the lock once. Each takes a power of two
    of rows, because `sqlite3` holds the latest statements with their values: ten of them, not one for each number.
    """
    start_of = f"{_insert_clause(or_ignore=or_ignore)} INTO {table} ({_quoted(columns)}) VALUES"
    row = f"({', '.join('?' * len(columns))})"
    start = 0
    while start < len(rows):
        count = 1 << (min(len(rows) - start, VARIABLES // len(columns)).bit_length() - 1)
        values = [value for each in rows[start : start + count] for value in each]
        connection.execute(f"{start_of} {', '.join([row] * count)}", values)
        start += count


def _insert_clause(*, or_ignore: bool) -> str:
    return "INSERT OR IGNORE" if or_ignore else "INSERT"


def _name(table: type[Model]) -> str:
    name: str = table._meta.table_name
    return name


def _quoted(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(f'"{name}"' for name in names)
