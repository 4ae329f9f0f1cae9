"""The context is counted by its provider when somebody asks for it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.chat.run import Phase
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import Refuse
from tests.journeys.chatting import Chat, connect, new_chat
from tests.journeys.person import Person


def counts(server: AnthropicServer) -> int:
    return sum("count_tokens" in request.path for request in server.requests)


def chat_of(person: Person, server: AnthropicServer) -> Chat:
    connect(person, server)
    chat = new_chat(person)
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    shown = person.window.context.breakdown
    person.until(lambda: chat.phase is Phase.IDLE and shown.count.isVisible() and "≈" not in shown.note.text())
    return chat


def test_the_button_counts_and_the_column_shows_it(person: Person, chat_server: AnthropicServer) -> None:
    chat = chat_of(person, chat_server)
    shown, window = person.window.context.breakdown, person.window
    QTest.mouseClick(shown.count, Qt.MouseButton.LeftButton)
    person.until(lambda: shown.note.text().startswith("= ") and window.toast.text.startswith("The provider counted "))
    assert chat.composer.foot.ring.toolTip().startswith("Next request: = ")
    assert shown.count.isHidden()
    asked = counts(chat_server)
    window.actions_table["count-context"].trigger()
    person.until(lambda: shown.count.isEnabled() and window.toast.text.startswith("The provider counted "))
    assert counts(chat_server) == asked  # the same context is not counted twice
    chat.hands.send("And now?")
    chat.until_told(4)
    person.until(lambda: not shown.note.text().startswith("= "))


def test_a_failure_says_why_and_leaves_the_figures(person: Person, chat_server: AnthropicServer) -> None:
    chat_of(person, chat_server)
    shown, window = person.window.context.breakdown, person.window
    before = shown.note.text()
    chat_server.counts = Refuse(404, "Not found")
    window.actions_table["count-context"].trigger()
    assert not shown.count.isEnabled()
    person.until(lambda: "does not count tokens" in window.banner.text)
    assert shown.count.isEnabled()
    assert shown.note.text() == before


def test_the_answer_comes_too_late_for_another_session(person: Person, chat_server: AnthropicServer) -> None:
    chat_of(person, chat_server)
    shown, window = person.window.context.breakdown, person.window
    chat_server.counts = "stall"
    window.actions_table["count-context"].trigger()
    person.until(lambda: counts(chat_server) == 1)
    window.actions_table["new-chat"].trigger()
    person.until(lambda: len(person.tree) == 0)
    assert shown.count.text() == "Count exactly"
    assert shown.count.isEnabled()
