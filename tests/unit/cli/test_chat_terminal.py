"""Chatting at a terminal: Ctrl+C and SIGTERM stop and keep the reply, and tools ask there. A process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import connect
from tests.fakes.script import Break, Call, Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.unit.cli.conftest import Run

pty = pytest.importorskip("pty")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="terminals and signals as POSIX has them")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnthropicServer]:
    (tmp_path / "p" / "config").mkdir(parents=True)
    monkeypatch.setenv("STEMMATA_PROFILE", str(tmp_path / "p"))
    with AnthropicServer() as running:
        connect(tmp_path / "p" / "config", running.url)
        yield running


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    return [sys.executable, "-m", "stemmata", "--store", str(tmp_path / "archive" / "a.db"), "chat", "new"]


def read_until(handle: int, wanted: str) -> str:
    """Return the output up to a text; on Linux the end of a terminal is an error."""
    found, until = b"", time.monotonic() + PATIENCE
    while wanted.encode() not in found and time.monotonic() < until:
        try:
            more = os.read(handle, 4096)
        except OSError:
            break
        if not more:
            break
        found += more
    return found.decode(errors="replace")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_stop_the_reply_and_keep_it(
    run: Run, server: AnthropicServer, command: list[str], number: signal.Signals
) -> None:
    server.script(Reply(blocks=(Say("Half of it is here. And this never comes."),), breaks=Break("stall", 3)))
    with subprocess.Popen([*command, "Hi"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        came = read_until(child.stdout.fileno(), "Half of it")
        assert "Half of it" in came
        child.send_signal(number)
        told = child.stderr.read().decode()
        assert child.wait(PATIENCE) == 1, told
    assert "Stopped. The received part of the reply is kept in the session." in told
    assert "Traceback" not in told
    [asked, reply] = run("show", "latest", "--json").json["entries"]
    assert asked["text"] == "Hi"
    assert reply["text"].startswith("Half of it")
    fates = run("context", "latest", "--json").json["fates"]
    assert [fate.get("reason") for fate in fates] == [None, "aborted-or-error"]


@pytest.mark.parametrize(("typed", "is_done"), [("o\n", True), ("\n", False)], ids=["once", "no-answer"])
def test_a_tool_asks_at_the_terminal(
    server: AnthropicServer, command: list[str], tmp_path: Path, typed: str, is_done: bool
) -> None:
    settings = tmp_path / "p" / "config" / "settings.toml"
    settings.write_text(settings.read_text() + "[chat]\nown_tools = true\n")
    written = Call("memory", {"command": "append", "file": "a.md", "text": "x\x1b[2J"})
    server.script(Reply(blocks=(written,)), Reply(blocks=(Say("All done."),)))
    terminal, inside = pty.openpty()
    try:
        with subprocess.Popen([*command, "Remember"], stdin=inside, stdout=inside, stderr=inside) as child:
            os.close(inside)
            asked = read_until(terminal, "never [n]")
            assert "memory" in asked
            assert "\x1b[2J" not in asked
            os.write(terminal, typed.encode())
            assert "All done." in read_until(terminal, "All done.")
            assert child.wait(PATIENCE) == 0
    finally:
        os.close(terminal)
    assert (tmp_path / "archive" / "memory" / "a.md").exists() is is_done
