"""Subtrees in the trash are hidden from the navigator and nowhere else."""

from __future__ import annotations

import pytest

from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.domain.entries.tree import Tree
from stemmata.domain.navigator.outline import Density, outline_of
from tests.unit.domain.trees import assistant, chain, mark, user


def forked(*marks: Entry) -> Tree:
    """A tree with the path u1 a1 u2 a2, and u3 a3 beside u2."""
    main = chain(user("u1", None), assistant("a1", None), user("u2", None), assistant("a2", None))
    side = [user("u3", "a1"), assistant("a3", "u3")]
    return Tree.from_entries([*main, *side, *marks])


def shown(tree: Tree, density: Density = Density.TURNS, leaf: int | None = 3, *, trash: bool = False) -> set[int]:
    outline = outline_of(tree, density, leaf, trash=trash)
    return {entry for entry in outline.entry if not tree.is_annotation(entry)}


@pytest.mark.parametrize("density", [Density.TURNS, Density.PROMPTS, Density.NO_TOOLS, Density.EVERYTHING])
def test_a_subtree_in_the_trash_is_left_out_and_can_be_shown(density: Density) -> None:
    tree = forked(mark(Kind.TRASH, "t", "u3", "u3"))
    assert tree.trash == {4}
    assert not shown(tree, density) & {4, 5}
    assert 4 in shown(tree, density, trash=True)
    assert shown(tree, density) | {4, 5} >= shown(forked(), density)


def test_the_other_branch_is_no_branch_any_more() -> None:
    tree = forked(mark(Kind.TRASH, "t", "u3", "u3"))
    outline = outline_of(tree, Density.TURNS, 3)
    assert outline.deepest == 0
    assert all(outline.row(place).siblings is None for place in range(len(outline)))
    assert outline.place_of(5) is None
    assert outline.leaf_place == len(outline) - 1


def test_it_is_brought_back_by_a_later_mark() -> None:
    off = Entry(id="t2", parent="u3", kind=Kind.TRASH, target="u3", name="off", time=99)
    tree = forked(mark(Kind.TRASH, "t", "u3", "u3"), off)
    assert tree.trash == frozenset()
    assert shown(tree) == shown(forked())


def test_what_holds_the_leaf_is_seen_whatever() -> None:
    tree = forked(mark(Kind.TRASH, "t", "u3", "u3"))
    assert {4, 5} <= shown(tree, leaf=5)
    whole = forked(mark(Kind.TRASH, "t", "u1", "u1"))
    assert shown(whole) == shown(forked())
    assert shown(whole, leaf=None) == set()


def test_neither_siblings_nor_branches_count_it() -> None:
    tree = forked(mark(Kind.TRASH, "t", "u3", "u3"))
    assert tree.alternatives(2) == [2]
    assert tree.alternatives(4) == [2, 4]  # what is looked at counts itself
    assert list(tree.kept_leaves(3)) == [3]
    assert list(tree.kept_leaves(3, 5)) == list(tree.kept_leaves(5)) == [3, 5]
    both = forked(mark(Kind.TRASH, "t", "u3", "u3"), mark(Kind.TRASH, "s", "u2", "u2"))
    assert list(both.kept_leaves(1)) == [1]  # the branch ends where all that follows is deleted
    assert list(both.kept_leaves(None)) == [1]
    plain = forked(mark(Kind.LABEL, "l", "a1", "u2"))
    assert plain.alternatives(2) == plain.alternatives(4) == [2, 4]
    assert list(plain.kept_leaves(None)) == list(plain.leaves) == [3, 5]


def test_alternatives_are_the_rows_that_the_navigator_counts() -> None:
    """A change of the model, a pin and a label stand between the fork and two of the three prompts."""
    entries = [
        user("a", None),
        user("u1", "a"),
        Entry(id="m", parent="a", kind=Kind.MODEL_CHANGE, model="x", time=20),
        Entry(id="p", parent="m", kind=Kind.PIN, target="a", time=21),
        user("u2", "p"),
        Entry(id="l", parent="a", kind=Kind.LABEL, target="a", name="here", time=23),
        user("u3", "l"),
    ]
    tree = Tree.from_entries(entries)
    outline = outline_of(tree, Density.TURNS, len(tree) - 1)
    prompts = [at for at, entry in enumerate(entries) if entry.id in ("u1", "u2", "u3")]
    for entry in prompts:
        assert tree.alternatives(entry) == prompts
        place = outline.place_of(entry)
        assert place is not None
        assert outline.row(place).siblings == (prompts.index(entry) + 1, 3)
    assert tree.alternatives(tree.get(None) or 0) == [0]
    model = next(at for at, entry in enumerate(entries) if entry.id == "m")
    assert tree.alternatives(model) == [model]  # no step of the conversation


def test_the_projection_takes_no_notice() -> None:
    tree, plain = forked(mark(Kind.TRASH, "t", "u3", "u3")), forked()
    for entry in range(6):
        assert context_at(tree, entry).messages == context_at(plain, entry).messages


@pytest.mark.parametrize("density", [Density.TURNS, Density.PROMPTS, Density.NO_TOOLS, Density.EVERYTHING])
def test_a_shown_branch_in_the_trash_is_marked(density: Density) -> None:
    tree = forked(mark(Kind.TRASH, "t", "u3", "u3"))
    outline = outline_of(tree, density, 3, trash=True).prepared()
    deleted = {outline.row(place).entry for place in range(len(outline)) if outline.row(place).deleted}
    assert deleted
    assert deleted <= set(tree.subtree(4))
    assert not any(row.deleted for row in map(outline_of(tree, density, 5).row, range(1))), "it holds the leaf"


def test_the_head_of_a_deleted_branch_and_the_end_before_it() -> None:
    tree = forked(mark(Kind.TRASH, "t", "u3", "u3"))
    assert tree.deleted_head(5, 3) == tree.deleted_head(4, 3) == 4
    assert tree.deleted_head(5, 5) is None
    assert tree.deleted_head(3, 3) is None
    assert tree.deleted_head(None, 3) is None
    straight = Tree.from_entries([user("a", None), user("b", "a"), user("c", "b"), mark(Kind.TRASH, "t", "b", "b")])
    assert straight.newest_leaf_below(0) == 0, "not into the deleted branch"
    assert straight.newest_leaf_below(1) == straight.newest_leaf_below(2) == 2, "from inside it is followed"
    assert straight.newest_leaf_below(0, 2) == 2, "it is no longer deleted where the leaf is in it"
