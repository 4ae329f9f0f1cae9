"""The archive's implementation for the services: it runs jobs on the db thread and returns futures."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent import futures
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from stemmata.domain.errors import KnownError
from stemmata.store.core.database import (
    BUSY_TIMEOUT,
    ArchiveConnection,
    connection_of,
    copy_log,
    end_bulk,
    file_identity,
    is_read_only,
    known_errors,
    not_in_place,
    open_reader,
    open_writer,
    prepare,
    read_only,
    reading,
    writing,
)
from stemmata.store.entries.pages import ViewportPages
from stemmata.store.reader import Reader, TreeCache
from stemmata.store.schema.migrations import back_up, check_not_upgraded, is_current, migrate
from stemmata.store.search.signs import SignCache

if TYPE_CHECKING:
    from peewee import SqliteDatabase

    from stemmata.domain.entries.entry import Entry
    from stemmata.store.writer import Writer


log = logging.getLogger(__name__)
PIECES_AT_ONCE = 24  # that are stored while the window is idle: about a frame and a half
_CLOSED = "The archive is being closed. Nothing was changed."


class _Task(NamedTuple):
    run: Callable[[], Any]
    future: Future[Any]
    reads: bool


class Worker:
    """Run tasks one after the other on one thread.

    `submit` may be called from any thread, everything else on the worker's own."""

    def __init__(self, name: str) -> None:
        self._tasks: deque[_Task] = deque()
        self._ready = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def submit(self, run: Callable[[], Any], *, reads: bool = False) -> Future[Any]:
        """Queue `run` and return a future of its result, which fails with KnownError once the worker is closed."""
        future: Future[Any] = Future()
        with self._ready:
            if self._closed:
                future.set_exception(KnownError(_CLOSED))
                return future
            self._tasks.append(_Task(run, future, reads))
            self._ready.notify()
        return future

    @property
    def is_awaited(self) -> bool:
        """Whether a task waits for the thread."""
        return bool(self._tasks)

    def run_reads(self) -> None:
        """Run the waiting reads in order, in the middle of a long job. On the worker's thread only."""
        if not self._tasks:
            return
        with self._ready:
            waiting = [task for task in self._tasks if task.reads]
            if waiting:
                self._tasks = deque(task for task in self._tasks if not task.reads)
        for task in waiting:
            _run(task)

    def close(self, last: Callable[[], None]) -> None:
        """Finish queued tasks, run `last`, end the thread and wait for it. May be called twice."""
        with self._ready:
            if not self._closed:
                self._closed = True
                self._tasks.append(_Task(last, Future(), reads=False))
                self._ready.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _loop(self) -> None:
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._tasks or self._closed)
                if not self._tasks:
                    return
                task = self._tasks.popleft()
            _run(task)
            del task  # the result must not live on while the thread waits


def _run(task: _Task) -> None:
    if not task.future.set_running_or_notify_cancel():
        return
    try:
        result = task.run()
    except BaseException as error:  # noqa: BLE001 - any exception of a job is raised by its future
        task.future.set_exception(error)
        del task  # the error refers to this frame: it and all that the job read would wait for the collector
    else:
        task.future.set_result(result)


class ForeignCommits:
    """Notice commits of other connections through `PRAGMA data_version`.

    Before this process writes, any connection can watch; afterwards only the writing connection, because all other
    connections count its commits as foreign. Belongs to the db thread.
    """

    def __init__(self, reading: sqlite3.Connection) -> None:
        self._connection = reading
        self._version = _version(reading)
        self._missed = False  # whether a foreign commit came before the writing connection was watched

    def watch(self, writing: sqlite3.Connection) -> None:
        """Watch the connection that writes instead. Called before the first write of this process."""
        version = _version(writing)
        # compared after the watch has begun, so that no commit is missed
        self._missed |= _version(self._connection) != self._version
        self._connection, self._version = writing, version

    def seen(self) -> bool:
        """Return whether others have committed since the last call.

        Call it outside of transactions, or inside one that has the write lock: a reader's snapshot hides commits.
        """
        before, self._version = self._version, _version(self._connection)
        missed, self._missed = self._missed, False
        return missed or before != self._version


