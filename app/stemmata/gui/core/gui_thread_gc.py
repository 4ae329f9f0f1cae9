"""Python's search for garbage, on the GUI thread alone.

It happens in whichever thread makes the object that is one too many. Closed windows are garbage in circles, and with
them go documents and models that Qt deletes then and there: on another thread, beside a paint, that ends the program.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer

LOOK_MS = 250
GROWTH = 4  # the oldest generation is searched again once it has grown by one part in so many, as Python does
OLDEST = 2


class GuiThreadGc(QObject):
    """From its making on Python does not search by itself; whoever closes it switches that on again."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._unsettled = self._anew = False
        self._in_use = 0  # objects of the oldest generation after its last search
        self._next_count = 0  # of searches of the middle generation: the growth is looked at again from then on
        self._timer = QTimer(self, interval=LOOK_MS, timerType=Qt.TimerType.CoarseTimer)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def settle(self, *, anew: bool = False) -> None:
        """At the next look search everything, and pass over in later ones what was found in use.

        For when much was loaded that stays: a whole search of the loaded modules is longer than a frame. `anew`, what
        had stayed is searched as well: something of it is gone.
        """
        self._unsettled, self._anew = True, self._anew or anew

    def look(self) -> None:
        """Search as far as Python would by now: it goes on counting."""
        if self._unsettled:
            if self._anew:
                gc.unfreeze()
            self._unsettled = self._anew = False
            gc.collect()
            gc.freeze()
            self._in_use = self._next_count = 0
        counts, limits = gc.get_count(), gc.get_threshold()
        if counts[OLDEST] > limits[OLDEST] and self._has_grown(counts[OLDEST]):
            gc.collect(OLDEST)
            self._in_use, self._next_count = len(gc.get_objects(OLDEST)), 0
        elif counts[1] > limits[1]:
            gc.collect(1)
        elif counts[0] > limits[0]:
            gc.collect(0)

    def _has_grown(self, count: int) -> bool:
        """Return whether the oldest generation has grown enough to be searched; `count` is Python's counter of it.

        Each search of a generation that only grows would take longer than the one before.
        """
        if count < self._next_count:
            return False
        self._next_count = count + gc.get_threshold()[OLDEST]
        return len(gc.get_objects(OLDEST)) * GROWTH > self._in_use * (GROWTH + 1)

    def close(self) -> None:
        self._timer.stop()
