"""Servers of tools in the settings: seen, started, stopped, added, tried, changed, taken out; consents taken back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.chat.tool_servers import KeptConsent, ToolServer
from stemmata.gui.settings.servers_page import ServersPage
from stemmata.system.settings.connections_file import ConnectionsFile, ConsentsFile
from tests.fakes import mcp_server
from tests.journeys.person import Person

CHILD = str(Path(mcp_server.__file__))
KEY = "tok-very-secret-1234"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "config" / "settings.toml"


def opened(person: Person) -> ServersPage:
    person.window.actions_table["tool-servers"].trigger()
    person.until(lambda: person.gui.controllers.servers.page is not None)
    page = person.gui.controllers.servers.page
    assert page is not None
    person.until(page.isVisible)
    return page


def close(person: Person) -> None:
    dialog = person.gui.controllers.preferences.settings
    assert dialog is not None
    dialog.close()
    person.until(lambda: person.gui.controllers.servers.page is None)


def test_servers_are_started_and_stopped_by_hand(person: Person, settings: Path) -> None:
    page = opened(person)
    person.until(lambda: page.empty.isVisible())
    ConnectionsFile(settings).save_server(ToolServer(name="fake", command=sys.executable, args=(CHILD,)))
    ConnectionsFile(settings).save_server(ToolServer(name="none", command="no-such-program-anywhere"))
    opened(person)
    person.until(lambda: list(page.rows) == ["fake", "none"])
    fake, none = page.rows.values()
    assert fake.state.text() == "Stopped"
    none.start.click()
    person.until(lambda: none.state.text() == "Failed: The program “no-such-program-anywhere” was not found.")
    assert none.start.isVisible()
    fake.start.click()
    person.until(lambda: fake.state.text() == "Running with 9 tools")
    assert fake.tools.text().startswith("add, fail, die")
    fake.restart.click()
    person.until(lambda: fake.state.text() == "Starting…")
    person.until(lambda: fake.state.text() == "Running with 9 tools")
    fake.stop.click()
    person.until(lambda: fake.state.text() == "Stopped")
    close(person)


def test_a_key_is_given_in_the_window_and_stands_in_no_file(person: Person, settings: Path, tmp_path: Path) -> None:
    with mcp_server.at_address(KEY) as url:
        headers = {"Authorization": "Bearer ${key}"}
        ConnectionsFile(settings).save_server(ToolServer(name="hub", url=url, headers=headers))
        page = opened(person)
        person.until(lambda: list(page.rows) == ["hub"])
        row = page.rows["hub"]
        person.until(row.key.isVisible)
        row.start.click()
        person.until(lambda: "has no key yet" in row.state.text())
        row.key.setText("tok-wrong-9876543210")
        row.save.click()
        person.until(lambda: "refused the key" in row.state.text())
        assert row.key.text() == ""
        row.key.setText(KEY)
        QTest.keyClick(row.key, Qt.Key.Key_Return)
        person.until(lambda: row.state.text() == "Running with 8 tools")
        row.stop.click()
        person.until(lambda: row.state.text() == "Stopped")
    assert not written(tmp_path)
    close(person)


def written(folder: Path) -> list[Path]:
    """Return the files that contain the key."""
    return [path for path in folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_a_server_is_added_tried_changed_and_removed(person: Person, settings: Path) -> None:
    settings.write_text("# mine\n", encoding="utf-8")
    page = opened(person)
    page.add.click()
    form = page.form
    assert form.isVisible()
    assert form.controls.edit("name").hasFocus() or page.window().focusWidget() is form.controls.edit("name")
    QTest.keyClicks(form.controls.edit("name"), "fake")
    form.save.click()
    assert form.rows["command"].problem.text() == "Enter a value."
    form.controls.edit("command").setText("no-such-program-anywhere")
    form.try_out.click()
    person.until(lambda: "program “no-such-program-anywhere” was not found" in form.result.text())
    form.controls.edit("command").setText(sys.executable)
    form.controls.lines("args").setPlainText(CHILD)
    form.controls.lines("env").setPlainText("MODE=read\nwrong")
    form.try_out.click()
    assert "“wrong” is not of the form NAME=value" in form.rows["env"].problem.text()
    form.controls.lines("env").setPlainText("MODE=read")
    form.try_out.click()
    person.until(lambda: form.result.text().startswith("The server works and has 9 tools: add, fail"))
    form.save.click()
    person.until(lambda: list(page.rows) == ["fake"] and not form.isVisible())
    assert ConnectionsFile(settings).servers()[0].env == {"MODE": "read"}
    assert settings.read_text(encoding="utf-8").startswith("# mine\n")
    page.rows["fake"].edit.click()
    assert form.controls.lines("args").lines == [CHILD]
    form.controls.edit("name").setText("tools")
    form.controls.edit("folder").setText("/")
    QTest.keyClick(form.save, Qt.Key.Key_Return)
    person.until(lambda: list(page.rows) == ["tools"] and not form.isVisible())
    others = KeptConsent("other", "other__add", "/home/me", may=True)
    ConsentsFile(settings).save(KeptConsent("tools", "tools__add", "/home/me", may=True))
    ConsentsFile(settings).save(others)
    page.rows["tools"].edit.click()
    form.remove.click()
    person.until(lambda: page.rows == {} and page.empty.isVisible())
    assert person.window.toast.text == "tools was removed, and its key and consents deleted."
    person.until(lambda: ConsentsFile(settings).consents() == (others,))
    close(person)


def test_a_key_goes_to_the_keyring_and_never_to_the_file(person: Person, settings: Path, tmp_path: Path) -> None:
    page = opened(person)
    page.add.click()
    form = page.form
    with mcp_server.at_address(KEY) as url:
        form.controls.choice("kind").setCurrentIndex(1)
        form.controls.edit("name").setText("hub")
        form.controls.edit("url").setText(url)
        form.controls.lines("headers").setPlainText(f"X-Api-Key: {KEY}")
        form.save.click()
        person.until(lambda: "X-Api-Key looks like a key" in form.result.text())
        form.controls.lines("headers").setPlainText("X-Team: blue")
        form.controls.edit("key").setText(KEY)
        form.save.click()
        assert "write ${key} here, where the server needs it" in form.rows["headers"].problem.text()
        form.controls.lines("headers").setPlainText("Authorization: Bearer ${key}")
        form.try_out.click()
        person.until(lambda: form.result.text().startswith("The server works and has 8 tools"))
        form.save.click()
        person.until(lambda: list(page.rows) == ["hub"] and not form.isVisible())
        assert form.controls.edit("key").text() == ""
        person.until(lambda: "keyring" in page.message.text())  # there is none here: kept for this run
        page.rows["hub"].start.click()
        person.until(lambda: page.rows["hub"].state.text() == "Running with 8 tools")
        page.rows["hub"].stop.click()
        person.until(lambda: page.rows["hub"].state.text() == "Stopped")
    assert not written(tmp_path)
    close(person)


def test_the_form_is_left_with_escape_and_the_settings_stay(person: Person) -> None:
    page = opened(person)
    page.add.click()
    QTest.keyClick(page.form.controls.edit("name"), Qt.Key.Key_Escape)
    assert not page.form.isVisible()
    assert page.isVisible()
    assert page.window().focusWidget() is page.add
    close(person)


def test_a_consent_is_taken_back(person: Person, settings: Path) -> None:
    file = ConsentsFile(settings)
    file.save(KeptConsent("fake", "fake__add", "/home/me", may=True))
    file.save(KeptConsent("Stemmata", "memory", "", may=False))
    page = opened(person)
    person.until(lambda: len(page.forgets) == 2)
    assert page.forgets[0].accessibleName() == "Ask again before fake__add"
    page.forgets[0].click()
    person.until(lambda: len(page.forgets) == 1)
    assert file.consents() == (KeptConsent("Stemmata", "memory", "", may=False),)
    close(person)
