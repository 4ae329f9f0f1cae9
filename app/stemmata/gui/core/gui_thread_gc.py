"""Runs Python's garbage collector on the GUI thread only.

By default a collection runs on the thread whose allocation exceeds the limit. Closed windows are cyclic garbage, and
collecting them deletes Qt documents and models at once: on another thread, during a paint, that crashes the program.

A collection of a hundred thousand objects takes longer than two frames. While the window is used, only young objects
are searched, and only when they are few. All other objects are searched when the user switches to another program.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from stemmata.gui.core.turns import SpareTurn, TurnClock

LOOK_MS = 250
MOST_SEARCHED = 8_000  # objects that are searched while the window is used, which takes about 3 ms
STARTING = 200_000  # objects that may be created before the first `settle` without a collection: the start has 40,000
AWAY_MS = 30_000  # time in another program after which the person is not about to come back at once
GROWN = 50_000  # new objects from which on all are searched when the person is away


class GuiThreadGc(QObject):
    """Disables Python's automatic collection, and collects at intervals on the GUI thread instead."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._is_starting = True
        self._is_due = False  # whether all objects are searched as soon as the person is away
        self._searched = 0  # number of objects after the last search of all
        self._unsettled = False
        self._turn = SpareTurn(self, TurnClock(self), self.collect_when_due)
        self._timer = QTimer(self, interval=LOOK_MS, timerType=Qt.TimerType.CoarseTimer)
        self._timer.timeout.connect(self._turn.start)
        self._timer.start()
        self._away = QTimer(self, singleShot=True, interval=AWAY_MS)
        self._away.timeout.connect(self.collect_all)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.applicationStateChanged.connect(self._on_state_changed)

    def settle(self) -> None:
        """At the next interval freeze all objects, which later collections skip.

        To be called after loading many modules, because a collection that searches them takes longer than a frame. It
        is also called when another session is opened, because Python subtracts the deleted objects of the old session
        from the number of its young objects.
        """
        self._unsettled = True

    def collect_all_when_away(self) -> None:
        """Search all objects when the user next switches to another program; to be called for a closed window."""
        self._is_due = True

    def collect_when_due(self) -> None:
        """Search the young objects if they are as many as Python's threshold; freeze them if they are too many."""
        if self._unsettled:
            gc.freeze()  # `gc.get_freeze_count` would go through all of them
            self._is_starting = self._unsettled = False
        if gc.get_count()[0] <= (STARTING if self._is_starting else gc.get_threshold()[0]):
            return
        if _young_count() > MOST_SEARCHED:
            gc.freeze()
        else:
            gc.collect(0)

    def collect_all(self) -> None:
        """Search all objects, frozen ones as well, if there are enough new ones; then freeze them."""
        gc.freeze()  # so that all can be counted: `gc.get_objects` takes hold of tuples that other threads are making
        if self._is_due or gc.get_freeze_count() > self._searched + GROWN:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._searched, self._is_due = gc.get_freeze_count(), False

    def close(self) -> None:
        """Stop collecting. The caller must enable Python's automatic collection again if it is needed."""
        self._timer.stop()
        self._turn.stop()
        self._away.stop()

    def _on_state_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._away.stop()
        elif self._timer.isActive():
            self._away.start()


def _young_count() -> int:
    """Return the number of young objects. `gc.get_count` is too small: it subtracts old objects that were deleted.

    The list of the objects must live only inside C functions, during which no other thread runs. It also refers to
    the tuples that other threads are making, and Python cannot finish a tuple to which anything else refers.
    """
    return sum(map(len, map(gc.get_objects, (0,))))
