"""SIGKILL while the model stores its notes, and between that and the compaction: nothing shows, nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.silence import MEMORY_FLUSH
from stemmata.domain.entries.entry import Flag, Kind
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.script import Break, Call, Reply, Say
from tests.fakes.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
WINDOW = 20_000  # tokens; the trigger is at 8,000
LONG = Reply(blocks=(Say("A long answer. " * 1400),))  # about 5,200 tokens


def set_up(chat: ChatApp) -> None:
    """Store notes in the folder of Stemmata; the first reply is long enough to make a flush due."""

    contexts = chat.services.contexts
    contexts.settings = contexts.settings._replace(
        memory_place="stemmata", reserve_tokens=12_000, keep_recent_tokens=100
    )


def chat_until_killed(folder: Path, url: str) -> None:
    with chat_app(folder, url) as chat:
        set_up(chat)
        session = chat.session()
        chat.say(session, "Tell me more.")
        chat.runs.settled().result(PATIENCE)
        os.write(1, b"over\n")
        time.sleep(PATIENCE)


class NoteTaker:
    """Answers at length; when asked for notes, writes one and then answers as `then` says."""

    def __init__(self, file: str, then: Reply) -> None:
        self.file, self.then = file, then
        self.asked_for_notes = 0

    def __call__(self, payload: Mapping[str, Any]) -> Reply:
        messages = str(payload["messages"][-1:])
        if "about to be compacted" in messages:
            self.asked_for_notes += 1
            return Reply(blocks=(Call("memory", {"command": "append", "file": self.file, "text": "Trees grow."}),))
        return self.then if "is written" in messages else LONG


def killed(folder: Path, server: AnthropicServer, *, is_over: bool) -> None:
    """A process that chats and is killed: after the silent turn, or once the server knows that a note is written."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "tests.faults.test_memory_flush_kill", str(folder), server.url]
    child = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE)
    assert child.stdout is not None
    try:
        if is_over:
            assert child.stdout.readline() == b"over\n"
        until = time.monotonic() + PATIENCE
        while len(server.requests) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        assert len(server.requests) == 3
    finally:
        child.kill()
        child.communicate()


def names(chat: ChatApp, session: int) -> list[str]:
    return [f"{row.name or row.role.text}{'·' if row.flags & Flag.HIDDEN else ''}" for row, _ in chat.path(session)]


def day() -> str:
    return f"{time.strftime('%Y-%m-%d')}.md"


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_killed_while_the_notes_are_stored(tmp_path: Path) -> None:
    model = NoteTaker(day(), Reply(blocks=(Say("NO_REPLY, and more. " * 20),), breaks=Break("stall", after=4)))
    with AnthropicServer(talks=model, window=WINDOW) as server:
        killed(tmp_path, server, is_over=False)
        with chat_app(tmp_path, server.url) as chat:
            [session] = chat.services.sessions.all().result()
            assert chat.services.recover().result(PATIENCE) == 1
            assert names(chat, session.key) == ["user", "assistant"]
            assert chat.services.sessions.check().result() == []
            assert (tmp_path / "memory" / day()).read_text() == "Trees grow."
            set_up(chat)
            model.then = Reply(blocks=(Say("NO_REPLY"),))
            server.script(Reply())
            chat.say(session.key, "Go on.")
            chat.runs.settled().result(PATIENCE)
            assert MEMORY_FLUSH in names(chat, session.key)  # it is tried again
    assert model.asked_for_notes == 2


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_killed_between_the_notes_and_the_compaction(tmp_path: Path) -> None:
    model = NoteTaker(day(), Reply(blocks=(Say("NO_REPLY"),)))
    with AnthropicServer(talks=model, window=WINDOW) as server:
        killed(tmp_path, server, is_over=True)
        with chat_app(tmp_path, server.url) as chat:
            [session] = chat.services.sessions.all().result()
            chat.services.recover().result(PATIENCE)
            assert names(chat, session.key) == [
                "user",
                "assistant",
                MEMORY_FLUSH,
                "assistant·",
                "toolResult",
                "assistant·",
            ]
            set_up(chat)
            chat.say(session.key, "Go on.")
            chat.runs.settled().result(PATIENCE)
            kinds = [row.kind for row, _ in chat.path(session.key)]
            assert kinds.count(Kind.COMPACTION) == 1
            assert (tmp_path / "memory" / day()).read_text() == "Trees grow."
    assert model.asked_for_notes == 1  # not once more before the compaction


if __name__ == "__main__":
    chat_until_killed(Path(sys.argv[1]), sys.argv[2])
