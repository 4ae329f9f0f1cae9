from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given

from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.tree import ROOT, UNRESOLVED, Tree
from tests.strategies import entry_lists
from tests.unit.domain.trees import assistant, chain, compaction, mark, user


def named(tree: Tree, entries: list[Entry], path: Iterable[int]) -> str:
    return "".join(entries[at].id for at in path)


FORKED = [user("a", None), assistant("b", "a"), user("c", "b"), user("d", "b"), assistant("e", "d"), user("f", None)]


def test_path_children_roots_and_leaves() -> None:
    tree = Tree.from_entries(FORKED)
    assert named(tree, FORKED, tree.path(4)) == "abde"
    assert named(tree, FORKED, tree.roots) == "af"
    assert named(tree, FORKED, tree.children(1)) == "cd"
    assert named(tree, FORKED, tree.leaves) == "cef"
    assert list(tree.path(None)) == []


def test_a_part_of_a_tree_is_a_tree_of_the_same_keys() -> None:
    marks = [mark(Kind.LABEL, "g", "e", "a"), mark(Kind.LABEL, "h", "g", "c")]
    tree = Tree.from_entries([*FORKED, *marks])
    part = tree.part([0, 1, 3, 6, 7])
    assert [part.key(at) for at in range(len(part))] == [0, 1, 3, 6, 7]
    assert list(part.parents) == [ROOT, 0, 1, ROOT, 3]
    assert list(part.columns.target) == [ROOT, ROOT, ROOT, 0, UNRESOLVED]


def test_siblings_of_an_entry_and_of_a_root() -> None:
    tree = Tree.from_entries(FORKED)
    assert tree.siblings(3) == [2, 3]
    assert tree.siblings(0) == [0, 5]


def test_common_ancestor() -> None:
    tree = Tree.from_entries(FORKED)
    assert tree.common_ancestor(2, 4) == 1
    assert tree.common_ancestor(4, 3) == 3
    assert tree.common_ancestor(0, 5) is None
    assert tree.common_ancestor(None, 2) is None
    assert tree.common_ancestor(2, None) is None


def test_is_ancestor_counts_the_entry_itself() -> None:
    tree = Tree.from_entries(FORKED)
    assert tree.is_ancestor(1, 4)
    assert tree.is_ancestor(4, 4)
    assert not tree.is_ancestor(2, 4)


def test_subtree_and_newest_leaf() -> None:
    tree = Tree.from_entries(FORKED)
    assert list(tree.subtree(1)) == [1, 2, 3, 4]
    assert tree.newest_leaf_below(0) == 4
    assert tree.newest_leaf_below(2) == 2


def test_children_come_in_order_of_time_then_of_writing() -> None:
    entries = [user("a", None), replace(user("b", "a"), time=2), replace(user("c", "a"), time=1), user("o", "lost")]
    tree = Tree.from_entries(entries)
    assert named(tree, entries, tree.children(0)) == "cb"
    assert named(tree, entries, tree.roots) == "ao"


