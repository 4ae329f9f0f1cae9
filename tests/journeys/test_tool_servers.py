"""Servers of tools in the window: seen, started, stopped; and consents taken back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

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