class Checkpoints:
    """Copy the pages of a large job from the log to the file, on a separate thread and connection. SQLite would copy
    them in the commit, which would delay the result of an import by a third of a second for each 100 MB. Pages in the
    log are as safe as pages in the file. Belongs to the db thread.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begin to copy, unless that is under way; pages that are written meanwhile are copied after a later job."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=copy_log, args=(self._path,), name="checkpoint", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait until the copy has ended; return at once if none is under way."""
        if self._thread is not None:
            self._thread.join()


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version


T = TypeVar("T")


class SqliteArchive:
    """Implements `services.ports.Archive` on one SQLite file.

    Write jobs run on one connection, read jobs on another that sees committed state only. With `wait` false the
    constructor returns before the file is open; an error then fails `opened` and every job.
    """

    def __init__(self, path: Path, *, wait: bool = True, busy_timeout: float = BUSY_TIMEOUT) -> None:
        self._path = path
        self._number = 1 + int.from_bytes(os.urandom(6))  # distinguishes commits of this program from those of others
        self._busy_timeout = busy_timeout
        self._pages = ViewportPages(path)
        self._worker = Worker("stemmata-db")
        self._writing: SqliteDatabase | None = None
        self._reading: ArchiveConnection | None = None
        self._foreign: ForeignCommits | None = None
        self._trees, self._signs = TreeCache(), SignCache()
        self._trees_foreign: ForeignCommits | None = None  # a separate watch, because asking it resets it
        self._file: tuple[int, int] | None = None  # the identity of the file that was opened
        self._slow: set[int] = set()  # large sessions whose trees were read from rows
        self._upgrading = False
        self._upgraded: float | None = None
        self._checkpoints = Checkpoints(path)
        self.opened: Future[None] = self._worker.submit(self._open)
        if wait:
            self.wait()

    def wait(self) -> None:
        """Wait until the file is open. Closes the archive and raises KnownError if it cannot be opened."""
        try:
            self.opened.result()
        except BaseException:
            self.close()
            raise

    def is_upgrading(self, after: float) -> bool:
        """Return whether a file of an older format is still being migrated, `after` seconds from now."""
        futures.wait([self.opened], after)
        return self._upgrading and not self.opened.done()

    @property
    def upgraded(self) -> float | None:
        """How much of the present step of the upgrade is done, from 0 to 1; None while that is unknown."""
        return self._upgraded

    def _tell_upgraded(self, share: float | None) -> None:
        self._upgraded = share

    @property
    def place(self) -> str:
        """The path of the archive's file."""
        return str(self._path)

    @property
    def is_read_only(self) -> bool:
        """Whether the permissions of the file or its folder forbid writing; everything can be read."""
        return is_read_only(self._path)

    @property
    def pages(self) -> ViewportPages:
        """The rows and bodies of a viewport, for the thread that displays them."""
        return self._pages

    def prepared(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Return the entries with their columns computed, for `Writer.append`. Any thread may call this."""
        return _writer_class().prepared(entries)

    def read(self, job: Callable[[Reader], T]) -> Future[T]:
        """Run a job on committed state. Its result must not need the connection any more."""
        return self._worker.submit(lambda: self._read(job), reads=True)

    def write(self, job: Callable[[Writer], T]) -> Future[T]:
        """Run a job in one transaction. The future succeeds after the commit."""
        return self._worker.submit(lambda: self._write(job))

    def backup(self, target: Path) -> Future[None]:
        """Copy the archive to `target` as it is when the job runs."""
        return self._worker.submit(lambda: self._back_up(target), reads=True)

    def changed_elsewhere(self) -> Future[bool]:
        """Return whether another process has written since the last call, or since the archive was opened."""
        return self._worker.submit(self._changed_elsewhere)

    def close(self) -> None:
        """Finish queued jobs and close the file. May be called twice."""
        self._pages.close()
        self._worker.close(self._close_connections)

    # -- on the db thread -------------------------------------------------------------------------------------

    def _open(self) -> None:
        prepare(self._path)
        with known_errors(self._path):
            if not is_current(self._path):
                self._upgrading = True
                self._open_writer()
            bare = open_reader(self._path, self._busy_timeout)
            self._reading = ArchiveConnection(bare)
            self._file = file_identity(self._path)
            self._foreign, self._trees_foreign = ForeignCommits(bare), ForeignCommits(bare)
            if self._writing is not None:
                self._foreign.watch(connection_of(self._writing))
                self._trees_foreign.watch(connection_of(self._writing))

    def _open_writer(self) -> SqliteDatabase:
        """Open the connection that writes, for the first write: the list of sessions does not wait for peewee."""
        if self.is_read_only:
            raise read_only(self._path)
        writing = open_writer(self._path, self._busy_timeout)
        self._writing = writing  # to be closed also when migrating fails
        migrate(connection_of(writing), self._path, None, self._tell_upgraded)
        end_bulk(connection_of(writing))
        for foreign in (self._foreign, self._trees_foreign):
            if foreign is not None:
                foreign.watch(connection_of(writing))
        return writing

    def _changed_elsewhere(self) -> bool:
        self.opened.result()  # raises the error of opening
        assert self._foreign is not None
        self._restore_columns()
        with known_errors(self._path):
            return self._foreign.seen()

    def _restore_columns(self) -> None:
        """Store some columns of a large tree that was read from rows, if no job waits for the thread. This is called
        once a second. Nothing is lost when the columns cannot be stored: they are read from rows.
        """
        if not self._slow or self._worker.is_awaited or self.is_read_only:
            return
        session = self._slow.pop()
        try:
            is_whole = self._write(lambda writer: writer.restore_columns(session, PIECES_AT_ONCE))
        except KnownError as error:
            log.info("The columns of session %d could not be stored: %s", session, error)
            return
        if not is_whole:
            self._slow.add(session)

    def _read(self, job: Callable[[Reader], T]) -> T:
        connection = self._reader_connection()
        assert self._trees_foreign is not None
        with known_errors(self._path):
            # asked before the read begins, so that the next read finds the changes that this one misses
            if self._trees_foreign.seen():
                self._trees.clear()
        with known_errors(self._path), reading(connection.bare):
            reader = Reader(connection, self._number, self._trees, self._signs)
            result = job(reader)
        self._slow |= reader.slow
        return result

    def _write(self, job: Callable[[Writer], T]) -> T:
        database = self._writer_db()
        writer = _writer_class()(database, self._worker.run_reads, self._number, self._trees, self._signs)
        with known_errors(self._path):
            try:
                with writing(database):
                    check_not_upgraded(connection_of(database))
                    # called inside the transaction: no other process writes until its end
                    assert self._trees_foreign is not None
                    if self._trees_foreign.seen():
                        self._trees.clear()
                    result = job(writer)
                    writer.finish()
            finally:
                writer.close()
                if writer.has_written_bulk:
                    end_bulk(connection_of(database))
                if writer.leaves_log:
                    self._checkpoints.begin()
        if writer.has_reshaped:
            self._trees.clear()
        else:
            writer.keep_trees()
        return result

    def _back_up(self, target: Path) -> None:
        with known_errors(self._path):
            back_up(self._reader_connection().bare, target)

    def _writer_db(self) -> SqliteDatabase:
        self.opened.result()  # raises the error of opening
        if file_identity(self._path) != self._file:
            raise not_in_place(self._path)
        return self._writing or self._open_writer()

    def _reader_connection(self) -> ArchiveConnection:
        if self._reading is None:
            self.opened.result()  # raises the error of opening
        assert self._reading is not None
        return self._reading

    def _close_connections(self) -> None:
        self._checkpoints.wait()
        if self._reading is not None:
            self._reading.bare.close()
        if self._writing is not None:
            self._writing.close()


def _writer_class() -> type[Writer]:
    from stemmata.store.writer import Writer  # imported late, see decision 26: loads peewee

    return Writer
