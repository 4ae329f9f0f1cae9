"""Commands typed into the message: completed with what stands behind them, done, and never sent."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.entries.entry import Kind
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat

Key = Qt.Key


def test_what_stands_behind_a_command_is_offered(chat: Chat) -> None:
    commands, editor = chat.person.gui.controllers.chat.commands, chat.composer.editor
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    QTest.keyClicks(editor, "/think hi")
    chat.until(lambda: [item.usage for item in commands.list.offered] == ["high"])
    QTest.keyClick(editor, Key.Key_Tab)
    assert chat.composer.text == "/think high"
    chat.until(lambda: commands.list.offered == ())
    before = len(chat.person.tree)
    QTest.keyClick(editor, Key.Key_Return)
    chat.until(lambda: len(chat.person.tree) == before + 2)  # the pick, and the note that tells it
    tree = chat.person.tree
    assert [tree.kind(at) for at in (before, before + 1)] == [Kind.THINKING_LEVEL_CHANGE, Kind.CUSTOM_MESSAGE]


def test_a_typo_is_told_and_two_slashes_send_one(chat: Chat, chat_server: AnthropicServer) -> None:
    chat.hands.send("/staus")
    told = "Unknown command /staus. Did you mean /status? Nothing was sent."
    chat.until(lambda: chat.person.window.toast.text == told)
    chat.hands.send("/think hardest")
    chat.until(lambda: chat.person.window.toast.text.startswith("Unknown thinking level “hardest”."))
    assert not [request for request in chat_server.requests if "messages" in (request.body or {})]
    chat.hands.send("//status")
    chat.until_said("/status", "You said: /status")


def test_resuming_opens_the_session(chat: Chat) -> None:
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    gui, services = chat.person.gui, chat.person.application.services
    old = gui.opened.key
    assert old is not None
    name = services.sessions.get(old).result(PATIENCE).id
    chat.hands.send("/new")
    chat.until(lambda: gui.opened.key not in (None, old))
    chat.hands.send(f"/resume {name}")
    chat.until(lambda: gui.opened.key == old and len(chat.person.tree) == 3)
    body = services.entries.bodies([chat.person.tree.key(2)]).result(PATIENCE)
    assert "Resumed whole" in str(body)
