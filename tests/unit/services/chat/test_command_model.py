"""/model over real connections, and which model a session asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.errors import KnownError
from stemmata.services.chat.commands import CommandAnswer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, ChatApp, chat_app
from tests.fakes.waiting import PATIENCE


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[ChatApp]:
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as chat:
        yield chat


def answer(chat: ChatApp, session: int, text: str) -> CommandAnswer:
    return chat.services.commands.run(session, text).result(PATIENCE)


def test_a_model_is_shown_and_picked(chat: ChatApp) -> None:
    session = chat.session()
    assert answer(chat, session, "/model").text == f"Model: —\n- `fake/{MODEL}`"
    assert answer(chat, session, "/model qwen3:8b").text == "Model: fake/qwen3:8b"
    assert answer(chat, session, "/model fake").text == f"Model: fake/{MODEL}"
    assert answer(chat, session, "/model fake/claude-opus-4-5").text == "Model: fake/claude-opus-4-5"
    [choice] = chat.services.commands.complete("/model fa").result(PATIENCE)
    assert choice.text == f"fake/{MODEL}"
    leaf = chat.services.sessions.get(session).result().leaf
    asked = chat.services.model_lookup.find(session, leaf).result(PATIENCE)
    assert (asked.connection, asked.model, asked.traits.takes_pdfs) == ("fake", "claude-opus-4-5", True)


def test_without_a_connection_there_is_none_to_pick(chat: ChatApp) -> None:
    chat.services.connecting.remove("fake").result(PATIENCE)
    session = chat.session()
    with pytest.raises(KnownError, match="No model is connected"):
        answer(chat, session, "/model x")
    with pytest.raises(KnownError, match="Name a session"):
        answer(chat, session, "/resume")
    with pytest.raises(KnownError, match="Nothing to label"):
        answer(chat, session, "/label x")
