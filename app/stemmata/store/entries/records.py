"""The source files, byte for byte: gapless chunks of every version of each session's source, compressed.

A *version* is one state of a file. A file that has grown extends its version; a file with other bytes becomes a new
version, and the old one is kept; a file that is the beginning of a version adds nothing. So an import of a file, or
of an older copy, never removes stored bytes.

Chunks are large because small ones compress badly; a short last chunk grows when the version does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import orjson
import zstandard
from peewee import SqliteDatabase

from stemmata.domain.errors import RereadError
from stemmata.store.core.database import connection_of
from stemmata.store.core.models import ImportTable, RecordTable, VersionTable
from stemmata.store.core.rows import insert_row, insert_rows
from stemmata.store.core.stored_text import stored

CHUNK = 512 * 1024  # bytes of source in a full chunk
CHUNKS_AT_ONCE = 8  # full chunks that are inserted together
CHUNKS_AHEAD = 32  # chunks that may wait for the compressing thread, which may get little processor time
SHORT = 64 * 1024  # a last chunk shorter than this is taken up again


_SIZES = """
    SELECT versions.key, ifnull(max(records.offset + records.size), 0)
    FROM versions LEFT JOIN records ON records.version = versions.key
    WHERE versions.session = ? GROUP BY versions.key"""
_LAST = 'SELECT key, "offset", size, data FROM records WHERE version = ? ORDER BY "offset" DESC LIMIT 1'
_PLACES = """
    SELECT key, ifnull(version, session), record_offset, record_size
    FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN entries ON key = wanted
    WHERE record_offset IS NOT NULL"""
_OVERLAPPING = """
    SELECT "offset", size, data FROM records
    WHERE version = ?1 AND "offset" < ?3 AND "offset" + size > ?2 ORDER BY "offset" """


class RecordRepository:
    """Read source files and the records of entries."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._last: tuple[int, int, bytes] | None = None  # version, offset and bytes of the chunk unpacked last

    @cached_property
    def _decompressor(self) -> zstandard.ZstdDecompressor:
        return zstandard.ZstdDecompressor()  # takes 160 kB; most jobs read no source

    def sizes(self, session: int) -> dict[int, int]:
        """Return the stored bytes of each version of the session's source, by the version's key."""
        return dict(connection_of(self._database).execute(_SIZES, (session,)).fetchall())

    def largest(self, session: int) -> int | None:
        """Return the largest version of the session's source, the latest of several; None without any."""
        sizes = self.sizes(session)
        return max(sizes, key=lambda version: (sizes[version], version), default=None)

    def raw(self, session: int) -> Iterator[bytes]:
        """Iterate the largest version of the session's source in chunks. Use it up inside the job that asked."""
        query = RecordTable.select(RecordTable.key).where(RecordTable.version == self.largest(session))
        for (key,) in list(query.order_by(RecordTable.offset).tuples().execute(self._database)):
            chunk = RecordTable.select(RecordTable.data, RecordTable.size).where(RecordTable.key == key)
            ((data, size),) = chunk.tuples().execute(self._database)
            yield self._decompressor.decompress(data, max_output_size=size)

    def records(self, entries: Sequence[int]) -> dict[int, bytes]:
        """Return the source bytes of entries by key, without entries that have none."""
        places = connection_of(self._database).execute(_PLACES, (orjson.dumps(list(entries)).decode(),)).fetchall()
        found = {key: self.piece(version, offset, offset + size) for key, version, offset, size in places}
        return {key: found[key] for key, _, _, size in places if len(found[key]) == size}

    def piece(self, version: int, start: int, end: int) -> bytes:
        """Return bytes `start` to `end` of a version; fewer where the version ends before."""
        known = self._last
        if known is not None and known[0] == version and known[1] <= start and end <= known[1] + len(known[2]):
            return known[2][start - known[1] : end - known[1]]
        parts: list[bytes] = []
        first = start
        found = connection_of(self._database).execute(_OVERLAPPING, (version, start, end))
        for offset, size, data in found:
            first = first if parts else offset
            parts.append(self._decompressor.decompress(data, max_output_size=size))
            self._last = (version, offset, parts[-1])
        return b"".join(parts)[start - first : end - first]

    def forget(self) -> None:
        """Drop the unpacked chunk, which may have been written again."""
        self._last = None


