"""The window that a server tells of its model is the one that counts, also after the next start."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import OfferedModel
from stemmata.services.settings import connecting
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.own_ways import OwnWays
from tests.fakes.waiting import PATIENCE, until

MODEL = "fake/qwen3:8b"


def test_windows_are_those_that_the_server_tells(tmp_path: Path) -> None:
    with AnthropicServer() as server:
        with chat_app(tmp_path, server.url) as app:
            assert app.services.contexts.window(MODEL) is None
            app.services.connecting.models("fake").result(PATIENCE)
            assert app.services.contexts.window(MODEL) == 40_960
            assert app.services.contexts.window("other/qwen3:8b") is None
        asked = len(server.requests)
        with chat_app(tmp_path, server.url) as app:
            app.services.connecting.connections().result(PATIENCE)
            assert "qwen3:8b" in {model.id for model in app.services.connecting.known("fake").result(PATIENCE)}
            assert app.services.connecting.known("other").result(PATIENCE) == ()
            assert app.services.contexts.window(MODEL) == 40_960
        assert len(server.requests) == asked


def test_the_catalogue_tells_no_window_of_a_local_server_that_was_not_asked(tmp_path: Path) -> None:
    """The server may load the model with a smaller window. What the user knows of the model counts."""
    with AnthropicServer() as server:
        server.models = tuple(replace(model, window=8_192) for model in server.models)
        with chat_app(tmp_path, server.url) as app:
            services, model = app.services, Model("claude-opus-4-5", window=50_000)
            assert services.contexts.window("other/claude-opus-4-5") == 200_000
            assert services.contexts.window("fake/claude-opus-4-5") is None
            services.own_models.save(model).result(PATIENCE)
            assert services.contexts.window("fake/claude-opus-4-5") == 50_000
            services.own_models.remove(model.id).result(PATIENCE)
            assert services.contexts.window("fake/claude-opus-4-5") is None
            services.connecting.models("fake").result(PATIENCE)
            assert services.contexts.window("fake/claude-opus-4-5") == 8_192
        with chat_app(tmp_path, server.url) as app:
            assert app.services.contexts.window("fake/claude-opus-4-5") == 8_192


def test_a_window_shows_once_the_model_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before that only the model's maximum is known; the server is asked again after a chat."""
    ways = OwnWays("ollama")
    with AnthropicServer(ways=ways) as server, chat_app(tmp_path, server.url, model="qwen3:8b") as app:
        app.services.connecting.models("fake").result(PATIENCE)
        asked = len(server.requests)
        assert app.services.connecting.models("fake").result(PATIENCE)[-1].is_bound
        assert len(server.requests) == asked, "it was asked a moment ago"
        ways.loaded = {model.id: 4096 for model in server.models}
        app.services.chat_ports.loop.run(app.services.connecting.provider_for("fake")).result(PATIENCE)
        assert app.services.contexts.window(MODEL) == 40_960
        monkeypatch.setattr(connecting, "UNSURE", 0)
        app.services.chat_ports.loop.run(app.services.connecting.provider_for("fake")).result(PATIENCE)
        wait_until_window(app, 4096)
        asked = len(server.requests)
        app.services.chat_ports.loop.run(app.services.connecting.provider_for("fake")).result(PATIENCE)
        app.services.connecting.models("fake").result(PATIENCE)
        assert len(server.requests) == asked, "all is known now"


def test_a_question_that_nobody_waits_for_ends_with_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = Event(), Event()

    async def never(*_asked: object, **_how: object) -> tuple[OfferedModel, ...]:
        begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()
        return ()

    ways = OwnWays("ollama")
    with AnthropicServer(ways=ways) as server, chat_app(tmp_path, server.url, model="qwen3:8b") as app:
        app.services.connecting.models("fake").result(PATIENCE)
        monkeypatch.setattr(connecting, "UNSURE", 0)
        monkeypatch.setattr(app.services.connecting, "_models", never)
        app.services.chat_ports.loop.run(app.services.connecting.provider_for("fake")).result(PATIENCE)
        assert begun.wait(PATIENCE)
        app.services.close()
        assert ended.is_set()


def wait_until_window(app: ChatApp, window: int) -> None:
    until(lambda: app.services.contexts.window(MODEL) == window)


def test_a_session_that_names_no_model_has_the_window_of_the_one_that_is_asked(tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as app:
        app.services.connecting.models("fake").result(PATIENCE)
        session_tree = app.services.sessions.open(app.session()).result(PATIENCE)
        contexts = app.services.contexts
        for seen in (contexts.seen(session_tree, None), contexts.at(session_tree, None)):
            assert (seen.model, seen.budget.window) == ("", None)
        contexts.ask(MODEL)
        for seen in (contexts.seen(session_tree, None), contexts.at(session_tree, None)):
            assert (seen.model, seen.budget.window) == (MODEL, 40_960)
