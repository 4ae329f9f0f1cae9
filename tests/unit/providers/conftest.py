"""An io loop to ask servers on."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from stemmata.system.loop import IoLoop
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE


@pytest.fixture
def server(anthropic_server: AnthropicServer) -> AnthropicServer:
    return anthropic_server


@pytest.fixture
def run(loop: IoLoop) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    return lambda work: loop.run(work).result(PATIENCE)
