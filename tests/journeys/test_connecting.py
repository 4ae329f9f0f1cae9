"""Connections from the window: found on this machine, tried, made the default, changed and removed."""

from __future__ import annotations

from concurrent.futures import Future

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.chat.connections import Connection
from stemmata.gui.settings.connect_dialog import ConnectDialog
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


@pytest.fixture
def found(person: Person, chat_server: AnthropicServer, monkeypatch: pytest.MonkeyPatch) -> ConnectDialog:
    """The dialog, opened from the welcome page, with a server found on this machine."""
    servers: Future[tuple[Connection, ...]] = Future()
    servers.set_result((Connection(name="Ollama", base_url=chat_server.url),))
    monkeypatch.setattr(person.application.services.connecting, "discover", lambda: servers)
    person.until(lambda: person.window.shows_welcome)
    person.window.welcome.connect_button.click()
    dialog = person.gui.controllers.connections.dialog
    assert dialog is not None
    person.until(lambda: "Ollama" in dialog.titles and dialog.form.controls.edit("name").text() == "Ollama")
    return dialog


def test_a_found_server_is_connected_with_one_key(person: Person, found: ConnectDialog) -> None:
    person.until(lambda: found.form.storage.text() == "A server on this machine usually needs no key.")
    QTest.keyClick(found.form.controls.edit("name"), Qt.Key.Key_Return)
    person.until(lambda: not found.isVisible())
    assert person.window.toast.text.startswith("Connected to Ollama with the model claude-sonnet-5-5")
    connections = person.gui.controllers.connections
    person.until(lambda: [item.model for item in connections.connections] == ["claude-sonnet-5-5"])
    person.until(person.window.welcome.chat_button.isVisible)
    person.window.welcome.chat_button.click()
    person.until(lambda: person.gui.opened.session_tree is not None and not person.window.shows_welcome)
    person.until(lambda: person.total() == "≈ 0 of 200k")  # before anything is said the model is known


def test_what_is_wrong_is_said_in_words(person: Person, found: ConnectDialog, chat_server: AnthropicServer) -> None:
    form = found.form
    found.choose("Anthropic")
    person.until(lambda: "not be stored" in form.storage.text())
    form.test.click()
    person.until(lambda: form.result.text() == "There is no key. Paste the one the provider gave you.")
    found.choose("Other server…")
    form.controls.edit("name").setText("Work")
    form.controls.edit("base_url").setText("http://127.0.0.1:9/v1")
    form.test.click()
    person.until(lambda: form.test.isEnabled() and form.result.text().startswith("“Work” "))
    form.controls.edit("base_url").setText(chat_server.url)
    form.controls.choice("api").setCurrentIndex(0)
    form.controls.edit("model").setText("no-such-model")
    form.test.click()
    person.until(lambda: form.result.text().startswith("The server has no model “no-such-model”."))


def test_connections_are_made_default_and_removed(
    person: Person, found: ConnectDialog, chat_server: AnthropicServer
) -> None:
    services, controller = person.application.services, person.gui.controllers.connections
    for name in ("One", "Two"):
        services.connecting.save(Connection(name=name, base_url=chat_server.url, model="claude-opus-4-5")).result(
            PATIENCE
        )
    person.until(lambda: [item.name for item in controller.connections] == ["One", "Two"])
    person.until(lambda: controller.default == "One" and "Two" in found.titles)
    found.choose("Two")
    assert found.form.controls.edit("name").isReadOnly()
    found.form.default.click()
    person.until(lambda: controller.default == "Two" and found.form.default.isHidden())
    found.form.remove.click()
    person.until(lambda: [item.name for item in controller.connections] == ["One"])
    told = "Two was removed, and its key deleted. Sessions keep its replies."
    person.until(lambda: person.window.toast.text == told)
    assert controller.connection_for("Two") is None, "what it said is given to no other provider unasked"
