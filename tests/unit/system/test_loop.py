"""The io thread starts late, cancels at once and leaves nothing behind."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from typing import Any

import pytest

from stemmata.system.loop import IoLoop
from tests.fakes.waiting import PATIENCE, until


def io_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "io"]


def test_there_is_no_thread_before_the_first_run(loop: IoLoop) -> None:
    assert io_threads() == []


def test_everything_runs_on_one_daemon_thread(loop: IoLoop) -> None:
    async def where() -> threading.Thread:
        return threading.current_thread()

    first, second = loop.run(where()).result(PATIENCE), loop.run(where()).result(PATIENCE)
    assert first is second
    assert first.daemon
    assert first is not threading.current_thread()


def test_an_error_reaches_the_future(loop: IoLoop) -> None:
    async def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        loop.run(fails()).result(PATIENCE)


def test_cancelling_the_future_reaches_the_task(loop: IoLoop) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def waits() -> None:
        begun.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            ended.set()
            raise

    future = loop.run(waits())
    assert begun.wait(PATIENCE)
    assert future.cancel()
    assert ended.wait(PATIENCE)
    with pytest.raises(CancelledError):
        future.result(PATIENCE)


def test_closing_cancels_what_runs_and_waits_for_its_cleaning_up(loop: IoLoop) -> None:
    begun, cleaned = threading.Event(), threading.Event()

    async def waits() -> None:
        try:
            begun.set()
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    future = loop.run(waits())
    assert begun.wait(PATIENCE)
    loop.close()
    assert cleaned.is_set()
    assert future.cancelled()
    assert io_threads() == []


def test_closing_ends_the_threads_of_name_look_ups(loop: IoLoop) -> None:
    async def looks_up() -> None:
        await asyncio.get_running_loop().getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM)

    loop.run(looks_up()).result(PATIENCE)
    loop.close()
    assert not any(thread.name.startswith("asyncio") for thread in threading.enumerate())


def test_after_closing_nothing_starts(loop: IoLoop) -> None:
    async def never() -> None:
        raise AssertionError

    loop.close()
    loop.close()
    assert loop.run(never()).cancelled()
    assert io_threads() == []


def test_a_connection_that_no_task_closed_is_closed_with_the_loop() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        io_loop = IoLoop()

        async def connect() -> asyncio.Transport:
            address = server.getsockname()
            transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, *address)
            return transport

        left = io_loop.run(connect()).result(PATIENCE)
        opened = left.get_extra_info("socket")
        assert opened.fileno() != -1
        io_loop.close()
        assert (left.is_closing(), opened.fileno()) == (True, -1)


def test_closing_cancels_no_task_before_its_first_step(loop: IoLoop) -> None:
    """A task cancelled before never awaits its coroutine, of which Python warns."""
    begun, made = list[int](), list[asyncio.Task[None]]()

    async def given(number: int) -> None:
        begun.append(number)
        await asyncio.sleep(3600)

    async def awaits(work: Coroutine[Any, Any, None]) -> None:
        await work

    async def starts() -> None:
        while True:  # one in each turn of the loop, so that one has always just been made
            made.append(asyncio.ensure_future(awaits(given(len(made)))))
            await asyncio.sleep(0)

    loop.run(starts())
    until(lambda: bool(begun))
    loop.close()
    assert begun == list(range(len(made)))
    assert all(task.cancelled() for task in made)
