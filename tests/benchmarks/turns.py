"""What a turn costs at the end of a long session, beside its beginning: in the window, and on the command line.

A model works with tools in a small window, so that the session is compacted again and again. Costs are the processor
time of the whole process, and its memory; the server has a process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import TYPE_CHECKING

from tests.benchmarks.report import Figure, curve
from tests.benchmarks.window import _environment, _resident, _settle, _shown, in_process

if TYPE_CHECKING:
    from stemmata.bootstrap.window import Application

STRETCH = 50  # turns at the beginning and at the end that are compared
CALLS = 9  # of the command line, at each end
WINDOW = 32_000  # tokens of the model
BAR = 1.15
MODEL = "claude-haiku-3-5"
PATIENCE = 120.0  # seconds, for one turn


def figures(work: Path, turns: int) -> Iterator[Figure]:
    """Of a session with so many turns, said in the window, and of command lines on it and on its beginning.

    A call on the long session alternates with one on a copy from before the turns, so that what other programs do on
    the machine lengthens both alike.
    """
    from tests.marathon.marathon import Course, server_apart

    folder = work / "turns"
    shutil.rmtree(folder, ignore_errors=True)
    profile, short = folder / "profile", folder / "short"
    (profile / "config").mkdir(parents=True)
    first, last = list[tuple[float, float]](), list[tuple[float, float]]()
    with server_apart(Course(turns=turns, window=WINDOW)) as url:
        _connect(profile / "config", url)
        _called(profile, "new")
        shutil.copytree(profile, short)
        told = in_process("measure_turns", str(profile), str(turns), module="turns")
        for _ in range(CALLS):
            first.append(_called(short, "latest"))
            last.append(_called(profile, "latest"))
    cpu, memory = told["cpu"], told["memory"]
    yield from _grown("a turn in the window", cpu, memory, STRETCH)
    calls = [*first, *last]
    yield from _grown("a call of chat", [took for took, _ in calls], [size for _, size in calls], CALLS)
    steps = range(STRETCH, turns + 1, STRETCH)
    curve("Processor time of a turn", [(at, mean(cpu[at - STRETCH : at])) for at in steps], work / "turns.svg")
    curve("Memory, MB", [(at, memory[at - 1]) for at in steps], work / "turns-memory.svg")
    (work / "turns.json").write_text(json.dumps({"window": told, "chat": [first, last]}), encoding="utf-8")


def _grown(name: str, cpu: Sequence[float], memory: Sequence[float], count: int) -> Iterator[Figure]:
    """Compare the first turns with the last ones, warming up included, by their means and by their medians.

    The bar holds for the mean, which is what all of these turns cost. There are cheap and dear turns, of few and of
    many calls of tools, so that the median moves far when their shares move a little.
    """
    for what, values, unit in (("processor time", cpu, "ms"), ("memory", memory, "MB")):
        for average, bar in ((mean, BAR), (median, None)):
            first, last = average(values[:count]), average(values[-count:])
            compared = f"{name}, {what}, {average.__name__} of last {count} ÷ first"
            yield Figure("turns", compared, last / first, "×", bar, note=f" {first:.1f} → {last:.1f} {unit}")


def _connect(config: Path, url: str) -> None:
    from tests.fakes.chat_app import connect

    with connect(config, url, MODEL).open("a", encoding="utf-8") as settings:
        settings.write(f'[models."{MODEL}"]\nwindow = {WINDOW}\n')


def _called(profile: Path, session: str) -> tuple[float, float]:
    """Return (processor time in ms, peak memory in MB) of one call of `chat`."""
    run = [sys.executable, "-m", "stemmata", "chat", session, "Go on, please.", "--profile", str(profile)]
    environment = _environment()
    null = os.open(os.devnull, os.O_RDWR)
    process = os.posix_spawn(
        sys.executable, run, environment, file_actions=[(os.POSIX_SPAWN_DUP2, null, at) for at in (0, 1, 2)]
    )
    os.close(null)
    _, status, used = os.wait4(process, 0)
    if status:
        raise RuntimeError(f"chat ended with {status}")
    return (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss / 1000


# -- inside the child process --------------------------------------------------------------------------------------


def measure_turns(profile: str, turns: str) -> dict[str, list[float]]:
    """Return the processor time in ms of each turn, and the MB of memory after it."""
    application = _shown(str(Path(profile) / "data" / "archive.db"), profile)
    application.gui.workspaces[0].restore(otherwise="latest")
    _until(application, lambda: application.gui.opened.session_tree is not None)
    _settle(application)
    random, cpu, memory = Random(1), list[float](), list[float]()
    for _ in range(int(turns)):
        started = time.process_time()
        _take_turn(application, random)
        cpu.append((time.process_time() - started) * 1000)
        memory.append(_resident())
    application.close()
    return {"cpu": cpu, "memory": memory}


def _take_turn(application: Application, random: Random) -> None:
    from stemmata.domain.chat.run import OutgoingMessage
    from stemmata.domain.entries.blocks import Text
    from tests.marathon.server import prose

    runs, session = application.services.runs, application.gui.opened.key
    assert session is not None
    text = prose(random, random.choice((30, 60, 200, 200, 1_500)))
    runs.send(session, OutgoingMessage(blocks=(Text(text),))).result(PATIENCE)
    _until(application, lambda: not runs.state(session).is_busy and not runs._background)
    _settle(application)


def _until(application: Application, holds: Callable[[], bool]) -> None:
    from PySide6.QtWidgets import QApplication

    end = time.monotonic() + PATIENCE
    while not holds():
        QApplication.processEvents()
        time.sleep(0.005)
        if time.monotonic() > end:
            raise RuntimeError(f"nothing happens: {application.gui.controllers.runs.state}")
