"""Python's search for garbage, on the GUI thread alone.

It happens in whichever thread makes the object that is one too many. Closed windows are garbage in circles, and with
them go documents and models that Qt deletes then and there: on another thread, beside a paint, that ends the program.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer

LOOK_MS = 250


class Collector(QObject):
    """From its making on Python does not search by itself; whoever closes it switches that on again."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._unsettled = self._anew = False
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
        counts, limits = gc.get_count(), gc.get_threshold()
        due = [generation for generation in range(3) if counts[generation] > limits[generation]]
        if due:
            gc.collect(due[-1])

    def close(self) -> None:
        self._timer.stop()
