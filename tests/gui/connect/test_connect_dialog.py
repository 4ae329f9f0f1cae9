"""Connect a model: what is listed, what the form hands out, and that a key is never shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from stemmata.domain.chat.connections import Connection, KeyOrigin
from stemmata.gui.settings.connect_dialog import ConnectDialog
from stemmata.gui.theme.theme import Theme

ANTHROPIC = Connection(name="Anthropic", variable="ANTHROPIC_API_KEY")
OLLAMA = Connection(name="Ollama", base_url="http://127.0.0.1:11434")


@pytest.fixture
def dialog(theme: Theme, qtbot: QtBot) -> Iterator[ConnectDialog]:
    host = QWidget()
    qtbot.addWidget(host)
    host.show()
    made = ConnectDialog(theme, host)
    made.show()
    yield made
    host.close()


def test_found_servers_come_first_and_are_offered(dialog: ConnectDialog) -> None:
    dialog.show_connections((), "")
    assert dialog.titles == ["Anthropic", "OpenAI", "Other server…"]
    dialog.show_found((OLLAMA,))
    assert dialog.titles == ["Ollama", "Anthropic", "OpenAI", "Other server…"]
    assert dialog.form.connection() == OLLAMA
    dialog.show_connections((OLLAMA,), "Ollama", select="Ollama")
    assert dialog.titles == ["Ollama", "Anthropic", "OpenAI", "Other server…"]
    assert dialog.choice is not None
    assert dialog.choice.is_saved


def test_what_is_being_typed_survives_what_is_found(dialog: ConnectDialog) -> None:
    dialog.show_connections((), "")
    QTest.keyClicks(dialog.form.key, "sk-1")
    dialog.show_found((OLLAMA,))
    assert dialog.form.key.text() == "sk-1"
    assert dialog.form.controls.edit("name").text() == "Anthropic"


def test_a_second_account_has_a_name_of_its_own(dialog: ConnectDialog) -> None:
    dialog.show_connections((ANTHROPIC,), "Anthropic")
    dialog._select(dialog.titles.index("Anthropic", 1))
    assert dialog.form.connection().name == "Anthropic 2"


def test_a_key_is_handed_out_once_and_never_shown(dialog: ConnectDialog, qtbot: QtBot) -> None:
    dialog.show_connections((), "")
    form = dialog.form
    assert form.key.echoMode() is QLineEdit.EchoMode.Password
    QTest.keyClicks(form.key, "sk-secret")
    with qtbot.waitSignal(form.save_requested) as saved:
        QTest.mouseClick(form.save, Qt.MouseButton.LeftButton)
    assert saved.args is not None
    assert saved.args[1] == "sk-secret"
    assert "sk-secret" not in repr(saved.args[0])
    assert form.key.text() == ""
    form.key.undo()
    assert form.key.text() == ""
    dialog.show_connections((ANTHROPIC,), "Anthropic", select="Anthropic")
    assert form.key.text() == ""


def test_a_connection_without_an_address_is_neither_tried_nor_saved(dialog: ConnectDialog, qtbot: QtBot) -> None:
    dialog.show_connections((), "")
    dialog.choose("Other server…")
    form = dialog.form
    assert form.title.text() == "Connect another server"
    for text in ("", "ftp://x", "127.0.0.1:8080", "http://"):
        form.controls.edit("base_url").setText(text)
        with qtbot.assertNotEmitted(form.save_requested), qtbot.assertNotEmitted(form.test_requested):
            form.save.click()
            form.test.click()
        assert "Enter an address" in form.result.text()


def test_a_connection_without_a_name_is_called_after_its_host(dialog: ConnectDialog, qtbot: QtBot) -> None:
    dialog.show_connections((), "")
    dialog.choose("Other server…")
    form = dialog.form
    form.controls.edit("base_url").setText("https://models.example:8443/v1")
    assert form.controls.edit("name").placeholderText() == "models.example:8443"
    with qtbot.waitSignal(form.save_requested) as saved:
        form.save.click()
    assert saved.args is not None
    assert saved.args[0].name == "models.example:8443"


def test_a_new_connection_takes_no_others_place(dialog: ConnectDialog, qtbot: QtBot) -> None:
    dialog.show_connections((OLLAMA,), "Ollama")
    dialog.choose("Other server…")
    form = dialog.form
    form.controls.edit("name").setText("Ollama")
    form.controls.edit("base_url").setText("http://127.0.0.1:8080/v1")
    with qtbot.assertNotEmitted(form.save_requested):
        form.save.click()
    assert form.result.text() == "A connection named Ollama already exists."


def test_what_is_new_is_connected_and_what_is_there_is_saved(dialog: ConnectDialog) -> None:
    dialog.show_connections((), "")
    assert (dialog.form.save.text(), dialog.form.title.text()) == ("Connect", "Connect Anthropic")
    dialog.show_connections((ANTHROPIC,), "Anthropic", select="Anthropic")
    assert (dialog.form.save.text(), dialog.form.title.text()) == ("Save", "Anthropic")


@pytest.mark.parametrize(
    ("origin", "problem", "said"),
    [
        (None, "", "kept in the keyring of this system, and nowhere else"),
        (None, "There is no keyring.", "The key will not be stored. There is no keyring."),
        (KeyOrigin.ENVIRONMENT, "", "environment variable ANTHROPIC_API_KEY"),
        (KeyOrigin.KEYRING, "", "is in the keyring"),
        (KeyOrigin.MEMORY, "It is locked.", "The key is not stored. It is locked."),
    ],
)
def test_where_the_key_is_kept_is_said(
    dialog: ConnectDialog, origin: KeyOrigin | None, problem: str, said: str
) -> None:
    dialog.show_connections((), "")
    dialog.form.show_origin(origin, problem)
    assert said in dialog.form.storage.text()


def test_whether_a_key_is_needed_is_known_only_of_servers_here(dialog: ConnectDialog) -> None:
    elsewhere = Connection(name="Far", base_url="https://far.example")
    dialog.show_connections((OLLAMA, elsewhere), "Ollama")
    dialog.choose("Ollama")
    dialog.form.show_origin(KeyOrigin.NOT_NEEDED, "")
    assert dialog.form.key.placeholderText() == "Not needed"
    dialog.choose("Far")
    dialog.form.show_origin(KeyOrigin.NOT_NEEDED, "")
    assert dialog.form.key.placeholderText() == "Only if the server requires one"
    assert "kept in the keyring" in dialog.form.storage.text()


def test_more_goes_to_what_it_shows(dialog: ConnectDialog) -> None:
    dialog.show_connections((), "")
    dialog.activateWindow()
    dialog.form.more.setFocus()
    QTest.keyClick(dialog.form.more, Qt.Key.Key_Space)
    assert dialog.form.controls.edit("variable").hasFocus()


def test_a_test_leaves_the_keys_where_they_were(dialog: ConnectDialog, qtbot: QtBot) -> None:
    dialog.show_connections((ANTHROPIC,), "Anthropic")
    dialog.activateWindow()
    form = dialog.form
    form.test.setFocus()
    with qtbot.waitSignal(form.test_requested), qtbot.assertNotEmitted(form.save_requested):
        QTest.keyClick(form.test, Qt.Key.Key_Return)
    form.show_busy("Asking…")
    assert not form.test.hasFocus()
    form.show_busy("")
    assert form.test.hasFocus()
    form.show_busy("Asking…")
    form.key.setFocus()
    form.show_busy("")
    assert form.key.hasFocus()


def test_the_list_is_filled_only_when_it_changes(dialog: ConnectDialog) -> None:
    """It was filled when the dialog was made and again before it was shown."""
    dialog.show_connections((ANTHROPIC,), "Anthropic")
    first = dialog.list.item(0)
    dialog.show_connections((ANTHROPIC,), "Anthropic")
    assert dialog.list.item(0) is first
    dialog.show_connections((ANTHROPIC, OLLAMA), "Anthropic")
    assert not isValid(first)


def test_the_dialog_is_as_high_as_its_form_needs(dialog: ConnectDialog) -> None:
    dialog.choose(dialog.titles[-1])
    before = dialog.height()
    dialog.form.more.click()
    dialog.form.show_result("\n".join(["The server did not answer."] * 5), works=False)
    assert dialog.height() > before
    dialog.choose(dialog.titles[0])
    assert dialog.height() > before, "the buttons do not move up under the mouse"
