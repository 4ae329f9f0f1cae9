"""A session is answered by the provider that it names, or by none."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase
from stemmata.domain.settings.settings import ChatSettings
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import chat_app

BROKEN = '[[connections]]\nname = "broken"\nproxy = "no address"\n'


@pytest.mark.parametrize("named", ["broken", "gone"])
def test_a_session_is_never_given_to_another_provider_than_it_names(named: str, tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as chat:
        path = tmp_path / "settings.toml"
        path.write_text(BROKEN + path.read_text(encoding="utf-8"), encoding="utf-8")
        session = chat.session()
        chat.runs.pick_model(session, named, "claude-opus-4-5").result()
        chat.say(session, "For your eyes only.")
        state = chat.runs.state(session)
        assert server.requests == []
        assert (state.phase, state.offers) == (Phase.FAILED, ("model", "settings", "retry"))
        assert f"“{named}”" in state.problem
        assert ("proxy must be an address" in state.problem) == (named == "broken")
        assert chat.told(session)[-1] == "user: For your eyes only."
        chat.runs.pick_model(session, "fake", "claude-opus-4-5").result()
        chat.runs.retry(session).result()
        chat.wait_phase(session, Phase.IDLE)
        assert chat.told(session)[-1] == "assistant: You said: For your eyes only."


def test_a_broken_default_connection_is_told(tmp_path: Path) -> None:
    settings = ChatSettings(longest_wait=0, default_connection="broken")
    with AnthropicServer() as server, chat_app(tmp_path, server.url, chat=settings) as chat:
        path = tmp_path / "settings.toml"
        path.write_text(BROKEN + path.read_text(encoding="utf-8"), encoding="utf-8")
        chat.say(chat.session(), "Hello")
        assert server.requests == []
