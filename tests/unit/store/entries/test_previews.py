"""The first prompts of a session, which a tree that is extended does not look for from the beginning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tree import Tree
from stemmata.store.entries import previews
from tests.strategies import entry_lists
from tests.unit.domain.trees import chain, grown, rest, user


@given(entry_lists(min_size=1), st.data())
def test_an_extended_tree_has_the_prompts_of_the_whole(entries: list[Entry], data: st.DataObject) -> None:
    whole = Tree.from_entries(entries)
    known = grown(whole, data.draw(st.integers(0, len(whole))))
    previews.said_by_the_person(known)
    longer = known.extended(rest(whole, len(known)))
    if longer is not None and list(longer.parents) == list(whole.parents):
        assert previews.said_by_the_person(longer) == previews.said_by_the_person(whole)


@pytest.mark.parametrize("turns", [100, 1000])
def test_only_new_entries_are_looked_at(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    whole = Tree.from_entries(chain(*(user(str(turn), None) for turn in range(turns))))
    known = grown(whole, turns - 3)
    previews.said_by_the_person(known)
    looked: list[int] = []

    def counted(role: int, wanted: int) -> bool:
        looked.append(role)
        return role == wanted

    monkeypatch.setattr(previews, "eq", counted)
    longer = known.extended(rest(whole, turns - 3))
    assert longer is not None
    for _ in range(3):
        assert previews.said_by_the_person(longer) == list(range(previews.PROMPTS))
    assert len(looked) == 3