@given(entry_lists())
def test_children_and_newest_leaves_are_those_of_the_parent_links(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    below: dict[int, list[int]] = {at: [] for at in range(-1, len(tree))}
    for at in sorted(range(len(tree)), key=lambda at: (tree.columns.time[at], at)):
        below[tree.parents[at]].append(at)
    assert list(tree.roots) == below[ROOT]
    for entry in range(len(tree)):
        assert list(tree.children(entry)) == below[entry]
        assert tree.has_children(entry) == bool(below[entry])
        end, hidden = entry, {head for head in tree.trash if not tree.is_ancestor(head, entry)}
        while further := [child for child in below[end] if not tree.is_annotation(child) and child not in hidden]:
            end = further[-1]
        assert tree.newest_leaf_below(entry) == end


def test_a_cycle_is_cut_and_reported() -> None:
    tree = Tree.from_entries([user("a", "c"), user("b", "a"), user("c", "b"), user("d", "d")])
    assert tree.cut == (0,)
    assert list(tree.path(2)) == [0, 1, 2]
    assert list(tree.roots) == [0, 3]


def test_two_cycles_and_a_tail_are_each_cut_once() -> None:
    tree = Tree.from_entries([user("t", "a"), user("a", "b"), user("b", "a"), user("x", "y"), user("y", "x")])
    assert tree.cut == (1, 3)
    assert list(tree.path(0)) == [1, 0]


def test_keys_find_their_entries() -> None:
    tree = Tree.from_entries(FORKED)
    assert tree.index(3) == 3
    assert tree.key(3) == 3
    assert tree.get(99) is None
    assert tree.get(None) is None
    with pytest.raises(KeyError):
        tree.index(99)


def test_annotations_make_no_branch() -> None:
    entries = [user("a", None), assistant("b", "a"), mark(Kind.LABEL, "l", "b", "b", "good")]
    tree = Tree.from_entries(entries)
    assert list(tree.leaves) == [1]
    assert tree.is_annotation(2)
    assert tree.newest_leaf_below(0) == 1


def test_an_entry_with_annotations_only_is_the_leaf() -> None:
    labels = [mark(Kind.LABEL, "l", "b", "b", "good"), mark(Kind.LABEL, "m", "b", "b", "better")]
    tree = Tree.from_entries([user("a", None), assistant("b", "a"), *labels])
    assert list(tree.leaves) == [1]
    assert tree.newest_leaf_below(0) == 1


def test_the_latest_time() -> None:
    tree = Tree.from_entries([replace(user("a", None), time=7), replace(user("b", "a"), time=3)])
    assert [tree.newest for _ in range(2)] == [7, 7]
    assert Tree.from_entries([]).newest == 0


def test_a_label_in_the_chain_is_no_annotation() -> None:
    tree = Tree.from_entries(chain(user("a", None), mark(Kind.LABEL, "l", None, "a", "x"), user("b", None)))
    assert not tree.is_annotation(1)
    assert list(tree.leaves) == [2]


def test_the_last_label_wins_and_an_empty_one_clears() -> None:
    entries = chain(
        user("a", None),
        user("b", None),
        mark(Kind.LABEL, "1", None, "a", "one"),
        mark(Kind.LABEL, "2", None, "a", "two"),
        mark(Kind.LABEL, "3", None, "b", "gone"),
        mark(Kind.LABEL, "4", None, "b", ""),
        mark(Kind.LABEL, "5", None, "b", ""),
        mark(Kind.LABEL, "6", None, "nowhere", "lost"),
    )
    assert Tree.from_entries(entries).labels == {0: "two"}


def test_pins_are_removed() -> None:
    entries = chain(
        user("a", None),
        user("b", None),
        mark(Kind.PIN, "1", None, "a"),
        mark(Kind.PIN, "2", None, "b"),
        mark(Kind.PIN, "3", None, "a", "off"),
        mark(Kind.PIN, "4", None, None),
    )
    assert Tree.from_entries(entries).pins == {1}


def test_names_reports_and_targets() -> None:
    entries = [
        user("a", None),
        assistant("b", "a", used=70),
        Entry(id="r", parent="b", role=Role.TOOL_RESULT, tool="grep"),
        compaction("c", "r", "a"),
        compaction("d", "c", "unknown"),
        Entry(id="m", parent="d", kind=Kind.MODEL_CHANGE, provider="openai", model="gpt-5"),
    ]
    tree = Tree.from_entries(entries)
    assert [tree.name(at) for at in (0, 1, 2, 5)] == ["", "anthropic/claude-opus-4-5", "grep", "openai/gpt-5"]
    assert list(tree.columns.reported) == [-1, 70, -1, -1, -1, -1]
    assert list(tree.columns.target) == [ROOT, ROOT, ROOT, 0, UNRESOLVED, ROOT]
    assert tree.kind(3) is Kind.COMPACTION
    assert tree.role(1) is Role.ASSISTANT


def test_an_empty_tree() -> None:
    tree = Tree.from_entries([])
    assert len(tree) == 0
    assert list(tree.roots) == []
    assert list(tree.leaves) == []


def test_a_chain_of_100000_entries_is_walked_without_recursion() -> None:
    entries = [Entry(id=str(at), parent=str(at - 1), role=Role.USER) for at in range(100_000)]
    tree = Tree.from_entries(entries)
    assert len(tree.path(99_999)) == 100_000
    assert tree.newest_leaf_below(0) == 99_999
    assert len(tree.subtree(0)) == 100_000


@given(entry_lists(damaged=True))
def test_every_entry_of_a_damaged_tree_has_exactly_one_root(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    below = [at for root in tree.roots for at in tree.subtree(root)]
    assert sorted(below) == list(range(len(entries)))
    for entry in range(len(tree)):
        path = tree.path(entry)
        assert path[-1] == entry
        assert tree.parents[path[0]] == ROOT
        assert len(set(path)) == len(path)


@given(entry_lists())
def test_a_sound_tree_keeps_every_parent(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    assert tree.cut == ()
    for at, entry in enumerate(entries):
        assert entry.parent == (None if tree.parents[at] < 0 else entries[tree.parents[at]].id)


@given(entry_lists(damaged=True))
def test_leaves_are_the_entries_without_followers(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    for leaf in tree.leaves:
        assert not tree.is_annotation(leaf)
        assert all(tree.is_annotation(child) for child in tree.children(leaf))


def test_flags_are_kept() -> None:
    tree = Tree.from_entries([assistant("a", None, flags=Flag.ABORTED | Flag.FAILED)])
    assert Flag(tree.columns.flags[0]) == Flag.ABORTED | Flag.FAILED


def test_breaks_are_entries_whose_parent_is_not_the_one_before() -> None:
    parents = {"b": "a", "c": "b", "d": "a", "e": "d", "f": None}
    tree = Tree.from_entries([Entry(id="a"), *(Entry(id=id, parent=parent) for id, parent in parents.items())])
    assert list(tree.breaks(0, 6)) == [3, 5]
    assert list(tree.breaks(3, 5)) == [3]
    assert list(tree.breaks(4, 5)) == []
    again = Tree.of(tree.columns, tree.breaks(0, 6))
    assert again.breaks(0, 6) == tree.breaks(0, 6)
    assert list(again.roots) == [0, 5]
