"""The one publisher of changes. Callbacks run on the publishing thread; the window's bridge re-posts them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stemmata.domain.entries.changes import ChangeSet

    Callback = Callable[[ChangeSet], None]


class Notices:
    """Subscribe and publish, from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._callbacks: list[Callback] = []

    def subscribe(self, callback: Callback) -> Callable[[], None]:
        """Returns the function that ends the subscription; calling it twice does no harm."""
        with self._lock:
            self._callbacks.append(callback)

        def unsubscribe() -> None:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

        return unsubscribe

    def publish(self, changes: ChangeSet) -> None:
        with self._lock:
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback(changes)
