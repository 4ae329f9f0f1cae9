"""Programs that are started at once open one window, which takes what the others ask for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stemmata.system.paths import Profile
from tests.fakes.waiting import until

APP = Path(__file__).parents[2] / "app"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="a later start is not handed over there")


class Starts:
    """Programs started on one profile."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.profile = folder, Profile.under(folder)
        self._stack = stack
        self.programs: list[subprocess.Popen[bytes]] = []

    def start(self) -> subprocess.Popen[bytes]:
        environment = os.environ | {"PYTHONPATH": str(APP), "QT_QPA_PLATFORM": "offscreen", "HOME": str(self.folder)}
        command = [sys.executable, "-m", "stemmata", "--profile", str(self.folder), "open", "stemmata://search"]
        program = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        self._stack.callback(program.wait)
        self._stack.callback(program.kill)
        self.programs.append(program)
        return program

    def running(self) -> list[subprocess.Popen[bytes]]:
        return [program for program in self.programs if program.poll() is None]

    def settle_to_one(self) -> subprocess.Popen[bytes]:
        """Wait until one program is left, and return it; the others have ended with 0."""
        until(lambda: len(self.running()) == 1)
        [left] = self.running()
        assert {program.returncode for program in self.programs if program is not left} <= {0, -signal.SIGKILL}
        until(lambda: os.path.exists(self.profile.socket))
        assert left.poll() is None
        return left


@pytest.fixture
def starts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starts]:
    with ExitStack() as stack:
        yield Starts(tmp_path_factory.mktemp("s"), stack)


def test_three_at_once_open_one_window(starts: Starts) -> None:
    """The profile is new: its folders are made by all three."""
    for _ in range(3):
        starts.start()
    starts.settle_to_one()


def test_the_second_opens_the_window_when_the_first_is_killed(starts: Starts) -> None:
    first = starts.start()
    lock = starts.profile.start_lock
    until(lambda: lock.exists() and lock.read_text() == str(first.pid))
    second = starts.start()
    first.kill()
    assert starts.settle_to_one() is second
