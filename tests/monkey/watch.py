"""What goes wrong while a monkey is at it: exceptions, log records, words of Qt, what keeps the window waiting."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, TracebackType

from PySide6.QtCore import QTimer

# Seconds of the processor for one handler, or one turn of the event loop; a machine that is busy needs more for all.
SLOWEST = float(os.environ.get("MONKEY_SLOWEST", "1"))
LONGER = 2.0  # the same where that is known to take long
# Every widget is given another style; the whole of memory is searched, after a window was closed.
KNOWN = ("theme/theme.py", "gui/core/gui_thread_gc.py")
STUCK = 1.5  # seconds after which a loop of its own, such as that of a menu, is left by Escape
LOOK = 0.025
TALLEST = 14  # lines of a stack


class Watch(logging.Handler):
    """Records faults in words. `escape` is called when an event loop inside the monkey's own waits."""

    def __init__(self, told_by_qt: Callable[[], list[str]], escape: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._told_by_qt, self._escape = told_by_qt, escape
        self.faults: list[str] = []
        self._since: tuple[float, float] | None = None  # wall and processor, while something is done
        self._stacks: list[str] = []
        self._over = threading.Event()
        self._thread = threading.get_ident()
        self._timer = QTimer(interval=100)
        self._timer.timeout.connect(self._on_time)
        self.slowest = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        self.faults.append(f"logged: {self.format(record)}")

    @contextmanager
    def watching(self) -> Iterator[None]:
        hook = sys.excepthook

        def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            self.faults.append("raised: " + "".join(traceback.format_exception(kind, error, trace)))
            hook(kind, error, trace)

        sampler = threading.Thread(target=self._sample, args=(time.pthread_getcpuclockid(self._thread),))
        sys.excepthook = note
        logging.getLogger().addHandler(self)
        sampler.start()
        self._timer.start()
        try:
            yield
        finally:
            self._timer.stop()
            self._over.set()
            sampler.join()
            logging.getLogger().removeHandler(self)
            sys.excepthook = hook

    @contextmanager
    def guard(self, what: str) -> Iterator[None]:
        """Measure the block, unless it is inside a measured one."""
        if self._since is not None:
            yield
            return
        self._stacks.clear()
        self._since = time.monotonic(), time.thread_time()
        try:
            yield
        finally:
            spent = time.thread_time() - self._since[1]
            self._since = None
            self.slowest = max(self.slowest, spent)
            where = Counter(self._stacks).most_common(1)
            stack = where[0][0] if where else ""
            if spent > (LONGER if any(place in stack for place in KNOWN) else SLOWEST):
                self.faults.append(f"slow: {what} took {spent * 1000:.0f} ms\n{stack}")

    def take(self) -> list[str]:
        """The faults since the last time."""
        found, self.faults = self.faults + [f"Qt: {text}" for text in self._told_by_qt()], []
        return found

    def _sample(self, clock: int) -> None:
        while not self._over.wait(LOOK):
            since = self._since
            if since is not None and time.clock_gettime(clock) - since[1] > SLOWEST / 3:
                self._stacks.append(_stack(self._thread))

    def _on_time(self) -> None:
        since = self._since
        if since is not None and time.monotonic() - since[0] > STUCK:
            self._escape()


def _stack(thread: int) -> str:
    """Return the stack of a thread, innermost call first, without holding its frames."""
    frame = sys._current_frames().get(thread)
    places: list[tuple[CodeType, int]] = []
    while frame is not None and len(places) < TALLEST:
        places.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    del frame
    return "\n".join(f"  {code.co_filename}:{line} {code.co_name}" for code, line in places)
