"""The beginning of a large file is stored before the rest, and in the end the archive is as after one reading."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import ReadEvent
from stemmata.formats.pi.reader import Pi
from stemmata.services.importing import importing
from stemmata.services.importing.importing import Progress
from stemmata.services.importing.pausing import PauseSwitch
from tests.fakes.waiting import PATIENCE, until
from tests.fuzz.run import seeds_of
from tests.fuzz.seeds import Seed
from tests.growth.growth import differences, read_in_pieces
from tests.unit.services.conftest import Bench, Records
from tests.unit.services.importing.test_importing import write

APPENDED = [
    seed
    for format in ("pi", "claude-code", "codex")
    for seed in seeds_of(format)
    if seed.name != "codex replay"  # large files are read in the order of their sizes, and a fork may be smaller
]


@pytest.fixture
def long(bench: Bench, talk: Records, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(importing, "LARGE", 1)
    rows = [(str(at), str(at - 1) if at else None, "user", "x" * 900) for at in range(1500)]
    return write(bench.folder / "a.jsonl", talk("s", *rows))


def count(bench: Bench) -> list[int]:
    return [session.entries for session in bench.services.sessions.all().result()]


def test_the_session_appears_with_its_first_entries(bench: Bench, long: Path) -> None:
    report = bench.services.importing.import_paths([long]).result()
    [session] = report.sessions
    assert (session.entries, session.new_entries, session.created, session.added) == (1500, 1500, True, ())
    assert [change.session for change in bench.published] == [session.key, session.key]
    assert count(bench) == [1500]
    assert b"".join(bench.archive.read(lambda r: list(r.raw(session.key))).result()) == long.read_bytes()
    assert bench.services.sessions.check().result() == []
    again = bench.services.importing.import_paths([long]).result()
    assert (again.sessions, again.unchanged) == ((), 1)


def test_a_kill_or_cancel_after_the_beginning_leaves_whole_entries(bench: Bench, long: Path) -> None:
    """The next import goes on where the beginning ends."""
    report = bench.services.importing.import_paths([long], cancelled=lambda: bool(bench.published)).result()
    assert report.cancelled
    [begun] = report.sessions
    assert 900 < begun.entries < 1500
    assert count(bench) == [begun.entries]
    assert bench.services.sessions.check().result() == []
    [session] = bench.services.importing.import_paths([long]).result().sessions
    assert (session.entries, session.new_entries, session.created) == (1500, 1500 - begun.entries, False)
    assert bench.services.sessions.check().result() == []


def test_a_pause_inside_the_beginning_reads_it_again(bench: Bench, long: Path) -> None:
    pause, asked = PauseSwitch(), list[int]()

    def cancelled() -> bool:
        asked.append(1)
        if len(asked) == 3:  # inside the file
            pause.pause()
        return False

    future = bench.services.importing.import_paths([long], cancelled=cancelled, pause=pause)
    until(lambda: pause._go_on is not None)
    assert count(bench) == []
    pause.resume()
    assert [one.new_entries for one in future.result(PATIENCE).sessions] == [1500]


def test_a_fault_in_the_beginning_is_told_by_the_whole(
    bench: Bench, long: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: Any) -> Iterator[ReadEvent]:
        raise UnreadableSourceError("It contains no messages.")

    monkeypatch.setattr(Pi, "read_start", unreadable)
    assert [one.entries for one in bench.services.importing.import_paths([long]).result().sessions] == [1500]


def test_a_bug_in_the_beginning_is_logged(
    bench: Bench, long: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Pi, "read_start", lambda *_: 1 / 0)
    with caplog.at_level(logging.ERROR):
        report = bench.services.importing.import_paths([long]).result()
    assert [one.entries for one in report.sessions] == [1500]
    assert [record.getMessage() for record in caplog.records] == [f"The beginning of {long} cannot be imported."]


def test_somebody_else_may_complete_the_file_meanwhile(bench: Bench, long: Path) -> None:
    told: list[Progress] = []

    def progress(one: Progress) -> None:
        told.append(one)
        if len(told) == 2:  # before the rest
            bench.services.importing.import_files([long], cancelled=lambda: False, initiator=None)

    report = bench.services.importing.import_paths([long], progress=progress).result()
    assert len(report.sessions) == 1
    assert count(bench) == [1500]


@pytest.mark.parametrize("seed", APPENDED, ids=lambda seed: seed.name)
def test_the_archive_is_as_after_one_reading(seed: Seed, monkeypatch: pytest.MonkeyPatch) -> None:
    with TemporaryDirectory() as folder:
        expected = read_in_pieces(Path(folder, "whole"), seed.files, [])
        monkeypatch.setattr(importing, "LARGE", 1)
        size = len(next(iter(seed.files.values())))
        for part in range(5):
            monkeypatch.setattr(importing, "START", 1 + size * part // 5)
            found = read_in_pieces(Path(folder, str(part)), seed.files, [])
            assert differences(found, expected) == [], importing.START


@pytest.mark.parametrize("name", ["claude-code", "codex", "pi"])
def test_real_files_are_as_after_one_reading(samples: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sorted(path for path in (samples / name).rglob("*.jsonl") if 10_000 < path.stat().st_size < 3_000_000)
    for path in paths[:: max(len(paths) // 12, 1)]:
        with TemporaryDirectory() as folder:
            files = {path.name: path.read_bytes()}
            monkeypatch.setattr(importing, "LARGE", 1 << 40)
            expected = read_in_pieces(Path(folder, "whole"), files, [])
            monkeypatch.setattr(importing, "LARGE", 1)
            monkeypatch.setattr(importing, "START", path.stat().st_size // 3)
            assert differences(read_in_pieces(Path(folder, "parts"), files, []), expected) == [], path


def test_a_large_export_is_read_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "LARGE", 1)
    [seed, *_] = seeds_of("librechat")
    path = bench.folder / seed.main
    path.write_bytes(seed.files[seed.main])
    [session] = bench.services.importing.import_paths([path]).result().sessions
    assert session.created
    assert len(bench.published) == 1
