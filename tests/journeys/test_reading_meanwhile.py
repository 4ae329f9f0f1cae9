"""Thirty sessions are imported while somebody reads: nothing jumps, nothing waits."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stemmata.gui.sessions.model import SessionRole
from tests.journeys.hands import CONTROL, LEFT, NONE
from tests.journeys.person import Person

SESSIONS = 30
LONGEST_WAIT = 0.25  # seconds of the GUI thread's processor time between two beats; a person notices more
BEAT_MS = 5


@pytest.fixture
def folder(tmp_path: Path, session_file: Path) -> Path:
    """A folder with thirty sessions of some length, each with texts of its own."""
    made = tmp_path / "many"
    made.mkdir()
    lines = session_file.read_text(encoding="utf-8").splitlines()
    for number in range(SESSIONS):
        head = json.loads(lines[0]) | {"id": f"many-{number:02}", "cwd": f"/home/me/project{number % 4}"}
        text = "\n".join([json.dumps(head), *lines[1:]]).replace("Prompt number", f"Of session {number}: number")
        (made / f"2025-02-{number % 28 + 1:02}T03-04-05_{number:02}.jsonl").write_text(text + "\n", encoding="utf-8")
    return made


class HeartBeat:
    """Measures the longest turn of the event loop, in seconds of the GUI thread's processor time.

    Processor time does not grow while other processes hold the machine.
    """

    def __init__(self) -> None:
        self.longest, self._last = 0.0, time.thread_time()
        self._timer = QTimer(interval=BEAT_MS)
        self._timer.timeout.connect(self._on_beat)
        self._timer.start()

    def _on_beat(self) -> None:
        now = time.thread_time()
        self.longest, self._last = max(self.longest, now - self._last), now

    def stop(self) -> float:
        self._timer.stop()
        return self.longest


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_thirty_sessions_are_imported_while_one_is_read(
    person: Person, session_file: Path, folder: Path, by: str
) -> None:
    person.drop(session_file)
    window, view, first = person.window, person.window.transcript.view, person.gui.opened.key
    window.resize(1024, 700)
    window.activateWindow()
    person.until(lambda: window.branches.outline is not None and window.sessions_model.total == 1)
    view.scroll_to(person.key("usr00003"))
    place, selection = view.place, person.gui.opened.selection
    assert place is not None
    beat = HeartBeat()
    person.gui.importing.import_paths([str(folder)], opens=False)
    scrolled = 0
    while window.sessions_model.total < SESSIONS + 1:
        assert person.gui.opened.key == first, "what is read stays open"
        if by == "mouse" or not scrolled:  # by keys the cursor moves, and the selection follows it
            assert person.gui.opened.selection == selection
        if scrolled == 0:
            assert view.place == place, "nothing jumps while nobody scrolls"
        QApplication.processEvents()
        if window.sessions_model.total > 2 or scrolled:
            _scroll(person, by, down=scrolled % 2 == 0)
            scrolled += 1
    longest = beat.stop()
    person.until(lambda: not window.import_dialog.is_importing)
    assert longest < LONGEST_WAIT, f"the window was busy for {longest * 1000:.0f} ms"
    other = next(
        row for row in range(window.sessions_model.rowCount())
        if window.sessions_model.index(row).data(SessionRole.KEY) not in (None, first)
    )  # fmt: skip
    _open(person, by, other)
    person.until(lambda: person.gui.opened.key != first and person.gui.opened.session_tree is not None)
    assert window.transcript.header.title.startswith("Of session")


def _scroll(person: Person, by: str, *, down: bool) -> None:
    view = person.window.transcript.view
    before = view.visible_keys
    if by == "keyboard":
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_PageDown if down else Qt.Key.Key_PageUp)
    else:
        at = QPointF(view.viewport().rect().center())
        angle = QPoint(0, -600 if down else 600)
        event = QWheelEvent(
            at, view.viewport().mapToGlobal(at), QPoint(), angle, Qt.MouseButton.NoButton, NONE,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view.viewport(), event)
    assert view.visible_keys != before, "scrolling works meanwhile"


def _open(person: Person, by: str, row: int) -> None:
    window = person.window
    if by == "keyboard":
        QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
        palette = window.palette_box
        QTest.keyClicks(palette.field, "Of session 7: number")
        person.until(lambda: any(type(row).__name__ == "SessionHitRow" for row in palette.rows))
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
    else:
        view = window.sessions.list
        index = window.sessions_model.index(row)
        view.scrollTo(index)
        QTest.mouseClick(view.viewport(), LEFT, NONE, view.visualRect(index).center())
