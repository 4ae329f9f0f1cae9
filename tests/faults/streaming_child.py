"""Windows and command lines that show a reply until they are killed. One parent loads everything, then forks.

Reads lines of "window" or "command", the profile's folder, seconds of life from stdin. Prints lines of JSON: what a
window found at its start, what was on the screen and when, and when the process was killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from stemmata.domain.entries.blocks import Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Role
from tests.fakes.waiting import PATIENCE

if TYPE_CHECKING:
    from stemmata.bootstrap.window import Application
    from stemmata.domain.entries.blocks import Block
    from stemmata.services.services import Services

FRAME = 1 / 60


def tell(**facts: object) -> None:
    """Print one line in one write."""
    os.write(3, f"{json.dumps(facts)}\n".encode())


def said(block: Block) -> str:
    """Return the shown part of a reply."""
    match block:
        case Text() | Thinking():
            return block.text
        case ToolCall():
            return block.arguments
        case _:
            return ""


def last_replies(services: Services, session: int) -> list[list[str]]:
    """Return the blocks of each reply to the last message, in order."""
    session_tree = services.sessions.open(session).result()
    tree = session_tree.tree
    keys = [tree.key(at) for at in tree.path(tree.get(session_tree.session.leaf))]
    rows, bodies = services.entries.rows(keys).result(), services.entries.bodies(keys).result()
    out: list[list[str]] = []
    for key in keys:
        if rows[key].role is Role.USER:
            out = []
        elif rows[key].role is Role.ASSISTANT:
            out.append([said(block) for block in bodies[key].blocks])
    return out


# -- the window ------------------------------------------------------------------------------------------------------


def show_in_window(folder: Path, ready: int) -> None:
    """Report the restored state, then send and show a reply until the process is killed."""
    from stemmata.bootstrap.window import build

    application = build(["--profile", str(folder)], {})
    application.window.resize(1200, 800)
    application.window.show()
    application.gui.restore()
    first = application.gui.workspaces[0]
    frames(lambda: first.is_warm)
    controllers = application.gui.controllers
    services = application.services
    services.recover().result()
    if not services.sessions.all().result():
        first.open_session(services.runs.new_session().result().key)
    frames(lambda: controllers.opened.session_tree is not None)
    session = controllers.opened.key
    assert session is not None
    tell_restored(application, session)
    send(application)
    frames(lambda: bool(controllers.streams.replies(session)))
    os.write(ready, b"!")
    shown: list[tuple[int, list[int]]] = []
    while True:
        one_frame()
        replies = controllers.streams.replies(session)
        now = [(reply.step, [sum(map(len, block.pieces)) for block in reply.blocks.values()]) for reply in replies]
        if now != shown:
            shown = now
            tell(shown=now, at=time.monotonic())


def tell_restored(application: Application, session: int) -> None:
    """Report the window's state of the interrupted reply, and its offers."""
    controllers, services = application.gui.controllers, application.services
    replies = last_replies(services, session)
    if replies:  # the leaf that the recovery moved is shown once the window has read the tree anew
        frames(lambda: bool(controllers.runs._state_to_show().offers))
    offers = controllers.runs._state_to_show().offers
    tell(replies=replies, offers=offers, problems=[str(found) for found in services.sessions.check().result()])


def send(application: Application) -> None:
    from stemmata.domain.chat.run import OutgoingMessage

    application.gui.controllers.runs.send(OutgoingMessage(blocks=(Text("Go on, please."),)))


def frames(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        one_frame(0.001)
        if time.monotonic() > end:
            raise RuntimeError("nothing happens in the window")


def one_frame(rest: float = FRAME) -> None:
    from PySide6.QtWidgets import QApplication

    QApplication.processEvents()
    time.sleep(rest)


# -- the command line ------------------------------------------------------------------------------------------------


def show_in_terminal(folder: Path, writing: int) -> None:
    """`writing` is its stdout; what comes through is told by the parent, which lives on."""
    from stemmata.bootstrap.commands import command_line

    os.dup2(writing, 1)
    os.close(writing)
    name = "latest" if (folder / "data" / "archive.db").exists() else "new"
    command_line(["chat", name, "Go on, please.", "--profile", str(folder)])
    signal.pause()


def relay(reading: int, ready: int) -> None:
    """Report how much was printed, until the other end is closed."""
    characters = 0
    while data := os.read(reading, 65536):
        if not characters:
            os.write(ready, b"!")
        characters += len(data)
        tell(shown=[[0, [characters]]], at=time.monotonic())


# -- the parent ------------------------------------------------------------------------------------------------------


def kill_later(pid: int, ready: int, seconds: float) -> None:
    """Kill the process some time after something is shown; a busy machine may need long."""
    os.read(ready, 1)
    os.close(ready)
    time.sleep(seconds)
    tell(killed=time.monotonic())
    with suppress(ProcessLookupError):  # it ended by itself, which its parent finds out
        os.kill(pid, signal.SIGKILL)


def main() -> None:
    import anthropic.types  # noqa: F401 - loaded before the fork
    import peewee  # noqa: F401

    import stemmata.cli.chat
    import stemmata.gui.window.application  # noqa: F401

    os.dup2(1, 3)
    for line in sys.stdin:
        kind, folder, seconds = line.split("\t")
        (ready, tell_ready), (reading, writing) = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ready)
            os.close(reading)
            if kind == "window":
                show_in_window(Path(folder), tell_ready)
            else:
                show_in_terminal(Path(folder), writing)
        os.close(writing)
        threads = [
            threading.Thread(target=kill_later, args=(pid, ready, float(seconds))),
            threading.Thread(target=relay, args=(reading, tell_ready)),
        ]
        for thread in threads:
            thread.start()
        os.waitpid(pid, 0)  # from now on nobody takes it for one that is alive
        threads[1].join()
        os.close(tell_ready)
        threads[0].join()
        os.close(reading)
        tell(gone=True)


if __name__ == "__main__":
    main()
