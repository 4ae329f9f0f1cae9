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
from pytestqt.qtbot import QtBot

from stemmata.gui.window import asking
from stemmata.gui.window import single_instance as running
from stemmata.gui.window.asking import LONGEST, hand_over, parse
from stemmata.gui.window.single_instance import InstanceListener

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("s") / "w.socket")


@pytest.fixture
def listener(qapp: object, path: str) -> Iterator[InstanceListener]:
    parent = QObject()
    listener = InstanceListener(path, parent)
    assert listener.listens
    yield listener
    listener.close()
    parent.deleteLater()


def start_client(path: str, name: str) -> subprocess.Popen[bytes]:
    code = "import sys; from stemmata.gui.window.asking import hand_over; sys.exit(not hand_over(*sys.argv[1:]))"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "app")}
    return subprocess.Popen([sys.executable, "-c", code, path, name], env=environment)


def test_what_another_process_asks_is_heard(listener: InstanceListener, path: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(listener.asked) as asked, start_client(path, "stemmata://x/\nü") as client:
        qtbot.waitUntil(lambda: client.poll() is not None)
    assert asked.args == ["stemmata://x/\nü"]
    assert client.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="the rights of files are those of Unix")
def test_it_belongs_to_its_user_alone(listener: InstanceListener, path: str) -> None:
    assert stat.S_IMODE(Path(path).stat().st_mode) & 0o077 == 0


@pytest.mark.skipif(os.name != "posix", reason="only there a socket is a file")
def test_a_dead_socket_is_taken_away(qapp: object, path: str) -> None:
    with plain.socket(plain.AF_UNIX) as dead:
        dead.bind(path)
    assert Path(path).exists()
    parent = QObject()
    listener = InstanceListener(path, parent)
    assert listener.listens
    listener.close()
    assert not Path(path).exists()
    parent.deleteLater()


def test_a_second_listener_leaves_the_first_alone(listener: InstanceListener, path: str) -> None:
    parent = QObject()
    second = InstanceListener(path, parent)
    assert not second.listens
    second.close()
    assert listener.listens
    assert Path(path).exists()
    parent.deleteLater()


def test_nobody_there_is_no_error(path: str) -> None:
    assert not hand_over(path, "latest")
    with plain.socket(plain.AF_UNIX) as dead:
        dead.bind(path)
    assert not hand_over(path, "latest")


def test_what_is_too_long_is_not_asked(listener: InstanceListener, path: str) -> None:
    assert not hand_over(path, "x" * LONGEST)


def test_a_socket_of_somebody_else_is_not_asked(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with plain.socket(plain.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        monkeypatch.setattr(os, "getuid", lambda: os.stat(path).st_uid + 1)
        assert not hand_over(path, "latest")


def test_who_hangs_up_without_an_answer_took_nothing(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "PATIENCE", 0.05)
    with plain.socket(plain.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        assert not hand_over(path, "latest")


def hung_up(client: plain.socket) -> bool:
    """Whether the other end is gone; never waits."""
    client.setblocking(False)
    try:
        return client.recv(100) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_too_much_is_cut_off(listener: InstanceListener, path: str, qtbot: QtBot) -> None:
    with asking.connected(path) as client, qtbot.assertNotEmitted(listener.asked):
        client.sendall(b"[" * (4 * LONGEST))
        qtbot.waitUntil(lambda: hung_up(client))


def test_who_says_nothing_is_let_go(
    listener: InstanceListener, path: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "PATIENCE_MS", 20)
    with asking.connected(path) as client:
        qtbot.waitUntil(lambda: hung_up(client))


def test_a_request_may_come_in_pieces_and_bring_a_token(
    listener: InstanceListener, path: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(asking.ACTIVATION, "old")
    with asking.connected(path) as client, qtbot.waitSignal(listener.asked) as asked:
        client.sendall(b'{"open": "latest",')
        qtbot.waitUntil(lambda: any(c._read for c in listener._connections))
        client.sendall(b' "token": "new"}\n')
    assert asked.args == ["latest"]
    assert os.environ[asking.ACTIVATION] == "new"


def test_no_more_are_heard_at_once_than_can_be(listener: InstanceListener, path: str, qtbot: QtBot) -> None:
    clients = [asking.connected(path) for _ in range(running.MOST_AT_ONCE + 1)]
    try:
        qtbot.waitUntil(lambda: any(map(hung_up, clients)))
    finally:
        for client in clients:
            client.close()
    qtbot.waitUntil(lambda: not listener._connections)


def test_where_no_socket_can_be_made_it_is_said(
    qapp: object, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING")
    parent = QObject()
    listener = InstanceListener(str(tmp_path / "none" / "w.socket"), parent)
    assert not listener.listens
    assert "opens a second program" in caplog.text
    listener.close()
    parent.deleteLater()


def test_asking_loads_no_qt() -> None:
    code = "import sys, stemmata.gui.window.asking; sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(ROOT / "app")}, check=True)


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
