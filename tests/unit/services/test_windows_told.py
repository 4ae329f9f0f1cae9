"""The window of a model: asked of its server before something is sent, else remembered from a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, chat_app
from tests.fakes.fake_models import FakeModel
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Reply, Say

OWN = FakeModel(
    id="house-model", window=31_000, most_output=8_192, thinking=("disabled",), levels=(), summarises=False
)


def test_a_server_of_the_settings_is_asked_once_for_its_models(tmp_path: Path) -> None:
    with AnthropicServer(models=[OWN]) as server:
        with chat_app(tmp_path, server.url, model=OWN.id) as chat:
            chat.say(chat.session(), "Hello")
            chat.say(chat.session("another"), "Hello")
            assert chat.services.contexts.window(f"fake/{OWN.id}") == 31_000
            assert len(server.listings) == 1
        with chat_app(tmp_path, server.url, model=OWN.id) as chat:
            assert chat.services.contexts.window(f"fake/{OWN.id}") == 31_000  # before anybody is asked
            chat.say(chat.session("third"), "Hello")
            assert len(server.listings) == 1


def test_a_server_that_lists_nothing_is_chatted_with_all_the_same(tmp_path: Path) -> None:
    with AnthropicServer(models=[OWN]) as server, chat_app(tmp_path, server.url, model=OWN.id) as chat:
        server.lists = False
        session = chat.session()
        chat.say(session, "Hello")
        assert chat.runs.state(session).phase is Phase.IDLE
        assert chat.told(session)[-1] == "assistant: You said: Hello"


@pytest.mark.parametrize("api", ["anthropic", "openai-chat"])
def test_what_a_refusal_names_is_remembered_and_counted_with(api: str, tmp_path: Path) -> None:
    makes = AnthropicServer if api == "anthropic" else OpenAIServer
    model = MODEL if api == "anthropic" else "gpt-4o"
    with makes(window=20_000) as server:
        server.lists = False
        url = server.url if api == "anthropic" else f"{server.url}/v1"
        with chat_app(tmp_path, url, api=api, model=model) as chat:
            session = chat.session()
            for _ in range(8):
                server.script(Reply(blocks=(Say("A long answer to this. " * 600),), piece=4_000))
                chat.say(session, "Go on. " * 50)
            assert chat.runs.state(session).phase is Phase.IDLE
            assert chat.services.contexts.window(f"fake/{model}") == 20_000
        with chat_app(tmp_path, url, api=api, model=model) as chat:
            assert chat.services.contexts.window(f"fake/{model}") == 20_000


def test_a_limit_goes_once_more_was_taken(tmp_path: Path) -> None:
    """The server was started anew with a larger window, and tells nobody."""
    with OpenAIServer(window=2_000) as server:
        server.lists = False
        with chat_app(tmp_path, f"{server.url}/v1", api="openai-chat", model="gpt-4o") as chat:
            session = chat.session()
            chat.say(session, "Hello")
            chat.say(session, "Every word counts. " * 800)
            assert chat.runs.state(session).phase is Phase.FAILED
            assert chat.services.contexts.window("fake/gpt-4o") == 2_000
            server.window = 100_000
            chat.runs.retry(session).result()
            chat.wait(lambda: not chat.runs.state(session).is_busy)
            assert chat.runs.state(session).phase is Phase.IDLE
            assert chat.services.contexts.window("fake/gpt-4o") == 128_000  # as shipped


def test_a_limit_of_a_connection_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as chat:
        chat_ports = chat.services.chat_ports
        chat_ports.loop.run(chat.services.connecting.learn_limit("gone", "m", 5)).result()
        assert chat.services.contexts.window("gone/m") is None
