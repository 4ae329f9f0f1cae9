"""The archive as the services see it: jobs go in, futures come out."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from stemmata.store.database import BUSY_TIMEOUT, connection_of, open_reader, open_writer, prepare, reading, writing
from stemmata.store.faults import told
from stemmata.store.migrations import back_up, migrate
from stemmata.store.pages import ViewportPages
from stemmata.store.worker import Worker

if TYPE_CHECKING:
    from peewee import SqliteDatabase

    from stemmata.store.reader import Reader
    from stemmata.store.writer import Writer

T = TypeVar("T")


class SqliteArchive:
    """Implements `services.ports.Archive` on one SQLite file.

    Write jobs run on one connection, read jobs on another that sees committed state only. With `wait` false the
    constructor returns before the file is open; what went wrong then fails `opened` and every job.
    """

    def __init__(self, path: Path, *, wait: bool = True, busy_timeout: float = BUSY_TIMEOUT) -> None:
        self._path = path
        self._busy_timeout = busy_timeout
        self._pages = ViewportPages(path)
        self._worker = Worker("stemmata-db")
        self._writing: SqliteDatabase | None = None
        self._reading: SqliteDatabase | None = None
        self.opened: Future[None] = self._worker.submit(self._open)
        if wait:
            try:
                self.opened.result()
            except BaseException:
                self.close()
                raise

    @property
    def pages(self) -> ViewportPages:
        return self._pages

    def read(self, job: Callable[[Reader], T]) -> Future[T]:
        """Run a job on committed state. What it returns must not need the connection any more."""
        return self._worker.submit(lambda: self._read(job), reads=True)

    def write(self, job: Callable[[Writer], T]) -> Future[T]:
        """Run a job in one transaction. The future succeeds when it is committed."""
        return self._worker.submit(lambda: self._write(job))

    def backup(self, target: Path) -> Future[None]:
        """Copy the archive as it is when the job's turn comes."""
        return self._worker.submit(lambda: self._back_up(target), reads=True)

    def close(self) -> None:
        """Finish queued jobs, close the file. May be called twice."""
        self._pages.close()
        self._worker.close(self._shut)

    # -- on the db thread -------------------------------------------------------------------------------------

    def _open(self) -> None:
        prepare(self._path)
        with told(self._path):
            self._writing = open_writer(self._path, self._busy_timeout)
            migrate(connection_of(self._writing), self._path)
            self._reading = open_reader(self._path, self._busy_timeout)

    def _read(self, job: Callable[[Reader], T]) -> T:
        from stemmata.store.reader import Reader  # brings peewee: 60 ms that the window need not wait for

        database = self._reader_db()
        with told(self._path), reading(database):
            return job(Reader(database))

    def _write(self, job: Callable[[Writer], T]) -> T:
        from stemmata.store.writer import Writer  # late for the same reason

        database = self._writer_db()
        with told(self._path), writing(database):
            writer = Writer(database, self._worker.run_reads)
            result = job(writer)
            writer.finish()
            return result

    def _back_up(self, target: Path) -> None:
        with told(self._path):
            back_up(connection_of(self._reader_db()), target)

    def _writer_db(self) -> SqliteDatabase:
        if self._writing is None:
            self.opened.result()  # raises what went wrong
        assert self._writing is not None
        return self._writing

    def _reader_db(self) -> SqliteDatabase:
        if self._reading is None:
            self.opened.result()  # raises what went wrong
        assert self._reading is not None
        return self._reading

    def _shut(self) -> None:
        for database in (self._reading, self._writing):
            if database is not None:
                database.close()