@dataclass(slots=True)
class _PendingFile:
    """A file that is being stored. `alike` are the versions, with their sizes, that begin with all its bytes so far.

    `version` is the version that is written to, once no version holds these bytes. `prefix` is the size and key of
    the largest version that is a beginning of the file.
    """

    path: str
    at: int
    alike: dict[int, int]
    prefix: tuple[int, int] | None = None
    version: int | None = None
    made: bool = False
    waiting: list[memoryview] = field(default_factory=list)
    size: int = 0  # bytes that wait
    start: int = 0  # their offset
    closed: bool = True  # the last written chunk may be short


@dataclass(frozen=True, slots=True)
class FileVersion:
    """The stored version that has the bytes of a file.

    `made`: it was created for the file. `older`: it has more bytes than the file.
    """

    version: int | None
    made: bool = False
    older: bool = False


class RecordWriter:
    """Store source files, one file of a session after the other. Call `flush` before anything is read back."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database, self._connection = database, connection_of(database)
        self._pieces = RecordRepository(database)
        self._takings: dict[int, _PendingFile] = {}
        # version, offset and size of full chunks that are being compressed
        self._chunks: deque[tuple[tuple[int | None, int, int], Future[bytes]]] = deque()

    @cached_property
    def _thread(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, "compression")

    @cached_property
    def _compressor(self) -> zstandard.ZstdCompressor:
        return zstandard.ZstdCompressor(level=3, write_checksum=True, write_content_size=True)

    @cached_property
    def _decompressor(self) -> zstandard.ZstdDecompressor:
        return zstandard.ZstdDecompressor()

    def begin(self, session: int, path: str, offset: int = 0) -> None:
        """Begin a file at byte `offset`; the bytes before came from the same file earlier."""
        self.end(session)
        known = self.sizes(session)
        if offset:
            of_path = (ImportTable.path == stored(path)) & (ImportTable.session == session)
            held = ImportTable.select(ImportTable.version).where(of_path).scalar(self._database)
            known = {version: size for version, size in known.items() if version == held and size >= offset}
            if not known:
                raise RereadError(f"{path} is not known up to byte {offset}.")
        self._takings[session] = _PendingFile(path, offset, known)

    def add(self, session: int, offset: int, data: bytes) -> None:
        """Add bytes of the file. Raises ValueError unless they follow the last stored bytes."""
        taking = self._takings.get(session) or self._continue_largest(session)
        if offset != taking.at:
            raise ValueError(f"source bytes at {offset} do not follow on those up to {taking.at}")
        taking.at += len(data)
        skipped = self._compare(session, taking, offset, data) if taking.version is None else 0
        if taking.version is not None:
            self._write(taking, memoryview(data)[skipped:])

    def sizes(self, session: int) -> dict[int, int]:
        """Return the stored bytes of each version of the session's source, by the version's key."""
        return self._pieces.sizes(session)

    def version(self, session: int) -> int | None:
        """Return the version that holds all bytes of the open file; without an open file, the largest one."""
        taking = self._takings.get(session)
        if taking is None:
            return self._pieces.largest(session)
        return taking.version or next(iter(taking.alike), None)

    def is_held(self, session: int) -> bool:
        """Return whether an earlier file had all bytes of the open file."""
        taking = self._takings.get(session)
        return taking is not None and taking.version is None and bool(taking.alike)

    def piece(self, version: int, start: int, end: int) -> bytes:
        """Return bytes `start` to `end` of a version, including bytes that are not flushed yet."""
        self.flush()
        return self._pieces.piece(version, start, end)

    def end(self, session: int) -> FileVersion:
        """End the file and return the version that it belongs to."""
        taking = self._takings.get(session)
        if taking is None:
            return FileVersion(None)
        self._flush(taking)
        del self._takings[session]
        if taking.version is not None:
            return FileVersion(taking.version, made=taking.made)
        version = min(taking.alike, key=taking.alike.__getitem__, default=None)
        return FileVersion(version, older=version is not None and taking.alike[version] > taking.at)

    def flush(self) -> None:
        """Write the bytes that wait for a full chunk."""
        for taking in self._takings.values():
            self._flush(taking)

    def forget(self) -> None:
        """Drop all open files, after a rollback."""
        self._takings.clear()
        self._chunks.clear()
        self._pieces.forget()

    def close(self) -> None:
        """End the thread that compresses."""
        if "_thread" in self.__dict__:
            self._thread.shutdown()

    # -- comparing ------------------------------------------------------------------------------------------------

    def _continue_largest(self, session: int) -> _PendingFile:
        """Choose the largest version as the one to which further bytes are added."""
        known = self.sizes(session)
        at = max(known.values(), default=0)
        self._takings[session] = taking = _PendingFile(
            "", at, {key: size for key, size in known.items() if size == at}
        )
        return taking

    def _compare(self, session: int, taking: _PendingFile, offset: int, data: bytes) -> int:
        """Compare bytes with the versions; if none holds them, choose one to write to. Returns the bytes to skip."""
        same = {key: size for key, size in taking.alike.items() if self._is_same(key, size, offset, data)}
        for key, size in same.items():
            if size < taking.at:
                taking.prefix = max(taking.prefix or (size, key), (size, key))
        longer = {key: size for key, size in same.items() if size >= taking.at}
        if longer:
            taking.alike = longer
            return 0
        guide = next(iter(taking.alike), 0)
        taking.made = taking.prefix is None
        start, taking.version = taking.prefix or (0, self._new_version(session, taking.path))
        taking.start = start
        while start < offset:
            piece = self._pieces.piece(guide, start, min(offset, start + CHUNK))
            self._write(taking, memoryview(piece))
            start += len(piece)
        return start - offset

    def _is_same(self, version: int, size: int, offset: int, data: bytes) -> bool:
        try:
            held = self._pieces.piece(version, offset, min(size, offset + len(data)))
        except zstandard.ZstdError:  # damaged: the file becomes a separate version
            return False
        return data.startswith(held)

    def _new_version(self, session: int, path: str) -> int:
        return insert_row(self._connection, VersionTable, {"session": session, "path": stored(path)})

    # -- writing --------------------------------------------------------------------------------------------------

    def _write(self, taking: _PendingFile, data: memoryview) -> None:
        if taking.closed:
            self._reopen_last_chunk(taking)
        while taking.size + len(data) >= CHUNK:
            room = CHUNK - taking.size
            self._wait(taking, data[:room])
            self._store_waiting(taking)
            data = data[room:]
        self._wait(taking, data)

    @staticmethod
    def _wait(taking: _PendingFile, data: memoryview) -> None:
        if data:
            taking.waiting.append(data)
            taking.size += len(data)

    def _store_waiting(self, taking: _PendingFile) -> None:
        data = b"".join(taking.waiting)
        taking.waiting.clear()
        taking.size = 0
        self._store(taking, data)

    def _reopen_last_chunk(self, taking: _PendingFile) -> None:
        """Remove a short last chunk from the archive and add its bytes to the front of the waiting bytes."""
        taking.closed = False
        row = self._connection.execute(_LAST, (taking.version,)).fetchone()
        if row is not None and row[2] < SHORT:
            RecordTable.delete().where(RecordTable.key == row[0]).execute(self._database)
            taking.start = row[1]
            self._wait(taking, memoryview(self._decompressor.decompress(row[3], max_output_size=row[2])))

    def _flush(self, taking: _PendingFile) -> None:
        self._insert_chunks(len(self._chunks))
        if taking.waiting:
            self._store_waiting(taking)
        taking.closed = True
        self._pieces.forget()

    def _store(self, taking: _PendingFile, data: bytes) -> None:
        """Store a chunk. Full ones are compressed on another thread, and some are inserted together."""
        place = (taking.version, taking.start, len(data))
        taking.start += len(data)
        if len(data) < CHUNK:
            self._insert([(place, self._compressor.compress(data))])
            return
        self._chunks.append((place, self._thread.submit(self._compressor.compress, data)))
        if len(self._chunks) == CHUNKS_AHEAD or (
            len(self._chunks) >= CHUNKS_AT_ONCE and self._chunks[CHUNKS_AT_ONCE - 1][1].done()
        ):
            self._insert_chunks(CHUNKS_AT_ONCE)

    def _insert_chunks(self, count: int) -> None:
        """Insert the first full chunks, once they are compressed."""
        found = [self._chunks.popleft() for _ in range(count)]
        self._insert([(place, compressed.result()) for place, compressed in found])

    def _insert(self, chunks: Sequence[tuple[tuple[int | None, int, int], bytes]]) -> None:
        rows = [(*place, data) for place, data in chunks]
        insert_rows(self._connection, "records", ("version", "offset", "size", "data"), rows)
