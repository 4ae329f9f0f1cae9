"""Chaining futures without a waiting thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def then(future: Future[T], follow: Callable[[T], U]) -> Future[U]:
    """Return a future of `follow(result)`.

    Errors of either pass through. `follow` runs on the first future's thread.
    """
    out: Future[U] = Future()
    future.add_done_callback(lambda finished: _settle(out, lambda: follow(finished.result())))
    return out


def run_in_thread(work: Callable[[], T]) -> Future[T]:
    """Run `work` in a thread of its own, because it may wait for the user, as a keyring does.

    The thread does not keep the program from ending.
    """
    out: Future[T] = Future()
    Thread(target=_settle, args=(out, work), name="run_in_thread", daemon=True).start()
    return out


def caught(future: Future[T], fault: type[Exception], retry: Callable[[], Future[T]]) -> Future[T]:
    """Return a future with the same result; when it fails with `fault`, use the result of `retry` instead."""
    out: Future[T] = Future()
    future.add_done_callback(
        lambda finished: _become(out, lambda: retry() if isinstance(finished.exception(), fault) else finished)
    )
    return out


def chain(future: Future[T], follow: Callable[[T], Future[U]]) -> Future[U]:
    """Return a future as `then` does, for a `follow` that itself returns a future."""
    out: Future[U] = Future()
    future.add_done_callback(lambda finished: _become(out, lambda: follow(finished.result())))
    return out


def _become(out: Future[T], begin: Callable[[], Future[T]]) -> None:
    """Copy the result or exception of the future that `begin` returns to `out`."""
    try:
        begin().add_done_callback(lambda finished: _settle(out, finished.result))
    except Exception as error:  # noqa: BLE001 - handed on through the future
        _put(out.set_exception, error)


def _settle(out: Future[T], work: Callable[[], T]) -> None:
    """Run `work` and set its result or exception on `out`."""
    try:
        result = work()
    except Exception as error:  # noqa: BLE001 - handed on through the future
        _put(out.set_exception, error)
    else:
        _put(out.set_result, result)


def _put(put: Callable[[T], None], outcome: T) -> None:
    with suppress(InvalidStateError):  # `out` was cancelled meanwhile
        put(outcome)
