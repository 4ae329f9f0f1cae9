"""The compaction workbench with the longest session: planning, and dragging the cut line.

All figures are processor time of the thread that works, because other programs lengthen the time that passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from stemmata.bootstrap.core import Core
from stemmata.domain.entries.path_totals import PathTotals
from tests.benchmarks.core import core_at, headline
from tests.benchmarks.report import Figure, percentile, worked
from tests.benchmarks.window import in_process

MOVES = 120  # of the cut line
STEP = 3  # entries between two positions of the line
FRAME = 16.7  # ms; the figures are computed on another thread, and painting the cards takes most of a move
PATIENCE = 30.0  # seconds


def figures(archive: Path, profile: Path) -> Iterator[Figure]:
    """Measure planning, and the GUI thread's cost of moving the cut line, also while two cuts are compared."""
    opened = core_at(archive)
    try:
        yield from planning(opened)
    finally:
        opened.close()
    for held, name in (("", "the cut line moved"), ("held", "the cut line moved, two cuts compared")):
        moved = in_process("measure_moves", str(archive), str(profile), held, module="workbench")
        yield Figure("workbench", f"{name}, p95", moved["p95"], "ms", FRAME,
                     note=f" median {moved['median']:.1f}, longest {moved['longest']:.1f}")  # fmt: skip
        yield Figure("workbench", f"{name}, a turn of the event loop, p99", moved["turn"], "ms", FRAME,
                     note=f" longest {moved['longest_turn']:.1f}")  # fmt: skip


def planning(core: Core) -> Iterator[Figure]:
    """A plan with its forecast, as for each move of the cut line, and one without the totals of the path."""
    session_tree = headline(core)
    leaf, compactions = session_tree.tree.get(session_tree.session.leaf), core.services.compaction
    path_totals = PathTotals.to(session_tree.tree, leaf)
    compactions.preview(session_tree, leaf, path_totals=path_totals)
    cuts = [path_totals.path[len(path_totals.path) * part // 40] for part in range(20, 39)]
    took = [
        worked(lambda cut=cut: compactions.preview(session_tree, leaf, first_kept=cut, path_totals=path_totals))[0]  # type: ignore[misc]
        for cut in cuts
        for _ in range(3)
    ]
    count = len(path_totals.path)
    yield Figure("workbench", f"planning at a cut, {count:,} entries, p95", percentile(took, 95), "ms", 10,
                 note=f" median {percentile(took, 50):.1f}")  # fmt: skip
    whole = min(worked(lambda: compactions.preview(session_tree, leaf))[0] for _ in range(5))
    yield Figure("workbench", "planning without the totals of the path", whole, "ms", 30)


# -- inside the child process --------------------------------------------------------------------------------------


def measure_moves(archive: str, profile: str, held: str) -> dict[str, float]:
    """Return the busy ms of the GUI thread for each move of the cut line, from the drag to the shown figures."""
    from PySide6.QtWidgets import QApplication

    from stemmata.bootstrap.window import build

    turns: list[float] = []

    def until(reached: Callable[[], object]) -> float:
        return turned(turns, reached)

    application = build(["--store", archive, "--profile", profile])
    gui, window = application.gui, application.window
    window.resize(1440, 900)
    window.show()

    longest = max(application.services.sessions.all().result(), key=lambda session: session.entries).key
    until(lambda: gui.workspaces[0].is_warm)  # else the first moves count the modules that are loaded in idle time
    gui.open_session(longest)
    until(lambda: gui.compaction.offer is not None)
    window.actions_table["compact"].trigger()
    until(lambda: window.columns.in_workbench)  # the digest is still being written
    if held:
        gui.compaction.compare_cuts()
    session_tree = gui.opened.session_tree
    assert session_tree is not None
    tree, view, compaction = session_tree.tree, window.transcript.view, gui.compaction
    took, start = [], 0
    turns.clear()
    for at in range(MOVES):
        offer = compaction.offer
        assert offer is not None
        path = gui.opened.path
        start = list(path).index(offer.preview.plan.kept[0]) if at == 0 else start
        cut = path[start - STEP * (at % 20) - STEP]
        begun = time.thread_time()
        view.cut_moved.emit(tree.key(cut))
        spent = (time.thread_time() - begun) * 1000
        spent += until(lambda offer=offer: compaction.offer is not offer)  # type: ignore[misc]  # a loop's lambda
        begun = time.thread_time()
        QApplication.processEvents()
        took.append(spent + (time.thread_time() - begun) * 1000)
    application.close()
    moved = {"median": percentile(took, 50), "p95": percentile(took, 95), "longest": max(took)}
    return moved | {"turn": percentile(turns, 99), "longest_turn": max(turns)}


def turned(turns: list[float], reached: Callable[[], object]) -> float:
    """Turn the event loop until `reached`, and return the busy milliseconds of this thread.

    Those of each turn are added to `turns`: no frame comes in the middle of one.
    """
    from PySide6.QtCore import QEventLoop
    from PySide6.QtWidgets import QApplication

    spent, end = 0.0, time.monotonic() + PATIENCE
    while not reached():
        if time.monotonic() > end:
            raise TimeoutError
        begun = time.thread_time()
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)  # asleep while nothing happens
        turns.append((time.thread_time() - begun) * 1000)
        spent += turns[-1]
    return spent
