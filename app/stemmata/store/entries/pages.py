"""Rows for a viewport, read on the thread that displays them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from stemmata.domain.errors import KnownError
from stemmata.store.core.database import known_errors, open_reader

if TYPE_CHECKING:
    import sqlite3

    from stemmata.domain.entries.entry_rows import Body, EntryRow
    from stemmata.store.entries.content import ContentRepository

T = TypeVar("T")
MOST = 64  # keys a call
LONGEST_NAME = 65_536  # characters of a name; a model or a tool may have a name of any length in a stranger's file


class ViewportPages:
    """Implements `services.ports.Pages`. The connection opens at the first call and belongs to its thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._content: ContentRepository | None = None
        self._thread = 0
        self._closed = False

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]:
        """Return rows by key, names cut at 65,536 characters. Raises ValueError for more than 64 keys."""
        return self._run(keys, lambda content: content.rows(keys, LONGEST_NAME))

    def bodies(self, keys: Sequence[int], *, limit: int = 65536) -> dict[int, Body]:
        """Return bodies by key, cut at `limit` characters a block. Raises ValueError for more than 64 keys."""
        return self._run(keys, lambda content: content.cut_bodies(keys, limit))

    def blob(self, digest: str) -> bytes | None:
        """Return the bytes of a blob, None if it is not stored."""
        return self._run((), lambda content: content.blob(digest))

    def blob_head(self, digest: str, size: int) -> bytes | None:
        """Return the first bytes of a blob, which tell the size of a picture; None if it is not stored."""
        return self._run((), lambda content: content.blob_head(digest, size))

    def close(self) -> None:
        """Close the connection. May be called from any thread once no rows are requested any more."""
        self._closed = True
        if self._connection is not None:
            self._connection.close()
        self._connection = self._content = None

    def _run(self, keys: Sequence[int], query: Callable[[ContentRepository], T]) -> T:
        if len(keys) > MOST:
            raise ValueError(f"{len(keys)} keys asked for, at most {MOST} are served")
        if self._content is not None and self._thread != threading.get_ident():
            raise RuntimeError("pages are read on the thread that first asked for one")
        with known_errors(self._path):
            return query(self._content or self._open())

    def _open(self) -> ContentRepository:
        if self._closed:
            raise KnownError("The archive is being closed. Nothing was changed.")
        self._thread = threading.get_ident()
        # imported late, see decision 26: loads the codecs
        from stemmata.store.entries.content import ContentRepository

        self._connection = open_reader(self._path)
        self._content = ContentRepository(self._connection)
        return self._content
