"""The window that a server tells of its model is the one that counts, also after the next start."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import chat_app

MODEL = "fake/qwen3:8b"


def test_windows_are_those_that_the_server_tells(tmp_path: Path) -> None:
    with AnthropicServer() as server:
        with chat_app(tmp_path, server.url) as app:
            assert app.services.contexts.window(MODEL) is None
            app.services.connecting.models("fake").result(10)
            assert app.services.contexts.window(MODEL) == 40_960
            assert app.services.contexts.window("other/qwen3:8b") is None
        asked = len(server.requests)
        with chat_app(tmp_path, server.url) as app:
            app.services.connecting.connections().result(10)
            assert app.services.contexts.window(MODEL) == 40_960
        assert len(server.requests) == asked
