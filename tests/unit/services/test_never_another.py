"""A session is answered by the provider that it names, or by none."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase
from stemmata.domain.errors import KnownError
from stemmata.domain.settings.settings import ChatSettings
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import chat_app
from tests.fakes.waiting import PATIENCE

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


def test_a_session_that_names_nobody_waits_while_the_settings_are_wrong(tmp_path: Path) -> None:
    """The part that is wrong may be the connection that was meant."""
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as chat:
        path = tmp_path / "settings.toml"
        right = path.read_text(encoding="utf-8")
        path.write_text(BROKEN + right, encoding="utf-8")
        session = chat.session()
        chat.say(session, "For your eyes only.")
        state = chat.runs.state(session)
        assert (server.requests, state.phase, state.offers) == ([], Phase.FAILED, ("model", "settings", "retry"))
        path.write_text(right, encoding="utf-8")
        chat.runs.retry(session).result()
        chat.wait_phase(session, Phase.IDLE)
        assert chat.told(session)[-1] == "assistant: You said: For your eyes only."


@pytest.mark.parametrize("named", ["other", "gone"])
def test_a_model_without_a_connection_is_one_of_the_sessions_own(named: str, tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as chat:
        path = tmp_path / "settings.toml"
        more = path.read_text(encoding="utf-8").replace("fake", "other")
        path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
        session = chat.session()
        chat.runs.pick_model(session, named, "claude-opus-4-5").result()
        picked = chat.services.commands.run(session, "/model claude-haiku-3-5")
        if named == "other":
            assert picked.result(PATIENCE).text == "Model: other/claude-haiku-3-5"
        else:
            with pytest.raises(KnownError, match="uses “gone”"):
                picked.result(PATIENCE)
