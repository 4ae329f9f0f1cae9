"""Sessions put away one after the other, and chats that are begun more than once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person

MANY = 4


@pytest.fixture
def keys(person: Person, session_file: Path) -> list[int]:
    """The keys of several sessions in the order of the list; the second one is open."""
    text = session_file.read_text(encoding="utf-8")
    for number in range(MANY):
        other = session_file.with_name(f"2025-02-0{number + 1}T04-05-06_other.jsonl")
        other.write_text(text.replace("journey-1", f"journey-{number + 2}"), encoding="utf-8")
        person.application.services.importing.import_paths([other]).result(PATIENCE)
    model = person.window.sessions_model
    person.until(lambda: model.total == MANY)
    rows = [model.session_at(row) for row in range(model.rowCount())]
    found = [session.key for session in rows if session is not None]
    person.gui.open_session(found[1])
    person.until(lambda: person.gui.opened.session_tree is not None)
    return found


@pytest.mark.parametrize("action", ["trash", "archive"])
def test_the_next_one_is_open_then(person: Person, keys: list[int], action: str) -> None:
    person.window.actions_table[action].trigger()
    person.until(lambda: person.window.sessions_model.shown == MANY - 1)
    assert person.gui.opened.key == keys[2]
    person.window.actions_table[action].trigger()
    person.until(lambda: person.window.sessions_model.shown == MANY - 2)
    assert person.gui.opened.key == keys[3]
    person.window.actions_table[action].trigger()
    person.until(lambda: person.window.sessions_model.shown == MANY - 3)
    assert person.gui.opened.key == keys[0], "the last one is followed by the one above"
    assert [session.key for session in person.window.sessions.selected] == [keys[0]]


def test_an_empty_chat_is_begun_once(person: Person, keys: list[int]) -> None:
    start, model = person.window.actions_table["new-chat"], person.window.sessions_model
    composer = person.window.transcript.composer
    for _ in range(5):
        start.trigger()
    person.until(lambda: person.gui.opened.key not in keys and person.gui.opened.session_tree is not None)
    person.until(lambda: model.total == MANY + 1)
    first = person.gui.opened.key
    person.window.sessions.list.setFocus()
    start.trigger()
    assert person.window.focusWidget() is composer.editor
    composer.put("A draft")
    start.trigger()
    person.until(lambda: person.gui.opened.key != first and model.total == MANY + 2)
