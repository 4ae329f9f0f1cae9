from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest

from stemmata.domain.errors import ConflictError, KnownError
from stemmata.services.futures import caught, chain, run_in_thread, then
from tests.fakes.waiting import PATIENCE


def done(value: int) -> Future[int]:
    future: Future[int] = Future()
    future.set_result(value)
    return future


def failed(error: Exception) -> Future[int]:
    future: Future[int] = Future()
    future.set_exception(error)
    return future


def test_a_fault_that_is_caught_is_tried_again_and_no_other() -> None:
    assert caught(done(1), ConflictError, lambda: done(2)).result(0) == 1
    assert caught(failed(ConflictError("no")), ConflictError, lambda: done(2)).result(0) == 2
    with pytest.raises(KnownError, match="full"):
        caught(failed(KnownError("full")), ConflictError, lambda: done(2)).result(0)


def test_a_try_that_cannot_even_begin_settles_the_answer() -> None:
    def refused() -> Future[int]:
        raise KnownError("The archive is being closed. Nothing was changed.")

    with pytest.raises(KnownError, match="closed"):
        caught(failed(ConflictError("no")), ConflictError, refused).result(0)
    with pytest.raises(KnownError, match="closed"):
        chain(done(1), lambda _value: refused()).result(0)


def test_the_end_of_what_was_cancelled_settles_what_waits_for_it() -> None:
    first: Future[int] = Future()
    waiting: list[Future[Any]] = [
        then(first, str), chain(first, lambda _value: done(2)), caught(first, KnownError, lambda: done(2))
    ]  # fmt: skip
    assert first.cancel()
    for future in waiting:
        with pytest.raises(CancelledError):
            future.result(0)


def test_an_answer_that_nobody_waits_for_any_more_is_passed_over() -> None:
    first: Future[int] = Future()
    waiting = then(first, str)
    assert waiting.cancel()
    first.set_result(1)
    assert waiting.cancelled()


def test_what_is_done_aside_answers_with_its_result_or_its_error() -> None:
    assert run_in_thread(lambda: 3).result(PATIENCE) == 3
    with pytest.raises(ZeroDivisionError):
        run_in_thread(lambda: 1 // 0).result(PATIENCE)


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Switch Python's garbage collection off."""
    gc.disable()
    yield
    gc.enable()


def refuse(*_results: object) -> Any:
    raise KnownError("No.")


def refused() -> Future[int]:
    """Return a future of work that failed: its error has a traceback."""
    return then(done(1), refuse)


def assert_freed_at_once(holder: list[Future[Any]]) -> None:
    """The future in `holder` failed and nothing else holds it; it and its error are gone without a search."""
    future = holder.pop()
    error = future.exception(PATIENCE)
    assert isinstance(error, KnownError)
    gone = weakref.ref(future), weakref.ref(error)
    del future, error
    assert [each() for each in gone] == [None, None]


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize(
    "make",
    [
        lambda first: then(first, refuse),
        lambda first: then(then(first, refuse), str),
        lambda first: chain(first, refuse),
        lambda first: chain(first, lambda _one: refused()),
        lambda first: chain(then(first, refuse), lambda _one: done(2)),
        lambda first: caught(then(first, refuse), ConflictError, refused),
        lambda first: caught(then(first, refuse), KnownError, refuse),
        lambda first: caught(then(first, refuse), KnownError, refused),
    ],
)
def test_the_error_of_work_is_freed_at_once(make: Callable[[Future[int]], Future[Any]]) -> None:
    """The garbage collector runs rarely, and an error refers to everything that the work used."""
    first: Future[int] = Future()
    holder = [make(first)]
    first.set_result(1)
    assert_freed_at_once(holder)


@pytest.mark.usefixtures("uncollected")
def test_the_error_of_work_in_a_thread_is_freed_with_the_thread() -> None:
    holder = [run_in_thread(refuse)]
    for thread in threading.enumerate():
        if thread.name == "run_in_thread":
            thread.join(PATIENCE)
    assert_freed_at_once(holder)


def test_what_a_failed_job_held_is_freed_on_its_own_thread() -> None:
    """The window freed what a cancelled draft had read of a million entries: 40 to 80 ms in one turn."""
    freed = list[str]()

    class Held:
        def __del__(self) -> None:
            freed.append(threading.current_thread().name)

    def work() -> None:
        held = Held()
        raise KnownError(f"stopped with {type(held).__name__}")

    future = run_in_thread(work)
    error = future.exception(PATIENCE)
    assert str(error) == "stopped with Held"
    assert freed == ["run_in_thread"]
