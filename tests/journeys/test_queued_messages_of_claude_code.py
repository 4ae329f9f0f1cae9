"""What a person typed while Claude Code was working is a prompt; what finished tasks queued is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from stemmata.domain.navigator.outline import Density
from tests.fakes.claude_code import Line, call, line, reply, result, user, written
from tests.journeys.person import Person


def queued(id: str, parent: str, minute: float, prompt: str, **facts: str) -> Line:
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", **facts}
    return line("attachment", id, parent, minute, attachment=attachment)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A turn of many calls, in the middle of which a message and a notification came."""
    lines = [user("start", None, 0, "Plant the beans")]
    for at in range(1, 81):  # several times as high as the window
        lines.append(call(f"call{at}", str(lines[-1]["uuid"]), at, f"msg{at}", f"tool{at}"))
        lines.append(result(f"result{at}", f"call{at}", at + 0.5, f"tool{at}"))
        if at == 10:
            lines.append(queued("queued", "result10", at + 0.6, "Water them, too"))
        if at == 20:
            said = "<task-notification>done</task-notification>"
            lines.append(queued("task", "result20", at + 0.6, said, commandMode="task-notification"))
    lines.append(reply("end", "result80", 90, stop="end_turn"))
    return written(tmp_path / "s.jsonl", lines)


def test_it_is_a_prompt_for_the_keys_the_recall_and_the_branches(person: Person, file: Path) -> None:
    person.drop(file)
    view, actions = person.window.transcript.view, person.window.actions_table
    view.scroll_to(person.key("result80"))
    for prompt in ("queued", "start"):
        actions["previous-prompt"].trigger()
        assert view.visible_keys[0] == person.key(prompt)
    editor = person.window.transcript.composer.editor

    def recalled() -> list[str]:
        """Return what ↑ brings into the empty message, three times."""
        texts = []
        for key in (*[Qt.Key.Key_Down] * 3, *[Qt.Key.Key_Up] * 3):
            QTest.keyClick(editor, key)
            texts.append(editor.toPlainText())
        return texts[3:]

    person.until(lambda: recalled() == ["Water them, too", "Plant the beans", "Plant the beans"])
    branches = person.window.branches
    branches.set_density(Density.PROMPTS)
    person.until(lambda: branches.outline is not None and branches.outline.density is Density.PROMPTS)
    shown = [branches.model.key(row) for row in range(len(branches.model))]
    assert shown == [person.key("start"), person.key("queued")]


def test_it_is_copied_under_its_name(person: Person, file: Path) -> None:
    person.drop(file)
    view, clipboard = person.window.transcript.view, QGuiApplication.clipboard()
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    person.window.actions_table["copy-markdown"].trigger()
    person.until(lambda: "\n## Queued message\n\nWater them, too\n" in clipboard.text())
