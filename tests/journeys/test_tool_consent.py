"""The model calls a tool that asks: allowed for the session, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.chat.run import Consent, Phase
from stemmata.domain.entries.entry import Flag, Role
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Call, Reply, Say
from tests.journeys.chatting import Chat, connect, new_chat
from tests.journeys.person import Person


@pytest.fixture
def chat(person: Person, chat_server: AnthropicServer) -> Chat:
    """A new chat whose model may use our own tools."""
    connect(person, chat_server)
    person.gui.controllers.preferences.change("chat.own_tools", value=True)
    chat = new_chat(person)
    person.until(lambda: person.application.services.chat.own_tools)
    return chat


def note(name: str) -> Reply:
    return Reply(blocks=(Call("memory", {"command": "create", "file": name, "text": "Tea, no sugar."}),))


def results(chat: Chat) -> list[bool]:
    """Return for each tool call on the path whether it was executed."""
    tree = chat.person.tree
    path = tree.path(chat.person.gui.opened.end)
    return [not Flag(tree.columns.flags[at]) & Flag.FAILED for at in path if tree.role(at) is Role.TOOL_RESULT]


def test_allowed_for_the_session_it_asks_once(chat: Chat, chat_server: AnthropicServer, tmp_path: Path) -> None:
    chat_server.script(note("tea.md"), note("again.md"), Reply(blocks=(Say("Noted."),)))
    chat.hands.send("Remember how I take my tea")
    popup = chat.person.gui.controllers.runs.consent_popup
    chat.until(lambda: chat.phase is Phase.ASKING and popup.isVisible())
    assert not list(tmp_path.rglob("tea.md"))
    popup.buttons[Consent.SESSION].click()
    chat.until(lambda: chat.phase is Phase.IDLE and chat.said()[-1:] == ["Noted."])
    assert results(chat) == [True, True]
    assert not popup.isVisible()
    [kept] = tmp_path.rglob("tea.md")
    assert "Tea, no sugar." in kept.read_text(encoding="utf-8")


def test_refused_the_model_is_told_and_goes_on(chat: Chat, chat_server: AnthropicServer, tmp_path: Path) -> None:
    chat_server.script(note("tea.md"), Reply(blocks=(Say("As you like."),)))
    chat.hands.send("Remember how I take my tea")
    popup = chat.person.gui.controllers.runs.consent_popup
    chat.until(lambda: chat.phase is Phase.ASKING and popup.isVisible())
    popup.buttons[Consent.REFUSED].click()
    chat.until(lambda: chat.phase is Phase.IDLE and chat.said()[-1:] == ["As you like."])
    assert results(chat) == [False]
    assert not list(tmp_path.rglob("tea.md"))
