"""Following: from a line that another tool writes to the card in the open window, and what the line costs."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.core import core_at
from tests.benchmarks.report import Figure, timed
from tests.benchmarks.window import in_process
from tests.fakes.claude_code import Line, call, reply, result, user

LINES = 40  # appended one after the other
TURN = 10_300  # bytes of the four lines of a turn, about
PATIENCE = 60.0  # seconds
TAIL = "last"


def figures(work: Path, megabytes: int) -> Iterator[Figure]:
    yield from _delays(work, 1, "a session of 1 MB")
    yield from _delays(work, megabytes, f"one of {megabytes} MB")
    yield from _growth(work, megabytes)


def _delays(work: Path, megabytes: int, label: str) -> Iterator[Figure]:
    found: list[float] = in_process("measure_delays", str(work), str(megabytes), module="following")
    yield Figure("following", f"written → in the window, {label}, median", median(found), "ms", 1000)
    yield Figure("following", f"… the worst of {len(found)}", max(found), "ms", 1000)


def _growth(work: Path, megabytes: int) -> Iterator[Figure]:
    """Measure reading and storing one appended line, and reading the whole file."""
    path, last = claude_file(work / "followed-growth", megabytes)
    archive = _emptied(work / "followed-growth-archive")
    core = core_at(archive)
    whole, _ = timed(lambda: core.services.importing.import_paths([path]).result())
    times = []
    for at in range(LINES // 4):
        last = append(path, last, at)
        times.append(timed(lambda: core.services.importing.import_paths([path]).result())[0])
    core.close()
    size = path.stat().st_size / 1e6
    yield Figure("following", f"one line more in {size:.0f} MB, imported", median(times), "ms", 1000,
                 note=f" the whole file {whole:.0f} ms")  # fmt: skip


def claude_file(folder: Path, megabytes: int) -> tuple[Path, str]:
    """A file of turns, written anew, and the id of its last line."""
    path, last = folder / "s.jsonl", ""
    folder.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        for turn in range(max(1, megabytes * 1_000_000 // TURN)):
            lines = _turn(turn, last)
            last = str(lines[-1]["uuid"])
            file.writelines(json.dumps(line) + "\n" for line in lines)
    return path, last


def _turn(turn: int, parent: str) -> list[Line]:
    asked, called, answered, said = (f"{kind}{turn:06}-4000-8000" for kind in "ucra")
    lines = [
        user(asked, parent or None, 0, "Please look at the next module. " * 10),
        call(called, asked, 0, f"m{turn}", f"t{turn}"),
        result(answered, called, 0, f"t{turn}"),
        reply(said, answered, 0, f"n{turn}"),
    ]
    lines[2]["message"]["content"][0]["content"] = "output of a tool, line after line\n" * 250
    for at, line in enumerate(lines):
        line["timestamp"] = _time(4 * turn + at)
    return lines


def append(path: Path, parent: str, at: int) -> str:
    """Append one reply below an entry and return its id."""
    id = f"{TAIL}{at:06}"
    line = reply(id, parent, 0, f"last{at}", stop="end_turn") | {"timestamp": _time(10_000_000 + at)}
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
    return id


def _time(second: int) -> str:
    return (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)).isoformat(timespec="milliseconds")[
        :-6
    ] + "Z"


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return folder / "archive.db"


# -- in a process of its own -------------------------------------------------------------------------------------


def measure_delays(work: str, megabytes: str) -> list[float]:
    """Return the ms from each write until its card is at the end of the transcript."""
    from stemmata.bootstrap.window import build
    from stemmata.services.settings.preferences import FOLLOWED

    base = Path(work) / f"followed-{megabytes}"
    path, last = claude_file(base / "projects", int(megabytes))
    profile = base / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    application = build(["--profile", str(profile)])
    application.window.show()
    application.gui.restore()
    application.services.preferences.change(FOLLOWED, str(path.parent)).result()
    _until(lambda: bool(application.gui.sessions.sessions))
    application.gui.open_session(next(iter(application.gui.sessions.sessions)))
    _until(lambda: _shows(application, last))
    delays = []
    for at in range(LINES):
        written = time.perf_counter()
        last = append(path, last, at)
        _until(partial(_shows, application, last))
        delays.append((time.perf_counter() - written) * 1000)
    application.close()
    return delays


def _shows(application: Any, id: str) -> bool:
    """Whether the card of this entry is among the visible ones."""
    opened = application.gui.opened
    if opened.session_tree is None or opened.session.leaf not in application.window.transcript.view.visible_keys:
        return False
    row = application.services.pages.rows([opened.session.leaf])[opened.session.leaf]
    return bool(row.id == id)


def _until(holds: Any) -> None:
    from PySide6.QtWidgets import QApplication

    end = time.perf_counter() + PATIENCE
    while not holds():
        if time.perf_counter() > end:
            raise TimeoutError("what was waited for did not happen")
        QApplication.processEvents()
        time.sleep(0.002)
