"""Duplicate tool output in the real window: what it takes, one click to prune it, one step to undo that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.context.projection import Fate, Reason, context_at
from stemmata.gui.cards.card import Card
from stemmata.gui.settings.table_field import TableField
from tests.fakes.cards import words
from tests.journeys.person import Person

REPLY = {"role": "assistant", "provider": "anthropic", "model": "claude-opus-4-5"}


@pytest.fixture
def read_again(tmp_path: Path) -> Path:
    """A pi session that reads one file three times, with a report at its end."""
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "again", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/home/me"}
    ]

    def add(id: str, message: dict[str, Any]) -> None:
        parent = lines[-1]["id"] if len(lines) > 1 else None
        stamp = f"2026-01-01T00:00:{len(lines):02}.000Z"
        lines.append({"type": "message", "id": id, "parentId": parent, "timestamp": stamp, "message": message})

    add("ask", {"role": "user", "content": "Read it."})
    for at in range(3):
        call = {"type": "toolCall", "id": f"c{at}", "name": "read", "arguments": {"path": "/home/me/src/main.py"}}
        add(f"call{at}", REPLY | {"content": [call], "stopReason": "toolUse"})
        text = [{"type": "text", "text": "def main():\n    pass\n" * 200}]
        add(f"res{at}", {"role": "toolResult", "toolCallId": f"c{at}", "toolName": "read", "content": text})
    usage = {"input": 4000, "totalTokens": 4100}
    add("end", REPLY | {"content": [{"type": "text", "text": "Read."}], "stopReason": "stop", "usage": usage})
    path = tmp_path / "again.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_one_click_prunes_the_duplicates_and_one_undo_brings_them_back(person: Person, read_again: Path) -> None:
    person.drop(read_again)
    section, window = person.window.context.duplicates, person.window
    person.until(section.isVisible)
    before, leaf, count = person.total(), person.leaf, len(person.tree)
    assert [button.accessibleName() for button in section.buttons] == ["read main.py · src ≈ 1k"] * 2
    promised = section.note.text()
    section.prune.click()
    person.until(lambda: person.leaf != leaf and not section.isVisible())
    assert window.toast.text.startswith(f"Pruned 2 duplicates, {promised} tokens.")
    assert len(person.tree) == count + 2
    fates = context_at(person.tree, person.tree.get(person.leaf))
    fate = fates.fate(person.tree.index(person.key("res0")))
    assert (fate.fate, fate.reason) == (Fate.PRUNED, Reason.READ_AGAIN)
    person.until(lambda: person.total() != before)
    window.actions_table["undo"].trigger()
    person.until(lambda: person.leaf == leaf)
    person.until(lambda: person.total() == before)
    person.until(section.isVisible)


def test_the_action_prunes_them_too_and_says_when_there_are_none(person: Person, read_again: Path) -> None:
    person.drop(read_again)
    leaf, prune = person.leaf, person.window.actions_table["prune-duplicates"]
    prune.trigger()
    person.until(lambda: person.leaf != leaf and person.window.toast.isVisible())
    person.window.toast.hide()
    prune.trigger()
    person.until(person.window.toast.isVisible)
    assert person.window.toast.text == "Nothing to prune: no tool result is replaced by a later one."


@pytest.mark.parametrize("at", [None, "res0"])
def test_a_path_in_the_folder_of_the_session_begins_there(person: Person, read_again: Path, at: str | None) -> None:
    """Whether the session is opened at its leaf or at an entry."""
    person.drop(read_again)
    opened, view = person.gui.opened, person.window.transcript.view
    assert opened.key is not None
    person.gui.opened.open(opened.key, None if at is None else person.key(at))
    person.until(lambda: opened.session_tree is not None and bool(view.visible_keys))
    shown = "\n".join(words(card) for card in view.viewport().findChildren(Card) if card.isVisible())
    assert "src/main.py" in shown
    assert "/home/me" not in shown


def test_a_line_leads_to_its_result(person: Person, read_again: Path) -> None:
    person.drop(read_again)
    section = person.window.context.duplicates
    person.until(section.isVisible)
    section.buttons[0].click()
    person.until(lambda: person.gui.opened.selection == person.key("res0"))


def test_the_policy_of_a_tool_is_chosen_in_the_settings(person: Person, read_again: Path) -> None:
    person.drop(read_again)
    section = person.window.context.duplicates
    person.until(section.isVisible)
    preferences = person.gui.controllers.preferences
    preferences.show_setting("compaction.tools")
    assert preferences.settings is not None
    field = preferences.settings.fields["compaction.tools"].control
    assert isinstance(field, TableField)
    field.add.click()
    [row] = field.rows
    row.name.insert("Read")
    row.name.editingFinished.emit()
    settings = person.application.services.contexts
    person.until(lambda: settings.settings.tools == {"Read": "keep"})
    field.add.click()
    second = field.rows[1]
    second.name.insert("read")
    second.name.editingFinished.emit()
    assert field.problem.text() == "“read” is in the table already."
    second.remove.click()
    assert not field.problem.text()
    row.choice.setCurrentIndex(2)
    row.choice.activated.emit(2)
    person.until(lambda: settings.settings.tools == {"Read": "summarise"})
    person.window.actions_table["prune-duplicates"].trigger()
    person.until(lambda: person.window.toast.text.startswith("Nothing to prune"))
    row.remove.click()
    person.until(lambda: settings.settings.tools == {})
