"""Chaining futures without a waiting thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from traceback import clear_frames
from typing import Any, Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


def then(future: Future[T], follow: Callable[[T], U]) -> Future[U]:
    """Return a future of `follow(result)`.

    Errors of either pass through. `follow` runs on the first future's thread.
    """
    settling: _Settling[U] = _Settling()

    def go_on(finished: Future[T]) -> None:
        if _has_failed(finished):
            settling.copy(finished)
        else:
            settling.run(lambda: follow(finished.result()))

    future.add_done_callback(go_on)
    return settling.future()


def run_in_thread(work: Callable[[], T]) -> Future[T]:
    """Run `work` on a separate thread, because it may wait for the user, as a keyring does.

    The thread does not keep the program from ending.
    """
    settling: _Settling[T] = _Settling()
    Thread(target=settling.run, args=(work,), name="run_in_thread", daemon=True).start()
    return settling.future()


def caught(future: Future[T], fault: type[Exception], retry: Callable[[], Future[T]]) -> Future[T]:
    """Return a future with the same result; when it fails with `fault`, use the result of `retry` instead."""
    settling: _Settling[T] = _Settling()

    def go_on(finished: Future[T]) -> None:
        if not finished.cancelled() and isinstance(finished.exception(), fault):
            settling.follow(retry)
        else:
            settling.copy(finished)

    future.add_done_callback(go_on)
    return settling.future()


def chain(future: Future[T], follow: Callable[[T], Future[U]]) -> Future[U]:
    """Return a future as `then` does, for a `follow` that itself returns a future."""
    settling: _Settling[U] = _Settling()

    def go_on(finished: Future[T]) -> None:
        if _has_failed(finished):
            settling.copy(finished)
        else:
            settling.follow(lambda: follow(finished.result()))

    future.add_done_callback(go_on)
    return settling.future()


def _has_failed(finished: Future[Any]) -> bool:
    return finished.cancelled() or finished.exception() is not None


class _Settling(Generic[T]):
    """Makes a future, settles it once, and refers to it only until it is settled and asked for.

    The future refers to its error, and the error to all calls in progress and their variables. If one of those
    variables were the future, the circle would stay until the garbage collector runs, which it does rarely.
    """

    def __init__(self) -> None:
        future: Future[T] = Future()
        self._waiting, self._offered = [future], [future]

    def future(self) -> Future[T]:
        """Return the future; may be called once, after the work begins, which may settle the future at once."""
        return self._offered.pop()

    def run(self, work: Callable[[], T]) -> None:
        """Settle the future with the result or the exception of `work`."""
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - handed on through the future
            clear_frames(error.__traceback__)  # here: to free a million entries would take many frames of the window
            self._fail(error)
        else:
            with suppress(InvalidStateError):  # the future was cancelled meanwhile
                self._waiting.pop().set_result(result)

    def follow(self, begin: Callable[[], Future[T]]) -> None:
        """Settle the future like the future that `begin` returns, or with the exception of `begin`."""
        try:
            begin().add_done_callback(self.copy)
        except Exception as error:  # noqa: BLE001 - handed on through the future
            self._fail(error)

    def copy(self, finished: Future[Any]) -> None:
        """Settle the future as a finished one ended; its error is not raised, for that makes it refer to this."""
        if finished.cancelled():
            self._fail(CancelledError())
        elif (error := finished.exception()) is not None:
            self._fail(error)
        else:
            self.run(finished.result)

    def _fail(self, error: BaseException) -> None:
        with suppress(InvalidStateError):  # the future was cancelled meanwhile
            self._waiting.pop().set_exception(error)
