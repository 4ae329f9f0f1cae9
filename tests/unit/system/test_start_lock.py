"""The lock of a start: one program has it, an ended one has not, and no trouble with its file stops a start."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stemmata.system.start_lock import StartLock

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no lock is taken there")
HOLDER = """
import sys
from pathlib import Path
from stemmata.system.start_lock import StartLock
lock = StartLock(Path(sys.argv[1]))
print(lock.take(), flush=True)
sys.stdin.read()
"""


def test_one_has_it(tmp_path: Path) -> None:
    first, second = StartLock(tmp_path / "a.lock"), StartLock(tmp_path / "a.lock")
    assert first.take()
    assert not second.take()
    assert first.take()
    first.release()
    first.release()
    assert second.take()
    second.release()


def test_a_killed_program_has_it_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / "app")}
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        lock = StartLock(path)
        assert not lock.take()
        assert lock.holder() == str(holder.pid)
        holder.kill()
        holder.wait()
        assert lock.take()
    assert lock.holder() == str(os.getpid())
    lock.release()


@pytest.mark.parametrize("left", [b"", b"\xff\xfe", b"-1\n", b"9" * 400])
def test_what_a_file_contains_does_not_matter(left: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    path.write_bytes(left)
    lock = StartLock(path)
    assert lock.holder() == "?"
    assert lock.take()
    assert lock.holder() == str(os.getpid())
    lock.release()


def test_a_file_that_cannot_be_opened_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "folder.lock").mkdir()
    (tmp_path / "link.lock").symlink_to(tmp_path / "elsewhere")
    for path in (tmp_path / "none" / "a.lock", tmp_path / "folder.lock", tmp_path / "link.lock"):
        lock = StartLock(path)
        assert lock.take()
        assert lock.holder() == "?"
        lock.release()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["open", "ftruncate", "write"])
@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC])
def test_a_full_or_read_only_file_system_stops_nobody(
    name: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, name, refuse)
        lock = StartLock(tmp_path / "a.lock")
        assert lock.take()
    lock.release()


def test_a_file_system_without_locks_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    lock = StartLock(tmp_path / "a.lock")
    assert lock.take()
    lock.release()
