"""Chaining futures without a thread that waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def then(future: Future[T], follow: Callable[[T], U]) -> Future[U]:
    """A future of `follow(result)`; errors of either pass through. `follow` runs where the first one ended."""
    out: Future[U] = Future()

    def done(finished: Future[T]) -> None:
        try:
            out.set_result(follow(finished.result()))
        except (Exception, CancelledError) as error:  # noqa: BLE001 - handed on through the future
            out.set_exception(error)

    future.add_done_callback(done)
    return out


def aside(work: Callable[[], T]) -> Future[T]:
    """Do something that may wait for a person, such as a keyring, where nobody else waits for it.

    The thread is left behind when the program ends.
    """
    out: Future[T] = Future()

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - handed on through the future
            problem = error
            _settle(lambda: out.set_exception(problem))
        else:
            _settle(lambda: out.set_result(result))

    Thread(target=run, name="aside", daemon=True).start()
    return out


def _settle(put: Callable[[], None]) -> None:
    with suppress(InvalidStateError):  # cancelled meanwhile
        put()


def caught(future: Future[T], fault: type[Exception], retry: Callable[[], Future[T]]) -> Future[T]:
    """The future's result; where it fails with such a fault, that of another try."""
    out: Future[T] = Future()

    def done(finished: Future[T]) -> None:
        if isinstance(finished.exception(), fault):
            retry().add_done_callback(settled)
        else:
            settled(finished)

    def settled(finished: Future[T]) -> None:
        error = finished.exception()
        if error is None:
            out.set_result(finished.result())
        else:
            out.set_exception(error)

    future.add_done_callback(done)
    return out


def chain(future: Future[T], follow: Callable[[T], Future[U]]) -> Future[U]:
    """As `then`, for a follow-up that itself answers with a future."""
    out: Future[U] = Future()

    def hand_over(second: Future[U]) -> None:
        error = second.exception()
        if error is not None:
            out.set_exception(error)
        else:
            out.set_result(second.result())

    def done(finished: Future[T]) -> None:
        try:
            follow(finished.result()).add_done_callback(hand_over)
        except (Exception, CancelledError) as error:  # noqa: BLE001 - handed on through the future
            out.set_exception(error)

    future.add_done_callback(done)
    return out
