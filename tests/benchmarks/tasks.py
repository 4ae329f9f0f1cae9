"""The sixty tasks in sessions as large as real ones, in an archive with other sessions: `--samples` names real ones.

A step is timed from its key or click until what the next one acts on is there; the last one until the task is done
and painted. What waits for a model, for a file to be written or for an answer of the system is not compared with the
bar.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.report import Figure, percentile
from tests.benchmarks.window import in_process

BAR = 150.0  # ms
PATIENCE = 20.0  # seconds
# They wait for a reply, or write the whole session to a file.
UNBOUND = {
    "Send a message", "Interrupt the reply and send a message now", "Allow a tool call once",
    "Export all branches as a page for a browser",
}  # fmt: skip


def figures(work: Path, samples: Path | None) -> Iterator[Figure]:
    """Play all tasks by mouse and by keys, in the longest sample and in the longest session of the corpus."""
    for label, base in (("longest sample", longest(samples)), ("14,179", work / "corpus-1" / "00.jsonl")):
        if base is None:
            continue
        for way in ("mouse", "keys"):
            rows = in_process("measure_tasks", str(base), way, str(samples or ""), module="tasks")
            yield from _figures(rows, label, way)


def _figures(rows: list[dict[str, Any]], label: str, way: str) -> Iterator[Figure]:
    failed = [row for row in rows if row["failed"]]
    timed = [row for row in rows if not row["failed"] and row["task"] not in UNBOUND]
    names = f" {failed[0]['task']}: {failed[0]['failed']}" if failed else ""
    yield Figure("tasks", f"tasks that failed by {way}, {label}", len(failed), "", 0, note=names)
    steps = [step for row in timed for step in row["steps"]]
    yield Figure("tasks", f"a step by {way}, median, {label}", percentile(steps, 50), "ms")
    worst = max(timed, key=lambda row: max(row["steps"]))
    yield Figure("tasks", f"a step by {way}, longest, {label}", max(worst["steps"]), "ms", BAR,
                 note=f" {worst['task']}")  # fmt: skip


def longest(samples: Path | None) -> Path | None:
    """Return the largest session file of pi in a folder."""
    found = [] if samples is None else [*samples.rglob("pi/*.jsonl")]
    return max(found, key=lambda path: path.stat().st_size, default=None)


def base_lines(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a session of pi in its newest form, whatever its version."""
    out: list[dict[str, Any]] = []
    for at, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:]):
        record = json.loads(line)
        if record["type"] == "message":
            out.append({"id": f"b{at}", "parentId": out[-1]["id"] if out else None} | record)
    return out


# -- inside the child process --------------------------------------------------------------------------------------


@dataclass
class Clock:
    """The moments at which steps began."""

    marks: list[float] = field(default_factory=list)

    def steps(self, end: float) -> list[float]:
        """Return the milliseconds of each step."""
        return [(after - before) * 1000 for before, after in zip(self.marks, [*self.marks[1:], end], strict=True)]


class Waiting:
    """Waits as the tests do, without their pauses."""

    def waitUntil(self, holds: Callable[[], bool]) -> None:
        from PySide6.QtCore import QEventLoop
        from PySide6.QtWidgets import QApplication

        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 2)
            time.sleep(0.0005)  # the other threads get the lock of Python


def measure_tasks(base: str, way: str, samples: str, only: str = "") -> list[dict[str, Any]]:
    """Play the tasks in a copy of a session; returns for each how long its steps took, or why it failed."""
    import tempfile

    from tests.fakes.anthropic_server import AnthropicServer

    with tempfile.TemporaryDirectory(prefix="stemmata-tasks-") as folder, AnthropicServer() as server:
        return _play_all(Path(folder), server, Path(base), way, samples, only)


def _play_all(folder: Path, server: Any, base: Path, way: str, samples: str, only: str) -> list[dict[str, Any]]:
    from stemmata.bootstrap.window import build
    from stemmata.domain.chat.connections import Connection
    from tests.tasks.large import LargePlayer, prepare
    from tests.tasks.table import GROUPS

    wait = Waiting()
    application = build(["--profile", str(folder / "profile")], environment={})
    application.window.resize(1440, 900)
    application.window.show()
    connection = Connection(name="Fake", base_url=server.url, model="claude-opus-4-5")
    application.services.connecting.save(connection).result()
    wait.waitUntil(lambda: application.gui.is_warm)
    application.gui.controllers.preferences.change("chat.own_tools", value=True)
    wait.waitUntil(lambda: application.services.chat.own_tools)
    if samples:
        application.services.importing.import_paths([Path(samples)]).result()
    made = prepare(application, wait, folder, base_lines(base))
    rows = []
    for number, (_group, tasks) in enumerate(GROUPS):
        for place, task in enumerate(tasks):
            if any(one in task.text for one in only.split("|")):
                player = LargePlayer(application, wait, folder, server, f"{number}n{place}{way}", made)
                rows.append(_played(task, player, way))
    application.close()
    return rows


def _played(task: Any, player: Any, way: str) -> dict[str, Any]:
    from PySide6.QtWidgets import QApplication

    clock = Clock()
    row: dict[str, Any] = {"task": task.text, "failed": "", "steps": []}
    try:
        player.begin(task)
        player.mark = lambda: clock.marks.append(time.perf_counter())
        for step in task.mouse if way == "mouse" else task.keys:
            step.play(player)
        player.wait_for(lambda: task.done(player))
        QApplication.processEvents()  # painted
        row["steps"] = clock.steps(time.perf_counter())
        del player.mark
        player.end()
    except Exception as error:  # noqa: BLE001 - the other tasks are played as well
        row["failed"] = f"{type(error).__name__} {error} at step {len(clock.marks)}"
    return row
