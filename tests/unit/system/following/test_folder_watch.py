"""Followed folders on real disks: what changes is told, whatever happens to the folder."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.settings.settings import FolderScan, FolderStatus, WatchMethod
from stemmata.formats.registry import is_followed_name
from stemmata.system.following import folder_watch
from stemmata.system.following.folder_watch import Changes, FolderWatch
from stemmata.system.following.followed_folder import FollowedFolder
from tests.fakes.waiting import PATIENCE, until


class Seen:
    """The reports of a watch, by file and folder."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.folders: tuple[FolderStatus, ...] = ()
        self.looks = 0

    def __call__(self, sighting: FolderScan) -> None:
        self.files += sighting.files
        self.folders = sighting.folders
        self.looks += 1

    @property
    def ways(self) -> list[WatchMethod]:
        return [folder.way for folder in self.folders]

    def names(self) -> set[str]:
        return {os.path.basename(file) for file in self.files}


@pytest.fixture(autouse=True)
def _quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look ten times as often as the program; what it does when nothing happens is measured at its own pace."""
    if request.function is not test_it_sleeps_while_nothing_happens:
        monkeypatch.setattr(folder_watch, "TICK", folder_watch.TICK / 10)


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def watched(seen: Seen) -> Iterator[Callable[..., FolderWatch]]:
    made: list[FolderWatch] = []

    def start(*folders: Path, **how: Any) -> FolderWatch:
        watch = FolderWatch(is_followed_name, **how)
        made.append(watch)
        watch.start([str(folder) for folder in folders], seen)
        return watch

    yield start
    for watch in made:
        watch.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "follow"]


def silent(folder: str, is_wanted: Callable[[str], bool]) -> FollowedFolder:
    return FollowedFolder(folder, is_wanted, silent=lambda _path: True)


def refused(_folders: list[str], stop: threading.Event) -> Generator[Changes, None, None]:
    if not stop.is_set():
        raise OSError(28, "OS file watch limit reached")
    yield ()


def write(path: Path, text: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(text)
    return path


WAYS = [
    ({}, WatchMethod.TOLD),
    ({"folder": silent}, WatchMethod.NETWORK),
    ({"open_notices": refused}, WatchMethod.LIMIT),
]


@pytest.mark.parametrize(("how", "way"), WAYS)
def test_all_there_is_and_then_what_changes(
    tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch], how: dict[str, Any], way: WatchMethod
) -> None:
    write(tmp_path / "a" / "one.jsonl")
    write(tmp_path / "a" / "notes.txt")
    watched(tmp_path, **how)
    until(lambda: seen.names() == {"one.jsonl"} and seen.ways == [way])
    seen.files.clear()
    write(tmp_path / "a" / "one.jsonl")
    until(lambda: seen.names() == {"one.jsonl"})
    seen.files.clear()
    write(tmp_path / "new" / "deep" / "two.jsonl")
    until(lambda: seen.names() == {"two.jsonl"})
    seen.files.clear()
    write(tmp_path / "opencode.db-shm")
    write(tmp_path / "opencode.db-wal")
    until(lambda: seen.names() == {"opencode.db-wal"})
    seen.files.clear()
    write(tmp_path / "a" / "one.settings.json")
    until(lambda: seen.names() == {"one.settings.json"})
    seen.files.clear()
    for name in ("state.vscdb", "state.vscdb-wal", ".aider.chat.history.md"):
        write(tmp_path / "a" / name)
    until(lambda: seen.names() == {"state.vscdb", "state.vscdb-wal", ".aider.chat.history.md"})


def test_a_change_is_told_and_nothing_twice(tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch]) -> None:
    path = write(tmp_path / "one.jsonl")
    watched(tmp_path)
    until(lambda: bool(seen.files))
    for _ in range(3):
        seen.files.clear()
        write(path)
        until(lambda: bool(seen.files))
    looks = seen.looks
    until(lambda: seen.looks > looks + 1)
    assert seen.files == [str(path)]


def test_a_folder_that_goes_and_comes_back(tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch]) -> None:
    folder, away = tmp_path / "f", tmp_path / "away"
    path = write(folder / "one.jsonl")
    watched(folder, tmp_path / "never")
    until(lambda: seen.ways == [WatchMethod.TOLD, WatchMethod.GONE])
    folder.rename(away)
    until(lambda: seen.ways == [WatchMethod.GONE, WatchMethod.GONE])
    write(away / "one.jsonl")
    write(away / "two.jsonl")
    seen.files.clear()
    away.rename(folder)
    until(lambda: seen.names() == {"one.jsonl", "two.jsonl"} and seen.ways[0] is WatchMethod.TOLD)
    seen.files.clear()
    write(path)
    until(lambda: seen.names() == {"one.jsonl"})


def test_another_folder_in_its_place(tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch]) -> None:
    link = tmp_path / "link"
    for name in "ab":
        write(tmp_path / name / f"{name}.jsonl")
    link.symlink_to(tmp_path / "a")
    watched(link)
    until(lambda: seen.files == [str(link / "a.jsonl")])
    link.unlink()
    link.symlink_to(tmp_path / "b")
    until(lambda: seen.files[1:] == [str(link / "b.jsonl")])
    write(tmp_path / "b" / "b.jsonl")
    until(lambda: seen.files[2:] == [str(link / "b.jsonl")])


def test_a_disk_that_is_unmounted_leaves_an_empty_folder_of_another_device(
    tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, disk = tmp_path / "f", tmp_path / "disk"
    write(folder / "one.jsonl")
    watched(folder)
    until(lambda: seen.ways == [WatchMethod.TOLD])
    stat = os.stat

    def other(path: Any, **how: Any) -> os.stat_result:
        found = stat(path, **how)
        return os.stat_result([*found[:2], found.st_dev + 1, *found[3:]]) if path == str(folder) else found

    folder.rename(disk)
    folder.mkdir()
    monkeypatch.setattr(os, "stat", other)
    until(lambda: seen.ways == [WatchMethod.GONE])
    write(disk / "one.jsonl")
    monkeypatch.setattr(os, "stat", stat)
    folder.rmdir()
    seen.files.clear()
    disk.rename(folder)
    until(lambda: seen.ways == [WatchMethod.TOLD] and seen.names() == {"one.jsonl"})


def test_a_folder_that_may_not_be_read(
    tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "one.jsonl")
    scan = os.scandir

    def refuse(_path: object = ".") -> object:
        raise PermissionError

    monkeypatch.setattr(os, "scandir", refuse)
    watched(tmp_path)
    until(lambda: seen.ways == [WatchMethod.REFUSED])
    monkeypatch.setattr(os, "scandir", scan)
    until(lambda: seen.names() == {"one.jsonl"})


def test_links_lead_nowhere(tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch]) -> None:
    outside = write(tmp_path / "out" / "out.jsonl")
    folder = tmp_path / "in"
    path = write(folder / "one.jsonl")
    (folder / "door").symlink_to(tmp_path / "out")
    watched(folder)
    until(lambda: bool(seen.files))
    write(outside)
    write(folder / "door" / "more.jsonl")
    path.unlink()
    path.symlink_to(outside)  # told, so that whoever knows the file can say so
    until(lambda: len(seen.files) == 2)
    assert seen.names() == {"one.jsonl"}


def test_a_thousand_files_at_once(tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch]) -> None:
    watched(tmp_path)
    until(lambda: seen.ways == [WatchMethod.TOLD])
    for at in range(1000):
        write(tmp_path / f"p{at % 40}" / f"{at}.jsonl")
    until(lambda: len(seen.names()) == 1000)


def test_other_folders_from_now_on(tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch]) -> None:
    for name in "ab":
        write(tmp_path / name / f"{name}.jsonl")
    watch = watched(tmp_path / "a")
    until(lambda: seen.names() == {"a.jsonl"})
    watch.start([str(tmp_path / "b")], seen)
    until(lambda: seen.names() == {"a.jsonl", "b.jsonl"})
    watch.start([], seen)
    until(lambda: seen.folders == ())


def test_nothing_to_follow_needs_no_thread(seen: Seen, watched: Callable[..., FolderWatch]) -> None:
    watched()
    assert "follow" not in [thread.name for thread in threading.enumerate()]


def test_it_sleeps_while_nothing_happens(tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch]) -> None:
    watched(tmp_path)
    until(lambda: seen.looks > 1)
    before, looks = time.process_time(), seen.looks
    until(lambda: seen.looks >= looks + 3)
    assert time.process_time() - before < 1


def test_a_fault_in_what_is_told_is_logged_and_following_goes_on(
    tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch], caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "one.jsonl")
    faults = [ValueError("once")]

    def told(sighting: FolderScan) -> None:
        if faults:
            raise faults.pop()
        seen(sighting)

    watch = watched()
    caplog.set_level(logging.ERROR)
    watch.start([str(tmp_path)], told)
    until(lambda: seen.names() == {"one.jsonl"})  # nothing is lost by it
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "Scanning the followed folders failed."
    ]


def test_what_is_told_is_waited_for_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    going, done = threading.Event(), threading.Event()

    def told(_sighting: FolderScan) -> None:
        going.set()
        time.sleep(0.1)
        done.set()

    watch = FolderWatch(is_followed_name)
    watch.start([str(tmp_path)], told)
    assert going.wait(PATIENCE)
    watch.stop()
    assert done.is_set()
    watch.start([str(tmp_path)], told)
    assert "follow" not in [thread.name for thread in threading.enumerate()]
    assert folder_watch.STOP_TIMEOUT > 1


def test_the_pause_after_a_long_import_leaves_time_to_show_the_next_line_within_a_second() -> None:
    assert folder_watch.rest_after(0.2) == 0.1
    gathered, imported_and_shown = (folder_watch.STEP_MS + folder_watch.GATHER_MS) / 1000, 0.2
    assert folder_watch.rest_after(60) + gathered + imported_and_shown < 1


def test_what_was_on_its_way_when_another_folder_came_is_not_lost(
    tmp_path: Path, seen: Seen, watched: Callable[..., FolderWatch]
) -> None:
    def deaf(_folders: list[str], stop: threading.Event) -> Generator[Changes, None, None]:
        while not stop.wait(0.01):
            yield ()

    path, late = write(tmp_path / "a" / "one.jsonl"), tmp_path / "b"
    watched(path.parent, late, open_notices=deaf)
    until(lambda: seen.ways == [WatchMethod.TOLD, WatchMethod.GONE])
    seen.files.clear()
    write(path)
    late.mkdir()
    until(lambda: seen.ways == [WatchMethod.TOLD, WatchMethod.TOLD])
    until(lambda: seen.names() == {"one.jsonl"})
