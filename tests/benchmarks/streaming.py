"""Replies that stream into the longest session: the real window, run, SDK and wire; the model is a fake on loopback.

Work is what the window's thread computes in one frame (its own processor time: the same whoever else computes);
the wall clock beside it also holds the waits for other threads.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from tests.benchmarks.core import core_at, headline
from tests.benchmarks.report import Figure, percentile
from tests.benchmarks.window import ROOT, _longest, _open_and_paint, _settle, _shown, in_process

if TYPE_CHECKING:
    from stemmata.bootstrap.window import Application
    from tests.fakes.script import Reply

FRAME = 1 / 60
SECONDS = 20  # of a reply at 200 tokens a second
SIZE = 200_000  # characters of the long reply
STOPS = 7
LEAST = 60  # pieces of a reply before it is stopped
PATIENCE = 120  # seconds, for anything
SDKS = frozenset({"anthropic", "openai", "httpx", "pydantic", "keyring"})


def figures(archive: Path, work: Path) -> Iterator[Figure]:
    """Return the figures of streaming, measured in a compacted copy of the archive."""
    yield Figure("streaming", "SDKs loaded by the first window", _sdks(archive, work), "", 0)
    for kind, name in (("flood", "200 tokens/s"), ("mixed", "one reply of 200 kB")):
        measured = _measured("measure_stream", archive, work, kind)
        wall = f" wall clock {measured['wall']:.1f} ms, {measured['characters']:,} characters"
        yield Figure("streaming", f"{name}, work a frame p99", measured["p99"], "ms", 8, note=wall)
        ends = f" {measured['first']:.2f} → {measured['last']:.2f} ms a frame"
        yield Figure("streaming", f"{name}, last tenth ÷ first", measured["growth"], "×", 1.5, note=ends)
    stopped = _measured("measure_stop", archive, work, "flood")
    for when, times in stopped.items():
        yield Figure("streaming", f"Stop {when} → idle, worst of {STOPS}", max(times), "ms", 50,
                     note=f" best {min(times):.1f} ms")  # fmt: skip


def _sdks(archive: Path, work: Path) -> int:
    return int(in_process("measure_sdks", *_at(archive, work), module="streaming"))


def _at(archive: Path, folder: Path) -> tuple[str, str]:
    return str(archive), str(folder / "profile")


def _measured(name: str, archive: Path, work: Path, kind: str) -> Any:
    """Measure in a separate process, over a fresh copy of the archive, with the server in a third process."""
    folder = work / "streaming"
    shutil.rmtree(folder, ignore_errors=True)
    config = folder / "profile" / "config"
    config.mkdir(parents=True)
    copy = Path(shutil.copy(archive, folder / "archive.db"))
    _compact(copy)
    with _server(kind) as url:
        from tests.fakes.chat_app import connect

        with connect(config, url, "claude-sonnet-5-5").open("a") as settings:
            settings.write("[chat]\nmax_tokens = 64000\n")
        return in_process(name, *_at(copy, folder), module="streaming")


def _compact(archive: Path) -> None:
    """Compact the session, because all of it is more than a model accepts."""
    from stemmata.services.compaction.request import CompactionRequest

    opened = core_at(archive)
    session = headline(opened).session
    assert session.leaf is not None
    opened.services.compaction.run(CompactionRequest(session=session.key, leaf=session.leaf)).result()
    opened.close()


@contextmanager
def _server(kind: str) -> Iterator[str]:
    code = f"from tests.benchmarks.streaming import serve; serve({kind!r})"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT / "app"), str(ROOT)))}
    run = [sys.executable, "-c", code]
    with subprocess.Popen(run, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        yield child.stdout.readline().strip()
        child.stdin.close()


def serve(kind: str) -> None:
    """Every request gets this reply, until the input ends."""
    from tests.fakes.anthropic_server import AnthropicServer

    with AnthropicServer(talks=lambda _payload: _reply(kind)) as server:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        sys.stdin.read()


def _reply(kind: str) -> Reply:
    from tests.fakes.script import Reply, Say, flood

    if kind == "flood":
        return flood(SECONDS)
    return Reply(blocks=(Say(_mixed(SIZE)),), piece=40, delay=1 / 200)


def _mixed(size: int) -> str:
    """Return Markdown of all kinds, with long and short code."""
    prose = "The **quick** brown fox jumps over `the lazy dog` by the [river](https://example.org), and so on. " * 5
    items = "\n".join(f"- item {at}: *something* to be done about it" for at in range(8))
    table = "| step | effort |\n|---|---|\n" + "\n".join(f"| part {at} | {at} hours |" for at in range(6))
    code = "\n".join(f"    value_{at} = compute(value_{at - 1}, name={at!r})  # step {at}" for at in range(1, 60))
    part = f"## A section\n\n{prose}\n\n{items}\n\n{table}\n\n```python\ndef work():\n{code}\n```\n\n"
    return (part * (size // len(part) + 1))[:size]


# -- inside the child process --------------------------------------------------------------------------------------


def measure_sdks(archive: str, profile: str) -> int:
    """Measure loading the SDKs after the first window has loaded everything else."""
    application = _shown(archive, profile)
    loaded = SDKS & set(sys.modules)
    application.close()
    return len(loaded)


def measure_stream(archive: str, profile: str) -> dict[str, float]:
    application = _ready(archive, profile)
    controllers = application.gui.controllers
    _send(application)
    _wait(application, lambda: bool(_shown_text(application)))
    frames: list[tuple[float, float]] = []
    characters = 0
    while controllers.runs.state.is_busy:
        frames.append(_frame())
        characters = max(characters, _shown_text(application))
    works, walls = [work for work, _ in frames], [wall for _, wall in frames]
    tenth = len(frames) // 10
    first, last = (
        _mean(works[tenth : 2 * tenth]),
        _mean(works[-tenth - 5 : -5]),
    )  # the end of a run reads the tree anew
    application.close()
    return {
        "p99": percentile(works, 99), "wall": percentile(walls, 99), "characters": characters,
        "first": first, "last": last, "growth": last / first,
    }  # fmt: skip


def measure_stop(archive: str, profile: str) -> dict[str, list[float]]:
    """Return the ms from the request to stop until the run has ended and everything is stored."""
    application = _ready(archive, profile)
    controllers = application.gui.controllers
    out: dict[str, list[float]] = {}
    for _ in range(STOPS):
        _send(application)
        _wait(application, lambda: _is_streaming(application))
        out.setdefault("while it streams", []).append(_stop(application))
        _send(application)
        _wait(application, lambda: controllers.runs.state.is_busy)
        out.setdefault("at once", []).append(_stop(application))
    application.close()
    return out


def _stop(application: Application) -> float:
    runs, session = application.services.runs, application.gui.opened.key
    assert session is not None
    idle = Event()
    unwatch = runs.watch(lambda _event: None if runs.state(session).is_busy else idle.set())
    started = time.perf_counter()
    runs.stop(session)
    if not idle.wait(PATIENCE):
        raise RuntimeError("the run does not end")
    took = (time.perf_counter() - started) * 1000
    unwatch()
    _wait(application, lambda: not application.gui.controllers.runs.state.is_busy)
    _settle(application)
    return took


def _is_streaming(application: Application) -> bool:
    """Whether a good part of the reply has come."""
    state, replies = application.gui.controllers.runs.state, application.gui.controllers.streams
    shown = [reply for reply in replies.replies(state.session) if reply.run == state.run and reply.entry is None]
    return sum(len(block.pieces) for reply in shown for block in reply.blocks.values()) > LEAST


def _ready(archive: str, profile: str) -> Application:
    application = _shown(archive, profile)
    _open_and_paint(application, _longest(application))
    _settle(application)
    return application


def _send(application: Application) -> None:
    from stemmata.domain.chat.run import OutgoingMessage
    from stemmata.domain.entries.blocks import Text

    application.gui.controllers.runs.send(OutgoingMessage(blocks=(Text("Go on, please."),)))


def _shown_text(application: Application) -> int:
    """Return the number of characters of the reply that the window has received."""
    replies = application.gui.controllers.streams.replies(application.gui.opened.key)
    return sum(len(piece) for reply in replies for block in reply.blocks.values() for piece in block.pieces)


def _wait(application: Application, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        _frame()
        if time.monotonic() > end:
            raise RuntimeError(f"nothing happens: {application.gui.controllers.runs.state}")


def _frame() -> tuple[float, float]:
    """Return (processor time, wall clock) in ms of the window's thread until the next frame is due."""
    from PySide6.QtWidgets import QApplication

    started, work = time.perf_counter(), time.thread_time()
    QApplication.processEvents()
    work, wall = time.thread_time() - work, time.perf_counter() - started
    time.sleep(max(FRAME - wall, 0))
    return work * 1000, wall * 1000


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
