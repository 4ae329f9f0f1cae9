"""Searches in the navigator: finds and counts the matches, and moves from match to match."""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import Event
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from stemmata.gui.branches.model import BranchesModel
from stemmata.gui.branches.row import words_of
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import set_surface
from stemmata.gui.widgets.window_field import WindowField

PAUSE_MS = 120  # delay of the search after the last key press


class SearchLine(QWidget):
    """The search field. Enter and F3 go to the next match, with Shift to the previous one; Escape closes it."""

    query_changed = Signal(str)  # "" when the search is closed
    jump_requested = Signal(int)  # 1 for the next match, -1 for the previous one
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        set_surface(self, "bg")
        self._theme = theme
        self._field = WindowField(clearButtonEnabled=True)
        self._field.setPlaceholderText(self.tr("Search in these branches"))
        self._field.setAccessibleName(self.tr("Search in these branches"))
        self.count = label("", "faint")
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[5], metrics.SPACE[4], metrics.SPACE[5], metrics.SPACE[2])
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self._field, 1)
        row.addWidget(self.count)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._on_paused)
        self._field.textChanged.connect(lambda: self._pause.start())
        self.hide()

    @property
    def field(self) -> QLineEdit:
        """The text field."""
        return self._field

    @property
    def query(self) -> str:
        """The text of the field, without surrounding blanks."""
        return self._field.text().strip()

    def open(self) -> None:
        """Show the search line, and focus and select its text."""
        self.show()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def close_search(self) -> None:
        """Clear and hide the search line, and end the search."""
        self._field.clear()
        self._pause.stop()
        self.hide()
        self.query_changed.emit("")
        self.closed.emit()

    def set_count(self, at: int | None, total: int | None) -> None:
        """Show the number of the current match and the total, such as `3 of 12`; no text when `total` is None."""
        if total is None:
            self.count.clear()
        elif not total:
            self.count.setText(self.tr("none"))
        elif at is None:
            self.count.setText(number(total))
        else:
            self.count.setText(self.tr("{0} of {1}").format(number(at), number(total)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape:
            self.close_search()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3):
            if self._pause.isActive():
                self._pause.stop()
                self._on_paused()
            self.jump_requested.emit(-1 if back else 1)
        else:
            super().keyPressEvent(event)

    def _on_paused(self) -> None:
        self.query_changed.emit(self.query)


# runs a job and delivers its result on this thread
Compute = Callable[[Callable[[], Any], Callable[[Any], None]], None]
Stopped = Callable[[], bool]  # whether the search was cancelled; called on any thread
Find = Callable[[str, Stopped], Collection[int]]  # keys of the entries that match a query


def at_once(job: Callable[[], Any], deliver: Callable[[Any], None]) -> None:
    """Run the job at once on this thread and deliver its result; for small trees and tests."""
    deliver(job())


class Finder(QObject):
    """Runs searches: a new query cancels the previous one, and late answers are dropped."""

    matched = Signal()
    found = Signal(int)  # key of the match to go to

    def __init__(self, model: BranchesModel, line: SearchLine, compute: Compute, find: Find | None) -> None:
        super().__init__(line)
        self.find = find
        self._model = model
        self._line = line
        self._compute = compute
        self._stop = Event()
        self._is_asking = False  # whether the answer to the query is still to come
        self._pending: tuple[int | None, int] | None = None  # key and step of the jump that waits for the answer
        line.query_changed.connect(self._on_query_changed)

    def jump(self, key: int | None, step: int) -> None:
        """Go to the match after (`step` 1) or before (-1) this entry (key), as soon as the matches are known."""
        if self._is_asking:
            self._pending = key, step
            return
        match = self._model.next_match(key, step)
        if match is not None:
            found, number = match
            self.found.emit(found)
            self.show_count(number)

    def show_count(self, number: int | None = None) -> None:
        """Show the number of matches, and the number of the current one if given."""
        self._line.set_count(number, self._model.match_count)

    def _on_query_changed(self, query: str) -> None:
        self._stop.set()
        stop = self._stop = Event()
        find = self.find
        self._is_asking, self._pending = True, None
        if not query or find is None:
            self._on_answer(stop, None, "")
        else:
            self._compute(lambda: find(query, stop.is_set), lambda keys: self._on_answer(stop, keys, query))

    def _on_answer(self, stop: Event, keys: Collection[int] | None, query: str) -> None:
        if not stop.is_set():
            self._is_asking = False
            self._model.searched = words_of(query)
            self._model.set_matches(keys)
            self.matched.emit()
            self.show_count()
            if self._pending is not None:
                self.jump(*self._pending)
                self._pending = None
