"""Fake servers, and an io loop to ask them on."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from stemmata.system.loop import IoLoop
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.openai_server import OpenAIServer
from tests.unit.providers.asking import LIMIT


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        yield server


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def loop() -> Iterator[IoLoop]:
    made = IoLoop()
    yield made
    made.close()


@pytest.fixture
def run(loop: IoLoop) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    return lambda work: loop.run(work).result(LIMIT)
