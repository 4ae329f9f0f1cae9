"""Jobs run in order on one thread; reads see what is committed; nothing half-done stays."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import weakref
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive, Worker
from stemmata.store.core.database import MEMORY, MEMORY_FOR_BULK
from stemmata.store.reader import Reader
from stemmata.store.writer import Writer
from tests.fakes.waiting import PATIENCE
from tests.unit.store.conftest import Filled

INFO = SessionInfo(source="pi", source_id="x")


def test_a_failed_job_leaves_no_trace(filled: Filled) -> None:
    def job(writer: Writer) -> None:
        session = writer.create_session(INFO)
        writer.append(session, [Entry(id="a")])
        writer.add_raw(session, 0, b"abc")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        filled.archive.write(job).result()
    assert filled.archive.read(lambda reader: (reader.sessions(), reader.totals()["entries"])).result() == ([], 0)
    assert filled.append(filled.session(), [Entry(id="a")]) == [1]


def test_what_a_job_used_is_freed_at_once(filled: Filled) -> None:
    """The garbage collector runs rarely, and a writer holds the trees that it has read."""

    def job(writer: Writer) -> weakref.ref[Writer]:
        writer.refresh(writer.create_session(INFO))
        return weakref.ref(writer)

    gone = filled.archive.write(job).result()
    assert gone() is None


def test_what_a_failed_job_used_is_freed_at_once(archive: SqliteArchive) -> None:
    used: list[weakref.ref[Reader]] = []

    def job(reader: Reader) -> None:
        used.append(weakref.ref(reader))
        raise NotFoundError

    failed = archive.read(job)
    assert isinstance(failed.exception(), NotFoundError)
    del failed
    archive.read(lambda _reader: None).result()  # the worker has put the first job away
    assert used[0]() is None


def test_jobs_run_in_order_on_one_thread(archive: SqliteArchive) -> None:
    seen: list[tuple[int, str]] = []

    def note(_: object, at: int) -> None:
        seen.append((at, threading.current_thread().name))

    jobs = [partial(note, at=at) for at in range(20)]
    for future in [archive.write(job) if at % 2 else archive.read(job) for at, job in enumerate(jobs)]:
        future.result()
    assert seen == [(at, "stemmata-db") for at in range(20)]


def test_reads_are_let_in_while_a_write_takes_its_breath(filled: Filled) -> None:
    session = filled.session()
    inside, queued = threading.Event(), threading.Event()
    order: list[str] = []

    def long(writer: Writer) -> None:
        writer.append(session, [Entry(id="a")])
        inside.set()
        assert queued.wait(PATIENCE)
        writer.breathe()
        order.append("long")
        writer.breathe()

    def look(reader: Reader) -> int:
        order.append("read")
        return len(reader.ids(session))

    writing = filled.archive.write(long)
    assert inside.wait(PATIENCE)
    after = filled.archive.write(lambda _: order.append("write"))
    reads = [filled.archive.read(look) for _ in range(2)]
    queued.set()
    assert [read.result() for read in reads] == [0, 0]  # not yet committed
    writing.result()
    after.result()
    assert order == ["read", "read", "long", "write"]
    assert filled.archive.read(look).result() == 1


def test_a_failing_read_does_not_fail_the_write_that_breathes(filled: Filled) -> None:
    inside, queued = threading.Event(), threading.Event()

    def long(writer: Writer) -> str:
        inside.set()
        assert queued.wait(PATIENCE)
        writer.breathe()
        return "done"

    writing = filled.archive.write(long)
    assert inside.wait(PATIENCE)
    read = filled.archive.read(lambda reader: reader.session(99))
    queued.set()
    assert writing.result() == "done"
    with pytest.raises(KnownError):
        read.result()


def test_a_cancelled_job_does_not_run(archive: SqliteArchive) -> None:
    go = threading.Event()
    blocked = archive.read(lambda _: go.wait(PATIENCE))
    ran: list[int] = []
    cancelled = archive.write(lambda _: ran.append(1))
    assert cancelled.cancel()
    go.set()
    assert blocked.result()
    with pytest.raises(CancelledError):
        cancelled.result()
    archive.read(lambda _: None).result()
    assert ran == []


def test_closing_finishes_what_is_queued(path: Path) -> None:
    archive = SqliteArchive(path)
    go = threading.Event()
    archive.read(lambda _: go.wait(PATIENCE))
    futures = [
        archive.write(partial(Writer.create_session, info=SessionInfo(source="pi", source_id=f"{at}")))
        for at in range(5)
    ]
    go.set()
    archive.close()
    assert [future.result(0) for future in futures] == [1, 2, 3, 4, 5]
    archive.close()
    for late in (archive.read(lambda reader: reader.sessions()), archive.write(lambda writer: writer.breathe())):
        with pytest.raises(KnownError, match="closed"):
            late.result()
    assert not path.with_name("archive.db-wal").exists()


def test_closing_from_a_callback_does_not_wait_for_itself(path: Path) -> None:
    archive = SqliteArchive(path)
    done = threading.Event()

    def close(_: object) -> None:
        archive.close()
        done.set()

    archive.read(lambda _: None).add_done_callback(close)
    assert done.wait(PATIENCE)
    archive.close()


def test_a_read_job_can_write_nothing(archive: SqliteArchive) -> None:
    with pytest.raises(KnownError, match="read-only"):
        archive.read(lambda reader: reader.connection.execute("DELETE FROM sessions")).result()


def test_a_read_that_lost_its_snapshot_does_no_harm(archive: SqliteArchive) -> None:
    archive.read(lambda reader: reader.connection.execute("ROLLBACK")).result()
    assert archive.read(lambda reader: reader.sessions()).result() == []


def test_a_write_that_lost_its_transaction_fails(archive: SqliteArchive) -> None:
    with pytest.raises(sqlite3.OperationalError):
        archive.write(lambda writer: writer.connection.execute("ROLLBACK")).result()
    assert archive.write(lambda writer: writer.create_session(INFO)).result() == 1


def test_a_write_job_reads_what_it_wrote(archive: SqliteArchive) -> None:
    def job(writer: Writer) -> tuple[int, list[str], int]:
        session = writer.create_session(INFO)
        writer.append(session, [Entry(id="a", role=Role.USER, blocks=(Text("word"),))])
        return len(writer.tree(session)), writer.ids(session), writer.search("word").total

    assert archive.write(job).result() == (1, ["a"], 1)


def test_the_archive_may_open_in_the_background(path: Path) -> None:
    archive = SqliteArchive(path, wait=False)
    assert archive.read(lambda reader: reader.sessions()).result() == []
    assert archive.opened.result() is None
    archive.close()


def test_what_hinders_opening_fails_every_job(path: Path) -> None:
    path.mkdir(parents=True)
    archive = SqliteArchive(path, wait=False)
    for future in (archive.opened, archive.read(lambda _: None), archive.write(lambda writer: writer.breathe())):
        with pytest.raises(KnownError, match="folder"):
            future.result()
    archive.close()


def test_a_backup_is_a_whole_archive(filled: Filled, tmp_path: Path) -> None:
    filled.append(filled.session(), [Entry(id="a")])
    target = tmp_path / "backup.db"
    for _ in range(2):
        filled.archive.backup(target).result()
    copy = SqliteArchive(target)
    assert copy.read(lambda reader: (reader.ids(1), reader.check())).result() == (["a"], [])
    copy.close()
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_backup_that_fails_leaves_nothing(filled: Filled, tmp_path: Path) -> None:
    (tmp_path / "backup.db").mkdir()
    with pytest.raises(OSError, match="directory"):
        filled.archive.backup(tmp_path / "backup.db").result()
    assert sorted(tmp_path.iterdir()) == [tmp_path / "backup.db", tmp_path / "data"]


def test_a_worker_without_work_waits_and_ends() -> None:
    worker = Worker("idle")
    ended: list[int] = []
    worker.run_reads()
    worker.close(lambda: ended.append(1))
    worker.close(lambda: ended.append(2))
    assert ended == [1]


# -- memory ----------------------------------------------------------------------------------------------------------


def kept(reader: Reader) -> int:
    """Return the KiB of pages that the connection may cache."""
    return -int(reader.connection.execute("PRAGMA cache_size").fetchone()[0])


def test_little_of_the_file_is_kept_but_while_bulk_is_written(archive: SqliteArchive) -> None:
    def bulk(writer: Writer) -> int:
        assert kept(writer) == MEMORY
        writer.begin_source(writer.create_session(SessionInfo(source="pi", source_id="one")), "/one.jsonl")
        return kept(writer)

    assert archive.read(kept).result() == MEMORY
    assert archive.write(kept).result() == MEMORY
    assert archive.write(bulk).result() == MEMORY_FOR_BULK > MEMORY
    assert archive.write(kept).result() == MEMORY


def test_a_large_archive_takes_no_memory_by_itself(archive: SqliteArchive) -> None:
    """Neither connection maps the file, and the rollback of an import is prepared on disk."""

    def settings(reader: Reader) -> list[int]:
        return [reader.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("mmap_size", "temp_store")]

    file, memory = 1, 2
    assert archive.read(settings).result() == [0, memory]
    assert archive.write(settings).result() == [0, file]


def test_little_is_kept_after_bulk_that_failed(archive: SqliteArchive) -> None:
    def failing(writer: Writer) -> None:
        writer.repair()
        assert kept(writer) == MEMORY_FOR_BULK
        writer.delete_session(77)

    with pytest.raises(NotFoundError):
        archive.write(failing).result()
    assert archive.write(kept).result() == MEMORY


def test_what_the_first_window_reads_does_not_load_peewee(path: Path) -> None:
    SqliteArchive(path).close()
    code = (
        "import sys; from pathlib import Path; from stemmata.store.archive import SqliteArchive;"
        "archive = SqliteArchive(Path(sys.argv[1]));"
        "archive.read(lambda reader: (reader.sessions(), reader.open_runs())).result();"
        "archive.close(); sys.exit('peewee' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 0
