"""What an action of the window runs through: how many modules of ours, and how deep their calls are nested.

`python -m tests.benchmarks.trace [--walk]`, or the area `trace` of the benchmarks. Counted is every function of ours
that begins while the action is under way, on any thread, so that what waits for the io and db threads is in it.
`--walk` lists the rooms in the order in which they are entered first.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from tests.benchmarks.report import Figure

if TYPE_CHECKING:
    from stemmata.bootstrap.window import Application

OURS = "stemmata."
PATIENCE = 120  # seconds, for anything
ENOUGH = 40  # characters of a reply: several pieces, so that one comes all the way from the wire to the card
BEFORE = {  # modules in November, by a tracer that stopped before the painting
    "import → open": 220,
    "search keystroke": 34,
    "compact → preview": 136,
    "accept → stored": 206,
}


@dataclass
class Trace:
    """The functions that ran between `begin` and `end`. `modules` are in the order of their first call."""

    modules: dict[str, None] = field(default_factory=dict)
    depth: int = 0
    is_on: bool = False

    def install(self) -> None:
        """Trace this thread and all threads that are started later."""
        threading.setprofile(self._listener())
        sys.setprofile(self._listener())

    def begin(self) -> None:
        self.modules, self.depth, self.is_on = {}, 0, True

    def end(self) -> None:
        self.is_on = False

    def rooms(self) -> list[str]:
        """Return `layer/room` of the modules, each once."""
        names = ("/".join(module.removeprefix(OURS).split(".")[:2]) for module in self.modules)
        return list(dict.fromkeys(names))

    def _listener(self) -> Callable[[FrameType, str, object], None]:
        def listen(frame: FrameType, event: str, _argument: object) -> None:
            if self.is_on and event == "call":
                module = frame.f_globals.get("__name__", "")
                if module.startswith(OURS) and frame.f_code.co_name != "<module>":
                    self.modules[module] = None
                    self.depth = max(self.depth, _depth(frame))

        return listen


def _depth(frame: FrameType | None) -> int:
    """Return the number of our functions that are running in this thread."""
    count = 0
    while frame is not None:
        count += str(frame.f_globals.get("__name__", "")).startswith(OURS)
        frame = frame.f_back
    return count


@dataclass(frozen=True)
class Walk:
    name: str
    modules: tuple[str, ...]
    rooms: tuple[str, ...]
    depth: int


def walks(profile: Path) -> Iterator[Walk]:
    """The actions one after the other in a window of its own, with a fake model on loopback."""
    trace = Trace()
    trace.install()
    from stemmata.bootstrap.window import build

    application = build(["--profile", str(profile)])
    try:
        yield from _walks(application, trace)
    finally:
        sys.setprofile(None)
        application.close()


def _walks(application: Application, trace: Trace) -> Iterator[Walk]:
    gui, window = application.gui, application.window
    window.resize(1440, 900)
    window.show()
    until(lambda: gui.workspaces[0].is_warm and window.is_painted)
    _ = gui.controllers

    def walk(name: str, act: Callable[[], object], is_done: Callable[[], bool]) -> Walk:
        rest()
        trace.begin()
        act()
        until(is_done)
        trace.end()
        return Walk(name, tuple(trace.modules), tuple(trace.rooms()), trace.depth)

    yield walk("import → open", gui.importing.open_demo, lambda: gui.opened.session_tree is not None)
    until(lambda: gui.compaction.offer is not None)  # the last work that opening a session starts
    yield _keystroke(application, walk)
    actions = window.actions_table
    yield walk("compact → preview", actions["compact"].trigger, lambda: window.columns.in_workbench)
    until(lambda: window.workbench.accept.isEnabled())
    before = gui.opened.session
    yield walk(
        "accept → stored",
        actions["accept-compaction"].trigger,
        lambda: gui.opened.session is not None and before is not None and gui.opened.session.leaf != before.leaf,
    )
    yield _delta(application, walk)


Walker = Callable[[str, Callable[[], object], Callable[[], bool]], Walk]


def _keystroke(application: Application, walk: Walker) -> Walk:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from stemmata.gui.palette.rows import HitRow

    window = application.window
    window.actions_table["palette"].trigger()
    palette = window.palette_box
    palette.field.setText("qqqq")  # which is found nowhere
    rest()
    palette.field.selectAll()
    key = partial(QTest.keyClicks, palette.field, "t")
    done = walk("search keystroke", key, lambda: any(isinstance(row, HitRow) for row in palette.rows))
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    return done


def _delta(application: Application, walk: Walker) -> Walk:
    """Trace the words of a reply from the network to the card that shows them."""
    from stemmata.domain.chat.connections import Connection
    from tests.fakes.anthropic_server import AnthropicServer
    from tests.fakes.script import flood

    with AnthropicServer() as server:
        server.script(flood(60, rate=20))
        services, gui, window = application.services, application.gui, application.window
        connection = Connection(name="Fake", base_url=server.url, model="claude-opus-4-5")
        services.connecting.save(connection).result(PATIENCE)
        window.actions_table["new-chat"].trigger()
        until(lambda: gui.opened.session_tree is not None and window.transcript.composer.foot.model.isVisible())
        window.transcript.composer.put("Hello")
        window.transcript.composer.submit()

        def shown() -> int:
            replies = gui.controllers.streams.replies(gui.opened.key)
            return sum(len(piece) for reply in replies for block in reply.blocks.values() for piece in block.pieces)

        until(lambda: shown() > 0)
        before = shown()
        done = walk("streamed delta", lambda: None, lambda: shown() > before + ENOUGH)
        gui.controllers.runs.stop()
        until(lambda: not gui.controllers.runs.state.is_busy)
        return done


def until(is_done: Callable[[], bool]) -> None:
    from PySide6.QtTest import QTest

    end = time.monotonic() + PATIENCE
    while not is_done():
        if time.monotonic() > end:
            raise TimeoutError
        QTest.qWait(5)


def rest() -> None:
    """Wait until the work of an earlier action has ended."""
    from PySide6.QtTest import QTest

    QTest.qWait(500)


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        for walk in walks(Path(folder) / "profile"):
            before = BEFORE.get(walk.name)
            note = f" November {before}" if before else ""
            yield Figure("trace", f"{walk.name}: modules", len(walk.modules), "", note=note)
            yield Figure("trace", f"{walk.name}: depth", walk.depth, "")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        for walk in walks(Path(folder) / "profile"):
            sys.stdout.write(f"{walk.name:<20} {len(walk.modules):>4} modules  {len(walk.rooms):>3} rooms")
            sys.stdout.write(f"  depth {walk.depth:>3}\n")
            if "--walk" in sys.argv:
                sys.stdout.write("".join(f"    {room}\n" for room in walk.rooms))
            if "--modules" in sys.argv:
                sys.stdout.write("".join(f"    {module}\n" for module in walk.modules))
    return 0


if __name__ == "__main__":
    sys.exit(main())
