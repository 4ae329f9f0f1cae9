"""Stopping a run while it waits. A write to the archive is never interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class StoppedError(Exception):
    """The user stopped the run. This is not a failure."""


class Interrupt:
    """Makes every wait of a run interruptible. Used on the io loop only."""

    def __init__(self) -> None:
        self.is_set = False
        self._task: asyncio.Task[Any] | None = None

    def set(self) -> None:
        """Cancel the guarded work, and all work guarded later."""
        self.is_set = True
        if self._task is not None:
            self._task.cancel()

    def _was_set(self) -> bool:
        return self.is_set

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of the work. Raises StoppedError after `set` was called and the work has cleaned up."""
        if self.is_set:
            work.close()
            raise StoppedError
        self._task = task = asyncio.ensure_future(work)
        try:
            return await task
        except asyncio.CancelledError:
            if self._was_set() and task.cancelled():
                raise StoppedError from None
            raise
        finally:
            self._task = None


async def settled(future: Future[T]) -> T:
    """Return the result of an archive's job. Cancelling the caller does not cancel the job."""
    try:
        return await asyncio.shield(asyncio.wrap_future(future))
    finally:
        del future  # an error refers to this frame, and the future to the error: both would wait for the collector
