"""Processes that chat until they are killed. One parent loads everything, then forks: starting anew takes seconds.

Reads lines of folder, address of the server, seconds of life from stdin; prints what was acknowledged, and "gone".
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from pathlib import Path

from stemmata.domain.chat.run import RunEvent, Stored, ToolOutcome
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.services.ports.providers import Ask
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.scripted_provider import Tools


async def look(call: ToolCall, _ask: Ask) -> ToolOutcome:
    await asyncio.sleep(0.01)
    return ToolOutcome((Text(f"Seen: {call.arguments}"),))


def tools() -> Tools:
    return Tools({"look": look})


def chat_until_killed(folder: Path, url: str, ready: int) -> None:
    with chat_app(folder, url, tools=tools()) as chat:
        session = only_session(chat)

        def acknowledge(event: RunEvent) -> None:
            if isinstance(event, Stored):
                os.write(1, f"{event.entry}\n".encode())

        chat.runs.watch(acknowledge)
        chat.services.recover().result()
        os.write(ready, b"!")
        while True:
            key = chat.send(session, "Look at it, then tell me more.")
            os.write(1, f"{key}\n".encode())
            chat.wait(lambda: not chat.runs.state(session).is_busy)


def only_session(chat: ChatApp) -> int:
    sessions = chat.services.sessions.all().result()
    return sessions[0].key if sessions else chat.session()


def kill_later(pid: int, ready: int, seconds: float) -> None:
    """Kill the child some time after it is ready to chat; a busy machine may need long."""
    os.read(ready, 1)
    os.close(ready)
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)


def main() -> None:
    import anthropic.types  # noqa: F401 - loaded before the fork
    import peewee  # noqa: F401

    for line in sys.stdin:
        folder, url, seconds = line.split("\t")
        ready, tell = os.pipe()
        pid = os.fork()
        if pid == 0:
            chat_until_killed(Path(folder), url, tell)
        os.close(tell)
        threading.Thread(target=kill_later, args=(pid, ready, float(seconds))).start()
        os.waitpid(pid, 0)
        os.write(1, b"gone\n")


if __name__ == "__main__":
    main()
