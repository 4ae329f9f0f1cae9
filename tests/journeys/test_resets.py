"""A conversation that starts anew says so before, can be kept as it is, and leads back."""

from __future__ import annotations

from typing import Any

from stemmata.domain.chat.conversations import ResetReason
from stemmata.gui.sessions.model import SessionRole
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat


def aged(chat: Chat) -> int:
    """A conversation with a key whose last message is old enough for a reset."""
    gui, services = chat.person.gui, chat.person.application.services
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    first = gui.opened.key
    assert first is not None
    chat.hands.send("/reset")
    chat.until(lambda: gui.opened.key not in (None, first) and gui.opened.session_tree is not None)
    session = gui.opened.key
    assert session is not None
    chat.hands.send("Again")
    chat.until_said("Again", "You said: Again")

    def age(writer: Any) -> None:
        writer._database.execute_sql("UPDATE sessions SET updated_at = 1 WHERE key = ?", (session,))

    chat.person.application.core.store.write(age).result(PATIENCE)
    services.preferences.change("chat.reset_idle_minutes", 5).result(PATIENCE)
    gui.controllers.chat.look_for_reset()
    chat.until(lambda: chat.composer.reset_line.reason is ResetReason.IDLE)
    assert chat.composer.reset_line.isVisible()
    return session


def test_the_next_message_begins_a_session_that_leads_back(chat: Chat) -> None:
    gui, old = chat.person.gui, aged(chat)
    chat.hands.send("A new day")
    chat.until_said("A new day", "You said: A new day")
    assert gui.opened.key != old
    assert chat.composer.reset_line.isHidden()
    toast = chat.person.window.toast
    assert toast.text == "The conversation goes on in a new session."
    toast.click()
    chat.until(lambda: gui.opened.key == old)
    chat.until_said("Again", "You said: Again")


def test_not_this_time(chat: Chat) -> None:
    gui, old = chat.person.gui, aged(chat)
    chat.composer.reset_line.decline.click()
    assert chat.composer.reset_line.isHidden()
    gui.controllers.chat.look_for_reset()
    chat.hands.send("Go on")
    chat.until_said("Again", "You said: Again", "Go on", "You said: Go on")
    assert gui.opened.key == old


def test_the_header_says_that_it_was_a_reset_and_no_fork(chat: Chat) -> None:
    gui, line = chat.person.gui, chat.person.window.transcript.lineage
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    first = gui.opened.key
    chat.hands.send("/reset")
    chat.until(lambda: gui.opened.key != first and line.before.isVisible())
    assert line.before.words.startswith("After the reset of “Hello”, continues agent:main:")
    model, made = chat.person.window.sessions_model, gui.opened.key
    assert made is not None
    assert model.data(model.index(model.row_of(made) or 0), SessionRole.SIGN) == "link"
    line.before.click()
    chat.until(lambda: gui.opened.key == first and line.after.isVisible())
    assert line.after.words.startswith("Reset: agent:main:")
