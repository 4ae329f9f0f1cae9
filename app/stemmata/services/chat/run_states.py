"""What every run is doing, for everybody who watches."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock

from stemmata.domain.chat.run import RunChanged, RunEvent, RunState

log = logging.getLogger(__name__)

Watcher = Callable[[RunEvent], None]


class RunBoard:
    """States are read on any thread; they are set, and watchers called, on the io thread."""

    def __init__(self) -> None:
        self._states: dict[int, RunState] = {}
        self._watchers: tuple[Watcher, ...] = ()
        self._lock = Lock()

    def state(self, session: int) -> RunState:
        return self._states.get(session) or RunState(session=session)

    def set(self, state: RunState) -> None:
        self._states[state.session] = state
        self.tell(RunChanged(state))

    def tell(self, event: RunEvent) -> None:
        """A watcher that fails fails alone: the run goes on."""
        for watcher in self._watchers:
            try:
                watcher(event)
            except Exception:
                log.exception("Somebody who watches a run failed.")

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Returns the function that ends the watch; calling it twice does no harm."""
        with self._lock:
            self._watchers = (*self._watchers, watcher)

        def unwatch() -> None:
            with self._lock:
                self._watchers = tuple(other for other in self._watchers if other is not watcher)

        return unwatch
