"""The socket of the running window: what is asked through it, by whom, and what is refused."""

from __future__ import annotations

import json
import os
import socket as plain
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from stemmata.gui import running
from stemmata.gui.running import LONGEST, Listener, parse

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("s") / "w.socket")


@pytest.fixture
def listener(qapp: object, path: str) -> Iterator[Listener]:
    parent = QObject()
    listener = Listener(path, parent)
    assert listener.listens
    yield listener
    listener.close()
    parent.deleteLater()


def start_client(path: str, name: str) -> subprocess.Popen[bytes]:
    code = "import sys; from stemmata.gui.running import hand_over; sys.exit(not hand_over(*sys.argv[1:]))"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "app")}
    return subprocess.Popen([sys.executable, "-c", code, path, name], env=environment)


def test_what_another_process_asks_is_heard(listener: Listener, path: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(listener.asked, timeout=20_000) as asked, start_client(path, "stemmata://x/\nü") as client:
        qtbot.waitUntil(lambda: client.poll() is not None, timeout=20_000)
    assert asked.args == ["stemmata://x/\nü"]
    assert client.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="the rights of files are those of Unix")
def test_it_belongs_to_its_user_alone(listener: Listener, path: str) -> None:
    assert stat.S_IMODE(Path(path).stat().st_mode) & 0o077 == 0


@pytest.mark.skipif(os.name != "posix", reason="only there a socket is a file")
def test_a_dead_socket_is_taken_away(qapp: object, path: str) -> None:
    with plain.socket(plain.AF_UNIX) as dead:
        dead.bind(path)
    assert Path(path).exists()
    parent = QObject()
    listener = Listener(path, parent)
    assert listener.listens
    listener.close()
    assert not Path(path).exists()
    parent.deleteLater()


def test_a_second_listener_leaves_the_first_alone(listener: Listener, path: str) -> None:
    parent = QObject()
    second = Listener(path, parent)
    assert not second.listens
    second.close()
    assert listener.listens
    assert Path(path).exists()
    parent.deleteLater()


def test_nobody_there_is_no_error(qapp: object, path: str) -> None:
    assert not running.hand_over(path, "latest")


def test_too_much_is_cut_off(listener: Listener, path: str, qtbot: QtBot) -> None:
    client = QLocalSocket()
    client.connectToServer(path)
    assert client.waitForConnected(1000)
    with qtbot.assertNotEmitted(listener.asked), qtbot.waitSignal(client.disconnected, timeout=10_000):
        client.write(b"[" * (4 * LONGEST))
        client.flush()


def test_who_says_nothing_is_let_go(
    listener: Listener, path: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "PATIENCE_MS", 20)
    client = QLocalSocket()
    with qtbot.waitSignal(client.disconnected, timeout=10_000):
        client.connectToServer(path)


@pytest.mark.parametrize(
    "line",
    [
        b"", b"open latest\n", b"[]\n", b"{}\n", b'{"open": 3}\n', b'{"open": "a", "token": 1}\n', b"\xff\xfe\n",
        b'{"open": "a\\u0000b"}\n', b"[" * LONGEST, b"\xed\xa0\x80",
    ],
)  # fmt: skip
def test_what_is_no_request_is_passed_over(line: bytes) -> None:
    assert parse(line) is None


def test_a_request() -> None:
    assert parse(json.dumps({"open": "latest"}).encode()) == ("latest", "")
    assert parse(b'{"open": "", "token": "t"}') == ("", "t")
