"""The source files, byte for byte: gapless chunks of each session's source, compressed.

Chunks are large because small ones compress badly; a short last chunk grows when the source does.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import zstandard

CHUNK = 512 * 1024  # bytes of source in a full chunk
SHORT = 64 * 1024  # a last chunk shorter than this is taken up again


_OVERLAPPING = "SELECT offset, size, data FROM records WHERE session = ? AND offset < ? AND offset + size > ?"


class RecordRepository:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._decompressor = zstandard.ZstdDecompressor()

    def raw(self, session: int) -> Iterator[bytes]:
        """The session's source in chunks. Must be used up inside the job that asked for it."""
        query = "SELECT key FROM records WHERE session = ? ORDER BY offset"
        for (key,) in self._connection.execute(query, (session,)).fetchall():
            row = self._connection.execute("SELECT data, size FROM records WHERE key = ?", (key,)).fetchone()
            yield self._decompressor.decompress(row[0], max_output_size=row[1])

    def record(self, entry: int) -> bytes | None:
        """The source bytes of one entry, None when it has none."""
        row = self._connection.execute(
            "SELECT session, record_offset, record_size FROM entries WHERE key = ?", (entry,)
        ).fetchone()
        if row is None or row[1] is None:
            return None
        session, offset, size = row
        return self._slice(session, offset, offset + size)

    def _slice(self, session: int, start: int, end: int) -> bytes | None:
        query = (
            "SELECT offset, size, data FROM records WHERE session = ? AND offset < ? AND offset + size > ? ORDER BY 1"
        )
        chunks = self._connection.execute(query, (session, end, start)).fetchall()
        if not chunks:
            return None
        joined = b"".join(self._decompressor.decompress(data, max_output_size=size) for _, size, data in chunks)
        first = chunks[0][0]
        return joined[start - first : end - first]


class RecordWriter:
    """Collects the bytes of one write job and stores them in chunks. `flush` before they are read back."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._compressor = zstandard.ZstdCompressor(level=3, write_checksum=True, write_content_size=True)
        self._decompressor = zstandard.ZstdDecompressor()
        self._waiting: dict[int, tuple[int, bytearray]] = {}  # session → offset of the first byte, bytes

    def add(self, session: int, offset: int, data: bytes) -> None:
        """Raises ValueError when the bytes do not follow on those before."""
        start, waiting = self._waiting.get(session) or self._resume(session)
        if offset != start + len(waiting):
            raise ValueError(f"source bytes at {offset} do not follow on those up to {start + len(waiting)}")
        waiting += data
        done = 0
        view = memoryview(waiting)
        while len(waiting) - done >= CHUNK:
            self._store(session, start + done, view[done : done + CHUNK])
            done += CHUNK
        view.release()
        del waiting[:done]
        self._waiting[session] = (start + done, waiting)

    def cut(self, session: int, offset: int) -> None:
        """Drop the session's bytes from this offset on."""
        self.flush()
        keep = bytearray()
        start = offset
        rows = self._connection.execute(_OVERLAPPING, (session, offset, offset)).fetchall()
        for start, size, data in rows:
            keep += self._decompressor.decompress(data, max_output_size=size)[: offset - start]
        self._connection.execute(
            "DELETE FROM records WHERE session = ? AND offset >= ?", (session, min(start, offset))
        )
        if keep:
            self._store(session, start, keep)

    def flush(self) -> None:
        for session, (start, waiting) in self._waiting.items():
            if waiting:
                self._store(session, start, waiting)
        self._waiting.clear()

    def _resume(self, session: int) -> tuple[int, bytearray]:
        """Where the session's source ends; a short last chunk is taken up again."""
        row = self._connection.execute(
            "SELECT key, offset, size, data FROM records WHERE session = ? ORDER BY offset DESC LIMIT 1", (session,)
        ).fetchone()
        if row is None:
            return 0, bytearray()
        key, offset, size, data = row
        if size >= SHORT:
            return offset + size, bytearray()
        self._connection.execute("DELETE FROM records WHERE key = ?", (key,))
        return offset, bytearray(self._decompressor.decompress(data, max_output_size=size))

    def _store(self, session: int, offset: int, data: bytearray | memoryview) -> None:
        self._connection.execute(
            "INSERT INTO records (session, offset, size, data) VALUES (?, ?, ?, ?)",
            (session, offset, len(data), self._compressor.compress(data)),
        )
