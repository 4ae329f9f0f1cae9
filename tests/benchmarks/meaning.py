"""Search by meaning among many vectors, as the archive finds the nearest."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.search.embedding import EmbeddingBatch, EmbeddingText, Neighbour
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive
from stemmata.store.reader import Reader
from stemmata.store.writer import Writer
from tests.benchmarks.report import Figure, percentile

MODEL, DIMENSION = "random", 256
QUERIES = 20
BAR = 100.0  # milliseconds
STORED_AT_ONCE = 10_000


def figures(work: Path, count: int) -> Iterator[Figure]:
    """The nearest of `count` vectors: the first query, which reads the signs, and those after it."""
    folder = work / "meaning"
    shutil.rmtree(folder, ignore_errors=True)
    random = np.random.default_rng(7)
    vectors = random.normal(size=(count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    packed = vectors.astype("<f2")
    archive = SqliteArchive(folder / "archive.db")
    try:
        _store(archive, packed)
        times, right = [], 0
        for at in random.integers(0, count, QUERIES + 1):
            wanted = (vectors[at] + random.normal(size=DIMENSION).astype(np.float32) * 0.03).astype("<f2").tobytes()
            before = time.perf_counter()
            found = archive.read(partial(_nearest, vector=wanted)).result()
            times.append(1000 * (time.perf_counter() - before))
            right += found[0].score > 0.8
        yield Figure("meaning", f"first search by meaning among {count:,} vectors", times[0], "ms")
        yield Figure(
            "meaning", f"search by meaning among {count:,} vectors, p95", percentile(times[1:], 95), "ms", BAR
        )
        yield Figure(
            "meaning", "of 21 queries, those that found their text first", right, "", QUERIES + 1, more_is_better=True
        )
    finally:
        archive.close()


def _store(archive: SqliteArchive, packed: np.ndarray) -> None:
    session = archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id="many"))).result()
    for begin in range(0, len(packed), STORED_AT_ONCE):
        end = min(begin + STORED_AT_ONCE, len(packed))
        entries = [Entry(id=str(at), role=Role.USER, blocks=(Text(f"prompt {at}"),)) for at in range(begin, end)]
        keys = archive.write(partial(_append, session=session, entries=entries)).result()
        batch = EmbeddingBatch(tuple(EmbeddingText(session, key, "") for key in keys), keys[-1], more=False)
        made = [packed[at].tobytes() for at in range(begin, end)]
        archive.write(partial(_add, batch=batch, vectors=made)).result()


def _nearest(reader: Reader, vector: bytes) -> tuple[Neighbour, ...]:
    return reader.nearest(MODEL, vector, 50)


def _append(writer: Writer, session: int, entries: list[Entry]) -> list[int]:
    return writer.append(session, entries)


def _add(writer: Writer, batch: EmbeddingBatch, vectors: list[bytes]) -> None:
    writer.add_embeddings(MODEL, batch, vectors)
