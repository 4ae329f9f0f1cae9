from __future__ import annotations

import logging
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stemmata.system.logs import CrashGuard


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crash.txt"


@pytest.fixture
def told() -> list[BaseException]:
    return []


@pytest.fixture
def guard(path: Path, told: list[BaseException], caplog: pytest.LogCaptureFixture) -> Iterator[CrashGuard]:
    caplog.set_level(logging.CRITICAL)
    guard = CrashGuard(path, told.append)
    yield guard
    guard.close()


def test_an_uncaught_error_is_logged_and_reported(
    guard: CrashGuard, told: list[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    error = ValueError("no")
    sys.excepthook(ValueError, error, None)
    assert told == [error]
    assert caplog.records[0].exc_info == (ValueError, error, None)


def test_an_error_in_a_thread_is_reported(guard: CrashGuard, told: list[BaseException]) -> None:
    thread = threading.Thread(target=lambda: 1 // 0)
    thread.start()
    thread.join()
    assert [type(error) for error in told] == [ZeroDivisionError]


def test_an_error_in_a_finaliser_is_reported(guard: CrashGuard, told: list[BaseException]) -> None:
    class Broken:
        def __del__(self) -> None:
            raise ValueError("in the end")

    Broken()
    assert [str(error) for error in told] == ["in the end"]


def test_errors_without_a_value_are_passed_over(guard: CrashGuard, told: list[BaseException]) -> None:
    nothing: Any = SimpleNamespace(exc_value=None, thread=None, err_msg=None, object=None)
    threading.excepthook(nothing)
    sys.unraisablehook(nothing)
    assert told == []


def test_a_thread_that_is_gone_is_named_all_the_same(
    guard: CrashGuard, told: list[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    gone: Any = SimpleNamespace(exc_value=ValueError(), thread=None)
    threading.excepthook(gone)
    assert "a thread" in caplog.text


def test_an_interrupt_is_no_crash(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: seen.append(kind))
    guard = CrashGuard(path)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    guard.close()
    assert seen == [KeyboardInterrupt]


def test_without_a_listener_the_log_is_enough(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    guard = CrashGuard(path)
    sys.excepthook(ValueError, ValueError("lonely"), None)
    guard.close()
    assert "lonely" in caplog.text


def test_closing_puts_the_hooks_back_and_removes_the_file(path: Path) -> None:
    before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    guard = CrashGuard(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    guard.close()
    guard.close()
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == before
    assert not path.exists()


def test_a_file_that_cannot_be_made_costs_only_the_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    guard = CrashGuard(tmp_path / "absent" / "crash.txt")
    guard.close()
    assert guard.previous == ""
    assert "Could not open the crash file" in caplog.text


def test_a_hard_crash_is_found_by_the_next_run(path: Path) -> None:
    code = f"""
import ctypes, pathlib, resource
from stemmata.system.logs import CrashGuard
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
guard = CrashGuard(pathlib.Path({str(path)!r}))
ctypes.string_at(0)
"""
    app = Path(__file__).parents[3] / "app"
    run = subprocess.run([sys.executable, "-c", code], cwd=app, check=False, capture_output=True)
    assert run.returncode != 0
    guard = CrashGuard(path)
    guard.close()
    assert "Segmentation fault" in guard.previous
    assert not path.exists()
