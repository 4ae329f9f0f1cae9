"""The source comes back byte for byte, whatever the pieces it came in."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stemmata.domain.entries.entry import Entry, Record
from stemmata.store.archive import SqliteArchive
from stemmata.store.entries import records
from stemmata.store.entries.records import CHUNK, CHUNKS_AHEAD, CHUNKS_AT_ONCE, SHORT
from stemmata.store.reader import Reader
from stemmata.store.writer import Writer
from tests.unit.store.conftest import Filled

SOURCE = random.Random(7).randbytes(CHUNK * 2 + SHORT * 3)
NAMES = count()


def raw(filled: Filled, session: int) -> bytes:
    return filled.archive.read(lambda reader: b"".join(reader.raw(session))).result()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """One archive for all examples of a property."""
    archive = SqliteArchive(tmp_path_factory.mktemp("records") / "a.db")
    yield Filled(archive)
    archive.close()


SIZES = st.lists(st.sampled_from((0, 1, 100, SHORT - 1, SHORT, CHUNK - 1, CHUNK, CHUNK + 1)), max_size=5)


@settings(max_examples=30)
@given(st.lists(SIZES, min_size=1, max_size=3), st.integers(0, 2 * CHUNK), st.integers(1, 300))
def test_the_source_comes_back(shared: Filled, jobs: list[list[int]], start: int, size: int) -> None:
    session = shared.session(f"{next(NAMES)}")
    at = 0
    for sizes in jobs:

        def job(writer: Writer, sizes: list[int] = sizes) -> None:
            nonlocal at
            for size in sizes:
                data = SOURCE[at : at + size]
                writer.add_raw(session, at, data)
                at += len(data)

        shared.archive.write(job).result()
    assert raw(shared, session) == SOURCE[:at]
    start = min(start, at)
    size = min(size, at - start)
    [key] = shared.append(session, [Entry(id="a", record=Record(start, size))])
    expected = SOURCE[start : start + size] if size else None
    assert shared.archive.read(lambda reader: reader.record(key)).result() in (
        expected,
        b"" if not size else expected,
    )


def test_all_of_it_passes_the_check(shared: Filled) -> None:
    assert shared.archive.read(lambda reader: reader.check()).result() == []


def test_bytes_that_do_not_follow_are_refused(filled: Filled) -> None:
    session = filled.session()
    filled.archive.write(lambda writer: writer.add_raw(session, 0, b"abc")).result()
    for offset in (0, 2, 4):
        with pytest.raises(ValueError, match="do not follow"):
            filled.archive.write(partial(Writer.add_raw, session=session, offset=offset, data=b"d")).result()
    assert raw(filled, session) == b"abc"


def test_a_growing_source_does_not_fall_into_crumbs(filled: Filled) -> None:
    session = filled.session()
    line = b'{"type":"message","text":"some words that repeat"}\n'
    for at in range(50):
        filled.archive.write(partial(Writer.add_raw, session=session, offset=at * len(line), data=line)).result()
    assert raw(filled, session) == line * 50
    assert filled.archive.read(lambda reader: len(list(reader.raw(session)))).result() == 1


def test_a_write_job_reads_what_it_added(filled: Filled) -> None:
    session = filled.session()

    def job(writer: Writer) -> tuple[bytes, bytes | None, bytes | None]:
        writer.add_raw(session, 0, b"abcdef")
        one, other = writer.append(session, [Entry(id="a", record=Record(2, 3)), Entry(id="b")])
        return b"".join(writer.raw(session)), writer.record(one), writer.record(other)

    assert filled.archive.write(job).result() == (b"abcdef", b"cde", None)
    assert filled.archive.read(lambda reader: reader.record(99)).result() is None


def test_the_records_of_many_entries_take_one_query(filled: Filled) -> None:
    session = filled.session()
    filled.archive.write(lambda writer: writer.add_raw(session, 0, b"abcdef")).result()
    keys = filled.append(session, [Entry(id=f"{at}", record=Record(at, 2)) for at in range(6)])  # the last one is cut

    def job(reader: Reader) -> tuple[dict[int, bytes], list[str]]:
        asked: list[str] = []
        reader.connection.set_trace_callback(asked.append)
        found = reader.records([*keys, 99])
        reader.connection.set_trace_callback(None)
        return found, [query for query in asked if "entries" in query]

    found, asked = filled.archive.read(job).result()
    assert list(found.values()) == [b"ab", b"bc", b"cd", b"de", b"ef"]
    assert len(asked) == 1


def test_a_record_without_its_source_is_none(filled: Filled) -> None:
    [key] = filled.append(filled.session(), [Entry(id="a", record=Record(2, 3))])
    assert filled.archive.read(lambda reader: reader.record(key)).result() is None


def test_a_very_long_line_is_kept(filled: Filled) -> None:
    session = filled.session()
    line = b"x" * 20_000_000
    filled.archive.write(lambda writer: writer.add_raw(session, 0, line)).result()
    [key] = filled.append(session, [Entry(id="a", record=Record(0, len(line)))])
    assert filled.archive.read(lambda reader: reader.record(key)).result() == line


class SlowThread:
    """Stands for the thread that compresses; it does so when it is told to."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[bytes], bytes]] = []

    def submit(self, compress: Callable[[bytes], bytes], data: bytes) -> Future[bytes]:
        future: Future[bytes] = Future()
        self.waiting.append((future, compress(data)))
        return future

    def work(self, chunks: int) -> None:
        for future, data in self.waiting[:chunks]:
            future.set_result(data)
        del self.waiting[:chunks]

    def shutdown(self) -> None:
        assert not self.waiting


def test_chunks_are_inserted_once_they_are_compressed(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "CHUNK", 10)
    session, thread, stored = filled.session(), SlowThread(), []

    def job(writer: Writer) -> None:
        vars(writer._record_writer)["_thread"] = thread
        for chunk in range(CHUNKS_AHEAD - 1):
            writer.add_raw(session, chunk * 10, b"0123456789")
        stored.append(writer.connection.execute("SELECT count(*) FROM records").fetchone()[0])
        thread.work(CHUNKS_AT_ONCE)
        writer.add_raw(session, (CHUNKS_AHEAD - 1) * 10, b"0123456789")
        stored.append(writer.connection.execute("SELECT count(*) FROM records").fetchone()[0])
        thread.work(CHUNKS_AHEAD)

    filled.archive.write(job).result()
    assert stored == [0, CHUNKS_AT_ONCE]  # nobody waited
    assert raw(filled, session) == b"0123456789" * CHUNKS_AHEAD


def test_a_job_waits_when_too_many_chunks_are_not_compressed(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "CHUNK", 10)
    monkeypatch.setattr(records, "CHUNKS_AHEAD", 2)
    monkeypatch.setattr(records, "CHUNKS_AT_ONCE", 2)
    session, found = filled.session(), []

    def job(writer: Writer) -> None:
        writer.add_raw(session, 0, b"0123456789" * 2)
        found.append(writer.connection.execute("SELECT count(*) FROM records").fetchone()[0])

    filled.archive.write(job).result()
    assert found == [2]
