"""A database of a tool for tests: its tables are made, and rows are put into them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any


class FakeDatabase:
    """An open database."""

    def __init__(self, path: Path, schema: str) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA synchronous = OFF")
        self.connection.executescript(schema)

    def close(self) -> None:
        self.connection.close()

    def packed(self) -> bytes:
        """Close the database and return its bytes."""
        self.close()
        return self.path.read_bytes()

    def add(self, table: str, **row: Any) -> None:
        """Put a row into a table; it replaces the row with the same key."""
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        self.connection.execute(f"REPLACE INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))
