"""A silent reply belongs to the turn before, and its text is not shown for the turn."""

from __future__ import annotations

from dataclasses import replace

from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.tree import Tree
from stemmata.domain.navigator.outline import turns_of
from tests.fakes.conversation import assistant, user


def test_the_row_tells_what_was_said() -> None:
    asks = Entry(id="3", parent="2", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="x", flags=Flag.INJECTED)
    entries = [
        replace(user("Hello"), id="1", parent=None),
        replace(assistant("An answer."), id="2", parent="1"),
        asks,
        replace(assistant("NO_REPLY", flags=Flag.HIDDEN | Flag.OWN), id="4", parent="3"),
    ]
    turns = turns_of(Tree.from_entries(entries))
    assert (list(turns.entry), list(turns.text_entry), list(turns.last)) == ([0, 1], [0, 1], [0, 3])
