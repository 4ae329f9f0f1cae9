"""The number and the label of the branch that a hit is on."""

from __future__ import annotations

from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.tree import Tree
from stemmata.domain.search.branches import Branch, branch_of

USER = Role.USER


def tree_of(*more: Entry) -> Tree:
    """A root with two branches of two entries, 1-2 and 3-4, and further entries."""
    said = [("0", None), ("1", "0"), ("2", "1"), ("3", "0"), ("4", "3")]
    entries = [Entry(id=id, parent=parent, role=USER, time=at + 1) for at, (id, parent) in enumerate(said)]
    return Tree.from_entries([*entries, *more])


def label(id: str, target: str, text: str, parent: str) -> Entry:
    return Entry(id=id, parent=parent, kind=Kind.LABEL, target=target, name=text, time=9)


def test_branches_are_numbered_in_their_order() -> None:
    tree = tree_of()
    assert [branch_of(tree, entry, 4) for entry in (1, 2, 3, 4)] == [Branch(1), Branch(1), Branch(2), Branch(2)]
    assert branch_of(tree, 0, 4) == Branch(2)  # on both: the newest


def test_the_last_label_beside_the_active_path_names_the_branch() -> None:
    tree = tree_of(label("a", "1", "first", "4"), label("b", "2", "last", "a"), label("c", "0", "shared", "b"))
    assert branch_of(tree, 1, 4) == Branch(1, "last")
    assert branch_of(tree, 3, 4).label == ""
    assert branch_of(tree, 1, None) == Branch(1, "last")


def test_a_deleted_branch_has_no_number() -> None:
    tree = tree_of(Entry(id="t", parent="4", kind=Kind.TRASH, target="1", time=9))
    assert branch_of(tree, 2, 4) == Branch(0)
    assert branch_of(tree, 4, 4).number == 1


def test_an_entry_before_a_deleted_end_is_on_the_newest_kept_branch() -> None:
    more = [
        Entry(id="5", parent="3", role=USER, time=7),
        Entry(id="t", parent="4", kind=Kind.TRASH, target="5", time=9),
    ]
    tree = tree_of(*more)
    assert branch_of(tree, 3, 2) == Branch(2)
