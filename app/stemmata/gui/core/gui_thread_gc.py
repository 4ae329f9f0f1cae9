"""Runs Python's garbage collector on the GUI thread only.

By default a collection runs on the thread whose allocation exceeds the limit. Closed windows are cyclic garbage, and
collecting them deletes Qt documents and models at once: on another thread, during a paint, that crashes the program.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer

from stemmata.gui.core.turns import SpareTurn, TurnClock

LOOK_MS = 250
GROWTH = 4  # the oldest generation is collected after it has grown by 1/GROWTH, as in Python
OLDEST = 2
MOST_YOUNG = 10_000  # young objects that are searched at any time, which takes about 2 ms
AT_WORK = 1_000  # another thread is working when the number of young objects changes by more in an interval
QUIET = 2  # intervals without such a change after which it has finished
PATIENCE = 240  # intervals that a search is put off at most: a minute
STARTING = 200_000  # objects that may be created before the first `settle` without a collection: the start has 40,000


class GuiThreadGc(QObject):
    """Disables Python's automatic collection, and collects at intervals on the GUI thread instead."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._is_starting = True
        self._unsettled = self._anew = False
        self._young = 0  # young objects at the last look
        self._quiet = self._put_off = 0  # intervals without such a change, and for which a search has been put off
        self._in_use = 0  # objects in the oldest generation after its last collection
        self._next_count = 0  # counter value of the oldest generation from which its growth is measured again
        self._turn = SpareTurn(self, TurnClock(self), self.collect_when_due)
        self._timer = QTimer(self, interval=LOOK_MS, timerType=Qt.TimerType.CoarseTimer)
        self._timer.timeout.connect(self._turn.start)
        self._timer.start()

    def settle(self, *, anew: bool = False) -> None:
        """At the next interval freeze all objects, which later collections skip.

        To be called after loading many modules, because a collection that searches them takes longer than a frame.
        The little garbage among their objects is frozen, too. With `anew`, everything is collected first, including
        objects that were frozen earlier and have become garbage.
        """
        self._unsettled, self._anew = True, self._anew or anew

    def collect_when_due(self) -> None:
        """Collect the generations that Python would have collected by now, according to its counters."""
        if self._unsettled:
            if self._anew:
                gc.unfreeze()
                gc.collect()
            gc.freeze()
            self._is_starting = self._unsettled = self._anew = False
            self._in_use = self._next_count = 0
        counts, limits = gc.get_count(), gc.get_threshold()
        if self._is_starting and counts[0] < STARTING:
            return
        if self._is_at_work(counts[0]):
            return
        if counts[OLDEST] > limits[OLDEST] and self._has_grown(counts[OLDEST]):
            gc.collect(OLDEST)
            self._in_use, self._next_count = len(gc.get_objects(OLDEST)), 0
        elif counts[1] > limits[1]:
            gc.collect(1)
        elif counts[0] > limits[0]:
            gc.collect(0)

    def _is_at_work(self, young: int) -> bool:
        """Return whether another thread is creating many objects, such as for a summary of a long session.

        Most of them are freed without a collection. A collection in the meantime takes up to a frame, and so does a
        later one of the objects that have become old by then.
        """
        changed, self._young = abs(young - self._young), young
        self._quiet = 0 if changed > AT_WORK else self._quiet + 1
        is_at_work = young > MOST_YOUNG and self._quiet < QUIET and self._put_off < PATIENCE
        self._put_off = self._put_off + 1 if is_at_work else 0
        return is_at_work

    def _has_grown(self, count: int) -> bool:
        """Return whether the oldest generation has grown enough to be collected; `count` is Python's counter of it.

        Each collection of a generation that only grows would take longer than the one before.
        """
        if count < self._next_count:
            return False
        self._next_count = count + gc.get_threshold()[OLDEST]
        return len(gc.get_objects(OLDEST)) * GROWTH > self._in_use * (GROWTH + 1)

    def close(self) -> None:
        """Stop collecting. The caller must enable Python's automatic collection again if it is needed."""
        self._timer.stop()
        self._turn.stop()
