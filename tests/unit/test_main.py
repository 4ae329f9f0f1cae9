from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stemmata import __version__
from stemmata.__main__ import is_taken, main, open_window
from stemmata.arguments import profile_options
from stemmata.bootstrap import entrance
from stemmata.domain.errors import KnownError
from stemmata.system.paths import Profile
from stemmata.system.start_lock import StartLock
from stemmata.version import version_text


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"stemmata {version_text()}\n"


def test_the_arguments_of_the_process_are_the_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["stemmata", "--version"])
    assert main() == 0
    assert __version__ in capsys.readouterr().out


def test_a_profile_that_cannot_be_made_is_said_plainly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert open_window(["--profile", str(tmp_path / "file")]) == 1
    assert "Could not create the folder" in capsys.readouterr().err


@pytest.fixture
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose path is short, so that the socket of a profile in it is in the profile."""
    folder = tmp_path_factory.mktemp("s")
    (folder / "state").mkdir()
    socket = Path(Profile.under(folder).socket)
    assert socket.parent == folder / "state"
    socket.touch()
    return folder


class Bootstrap:
    """Replaces the wiring and records what was requested of it."""

    def __init__(self, error: KnownError | None = None) -> None:
        self.error = error
        self.calls: list[tuple[str, list[str]]] = []
        self.listens: list[bool] = []  # whether the start of another program would wait, before and while it listens

    def run(self, arguments: list[str], on_listening: Callable[[], None]) -> int:
        self.calls.append(("window", arguments))
        other = StartLock(Profile.choose(os.environ, **profile_options(arguments)).start_lock)
        self.listens.append(other.take())
        on_listening()
        self.listens.append(other.take())
        other.release()
        if self.error is not None:
            raise self.error
        return 0

    def command_line(self, arguments: list[str]) -> int:
        self.calls.append(("command", arguments))
        return 3


@pytest.fixture
def bootstrap(monkeypatch: pytest.MonkeyPatch) -> Bootstrap:
    made = Bootstrap()
    for name in ("commands", "window"):
        monkeypatch.setitem(sys.modules, f"stemmata.bootstrap.{name}", made)
        monkeypatch.setattr(f"stemmata.bootstrap.{name}", made, raising=False)
    return made


def test_a_command_goes_to_the_command_line(bootstrap: Bootstrap) -> None:
    assert main(["sessions"]) == 3
    assert bootstrap.calls == [("command", ["sessions"])]


def test_no_command_opens_the_window_with_logs_and_crash_guard(bootstrap: Bootstrap, tmp_path: Path) -> None:
    before = sys.excepthook
    assert main(["--profile", str(tmp_path)]) == 0
    assert bootstrap.calls == [("window", ["--profile", str(tmp_path)])]
    assert (tmp_path / "state" / "stemmata.log").exists()
    assert not (tmp_path / "state" / "crash.txt").exists()
    assert sys.excepthook is before


def test_an_archive_that_cannot_be_opened_is_said_plainly(
    bootstrap: Bootstrap, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sys.excepthook
    bootstrap.error = KnownError("The archive is newer than this program.")
    monkeypatch.setattr(sys, "argv", ["stemmata"])
    assert open_window() == 1
    assert capsys.readouterr().err == "The archive is newer than this program.\n"
    assert sys.excepthook is before


def test_what_a_crash_left_behind_is_logged(
    bootstrap: Bootstrap, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "crash.txt").write_text("Fatal Python error: Segmentation fault")
    assert main(["--profile", str(tmp_path)]) == 0
    assert "Segmentation fault" in caplog.text
    assert "Segmentation fault" in (tmp_path / "state" / "stemmata.log").read_text()


def test_a_session_on_standard_input_is_opened_from_a_file(
    bootstrap: Bootstrap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"type":"session"}\n'), encoding="utf-8"))
    assert main(["--profile", str(tmp_path), "-"]) == 0
    ((entrance, [*rest, name]),) = bootstrap.calls
    assert (entrance, rest) == ("window", ["--profile", str(tmp_path)])
    assert Path(name).read_bytes() == b'{"type":"session"}\n'


def test_a_program_that_hands_over_leaves_the_crash_file_alone(
    bootstrap: Bootstrap, monkeypatch: pytest.MonkeyPatch, short: Path
) -> None:
    """The file belongs to the running program, which writes to it when it crashes."""
    (short / "state" / "crash.txt").write_text("of the running program")
    monkeypatch.setattr("stemmata.gui.window.asking.hand_over", lambda *_: True)
    assert main(["--profile", str(short)]) == 0
    assert not bootstrap.calls
    assert (short / "state" / "crash.txt").read_text() == "of the running program"


@pytest.mark.parametrize(
    ("arguments", "is_asked"),
    [([], True), (["open", "latest"], True), (["--version"], False), (["sessions"], False), (["-"], False)],
)
def test_the_frozen_program_asks_a_running_window_before_it_loads_qt(
    arguments: list[str], is_asked: bool, monkeypatch: pytest.MonkeyPatch, short: Path
) -> None:
    asked: list[str] = []

    def take(_socket: str, name: str) -> bool:
        asked.append(name)
        return True

    monkeypatch.setattr("stemmata.gui.window.asking.hand_over", take)
    assert is_taken(["--profile", str(short), *arguments]) is is_asked
    assert bool(asked) is is_asked


def test_a_profile_that_cannot_be_made_is_left_to_the_program(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert not is_taken(["--profile", str(tmp_path / "file")])


@pytest.mark.parametrize("piped", [False, True])
def test_a_window_that_was_not_asked_early_is_asked_then(
    piped: bool, bootstrap: Bootstrap, monkeypatch: pytest.MonkeyPatch, short: Path
) -> None:
    """With standard input, and where the path of the profile is spelled in an unusual way."""
    asked: list[tuple[str, str]] = []

    def take(socket: str, name: str) -> bool:
        asked.append((socket, name))
        return True

    monkeypatch.setattr("stemmata.gui.window.asking.hand_over", take)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"type":"session"}\n'), encoding="utf-8"))
    assert main(["--profile", f"{short}{'' if piped else '/.'}", *(["-"] if piped else [])]) == 0
    assert not bootstrap.calls
    ((socket, name),) = asked
    assert socket == Profile.under(short).socket
    assert Path(name).is_file() is piped


@pytest.fixture
def starting(short: Path) -> Iterator[StartLock]:
    """The lock of a program that was started a moment ago."""
    lock = StartLock(Profile.under(short).start_lock)
    assert lock.take()
    yield lock
    lock.release()


@pytest.mark.skipif(os.name == "nt", reason="a later start is not handed over there")
def test_a_start_keeps_others_waiting_until_its_window_listens(bootstrap: Bootstrap, short: Path) -> None:
    assert main(["--profile", str(short)]) == 0
    assert bootstrap.listens == [False, True]


@pytest.mark.skipif(os.name == "nt", reason="a later start is not handed over there")
@pytest.mark.parametrize("is_listening", [False, True])
def test_a_second_start_waits_for_the_first(
    is_listening: bool, bootstrap: Bootstrap, short: Path, starting: StartLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until its window takes the request, or it ends."""
    answers = iter([False, False, is_listening])  # asked early, while the lock is held, and with the lock
    monkeypatch.setattr("stemmata.gui.window.asking.hand_over", lambda *_: next(answers))
    monkeypatch.setattr("stemmata.bootstrap.entrance.time.sleep", lambda _: starting.release())
    (short / "state" / "crash.txt").write_text("of the running program" if is_listening else "")
    assert main(["--profile", str(short)]) == 0
    assert bool(bootstrap.calls) is not is_listening
    assert (short / "state" / "crash.txt").exists() is is_listening
    assert starting.take()  # the second start released it
    assert not list(answers)


@pytest.mark.skipif(os.name == "nt", reason="a later start is not handed over there")
def test_the_first_may_take_the_request_while_it_holds_the_lock(
    bootstrap: Bootstrap, short: Path, starting: StartLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([False, True])
    monkeypatch.setattr("stemmata.gui.window.asking.hand_over", lambda *_: next(answers))
    assert main(["--profile", str(short)]) == 0
    assert not bootstrap.calls


@pytest.mark.skipif(os.name == "nt", reason="a later start is not handed over there")
def test_a_start_that_never_ends_is_named(
    bootstrap: Bootstrap,
    short: Path,
    starting: StartLock,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(entrance, "PATIENCE", -1.0)
    assert main(["--profile", str(short)]) == 1
    assert f"(process {os.getpid()})" in capsys.readouterr().err
    assert not bootstrap.calls
