from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.compaction.branch_summary import (
    Destination,
    abandoned_entries,
    abandoned_message_count,
    budget,
    destination,
    left_branch,
)
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.domain.entries.tree import Tree
from tests.strategies import entry_lists
from tests.unit.domain.talk import branch_summary, call, ran, result, says, user


def chained(*entries: Entry) -> list[Entry]:
    ids = [f"e{at}" for at in range(len(entries))]
    return [replace(entry, id=ids[at], parent=ids[at - 1] if at else None) for at, entry in enumerate(entries)]


def edits() -> list[Entry]:
    """A root, then six replies of 100 tokens that edit f0 … f5, each with a long result."""
    entries = [user("root")]
    for at in range(6):
        edit = ToolCall(f"c{at}", "edit", '{"path":"f' + str(at) + '"}')
        entries += [says("x" * (400 - 4 - len(edit.arguments)), edit), result(f"c{at}", "y" * 4000)]
    return chained(*entries)


@pytest.mark.parametrize(("tokens", "messages", "used"), [(0, 6, 600), (250, 2, 200), (100, 1, 100), (50, 0, 0)])
def test_vector_branch_budget(tokens: int, messages: int, used: int) -> None:
    """pi's vector. pi forgets the files of what does not fit; here they are those of the whole branch."""
    entries = edits()
    tree = Tree.from_entries(entries)
    found = abandoned_entries(tree, len(tree) - 1, 0)
    assert found == list(range(1, 13))
    left = left_branch([entries[at] for at in found], tokens)
    assert (len(left.entries), left.tokens, left.left_out) == (messages, used, 6 - messages)
    assert [entry.id for entry in left.entries] == [f"e{at}" for at in (1, 3, 5, 7, 9, 11)][6 - messages :]
    assert left.operations.modified == tuple(f"f{at}" for at in range(6))


def test_a_summary_above_the_budget_is_included_when_room_is_left() -> None:
    summary = branch_summary("s" * 4000, {"readFiles": ["r"], "modifiedFiles": ["m"]})
    entries = [user("old"), summary, says("x" * 400)]
    left = left_branch(entries, 200)
    assert left.entries == (summary, entries[2])
    assert left.left_out == 1
    assert (left.operations.read, left.operations.modified) == (("r",), ("m",))
    assert left_branch(entries, 105).entries == (entries[2],)


def test_operations_count_their_results() -> None:
    assert left_branch([*ran("1", "npm test")]).operations.commands[0].text == "npm test"


def test_budget() -> None:
    assert budget(None) == 128_000 - 16_384
    assert budget(200_000) == 200_000 - 16_384
    assert budget(8_000) == 1


# -- navigating -----------------------------------------------------------------------------------------------


def talk() -> tuple[list[Entry], Tree]:
    """A tree with the path u1 a1 u2 a2, and u3 a3 beside u2."""
    entries = chained(user("one"), says("1"), user("two"), says("2"), user("three"))
    entries[4] = replace(entries[4], parent="e1")
    return entries, Tree.from_entries(entries)


def going(at: int) -> Destination:
    entries, tree = talk()
    return destination(tree, at, entries[at].blocks)


def test_nv1_a_root_message_goes_to_the_composer_and_the_leaf_to_nothing() -> None:
    assert going(0) == Destination(None, "one")


def test_nv2_nv5_an_answer_is_the_new_leaf() -> None:
    assert going(1) == Destination(1)


def test_nv4_a_message_goes_to_the_composer_and_the_leaf_to_its_parent() -> None:
    assert going(2) == Destination(1, "two")


def test_a_custom_message_is_edited_too() -> None:
    entries = chained(user("one"), replace(user("x"), kind=Kind.CUSTOM_MESSAGE, blocks=(Text("a"), Text("b"))))
    assert destination(Tree.from_entries(entries), 1, entries[1].blocks) == Destination(0, "ab")


def test_nv8_the_same_position_leaves_nothing_behind() -> None:
    _, tree = talk()
    assert abandoned_entries(tree, 3, 3) == []


def test_nv10_between_branches() -> None:
    _, tree = talk()
    assert abandoned_entries(tree, 3, 4) == [2, 3]
    assert abandoned_entries(tree, 4, 3) == [4]


def test_nv3_up_the_same_path_and_to_nothing() -> None:
    _, tree = talk()
    assert abandoned_entries(tree, 3, 1) == [2, 3]
    assert abandoned_entries(tree, 3, None) == [0, 1, 2, 3]
    assert abandoned_entries(tree, None, 3) == []


@given(entry_lists(damaged=True, min_size=2), st.integers(0, 30), st.integers(0, 30), st.integers(0, 300))
def test_abandoned_entries_are_not_on_the_new_path(entries: list[Entry], old: int, target: int, tokens: int) -> None:
    tree = Tree.from_entries(entries)
    old, target = old % len(tree), target % len(tree)
    found = abandoned_entries(tree, old, target)
    assert not set(found) & set(tree.path(target))
    assert set(found) | set(tree.path(target)) >= set(tree.path(old))
    left = left_branch([entries[at] for at in found], tokens)
    assert len(left.entries) + left.left_out <= len(found)
    assert destination(tree, target, entries[target].blocks).leaf in (target, None, tree.parents[target])


def test_open_calls_are_recorded() -> None:
    assert left_branch([says(call("1", "bash", command="make"))]).operations.unfinished[0].subject == "make"


def test_settings_alone_count_as_no_abandoned_message() -> None:
    entries = chained(user("a"), says("b"), Entry(id="c", kind=Kind.MODEL_CHANGE, model="m"))
    tree = Tree.from_entries(entries)
    assert [abandoned_message_count(tree, 2, target) for target in (2, 1, 0, None)] == [0, 0, 1, 2]
    assert abandoned_message_count(tree, None, 1) == 0
