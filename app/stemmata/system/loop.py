"""The io thread: one asyncio loop for all network access."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

CANCEL_TIMEOUT = 5.0  # seconds that cancelled tasks may take to end; a DNS lookup cannot be cancelled
JOIN_TIMEOUT = 30.0  # seconds until the thread is abandoned

log = logging.getLogger(__name__)


class IoLoop:
    """Implements `services.ports.providers.Loop`. The first `run` starts the daemon thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._last: Callable[[], Coroutine[Any, Any, object]] | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine from any thread; after `close` its future is cancelled immediately.

        A cancelled future is done immediately, while its coroutine may still be cleaning up.
        """
        with self._lock:
            if self._closed:
                work.close()
                refused: Future[T] = Future()
                refused.cancel()
                return refused
            return asyncio.run_coroutine_threadsafe(work, self._started())

    def close(self, last: Callable[[], Coroutine[Any, Any, object]] | None = None) -> None:
        """Cancel all tasks, wait for them, run `last` and end the thread. Do not call this on the io thread.

        When `last` runs, no task is left that could open another connection. It does not run if the loop never
        started, nor in a second call.
        """
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        self._last = last
        loop.call_soon_threadsafe(loop.stop)
        thread.join(JOIN_TIMEOUT)
        if thread.is_alive():
            log.warning("The io thread did not end.")

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(self._loop, self._ends), name="io", daemon=True)
            self._thread.start()
        return self._loop

    async def _ends(self) -> None:
        if self._last is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._last(), CANCEL_TIMEOUT)


def _serve(loop: asyncio.AbstractEventLoop, ends: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.set_event_loop(loop)
    executor = ThreadPoolExecutor(thread_name_prefix="io-work")
    loop.set_default_executor(executor)
    try:
        loop.run_forever()
        loop.run_until_complete(_cancel_all())
        loop.run_until_complete(ends())
        loop.run_until_complete(loop.shutdown_asyncgens())
        # `shutdown_default_executor` is not used: after a timeout it logs an error once the work ends
        ending = threading.Thread(target=executor.shutdown, daemon=True)
        ending.start()
        ending.join(CANCEL_TIMEOUT)
        loop.run_until_complete(_abort_connections(loop))
    finally:
        asyncio.set_event_loop(None)
        loop.close()


async def _cancel_all() -> None:
    """Cancel all tasks, also tasks that begin meanwhile, and wait for them. A task is cancelled after its first step,
    because a task that is cancelled earlier never awaits its coroutine.
    """
    cancelled: set[asyncio.Task[Any]] = set()
    with suppress(TimeoutError):
        async with asyncio.timeout(CANCEL_TIMEOUT):
            while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.sleep(0)
                for task in tasks - cancelled:
                    task.cancel()
                cancelled |= tasks
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)


async def _abort_connections(loop: asyncio.AbstractEventLoop) -> None:
    """Close the connections that no task closed, such as a connection that opened when its task was cancelled.

    asyncio has no public list of them. Without `_transports` such a connection stays open until it is collected.
    """
    for transport in list(getattr(loop, "_transports", {}).values()):
        transport.abort()
    await asyncio.sleep(0)  # a transport closes its socket in the next turn of the loop
