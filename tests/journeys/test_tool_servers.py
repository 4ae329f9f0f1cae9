"""Servers of tools in the window: seen, started, stopped; and consents taken back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.tool_servers import KeptConsent, ToolServer
from stemmata.gui.dialogs.servers_dialog import ServersDialog
from stemmata.system.connections_file import ConnectionsFile
from stemmata.system.consents_file import ConsentsFile
from tests.fakes import mcp_server
from tests.journeys.person import Person

CHILD = str(Path(mcp_server.__file__))


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "config" / "settings.toml"


def opened(person: Person) -> ServersDialog:
    person.window.actions_table["tool-servers"].trigger()
    dialog = person.gui.controllers.servers.dialog
    assert dialog is not None
    return dialog


def test_servers_are_started_and_stopped_by_hand(person: Person, settings: Path) -> None:
    dialog = opened(person)
    person.until(lambda: dialog.empty.isVisible())
    ConnectionsFile(settings).save_server(ToolServer(name="fake", command=sys.executable, args=(CHILD,)))
    ConnectionsFile(settings).save_server(ToolServer(name="none", command="no-such-program-anywhere"))
    opened(person)
    person.until(lambda: list(dialog.rows) == ["fake", "none"])
    fake, none = dialog.rows.values()
    assert fake.state.text() == "Stopped"
    none.start.click()
    person.until(lambda: none.state.text() == "Failed: There is no program “no-such-program-anywhere”.")
    assert none.start.isVisible()
    fake.start.click()
    person.until(lambda: fake.state.text() == "Running with 9 tools")
    assert fake.tools.text().startswith("add, fail, die")
    fake.restart.click()
    person.until(lambda: fake.state.text() == "Starting…")
    person.until(lambda: fake.state.text() == "Running with 9 tools")
    fake.stop.click()
    person.until(lambda: fake.state.text() == "Stopped")
    dialog.close()


def test_a_key_is_given_in_the_window_and_stands_in_no_file(person: Person, settings: Path, tmp_path: Path) -> None:
    with mcp_server.at_address("tok-very-secret-1234") as url:
        headers = {"Authorization": "Bearer ${key}"}
        ConnectionsFile(settings).save_server(ToolServer(name="hub", url=url, headers=headers))
        dialog = opened(person)
        person.until(lambda: list(dialog.rows) == ["hub"])
        row = dialog.rows["hub"]
        person.until(row.key.isVisible)
        row.start.click()
        person.until(lambda: "no key for this server yet" in row.state.text())
        row.key.setText("tok-wrong-9876543210")
        row.save.click()
        person.until(lambda: "refused the key" in row.state.text())
        assert row.key.text() == ""
        row.key.setText("tok-very-secret-1234")
        QTest.keyClick(row.key, Qt.Key.Key_Return)
        person.until(lambda: row.state.text() == "Running with 8 tools")
        row.stop.click()
        person.until(lambda: row.state.text() == "Stopped")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"tok-very" in path.read_bytes()]
    dialog.close()


def test_a_consent_is_taken_back(person: Person, settings: Path) -> None:
    file = ConsentsFile(settings)
    file.save(KeptConsent("fake", "fake__add", "/home/me", may=True))
    file.save(KeptConsent("Stemmata", "memory", "", may=False))
    dialog = opened(person)
    person.until(lambda: len(dialog.forgets) == 2)
    assert dialog.forgets[0].accessibleName() == "Ask again before fake__add"
    dialog.forgets[0].click()
    person.until(lambda: len(dialog.forgets) == 1)
    assert file.consents() == (KeptConsent("Stemmata", "memory", "", may=False),)
    dialog.close()
