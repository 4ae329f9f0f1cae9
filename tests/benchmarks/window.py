"""The window: opening, scrolling, cold start and memory, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from tests.benchmarks.report import Figure, percentile, timed, worked

if TYPE_CHECKING:
    from stemmata.bootstrap.window import Application

ROOT = Path(__file__).parents[2]
CACHE = Path(tempfile.gettempdir()) / "stemmata-benchmarks-pycache"
FRAMES = 300
JUMPS = 60
REST = 3.0  # seconds in which the digest of 14,179 entries is computed

BARE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        QTimer.singleShot(0, lambda: (print("painted", flush=True), application.quit()))
application = QApplication(sys.argv)
window = Window()
window.resize(1440, 900)
window.show()
application.exec()
"""

OURS = """
import sys
from stemmata.bootstrap import build
application = build(sys.argv[1:])
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from stemmata.gui.sessions.delegate import SessionDelegate
paint = SessionDelegate.paint
def painting(*arguments):
    SessionDelegate.paint = paint
    paint(*arguments)
    QTimer.singleShot(0, lambda: (print("painted", flush=True), QApplication.quit()))
SessionDelegate.paint = painting
application.window.resize(1440, 900)
application.window.show()
QApplication.exec()
application.close()
"""  # painted: the first row of the list of sessions, and with it all that the window shows


def in_process(name: str, *arguments: str, module: str = "window", timeout: float | None = None) -> Any:
    """Run one of the measurements below, or of another module, in a new process; its JSON answer."""
    code = f"import sys; from tests.benchmarks import {module}, window; window.answer({module}.{name}, sys.argv[1:])"
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=_environment(), capture_output=True, text=True, cwd=ROOT, timeout=timeout,
    )  # fmt: skip
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout.splitlines()[-1])


def _environment() -> dict[str, str]:
    paths = os.pathsep.join((str(ROOT / "app"), str(ROOT)))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {
        "PYTHONPATH": paths,
        "PYTHONPYCACHEPREFIX": str(CACHE),  # as an installed program, compiled once
        "QT_QPA_PLATFORM": "offscreen",
    }


def answer(work: Callable[..., object], arguments: list[str]) -> None:
    sys.stdout.write(json.dumps(work(*arguments)) + "\n")


def figures(archive: Path, profile: Path, label: str) -> Iterator[Figure]:
    """Measure opening, scrolling and memory with the longest session of this archive.

    The bars are those for a session of 14,179 entries and for one of a million.
    """
    shown_bar, memory_bar = (200, 160) if label == "14,179" else (1500, 350)
    opened = in_process("measure_open", str(archive), str(profile))
    yield Figure("open", f"click → first painted transcript, {label}", opened["first"], "ms", 80)
    yield Figure("open", f"click → tree and context shown, {label}", opened["whole"], "ms", shown_bar)
    yield Figure("memory", f"resident, {label} open", opened["resident"], "MB", memory_bar,
                 note=f" empty window {opened['empty']:.0f} MB")  # fmt: skip
    chatting = in_process("measure_chat", str(archive), str(_connected(profile)))
    yield Figure("open", f"click → first painted transcript, {label}, model connected", chatting["first"], "ms", 80,
                 note=f" busy {chatting['busy']:.0f} ms")  # fmt: skip
    yield Figure("memory", f"resident, {label} open, model connected", chatting["resident"], "MB", memory_bar,
                 note=f" {chatting['sdk']:.0f} MB with the SDK that the first message loads")  # fmt: skip
    for view in ("transcript", "branches"):
        scrolled = in_process("measure_scroll", str(archive), str(profile), view)
        yield Figure("scroll", f"{view}, frame p99, {label}", scrolled["p99"], "ms", 8,
                     note=f" busy {scrolled['p99 busy']:.1f} ms, median {scrolled['median busy']:.1f}")  # fmt: skip
        yield Figure("scroll", f"{view}, random jump p95, {label}", scrolled["jump"], "ms", 16,
                     note=f" busy {scrolled['jump busy']:.1f} ms")  # fmt: skip


def _connected(profile: Path) -> Path:
    """A profile like this one with a model connected, which nobody answers for."""
    from tests.fakes.chat_app import connect

    made = profile.with_name(f"{profile.name}-chat")
    (made / "config").mkdir(parents=True, exist_ok=True)
    connect(made / "config", "http://127.0.0.1:9")
    return made


def cold_start(archive: Path, profile: Path, rounds: int = 9) -> Iterator[Figure]:
    """From the start of the process to the painted list of sessions, in turn with a bare window of the same size.

    The best of each is compared: what other programs do on the machine is in every figure but the best ones.
    """
    arguments = ["--store", str(archive), "--profile", str(profile)]
    bare, ours = [], []
    for _ in range(rounds + 1):
        bare.append(_until_painted(BARE))
        ours.append(_until_painted(OURS, *arguments))
    note = f" bare {min(bare):.0f} ms, ours {min(ours):.0f} ms"
    yield Figure("start", "cold start ÷ bare PySide6 window", min(ours) / min(bare), "×", 2.2, note=note)


