"""Contents that are hard to show, in the real window: the longest time that its thread is busy at a stretch.

A stretch is one turn of the event loop, or one thing a person does, such as a step of the wheel. It is measured
twice: as the time that passed, which is what a person notices and what the bar is for, and as the processor time of
the thread, which other programs on the machine lengthen less. With several runs, each step of the user counts with
its shortest run: the work is always the same, and what a run takes longer was taken by others.
"""

from __future__ import annotations

import cProfile
import hashlib
import json
import pstats
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks.core import core_at
from tests.benchmarks.report import Figure
from tests.benchmarks.window import in_process
from tests.fakes.torture import IMAGES, MB, TEXTS, TOOLS, Torture, tortures

if TYPE_CHECKING:
    from stemmata.bootstrap.window import Application
    from stemmata.gui.transcript.view import TranscriptView

BAR = 16.0
PATIENCE = 60  # seconds for one step; what takes longer has kept the window that long
MOST = 300  # seconds for one content
STEPS = 40  # of scrolling, each way
QUIET = 6  # turns of the event loop without work after which everything is done
PIECE = 40  # characters of a piece of a stream
PIECES = 300
ELSEWHERE = "elsewhere, names and texts of 1 MB"
PHASES = ("stored", "expanded", "streamed", "found", "copied", "resized", "read aloud")


class Stretch(NamedTuple):
    """The length of a stretch in ms, and the ms that the window's thread computed during it."""

    passed: float
    busy: float

    def longest(self, other: Stretch) -> Stretch:
        return Stretch(max(self.passed, other.passed), max(self.busy, other.busy))

    def __str__(self) -> str:
        return f"{self.passed:.0f} ({self.busy:.0f})"


NONE = Stretch(0.0, 0.0)
Steps = list[Stretch]  # the longest stretch of each step of the user


def longest_of(steps: Steps) -> Stretch:
    most = NONE
    for step in steps:
        most = most.longest(step)
    return most


def least(runs: Sequence[Steps]) -> Stretch:
    """The longest step, each step with its shortest run; of runs with other steps, the shortest longest."""
    if len({len(run) for run in runs}) > 1:
        runs = [[longest_of(run)] for run in runs]
    return longest_of([Stretch(*map(min, zip(*step, strict=True))) for step in zip(*runs, strict=True)])


def figures(work: Path, names: Collection[str] = (), runs: int = 1) -> Iterator[Figure]:
    """One line for each content that has one of `names` in its name: its worst phase, and the phases in the note.

    The note has the processor time of the thread in brackets.
    """

    def is_wanted(content: str) -> bool:
        return not names or any(name in content for name in names)

    worst = NONE
    for name in filter(is_wanted, (*TEXTS, *TOOLS, *IMAGES)):
        answers = [_answer(name, work) for _ in range(runs)]
        measured = {
            phase: least([[Stretch(*step) for step in run[phase]] for run in answers]) for phase in answers[0]
        }
        most = longest_of(list(measured.values()))
        worst = worst.longest(most)
        yield _figure(name, most, " · ".join(f"{phase} {took}" for phase, took in measured.items()))
    if is_wanted(ELSEWHERE):
        answer = in_process("measure_elsewhere", str(work / "torture"), module="torture")
        for name, took in answer.items():
            worst = worst.longest(Stretch(*took))
            yield _figure(f"{ELSEWHERE}: {name}", Stretch(*took))
    yield _figure("the longest of all", worst)


def _answer(name: str, work: Path) -> dict[str, list[list[float]]]:
    """The steps of one run, by phase."""
    try:
        steps: dict[str, list[list[float]]] = in_process(
            "measure", name, str(work / "torture"), module="torture", timeout=MOST
        )
    except subprocess.TimeoutExpired:
        return {phase: [[MOST * 1000.0] * 2] for phase in PHASES}
    return steps


def _figure(name: str, took: Stretch, note: str = "") -> Figure:
    note = f" busy {took.busy:.1f} {note}".rstrip()
    return Figure("torture", name, took.passed, "ms", BAR, note=note)


# -- inside the child process --------------------------------------------------------------------------------------


def measure(name: str, folder: str) -> dict[str, Steps]:
    (torture,) = tortures(names=(name,))
    from stemmata.bootstrap.window import build

    work = Path(folder)
    archive = work / f"{hashlib.sha256(name.encode()).hexdigest()[:12]}.db"
    archive.unlink(missing_ok=True)
    session = store(archive, [torture])[0]
    application = build(["--store", str(archive), "--profile", str(work / "profile")])
    stretches = Stretches(application)
    stretches.show_window()
    played = play(stretches, session, torture)
    application.close()
    return played


