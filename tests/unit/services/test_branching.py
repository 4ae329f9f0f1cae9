from __future__ import annotations

import pytest

from stemmata.domain.changes import Change
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions import Skeleton
from tests.unit.services.conftest import Bench, Records


@pytest.fixture
def forked(bench: Bench, talk: Records) -> Skeleton:
    return bench.imported(
        talk(
            "s", ("1", None, "user", "first"), ("2", "1", "assistant", "one"), ("3", "2", "user", "second"),
            ("4", "3", "assistant", "two"), ("5", "2", "user", "other"), ("6", "5", "assistant", "three"),
        )
    )  # fmt: skip


def leaf(bench: Bench, skeleton: Skeleton) -> str | None:
    return bench.id_of(bench.reopened(skeleton).session.leaf)


def test_continuing_from_a_reply_moves_the_leaf_there(bench: Bench, forked: Skeleton) -> None:
    position = bench.services.branching.continue_from(forked.session.key, bench.key(forked, "4")).result()
    assert (bench.id_of(position.leaf), position.text) == ("4", "")
    assert leaf(bench, forked) == "4"
    assert bench.published[-1].what == Change.LEAF | Change.SESSIONS
    assert bench.published[-1].session == forked.session.key


def test_continuing_from_a_prompt_gives_its_text_back(bench: Bench, forked: Skeleton) -> None:
    key = bench.key(forked, "3")
    position = bench.services.branching.continue_from(forked.session.key, key).result()
    assert (bench.id_of(position.leaf), position.text) == ("2", "second")
    first = bench.services.branching.continue_from(forked.session.key, bench.key(forked, "1")).result()
    assert (first.leaf, first.text) == (None, "first")


def test_undo_and_redo_of_leaf_moves(bench: Bench, forked: Skeleton) -> None:
    branching, key = bench.services.branching, forked.session.key
    branching.move_leaf(key, bench.key(forked, "4")).result()
    branching.move_leaf(key, bench.key(forked, "2")).result()
    assert bench.id_of(branching.undo(key).result().leaf) == "4"
    assert bench.id_of(branching.undo(key).result().leaf) == "6"
    with pytest.raises(NothingToDoError, match="undo"):
        branching.undo(key).result()
    assert bench.id_of(branching.redo(key).result().leaf) == "4"
    assert bench.id_of(branching.redo(key).result().leaf) == "2"
    with pytest.raises(NothingToDoError, match="redo"):
        branching.redo(key).result()
    assert branching.history(key).result().next_undo is not None


def test_staying_put_is_no_move(bench: Bench, forked: Skeleton) -> None:
    branching, key = bench.services.branching, forked.session.key
    branching.move_leaf(key, bench.key(forked, "6")).result()
    branching.continue_from(key, bench.key(forked, "6")).result()
    with pytest.raises(NothingToDoError):
        branching.undo(key).result()


def test_a_fork_shares_the_path_and_nothing_else(bench: Bench, forked: Skeleton) -> None:
    made = bench.services.branching.fork(forked.session.key, bench.key(forked, "3")).result()
    assert made.parent == forked.session.key
    assert made.title.endswith("(fork)")
    opened = bench.services.sessions.open(made.key).result()
    ids = bench.services.entries.ids(made.key).result()
    assert ids == ["1", "2", "3"]
    assert opened.tree.get(made.leaf) == 2
    assert bench.reopened(forked).session.entries == 6


def test_what_is_added_to_a_fork_stays_there(bench: Bench, forked: Skeleton) -> None:
    made = bench.services.branching.fork(forked.session.key, bench.key(forked, "2")).result()
    opened = bench.services.sessions.open(made.key).result()
    bench.services.branching.label(made.key, bench.key(opened, "1"), "start").result()
    assert bench.services.sessions.open(made.key).result().tree.labels == {0: "start"}
    assert bench.reopened(forked).tree.labels == {}


def test_labels_and_pins_do_not_move_the_leaf_and_make_no_branch(bench: Bench, forked: Skeleton) -> None:
    branching, key = bench.services.branching, forked.session.key
    branching.label(key, bench.key(forked, "2"), "  good  ").result()
    branching.pin(key, bench.key(forked, "1"), on=True).result()
    marked = bench.reopened(forked)
    two, one = (marked.tree.index(bench.key(forked, id)) for id in ("2", "1"))
    assert marked.tree.labels == {two: "good"}
    assert marked.tree.pins == {one}
    assert (marked.session.branches, leaf(bench, forked)) == (forked.session.branches, "6")
    branching.label(key, bench.key(forked, "2"), "").result()
    branching.pin(key, bench.key(forked, "1"), on=False).result()
    cleared = bench.reopened(forked)
    assert (cleared.tree.labels, cleared.tree.pins) == ({}, frozenset())


def test_the_initiator_is_named(bench: Bench, forked: Skeleton) -> None:
    bench.services.branching.label(forked.session.key, bench.key(forked, "2"), "x", initiator="me").result()
    assert bench.published[-1].initiator == "me"
    assert bench.published[-1].what == Change.MARKS | Change.ENTRIES
