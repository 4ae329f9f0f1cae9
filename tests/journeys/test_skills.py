"""A folder of skills is chosen, a skill activated, its size seen, its text sent, and the skill deactivated again."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel

from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind
from stemmata.gui.composer.model_popup import PickPopup
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import connect, new_chat
from tests.journeys.person import Person

BRIEF = "---\nname: brief\ndescription: Use when answers grow long and dull.\n---\nAnswer in one line.\n"
RHYME = "---\nname: rhyme\ndescription: Use for poems and songs.\n---\nRhyme.\n"


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "SKILL.md").write_text(text, encoding="utf-8")


class Skills:
    """The chip and the list of skills."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._controller = person.gui.controllers.skills

    @property
    def popup(self) -> PickPopup:
        return self._controller.popup

    @property
    def chip(self) -> str:
        button = self._person.window.transcript.composer.foot.skills
        return button.text() if button.isVisible() else ""

    def open(self, *rows: str) -> None:
        """Open the list by its action, and wait for these rows."""
        self._person.window.actions_table["skills"].trigger()
        self._person.until(lambda: set(rows) <= set(self.popup.shown))

    @property
    def preselected(self) -> str:
        """The row that Enter picks."""
        item = self.popup.list.currentItem()
        assert item is not None
        return str(item.data(Qt.ItemDataRole.AccessibleTextRole)).partition(" ≈ ")[0].strip()

    def add_folder(self, folder: Path) -> None:
        self.open("Add a folder of skills…")
        self.pick("Add a folder of skills…")
        dialog = self._person.window.findChild(QFileDialog)
        assert dialog is not None
        dialog.fileSelected.emit(str(folder))
        dialog.close()

    def pick(self, row: str) -> None:
        self.popup.field.setText(row)  # QTest cannot type an ellipsis
        self._person.until(lambda: self.popup.shown[:1] == [row])
        QTest.keyClick(self.popup.field, Qt.Key.Key_Return)


def systems(server: AnthropicServer) -> list[str]:
    return ["".join(part["text"] for part in found.body.get("system", ())) for found in server.requests]


def test_from_the_folder_to_the_request_and_off_again(
    person: Person, chat_server: AnthropicServer, tmp_path: Path
) -> None:
    write(tmp_path / "skills", "brief", BRIEF)
    write(tmp_path / "skills", "rhyme", RHYME)
    write(tmp_path / "skills", "broken", "nothing")
    connect(person, chat_server)
    chat, skills = new_chat(person), Skills(person)
    assert skills.chip == ""  # off until a folder is chosen
    skills.add_folder(tmp_path / "skills")
    person.until(lambda: skills.chip == "Skills ▾")

    skills.open("brief", "rhyme")
    skills.pick("brief")
    person.until(lambda: skills.chip == "Skills: 1 ▾")
    tokens = len(BRIEF) // 4 + 1
    view = person.gui.opened.context(person.gui.opened.end)
    assert view.breakdown.categories[Category.SKILLS].value == tokens
    person.window.show_column("context", on=True)
    person.until(lambda: is_in_breakdown(person))

    chat.composer.put("Hello")
    chat.composer.submit()
    chat.until_told(2)
    [system] = systems(chat_server)
    assert "Answer in one line." in system
    assert "Rhyme." not in system

    chat.composer.put("A poem for the songs of my friends, please")
    chat.composer.submit()
    chat.until_told(4)
    assert systems(chat_server)[-1].index("Answer in one line.") < systems(chat_server)[-1].index("Rhyme.")
    assert skills.chip == "Skills: 2 ▾"

    write(tmp_path / "skills", "brief", BRIEF.replace("one line", "two lines"))
    skills.open("brief", "Send the new text of brief")
    skills.pick("Send the new text of brief")
    person.until(lambda: list(person.tree.columns.kind).count(Kind.SKILL) == 3)
    skills.open("brief", "rhyme")
    skills.pick("brief")
    person.until(lambda: skills.chip == "Skills: 1 ▾")
    skills.open("brief", "rhyme")
    skills.pick("rhyme")
    person.until(lambda: skills.chip == "Skills ▾")
    chat.composer.put("And now?")
    chat.composer.submit()
    chat.until_told(6)
    assert systems(chat_server)[-1] == ""


def test_enter_in_the_list_deactivates_no_skill(person: Person, chat_server: AnthropicServer, tmp_path: Path) -> None:
    write(tmp_path / "skills", "brief", BRIEF)
    write(tmp_path / "skills", "rhyme", RHYME)
    connect(person, chat_server)
    new_chat(person)
    skills = Skills(person)
    person.gui.controllers.preferences.change("chat.skill_folders", str(tmp_path / "skills"))
    person.until(lambda: skills.chip == "Skills ▾")
    for count, first in enumerate(("brief", "rhyme", "Add a folder of skills…")):
        person.until(lambda count=count: skills.chip == (f"Skills: {count} ▾" if count else "Skills ▾"))  # type: ignore[misc]
        skills.open("brief", "rhyme")
        assert skills.preselected == first
        if count < 2:
            QTest.keyClick(skills.popup.field, Qt.Key.Key_Return)
    skills.popup.hide()


def is_in_breakdown(person: Person) -> bool:
    labels = person.window.context.findChildren(QLabel)
    return any(found.text() == "Skills" and found.isVisible() for found in labels)


def test_a_second_window_sees_the_same_skills(person: Person, chat_server: AnthropicServer, tmp_path: Path) -> None:
    write(tmp_path / "skills", "brief", BRIEF)
    services = person.application.services
    connect(person, chat_server)
    new_chat(person)
    person.gui.controllers.preferences.change("chat.skill_folders", str(tmp_path / "skills"))
    skills = Skills(person)
    person.until(lambda: skills.chip == "Skills ▾")
    key = person.gui.opened.key
    assert key is not None
    services.skills.switch(key, "brief", on=True).result(PATIENCE)  # as another window does
    person.until(lambda: skills.chip == "Skills: 1 ▾")
