"""Models in the settings: what is shipped is seen, what the person says counts, and is taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.domain.chat.catalogue import Model
from stemmata.gui.settings.models_page import ModelsPage
from stemmata.system.settings.connections_file import ConnectionsFile
from tests.journeys.person import Person

SHIPPED = "claude-sonnet-4"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "profile" / "config" / "settings.toml"
    path.write_text("# mine\n", encoding="utf-8")
    return path


@pytest.fixture
def page(person: Person, settings: Path) -> ModelsPage:
    person.window.actions_table["models"].trigger()
    person.until(lambda: person.gui.controllers.preferences.models is not None)
    page = person.gui.controllers.preferences.models
    assert page is not None
    person.until(lambda: page.isVisible() and SHIPPED in page.rows)
    return page


def close(person: Person) -> None:
    dialog = person.gui.controllers.preferences.settings
    assert dialog is not None
    dialog.close()
    person.until(lambda: person.gui.controllers.preferences.models is None)


def is_own(page: ModelsPage, id: str) -> bool:
    return id in page.rows and page.rows[id].known.own is not None


def test_a_model_is_added_changed_and_removed(person: Person, page: ModelsPage, settings: Path) -> None:
    assert page.rows[SHIPPED].facts.text().startswith("Window 200k")
    page.add.click()
    form = page.form
    assert page.window().focusWidget() is form.controls.edit("id")
    form.save.click()
    assert form.rows["id"].problem.text() == "Enter a value."
    form.controls.edit("id").setText("My-Model")
    window, reply, price = map(form.controls.edit, ("window", "most_output", "input"))
    window.setText("many")
    price.setText("-1")
    form.save.click()
    assert "such as 200000 or 200k" in form.rows["window"].problem.text()
    assert "such as 2.5" in form.rows["input"].problem.text()
    assert page.window().focusWidget() is window
    window.setText("32k")
    reply.setText("4,000")
    price.setText("$1.25")
    form.controls.lines("aliases").setPlainText("mine\nmine-too")
    QTest.keyClick(form.save, Qt.Key.Key_Space)
    person.until(lambda: is_own(page, "my-model") and not form.isVisible())
    assert (
        page.rows["my-model"].facts.text()
        == "Window 32k\N{NO-BREAK SPACE}· replies up to 4k\N{NO-BREAK SPACE}· $1.25 in"
    )
    wanted = Model("my-model", 32_000, 1_250_000, most_output=4_000, aliases=("mine", "mine-too"))
    assert ConnectionsFile(settings).models() == {"my-model": wanted}
    assert settings.read_text(encoding="utf-8").startswith("# mine\n")
    assert person.application.services.contexts.window("local/mine") == 32_000
    page.rows["my-model"].edit.click()
    assert (window.text(), price.text()) == ("32000", "1.25")
    form.remove.click()
    person.until(lambda: "my-model" not in page.rows and not form.isVisible())
    close(person)


def test_a_shipped_model_is_changed_and_reset(person: Person, page: ModelsPage, settings: Path) -> None:
    before = page.rows[SHIPPED].facts.text()
    page.rows[SHIPPED].edit.click()
    form = page.form
    assert form.controls.edit("id").isReadOnly()
    assert not form.remove.isVisible()
    assert form.controls.edit("window").placeholderText() == "200,000"
    form.controls.edit("window").setText("1M")
    form.save.click()
    person.until(lambda: is_own(page, SHIPPED))
    assert page.rows[SHIPPED].facts.text() == before.replace("200k", "1M")
    assert page.window().focusWidget() is page.rows[SHIPPED].edit
    page.rows[SHIPPED].edit.click()
    assert form.remove.text() == "Use the shipped values"
    form.remove.click()
    person.until(lambda: not is_own(page, SHIPPED))
    assert page.rows[SHIPPED].facts.text() == before
    assert ConnectionsFile(settings).models() == {}
    close(person)


def test_what_cannot_be_written_is_told(person: Person, page: ModelsPage, settings: Path) -> None:
    settings.write_text("models = 3\n", encoding="utf-8")
    page.add.click()
    page.form.controls.edit("id").setText("m")
    page.form.save.click()
    person.until(lambda: "“models” is not a section" in page.form.result.text())
    assert page.form.isVisible()
    assert settings.read_text(encoding="utf-8") == "models = 3\n"
    QTest.keyClick(page.form, Qt.Key.Key_Escape)
    assert not page.form.isVisible()
    close(person)
