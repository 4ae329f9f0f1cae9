"""Stopping a run wherever it waits. What is being stored is never broken off."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class StoppedError(Exception):
    """The run is to end now; no fault."""


class Interrupt:
    """Guards whatever a run waits for. On the io loop only."""

    def __init__(self) -> None:
        self.is_set = False
        self._task: asyncio.Task[Any] | None = None

    def set(self) -> None:
        """Break off what is guarded now, and all that will be."""
        self.is_set = True
        if self._task is not None:
            self._task.cancel()

    def _was_set(self) -> bool:
        return self.is_set

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of the work. Raises StoppedError once `set` was called and the work has cleaned up."""
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
    """The result of an archive's job, which a cancellation of the caller leaves alone."""
    return await asyncio.shield(asyncio.wrap_future(future))