def measure_elsewhere(folder: str) -> dict[str, Stretch]:
    from stemmata.bootstrap.window import build

    archive = Path(folder) / "elsewhere.db"
    archive.parent.mkdir(parents=True, exist_ok=True)
    for old in archive.parent.glob("elsewhere.db*"):
        old.unlink()
    sessions = store_names(archive, MB)
    application = build(["--store", str(archive), "--profile", str(Path(folder) / "profile")])
    stretches = Stretches(application)
    stretches.show_window()
    played = play_elsewhere(stretches, sessions, MB)
    application.close()
    return played


def store_names(archive: Path, size: int) -> list[tuple[int, int]]:
    """An archive in which every name is `size` characters long; sessions, each with the end of its other branch."""
    from stemmata.domain.entries.blocks import Text, ToolCall
    from stemmata.domain.entries.entry import Entry, Role
    from stemmata.domain.sessions.session import SessionInfo
    from stemmata.store.writer import Writer

    def job(writer: Writer) -> list[tuple[int, int]]:
        out = []
        ns = 10**18
        for at, text in enumerate(("a very long name " * (size // 17), "w" * size)):
            info = SessionInfo(source="claude-code", source_id=f"n{at}", title=text, cwd=f"/{text}")
            arguments = json.dumps({"file_path": f"/{text}", "command": text})
            said = [
                Entry(id="a", role=Role.USER, blocks=(Text(text),), time=ns),
                Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=(ToolCall("t", text, arguments),), time=ns),
                Entry(id="c", parent="b", role=Role.TOOL_RESULT, call="t", tool=text, blocks=(Text(text),), time=ns),
                Entry(id="d", parent="c", role=Role.ASSISTANT, blocks=(Text(text),), model=text, time=ns),
                Entry(id="e", role=Role.USER, blocks=(Text(f"{text} other"),), time=ns),
                Entry(id="f", parent="e", role=Role.ASSISTANT, blocks=(Text(text),), time=ns),
            ]
            key = writer.create_session(info)
            made = writer.append(key, said)
            writer.move_leaf(key, made[3], "import", time=1)
            writer.refresh(key)
            out.append((key, made[5]))
        return out

    core = core_at(archive)
    try:
        return core.store.write(job).result()
    finally:
        core.close()


def play_elsewhere(stretches: Stretches, sessions: list[tuple[int, int]], size: int) -> dict[str, Stretch]:
    """Return the longest stretch of each other part of the window that shows these names, in ms."""
    out: dict[str, Stretch] = {}
    gui, window = stretches.application.gui, stretches.application.window

    def take(name: str) -> None:
        out[name] = stretches.take().longest(out.get(name, NONE))

    stretches.do(lambda: window.sessions.filter.setText("long name"), "filter")
    stretches.do(lambda: window.sessions.filter.clear(), "filter")
    stretches.do(lambda: window.sessions.list.viewport().update(), "paint")
    take("the list of sessions")
    for session, other in sessions:
        stretches.do(partial(gui.open_session, session), "open")
        stretches.until(lambda session=session: gui.opened.session_tree is not None and gui.opened.key == session)  # type: ignore[misc]
        stretches.settle()
        take("a session opened")
        _hover_over_all(stretches)
        take("tooltips")
        stretches.do(partial(gui.controllers.compare.open, other), "compare")
        stretches.until(lambda: gui.controllers.compare.is_open)
        stretches.settle()
        for width in (1100, 1440):
            stretches.do(partial(window.resize, width, 900), "resize")
        stretches.do(gui.controllers.compare.leave, "leave")
        take("compared")
    _play_summary(stretches, ("The **quick** brown fox jumps.\n\n" * (size // 32), "w" * size))
    take("a summary edited")
    return out


def _hover_over_all(stretches: Stretches) -> None:
    from PySide6.QtCore import QEvent, QPoint
    from PySide6.QtGui import QHelpEvent
    from PySide6.QtWidgets import QApplication, QToolTip, QWidget

    for widget in stretches.application.window.findChildren(QWidget):
        if widget.isVisible():
            middle = widget.rect().center()
            event = QHelpEvent(QEvent.Type.ToolTip, middle, widget.mapToGlobal(middle))
            stretches._measured(partial(QApplication.sendEvent, widget, event), "tooltip")
    QToolTip.showText(QPoint(), "")
    stretches.settle()


def _play_summary(stretches: Stretches, texts: tuple[str, ...]) -> None:
    from stemmata.gui.compaction.summary_dialog import SummaryDialog

    window = stretches.application.window
    for text in texts:
        shown: list[SummaryDialog] = []
        stretches.do(lambda: shown.append(SummaryDialog(window.theme, window, text)), "dialog")  # noqa: B023
        dialog = shown[0]
        stretches.do(dialog.show, "show")
        stretches.do(partial(dialog.summary.edit, on=False), "preview")
        stretches.do(partial(dialog.resize, 600, 500), "resize")
        stretches.do(dialog.summary.edit, "edit")
        stretches.do(dialog.close, "close")


def store(archive: Path, contents: list[Torture]) -> list[int]:
    """An archive with a session for each; their keys."""
    from stemmata.domain.entries.blocks import Image, Text
    from stemmata.domain.entries.entry import Entry, Role
    from stemmata.domain.sessions.session import SessionInfo
    from stemmata.store.writer import Writer

    def job(writer: Writer) -> list[int]:
        keys = []
        for at, torture in enumerate(contents):
            key = writer.create_session(SessionInfo(source="stemmata", source_id=f"t{at}", title=torture.name))
            digests = [hashlib.sha256(image).hexdigest() for image in torture.images]
            for digest, image in zip(digests, torture.images, strict=True):
                writer.add_blob(digest, image)
            images = tuple(Image("image/png", digest, 1) for digest in digests)
            said: list[Entry] = [
                Entry(id="a", role=Role.USER, blocks=(Text("Show it, please."),), time=10**18),
                Entry(id="b", parent="a", role=Role.ASSISTANT, blocks=(*torture.blocks, *images), time=10**18),
            ]
            if torture.call:
                answer = (Text(torture.text),)
                said.append(Entry(id="c", parent="b", role=Role.TOOL_RESULT, call="t1", tool=torture.tool,
                                  blocks=answer, time=10**18))  # fmt: skip
            said.append(Entry(id="u", parent=said[-1].id, role=Role.USER, blocks=(Text(torture.text),), time=10**18))
            said.append(Entry(id="z", parent="u", role=Role.ASSISTANT, blocks=(Text("That was it."),), time=10**18))
            writer.move_leaf(key, writer.append(key, said)[-1], "import", time=1)
            writer.refresh(key)
            keys.append(key)
        return keys

    core = core_at(archive)
    try:
        return core.store.write(job).result()
    finally:
        core.close()


class Stretches:
    """Measures the longest uninterrupted work of the window's thread in each step."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.what = "start"
        self.steps: Steps = [NONE]  # since `take_steps`
        self.told: Callable[[Stretch, str], None] = lambda _took, _what: None

    def take(self) -> Stretch:
        """The longest stretch since this was asked last."""
        return longest_of(self.take_steps())

    def take_steps(self) -> Steps:
        steps, self.steps = self.steps, [NONE]
        return steps

    def begin_step(self, what: str) -> None:
        """Begin to measure another step of the user."""
        self.what = what
        self.steps.append(NONE)

    def do(self, act: Callable[[], object], what: str = "act") -> None:
        """Do one action of the user and wait until its consequences have ended."""
        self.begin_step(what)
        self._measured(act, what)
        self.settle()

    def turn(self) -> Stretch:
        from PySide6.QtWidgets import QApplication

        return self._measured(QApplication.processEvents, f"after {self.what}")

    def settle(self) -> None:
        """Wait until nothing is left to do."""
        quiet, end = 0, time.monotonic() + PATIENCE
        while quiet < QUIET and time.monotonic() < end:
            took = self.turn()
            quiet = quiet + 1 if took.busy < 0.3 and not self._is_busy() else 0
            if quiet:
                time.sleep(0.003)

    def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self.turn()

    def show_window(self) -> None:
        gui, window = self.application.gui, self.application.window
        window.resize(1440, 900)
        window.show()
        self.until(lambda: gui.is_warm)
        self.application.services.sessions.all().result()
        window.transcript.view.warm_up()
        self.settle()
        self.until(lambda: not gui._collector._unsettled)  # later searches for garbage skip what the start has loaded
        window.theme.takes_turns = True  # as in a window that a person has opened
        self.take()

    def _is_busy(self) -> bool:
        return self.application.window.transcript.view.idle.is_active

    def _measured(self, act: Callable[[], object], what: str) -> Stretch:
        passed, busy = time.perf_counter(), time.thread_time()
        act()
        took = Stretch((time.perf_counter() - passed) * 1000, (time.thread_time() - busy) * 1000)
        self.steps[-1] = self.steps[-1].longest(took)
        self.told(took, what)
        return took


def play(stretches: Stretches, session: int, torture: Torture, steps: int = STEPS) -> dict[str, Steps]:
    """The steps of each phase."""
    application = stretches.application
    out: dict[str, Steps] = {}
    stretches.do(lambda: application.gui.open_session(session), "open")
    stretches.until(lambda: application.gui.opened.session_tree is not None)
    stretches.settle()
    view = application.window.transcript.view
    _scroll(stretches, view, steps)
    stretches.begin_step("a rest")  # in which lexers are loaded
    stretches.until(lambda: not view.idle.is_resting)
    out["stored"] = stretches.take_steps()
    _expand(stretches, view)
    _scroll(stretches, view, steps)
    out["expanded"] = stretches.take_steps()
    _find(stretches, torture)
    out["found"] = stretches.take_steps()
    _copy(stretches, view)
    out["copied"] = stretches.take_steps()
    for size in ((1024, 700), (1440, 900)):
        stretches.do(partial(application.window.resize, *size), "resize")
    out["resized"] = stretches.take_steps()
    stretches.do(lambda: _read_aloud(view), "read aloud")
    out["read aloud"] = stretches.take_steps()
    _stream(stretches, view, torture, steps)
    out["streamed"] = stretches.take_steps()
    return out


def _scroll(stretches: Stretches, view: TranscriptView, steps: int) -> None:
    """Scroll down by pages from the start, jump a few times, and scroll back up from the end."""
    bar, page = view.verticalScrollBar(), max(view.viewport().height() - 40, 100)
    stretches.do(lambda: bar.setValue(0), "to the start")
    for _ in range(steps):
        stretches.do(lambda: view.scroll_by(page), "page down")
    for at in range(1, 10):
        stretches.do(partial(bar.setValue, bar.maximum() * at // 10), f"jump {at}")
    stretches.do(view.scroll_to_end, "to the end")
    for _ in range(steps):
        stretches.do(lambda: view.scroll_by(-page), "page up")


def _expand(stretches: Stretches, view: TranscriptView) -> None:
    """Every part unfolded, every long text shown whole."""
    from stemmata.gui.cards.content import Action, Request

    keys = [view._layout.model.path.key(at) for at in range(len(view._layout.model))]
    for key in keys:
        stretches.do(partial(view.act, key, Action(Request.FOLD, "call0")), "unfold")
        stretches.do(partial(view.act, key, Action(Request.FOLD, "call1")), "unfold")
        stretches.do(partial(view.act, key, Action(Request.SHOW_ALL)), "show all")


def _find(stretches: Stretches, torture: Torture) -> None:
    find = stretches.application.gui.controllers.finding
    text = torture.streamed
    middle = text[len(text) // 2 :][:3].strip("\n") or text[:3]
    stretches.do(find.open, "find")
    stretches.do(lambda: find.bar.field.setText(middle), "find text")
    for _ in range(8):
        stretches.do(lambda: find.step(1), "find next")
    stretches.do(lambda: find.step(-1), "find previous")
    stretches.do(find.close, "find close")


def _copy(stretches: Stretches, view: TranscriptView) -> None:
    from PySide6.QtGui import QGuiApplication

    entries = stretches.application.gui.controllers.entries
    stretches.do(view.selection.select_all, "select all")
    stretches.do(lambda: entries.copy(markdown=False), "copy")
    stretches.do(lambda: view.scroll_by(200), "scroll selected")
    QGuiApplication.clipboard().clear()
    view.selection.clear()
    for card in view._cards.live():
        card.clear_selection()


def _read_aloud(view: TranscriptView) -> None:
    """Request what a screen reader requests."""
    from PySide6.QtGui import QAccessible

    shown = QAccessible.queryAccessibleInterface(view)
    for at in range(shown.childCount()):
        for which in (QAccessible.Text.Name, QAccessible.Text.Description):
            shown.child(at).text(which)


def _stream(stretches: Stretches, view: TranscriptView, torture: Torture, steps: int) -> None:
    """Stream the content as many small deltas, then as one of a megabyte."""
    from stemmata.domain.chat.run import Phase, RunChanged, RunState, Streamed
    from stemmata.domain.chat.streaming import (
        BlockDone,
        BlockGrew,
        BlockKind,
        BlockStarted,
        ReplyEnded,
        ReplyStarted,
        StopReason,
    )

    application = stretches.application
    streams, opened = application.gui.controllers.streams, application.gui.opened
    session, text = opened.key, torture.streamed
    assert session is not None
    assert opened.session is not None
    kind = BlockKind.TOOL_CALL if torture.call else BlockKind.TEXT

    def tell(event: Any) -> None:
        streams._take(Streamed(session, 7, 0, event))

    streams._take(RunChanged(RunState(session=session, run=7, phase=Phase.STREAMING, tip=opened.session.leaf)))
    tell(ReplyStarted())
    tell(BlockStarted(0, kind, "push" if torture.call else ""))
    stretches.do(view.scroll_to_end, "begin")
    for at in range(min(PIECES, 8 * steps)):
        tell(BlockGrew(0, text[at * PIECE : (at + 1) * PIECE]))
        if at % 5 == 0:
            time.sleep(0.031)
            stretches.begin_step(f"piece {at}")
            stretches.turn()
    stretches.settle()
    rest = text[PIECES * PIECE :] or text
    stretches.do(lambda: tell(BlockGrew(0, (rest * (MB // max(len(rest), 1) + 1))[:MB])), "one of 1 MB")
    stretches.do(lambda: tell(BlockGrew(0, rest[:PIECE])), "one more")
    for _ in range(steps // 4):
        stretches.do(lambda: view.scroll_by(-800), "scroll in it")
    stretches.do(lambda: application.window.resize(1100, 800), "resize it")
    stretches.do(lambda: application.window.resize(1440, 900), "resize it")
    stretches.do(view.scroll_to_end, "to its end")
    tell(BlockDone(0, torture.blocks[0] if torture.blocks else _text()))
    tell(ReplyEnded(StopReason.END_TURN))
    time.sleep(0.04)
    stretches.settle()
    streams._take(RunChanged(RunState(session=session, run=7)))
    time.sleep(0.04)
    stretches.settle()


def _text() -> Any:
    from stemmata.domain.entries.blocks import Text

    return Text("")


def explain(name: str, folder: str, slow: float = 12.0, lines: int = 8, *, profile: bool = True) -> None:
    """Print each stretch of a content in which the thread was busy for more than `slow` ms, and its profile.

    `python -c "from tests.benchmarks.torture import explain; explain('NUL', '/tmp/t')"`. The profiler makes all
    stretches longer, those of many short calls most.
    """
    (torture,) = tortures(names=(name,))
    from stemmata.bootstrap.window import build

    archive = Path(folder) / "explain.db"
    for old in Path(folder).glob("explain.db*"):
        old.unlink()
    session = store(archive, [torture])[0]
    application = build(["--store", str(archive), "--profile", str(Path(folder) / "profile")])
    stretches = ProfiledStretches(application) if profile else Stretches(application)
    stretches.show_window()

    def tell(took: Stretch, what: str) -> None:
        if took.busy > slow:
            sys.stdout.write(f"{what} {took.passed:.1f} ms, busy {took.busy:.1f} ms\n")
            if isinstance(stretches, ProfiledStretches):
                stretches.show_profile(lines)

    stretches.told = tell
    played = play(stretches, session, torture)
    sys.stdout.write(" · ".join(f"{phase} {longest_of(took)}" for phase, took in played.items()) + "\n")
    application.close()


class ProfiledStretches(Stretches):
    """Keeps the profile of the last stretch."""

    profile: cProfile.Profile

    def show_profile(self, lines: int) -> None:
        """Print the handlers that the event loop has called, and the functions that took the most themselves."""
        stats: dict[Any, Any] = pstats.Stats(self.profile).stats  # type: ignore[attr-defined]  # not in the stubs
        handlers = {
            function: took for function, took in stats.items() if any("processEvents" in by[2] for by in took[4])
        }
        for title, of, at in (("handler", handlers, 3), ("in itself", stats, 2)):
            rows = sorted(of.items(), key=lambda row: -row[1][at])
            for (file, line, function), took in rows[:lines]:
                if took[at] > 0.0005:
                    where = f"{Path(file).name}:{line} {function}"
                    sys.stdout.write(f"    {title} {took[at] * 1000:6.1f} ms {took[1]:6} × {where}\n")

    def _measured(self, act: Callable[[], object], what: str) -> Stretch:
        def profiled() -> None:
            self.profile.enable()
            act()
            self.profile.disable()

        self.profile = cProfile.Profile(time.thread_time)
        return super()._measured(profiled, what)
