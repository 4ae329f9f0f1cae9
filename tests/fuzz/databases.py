"""Ways in which a database goes wrong: values of other types, missing tables and columns, torn pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import zstandard

from tests.fuzz.mutations import mutations

_VALUES = (None, 0, -1, 1 << 62, -(1 << 63), 0.5, 1e308, "", "x", "\0", b"", b"\xff", b"\0\1", b"\x28\xb5\x2f\xfd")
_DOCUMENTS = ("data", "payload", "data_json", "value", "parts", "content", "message", "content_json")


def damages() -> dict[str, Callable[[Random, bytes], bytes]]:
    return {
        "rows": rows_changed,
        "table taken out": _with(_table_out),
        "table renamed": _with(_table_renamed),
        "view instead of a table": _with(_view_instead),
        "column taken out": _with(_column_out),
        "column renamed": _with(_column_renamed),
        "rows taken out": _with(_rows_out),
        "rows exchanged": _with(_rows_exchanged),
        "page torn": _page_torn,
        "page exchanged": _page_exchanged,
        "pages cut off": _pages_cut,
    }


def rows_changed(random: Random, data: bytes) -> bytes:
    """Return a database with other values in some of its rows, of any type, or with fewer rows."""
    return _with(_some_rows)(random, data)


def rows_of(data: bytes) -> set[tuple[Any, ...]]:
    """Return the rows of all tables that can be read, each after the name of its table and those of its columns."""
    found: set[tuple[Any, ...]] = set()
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.db")
        path.write_bytes(data)
        damage = (sqlite3.Error, UnicodeDecodeError)  # the latter: a message that quotes damaged bytes
        with closing(sqlite3.connect(path, isolation_level=None)) as connection, suppress(*damage):
            connection.text_factory = bytes
            listed = "SELECT CAST(name AS BLOB) FROM sqlite_master WHERE type = 'table'"
            for (name,) in connection.execute(listed).fetchall():
                table = name.decode("utf-8", "replace")
                with suppress(*damage):
                    cursor = connection.execute(f'SELECT * FROM "{table}"')
                    names = tuple(column[0] for column in cursor.description)
                    found |= {(table, names, *row) for row in cursor}
    return found


def _with(change: Callable[[Random, sqlite3.Connection], None]) -> Callable[[Random, bytes], bytes]:
    def changed(random: Random, data: bytes) -> bytes:
        with TemporaryDirectory() as folder:
            path = Path(folder, "a.db")
            path.write_bytes(data)
            with closing(sqlite3.connect(path, isolation_level=None)) as connection, suppress(sqlite3.Error):
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute("PRAGMA ignore_check_constraints = 1")
                connection.execute("PRAGMA legacy_alter_table = 1")
                change(random, connection)
            return path.read_bytes()

    return changed


def _some_rows(random: Random, connection: sqlite3.Connection) -> None:
    for _ in range(random.choice((1, 1, 3, 10))):
        _change_row(random, connection)


def _change_row(random: Random, connection: sqlite3.Connection) -> None:
    table = random.choice(_tables(connection))
    rows = [row for (row,) in connection.execute(f'SELECT rowid FROM "{table}"')]
    columns = _columns(connection, table)
    if not rows:
        return
    row, column = random.choice(rows), random.choice(columns)
    if random.random() < 0.1:
        connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))
        return
    value: Any = random.choice(_VALUES)
    told = next((name for name in _DOCUMENTS if name in columns), "")
    if told and random.random() < 0.7:
        column = told
        ((before,),) = connection.execute(f'SELECT CAST("{told}" AS BLOB) FROM "{table}" WHERE rowid = ?', (row,))
        value = _other_document(random, before or b"{}")
    text = "CAST(? AS TEXT)" if column == told and isinstance(value, bytes) and random.random() < 0.7 else "?"
    with suppress(sqlite3.IntegrityError):  # a number that has to be one
        connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = {text} WHERE rowid = ?', (value, row))


def _other_document(random: Random, before: bytes) -> bytes:
    """Return the document of a column, spoilt; a packed one is spoilt before or after it is packed."""
    change = random.choice(list(mutations().values()))
    if before.startswith(b"\x28\xb5\x2f\xfd") and random.random() < 0.7:
        with suppress(zstandard.ZstdError):  # it is spoilt already
            return zstandard.compress(change(random, zstandard.decompress(before)))
    return change(random, before)


def _tables(connection: sqlite3.Connection) -> list[str]:
    listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    return [name for (name,) in connection.execute(listed)]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in connection.execute(f'PRAGMA table_info("{table}")')]


def _table_out(random: Random, connection: sqlite3.Connection) -> None:
    connection.execute(f'DROP TABLE "{random.choice(_tables(connection))}"')


def _table_renamed(random: Random, connection: sqlite3.Connection) -> None:
    connection.execute(f'ALTER TABLE "{random.choice(_tables(connection))}" RENAME TO "other"')


def _view_instead(random: Random, connection: sqlite3.Connection) -> None:
    table = random.choice(_tables(connection))
    connection.execute(f'ALTER TABLE "{table}" RENAME TO "other"')
    many = ", other AS a, other AS b, other AS c" if random.random() < 0.3 else ""
    connection.execute(f'CREATE VIEW "{table}" AS SELECT other.* FROM "other"{many}')


def _column_out(random: Random, connection: sqlite3.Connection) -> None:
    table = random.choice(_tables(connection))
    connection.execute(f'ALTER TABLE "{table}" DROP COLUMN "{random.choice(_columns(connection, table))}"')


def _column_renamed(random: Random, connection: sqlite3.Connection) -> None:
    table = random.choice(_tables(connection))
    column = random.choice(_columns(connection, table))
    name = random.choice(("other", column.upper(), f"{column} ", "rowid"))
    connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{name}"')


def _rows_out(random: Random, connection: sqlite3.Connection) -> None:
    connection.execute(f'DELETE FROM "{random.choice(_tables(connection))}" WHERE random() % 2')


def _rows_exchanged(random: Random, connection: sqlite3.Connection) -> None:
    """Exchange the values of one column between two rows."""
    table = random.choice(_tables(connection))
    column = random.choice(_columns(connection, table))
    rows = connection.execute(f'SELECT rowid, "{column}" FROM "{table}"').fetchall()
    if len(rows) > 1:
        (one, first), (other, second) = random.sample(rows, 2)
        for row, value in ((one, None), (other, first), (one, second)):
            connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = ?', (value, row))


def _page_torn(random: Random, data: bytes) -> bytes:
    """Replace the end of a page, or all of it, as after a power failure."""
    size = _page_size(data)
    start = size * random.randrange(max(len(data) // size, 1))
    start += random.choice((0, 8, 100, size // 2, size - 512))
    end = min(start - start % size + size, len(data))
    other = random.choice((bytes(size), random.randbytes(size), data[:size], b"\xff" * size))
    return data[:start] + other[: max(end - start, 0)] + data[end:]


def _page_exchanged(random: Random, data: bytes) -> bytes:
    size = _page_size(data)
    pages = [data[at : at + size] for at in range(0, len(data), size)]
    one, other = random.randrange(len(pages)), random.randrange(len(pages))
    pages[one], pages[other] = pages[other], pages[one]
    return b"".join(pages)


def _pages_cut(random: Random, data: bytes) -> bytes:
    size = _page_size(data)
    return data[: size * random.randrange(max(len(data) // size, 1))]


def _page_size(data: bytes) -> int:
    return int.from_bytes(data[16:18], "big") or 4096