def _until_painted(code: str, *arguments: str) -> float:
    run = [sys.executable, "-c", code, *arguments]
    started = time.perf_counter()
    with subprocess.Popen(run, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdout is not None
        answer = child.stdout.readline()
        took = (time.perf_counter() - started) * 1000
    if answer != b"painted\n" or child.returncode:
        raise RuntimeError(f"the window was not painted (exit status {child.returncode})")
    return took


# -- inside the child process --------------------------------------------------------------------------------------


def measure_open(archive: str, profile: str) -> dict[str, float]:
    application = _shown(archive, profile)
    empty = _resident()
    key = _longest(application)
    painted, _ = timed(lambda: _open_and_paint(application, key))
    rest, _ = timed(lambda: _settle(application))
    _rest(application)
    resident = _resident()
    application.close()
    return {"first": painted, "whole": painted + rest, "resident": resident, "empty": empty}


def measure_chat(archive: str, profile: str) -> dict[str, float]:
    """Measure as `measure_open`, with a connected model and the keys in the composer, then the first message."""
    application = _shown(archive, profile)
    key = _longest(application)
    painted, (busy, _) = timed(lambda: worked(lambda: _open_and_paint(application, key)))
    _settle(application)
    application.window.transcript.composer.editor.setFocus()
    application.services.connecting.connections().result()
    _settle(application)
    _rest(application)
    resident = _resident()
    import_module("anthropic")
    with_sdk = _resident()
    application.close()
    return {"first": painted, "busy": busy, "resident": resident, "sdk": with_sdk}


def measure_scroll(archive: str, profile: str, view: str) -> dict[str, float]:
    application = _shown(archive, profile)
    _open_and_paint(application, _longest(application))
    _settle(application)
    window = application.window
    area = {"transcript": window.transcript.view, "branches": window.branches.list}[view]
    bar = area.verticalScrollBar()
    random = Random(3)
    frames = [_measured(area, lambda: bar.setValue(bar.value() - 90)) for _ in range(FRAMES)]
    places = [random.randrange(bar.maximum() + 1) for _ in range(JUMPS)]
    jumps = [_measured(area, partial(bar.setValue, place)) for place in places]
    application.close()
    (took, busy), (jump, jump_busy) = zip(*frames, strict=True), zip(*jumps, strict=True)
    return {
        "p99": percentile(took, 99), "p99 busy": percentile(busy, 99), "median busy": percentile(busy, 50),
        "jump": percentile(jump, 95), "jump busy": percentile(jump_busy, 95),
    }  # fmt: skip


def _measured(area: Any, move: Callable[[], object]) -> tuple[float, float]:
    """Return the wall-clock ms of one frame, and the ms that the GUI thread was busy with it."""
    took, (busy, _) = timed(lambda: worked(lambda: _frame(area, move)))
    return took, busy


def _frame(area: Any, move: Callable[[], object]) -> None:
    """Run one frame as the event loop does: the move, its deferred work, and the painting."""
    from PySide6.QtWidgets import QApplication

    move()
    area.viewport().repaint()
    QApplication.processEvents()


def _shown(archive: str, profile: str) -> Application:
    from PySide6.QtWidgets import QApplication

    from stemmata.bootstrap.window import build

    application = build(["--store", archive, "--profile", profile])
    application.window.resize(1440, 900)
    application.window.show()
    while not application.gui.is_warm:  # as it is a moment after the start
        QApplication.processEvents()
    application.services.sessions.all().result()
    for _ in range(20):
        QApplication.processEvents()
    return application


def _longest(application: Application) -> int:
    return max(application.services.sessions.all().result(), key=lambda session: session.entries).key


def _open_and_paint(application: Application, key: int) -> None:
    """Click a session and wait until the transcript shows its last entries."""
    from PySide6.QtCore import QEventLoop
    from PySide6.QtWidgets import QApplication

    application.gui.open_session(key)
    transcript = application.window.transcript.view
    while not transcript.visible_keys:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
    transcript.viewport().repaint()


def _settle(application: Application) -> None:
    """Wait until the tree is loaded and all deferred work is done."""
    from PySide6.QtWidgets import QApplication

    while application.gui.opened.session_tree is None:
        QApplication.processEvents()
    application.services.sessions.totals().result()
    for _ in range(50):
        QApplication.processEvents()


def _rest(application: Application) -> None:
    """Wait until the digest is computed, and the memory that is free after reading a large session is given back."""
    from PySide6.QtWidgets import QApplication

    end = time.monotonic() + REST
    while application.gui.freed_memory.is_waiting or time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.001)


def _resident() -> float:
    """Return the resident memory of this process in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0
