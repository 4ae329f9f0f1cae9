"""The log of a large job is copied to the archive's file behind the job's back."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry
from stemmata.store import archive as archive_module
from stemmata.store.archive import Checkpoints, SqliteArchive
from stemmata.store.core.database import copy_log
from stemmata.store.writer import Writer
from tests.fakes.waiting import PATIENCE
from tests.unit.store.conftest import Filled


def test_a_large_job_leaves_its_pages_in_the_file(archive: SqliteArchive, filled: Filled, path: Path) -> None:
    session = filled.session()

    def job(writer: Writer) -> None:
        writer.begin_source(session, "a.jsonl")
        writer.add_raw(session, 0, b"x" * 5_000_000)
        writer.add_raw(session, 5_000_000, b"x" * 5_000_000)
        writer.add_raw(session, 10_000_000, b"x")
        writer.append(session, [Entry(id="a", blocks=(Text("word " * 600_000),))])
        writer.end_source(session)

    archive.write(job).result()
    archive._checkpoints.wait()
    assert path.stat().st_size > 2_000_000


def test_the_log_is_not_copied_twice_at_once(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    go_on, begun = threading.Event(), []

    def copy(copied: Path) -> None:
        begun.append(copied)
        assert go_on.wait(PATIENCE)

    monkeypatch.setattr(archive_module, "copy_log", copy)
    checkpoints = Checkpoints(path)
    checkpoints.wait()
    checkpoints.begin()
    checkpoints.begin()
    go_on.set()
    checkpoints.wait()
    assert begun == [path]
    checkpoints.begin()
    checkpoints.wait()
    assert begun == [path, path]


def test_the_log_of_a_small_job_is_left_to_the_commits(filled: Filled) -> None:
    session = filled.session()

    def job(writer: Writer) -> None:
        writer.begin_source(session, "a.jsonl")
        writer.add_raw(session, 0, b"x")
        writer.end_source(session)

    filled.archive.write(job).result()
    assert filled.archive._checkpoints._thread is None


def test_a_log_that_cannot_be_copied_stays(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL):
        copy_log(tmp_path / "missing" / "archive.db")
    assert not (tmp_path / "missing").exists()
