"""SIGKILL at random moments of chatting with tools: what was acknowledged is there, no call is left open, chatting
goes on. `KILLS=100 pytest tests/faults/test_run_kill.py` does it more often."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.run import Phase
from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Flag, Role
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.script import Call, Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.faults.chatting_child import only_session, tools

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("KILLS", "12"))
LIFE = 0.4  # seconds a process chats at most


def talks(payload: Mapping[str, Any]) -> Reply:
    """Two tool calls and a text, then a longer text."""
    content = payload["messages"][-1]["content"]
    if content[0]["type"] == "tool_result":
        return Reply(blocks=(Say("This is what I found. " * 12),), delay=0.001)
    calls = (Call("look", {"at": "one"}), Call("look", {"at": "two"}))
    return Reply(blocks=(Say("Let me look at it first. " * 4), *calls), delay=0.001)


@pytest.fixture
def child() -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "tests.faults.chatting_child"]
    process = subprocess.Popen(
        command, env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )  # fmt: skip
    yield process
    process.communicate()


def lived(child: subprocess.Popen[str], folder: Path, url: str, seconds: float) -> list[int]:
    """Run a process that chats for some time; return the keys that it acknowledged."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(f"{folder}\t{url}\t{seconds}\n")
    child.stdin.flush()
    return [int(line) for line in iter(child.stdout.readline, "gone\n")]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_killed_while_chatting(child: subprocess.Popen[str], tmp_path: Path) -> None:
    acknowledged: set[int] = set()
    broken = 0
    with AnthropicServer(talks=talks) as server:
        for _ in range(KILLS):
            acknowledged |= set(lived(child, tmp_path, server.url, random.uniform(0, LIFE)))
            with chat_app(tmp_path, server.url, tools=tools()) as chat:
                broken += mended(chat, acknowledged)
    assert acknowledged
    assert broken > 0, "no process was killed in the middle of a reply"


def mended(chat: ChatApp, acknowledged: set[int]) -> int:
    """Return the number of interrupted runs after recovery, and check that all is sound."""
    count = chat.services.recover().result(PATIENCE)
    assert chat.services.sessions.check().result() == []
    session = only_session(chat)
    tree = chat.services.sessions.open(session).result().tree
    assert acknowledged <= {tree.key(entry) for entry in range(len(tree))}
    assert open_calls(chat, session) == []
    assert chat.archive.read(lambda reader: reader.open_runs()).result() == []
    chat.say(session, "Go on.")
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
    assert chat.path(session)[-1][0].flags & Flag.ENDS_TURN
    return count


def open_calls(chat: ChatApp, session: int) -> list[str]:
    """Return the ids of calls on the path that have no result."""
    calls: list[str] = []
    for row, body in chat.path(session):
        if row.role is Role.ASSISTANT:
            calls += [block.id for block in body.blocks if isinstance(block, ToolCall)]
        elif row.role is Role.TOOL_RESULT:
            assert row.call in calls
            calls.remove(row.call)
    return calls
