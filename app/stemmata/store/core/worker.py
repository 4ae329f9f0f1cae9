"""The db thread: jobs in order, one at a time; reads may be let in between."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from stemmata.domain.errors import KnownError

_CLOSED = "The archive is closed."


class _Task(NamedTuple):
    run: Callable[[], Any]
    future: Future[Any]
    reads: bool


class Worker:
    """One thread and its queue. `submit` from any thread; everything else happens on the worker's own."""

    def __init__(self, name: str) -> None:
        self._tasks: deque[_Task] = deque()
        self._ready = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def submit(self, run: Callable[[], Any], *, reads: bool = False) -> Future[Any]:
        """A future of the job's result; it fails with KnownError once the worker is closed."""
        future: Future[Any] = Future()
        with self._ready:
            if self._closed:
                future.set_exception(KnownError(_CLOSED))
                return future
            self._tasks.append(_Task(run, future, reads))
            self._ready.notify()
        return future

    def run_reads(self) -> None:
        """Run the reads that are waiting, in order. For jobs that take long; on the worker's thread only."""
        if not self._tasks:
            return
        with self._ready:
            waiting = [task for task in self._tasks if task.reads]
            if waiting:
                self._tasks = deque(task for task in self._tasks if not task.reads)
        for task in waiting:
            _run(task)

    def close(self, last: Callable[[], None]) -> None:
        """Finish what is queued, run `last`, end the thread, and return when that is done. May be called twice."""
        with self._ready:
            if not self._closed:
                self._closed = True
                self._tasks.append(_Task(last, Future(), reads=False))
                self._ready.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _loop(self) -> None:
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._tasks or self._closed)
                if not self._tasks:
                    return
                task = self._tasks.popleft()
            _run(task)
            del task  # the result must not live on while the thread waits


def _run(task: _Task) -> None:
    if not task.future.set_running_or_notify_cancel():
        return
    try:
        result = task.run()
    except BaseException as error:  # noqa: BLE001 - whatever a job raises travels to the one who asked
        task.future.set_exception(error)
    else:
        task.future.set_result(result)
