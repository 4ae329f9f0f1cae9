"""What is left when no session is open, and when the application is closed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from shiboken6 import isValid

from stemmata.domain.chat.connections import Connection
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.script import flood
from tests.fakes.waiting import PATIENCE, until
from tests.journeys.chatting import Chat
from tests.journeys.person import Person


def test_no_figures_of_a_session_stay_when_it_is_closed(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    person.until(lambda: person.window.status.texts[2].startswith("Auto-compact at"))  # shown in a later turn
    person.gui.opened.close()
    assert person.total() == "—"
    assert person.window.status.texts[1:] == ("", "")


def test_no_connection_is_left_when_the_application_closes(chat: Chat, chat_server: AnthropicServer) -> None:
    """Neither a streaming reply nor a request without an answer keeps its connection."""
    services = chat.person.application.services
    chat_server.script(flood(60))
    chat.hands.send("Tell me more")
    chat.until(lambda: "quick" in chat.streamed())
    services.connecting.save(Connection(name="Other", base_url=chat_server.url)).result(PATIENCE)
    asked = services.connecting.models("Other", refresh=True)
    chat.person.application.close()
    assert asked.cancelled() or asked.done()
    until(lambda: chat_server.open_connections == 0)


def test_a_shortcut_that_is_being_recorded_breaks_nothing_when_the_window_closes(person: Person) -> None:
    """The field tells its keys when it loses the focus, which it does when the window goes."""
    person.window.activateWindow()
    person.gui.controllers.preferences.show_shortcuts()
    dialog = person.gui.controllers.preferences.shortcuts
    assert dialog is not None
    field = dialog.fields["export"].edit
    dialog.activateWindow()
    field.setFocus()
    person.until(field.hasFocus)
    QTest.keyPress(field, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    person.application.close()
    assert not isValid(dialog)
