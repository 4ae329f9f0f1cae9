"""Titles that a model suggests: for the selected session, for all, with undo."""

from __future__ import annotations

import pytest

from stemmata.gui.sessions import title_controller
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Refuse, Reply, Say
from tests.journeys.chatting import Chat
from tests.journeys.person import Person


@pytest.fixture
def said(chat: Chat) -> Chat:
    """A chat with a message and its reply."""
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    return chat


def title(chat: Chat) -> str:
    key = chat.person.gui.opened.key
    assert key is not None
    return chat.person.gui.sessions.sessions[key].title


def suggest(chat: Chat, name: str = "suggest-titles") -> None:
    chat.person.until(lambda: bool(chat.person.window.sessions.selected))
    chat.person.window.actions_table[name].trigger()


def test_a_model_suggests_a_title_and_undo_brings_the_old_one_back(said: Chat, chat_server: AnthropicServer) -> None:
    chat_server.script(Reply(blocks=(Say("A greeting."),)))
    suggest(said)
    said.until(lambda: title(said) == "A greeting")
    toast = said.person.window.toast
    said.until(lambda: toast.text == "Suggested 1 title.")
    said.until(lambda: said.person.window.transcript.header.title == "A greeting")
    toast.click()
    said.until(lambda: title(said) == "Hello")


def test_many_sessions_are_sent_after_a_question(
    said: Chat, chat_server: AnthropicServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(title_controller, "MOST_UNASKED", 0)
    titles = said.person.gui.controllers.titles
    suggest(said, "suggest-all-titles")
    said.until(lambda: titles.question is not None)
    assert titles.question is not None
    assert titles.question.text() == "Suggest titles for 1 session?"
    chat_server.script(Reply(blocks=(Say("A greeting"),)))
    titles.question.defaultButton().click()
    said.until(lambda: title(said) == "A greeting" and not titles.is_busy and titles.question is None)
    suggest(said, "suggest-all-titles")
    said.until(lambda: said.person.window.toast.text == "Every session has a title.")


def test_an_error_changes_nothing(said: Chat, chat_server: AnthropicServer) -> None:
    chat_server.script(Refuse(400, "no such model"))
    suggest(said)
    said.until(lambda: "no such model" in said.person.window.toast.text)
    assert title(said) == "Hello"
    assert not said.person.gui.controllers.titles.is_busy


def test_without_a_model_the_dialog_connects_one(person: Person, session_file: object) -> None:
    person.drop(session_file)  # type: ignore[arg-type] # of the fixture
    person.until(lambda: bool(person.window.sessions.selected))
    person.window.actions_table["suggest-titles"].trigger()
    dialog = person.gui.controllers.connections.dialog
    assert dialog is not None
    assert dialog.isVisible()
    dialog.close()
