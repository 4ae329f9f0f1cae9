"""Chaining futures without a thread that waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def then(future: Future[T], follow: Callable[[T], U]) -> Future[U]:
    """A future of `follow(result)`; errors of either pass through. `follow` runs where the first one ended."""
    out: Future[U] = Future()
    future.add_done_callback(lambda finished: _settle(out, lambda: follow(finished.result())))
    return out


def aside(work: Callable[[], T]) -> Future[T]:
    """Do something that may wait for a person, such as a keyring, where nobody else waits for it.

    The thread is left behind when the program ends.
    """
    out: Future[T] = Future()
    Thread(target=_settle, args=(out, work), name="aside", daemon=True).start()
    return out


def caught(future: Future[T], fault: type[Exception], retry: Callable[[], Future[T]]) -> Future[T]:
    """The future's result; where it fails with such a fault, that of another try."""
    out: Future[T] = Future()
    future.add_done_callback(
        lambda finished: _become(out, lambda: retry() if isinstance(finished.exception(), fault) else finished)
    )
    return out


def chain(future: Future[T], follow: Callable[[T], Future[U]]) -> Future[U]:
    """As `then`, for a follow-up that itself answers with a future."""
    out: Future[U] = Future()
    future.add_done_callback(lambda finished: _become(out, lambda: follow(finished.result())))
    return out


def _become(out: Future[T], begin: Callable[[], Future[T]]) -> None:
    """Settle as the future will that `begin` answers with."""
    try:
        begin().add_done_callback(lambda finished: _settle(out, finished.result))
    except Exception as error:  # noqa: BLE001 - handed on through the future
        _put(out.set_exception, error)


def _settle(out: Future[T], work: Callable[[], T]) -> None:
    """With what the work returns or raises."""
    try:
        result = work()
    except Exception as error:  # noqa: BLE001 - handed on through the future
        _put(out.set_exception, error)
    else:
        _put(out.set_result, result)


def _put(put: Callable[[T], None], outcome: T) -> None:
    with suppress(InvalidStateError):  # cancelled meanwhile
        put(outcome)
