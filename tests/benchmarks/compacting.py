"""The longest session is compacted on other threads while the window scrolls: what a frame takes meanwhile.

Work is what the window's thread computes in one frame. The wall clock beside it also holds its waits for other
threads, mostly for Python's lock, and for other programs; so it is compared with the frames before the compaction.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.report import Figure, percentile
from tests.benchmarks.window import _longest, _open_and_paint, _settle, _shown, in_process

if TYPE_CHECKING:
    from stemmata.bootstrap.window import Application

FRAME = 1 / 60
BEFORE, AFTER = 300, 120  # frames measured before the compaction, and after it while the window takes the result
STEP = 90  # pixels that a frame scrolls
BAR = 16.0


def figures(archive: Path, work: Path) -> Iterator[Figure]:
    """Return the figures of a compaction in a fresh copy of the archive."""
    folder = work / "compacting"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "profile").mkdir(parents=True)
    copy = Path(shutil.copy(archive, folder / "archive.db"))
    told = in_process("measure_compaction", str(copy), str(folder / "profile"), module="compacting")
    whens = {"before": told["before"], "meanwhile": told["while"], "when it is stored": told["after"]}
    for when, frames in whens.items():
        yield Figure("compacting", f"a frame {when}, work, longest", max(frames["work"]), "ms",
                     None if when == "before" else BAR, note=_spread(frames["work"]))  # fmt: skip
    for when, frames in whens.items():
        wall = percentile(frames["wall"], 99)
        yield Figure("compacting", f"a frame {when}, wall clock p99", wall, "ms", note=_spread(frames["wall"]))
    note = f" {len(told['while']['work'])} frames meanwhile"
    yield Figure("compacting", "the compaction, with frames", told["seconds"], "s", note=note)


def _spread(values: Sequence[float]) -> str:
    return (
        f" median {percentile(values, 50):.1f} ms, p99 {percentile(values, 99):.1f} ms, longest {max(values):.1f} ms"
    )


# -- inside the child process --------------------------------------------------------------------------------------


def measure_compaction(archive: str, profile: str) -> dict[str, Any]:
    """Return the ms of the frames before, during and after a compaction, and the seconds that it took."""
    from stemmata.services.compaction.request import CompactionRequest

    application = _shown(archive, profile)
    _open_and_paint(application, _longest(application))
    _settle(application)
    opened = application.gui.opened.session_tree
    assert opened is not None
    assert opened.session.leaf is not None
    scroll = _scroller(application)
    before = [_frame(scroll) for _ in range(BEFORE)]
    started = time.perf_counter()
    running = application.services.compaction.run(
        CompactionRequest(session=opened.session.key, leaf=opened.session.leaf)
    )
    meanwhile = list(_frames_until(running, scroll))
    seconds = time.perf_counter() - started
    running.result()
    after = [_frame(scroll) for _ in range(AFTER)]
    application.close()
    told = {"before": before, "while": meanwhile, "after": after}
    return {name: _columns(frames) for name, frames in told.items()} | {"seconds": seconds}


def _frames_until(running: Future[Any], scroll: Callable[[], object]) -> Iterator[tuple[float, float]]:
    while not running.done():
        yield _frame(scroll)


def _columns(frames: Sequence[tuple[float, float]]) -> dict[str, list[float]]:
    return {"work": [work for work, _ in frames], "wall": [wall for _, wall in frames]}


def _scroller(application: Application) -> Callable[[], object]:
    """Scrolls the transcript up by a step, and down again at its beginning."""
    view = application.window.transcript.view
    bar, by = view.verticalScrollBar(), [-STEP]

    def scroll() -> None:
        if not bar.minimum() < bar.value() + by[0] < bar.maximum():
            by[0] = -by[0]
        bar.setValue(bar.value() + by[0])
        view.viewport().repaint()

    return scroll


def _frame(scroll: Callable[[], object]) -> tuple[float, float]:
    """Return (processor time, wall clock) of one frame in ms, then wait until the next frame is due."""
    from PySide6.QtWidgets import QApplication

    started, work = time.perf_counter(), time.thread_time()
    scroll()
    QApplication.processEvents()
    work, wall = time.thread_time() - work, time.perf_counter() - started
    time.sleep(max(FRAME - wall, 0))
    return work * 1000, wall * 1000
