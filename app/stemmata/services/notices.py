"""The publisher of change sets. Callbacks run on the publishing thread; the window's bridge passes them on."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stemmata.domain.sessions.changes import ChangeSet

    Callback = Callable[[ChangeSet], None]


class Notices:
    """Publishes change sets to subscribers, from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._callbacks: list[Callback] = []

    def subscribe(self, callback: Callback) -> Callable[[], None]:
        """Subscribe, and return the function to unsubscribe. Calling that twice is harmless."""
        with self._lock:
            self._callbacks.append(callback)

        def unsubscribe() -> None:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

        return unsubscribe

    def publish(self, changes: ChangeSet) -> None:
        """Call every subscriber with the change set."""
        with self._lock:
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback(changes)
