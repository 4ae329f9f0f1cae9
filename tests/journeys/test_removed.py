"""What a tool removes from its database stays: as a branch, and as a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.entries.entry import Flag
from stemmata.gui.sessions.model import SessionRole
from tests.fakes.librecode import Store
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "librecode.db")
    made.session("s", name="Tea")
    for at, (id, parent, role) in enumerate((("a", None, "user"), ("b", "a", "assistant"), ("c", "b", "user")), 1):
        made.said(id, parent, role, f"Text {id}", at=at)
    yield made
    made.close()


def take(person: Person, store: Store) -> None:
    person.application.services.importing.import_paths([store.path]).result(PATIENCE)


def test_a_removed_branch_is_told_in_the_open_session(person: Person, store: Store) -> None:
    person.drop(store.path)
    column = person.window.transcript
    person.until(lambda: len(person.tree) == 3)
    assert column.removed.isHidden()
    store.connection.execute("DELETE FROM session_entries WHERE id = 'c'")
    store.said("d", "b", "user", "Text d", at=5)
    store.connection.execute("UPDATE sessions SET updated_at = 'later'")
    take(person, store)
    person.until(lambda: len(person.tree) == 4 and bool(person.tree.columns.flags[2] & Flag.REMOVED))
    model = person.window.branches.model
    person.until(lambda: any(model.shown(row).removed for row in range(len(model))))
    [removed] = [model.shown(row) for row in range(len(model)) if model.shown(row).removed]
    assert (removed.text, removed.row.begins_removed) == ("Text c", True)
    assert removed.removed.startswith("removed by librecode on ")
    assert column.removed.isHidden()
    person.gui.opened.view_entry(person.key("c"))
    person.until(lambda: not column.removed.isHidden())
    assert column.removed.text.startswith("librecode removed this branch on ")
    person.gui.opened.view_leaf()
    person.until(column.removed.isHidden)


def test_a_deleted_session_is_told_in_the_list_and_above_the_transcript(person: Person, store: Store) -> None:
    store.session("t", 9)
    store.said("k", None, "user", "Other", session_id="t")
    take(person, store)
    model, column = person.window.sessions_model, person.window.transcript
    person.until(lambda: model.rowCount() >= 2)
    key = next(one.key for one in model.listing.sessions if one.source_id == "s")
    person.gui.opened.open(key)
    person.until(lambda: person.gui.opened.session_tree is not None)
    store.connection.execute("DELETE FROM sessions WHERE id = 's'")
    take(person, store)
    person.until(lambda: not column.removed.isHidden())
    assert column.removed.text.startswith("librecode deleted this session on ")
    row = model.row_of(key)
    assert row is not None
    assert str(model.index(row).data(SessionRole.FACTS)).endswith(" · deleted by its tool")
    store.session("s", name="Tea")
    take(person, store)
    person.until(column.removed.isHidden)
