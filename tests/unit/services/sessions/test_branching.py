from __future__ import annotations

import json

import pytest

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.errors import NotFoundError, NothingToDoError
from stemmata.domain.sessions.changes import Change
from stemmata.domain.sessions.session import SessionTree
from tests.unit.services.conftest import Bench, Records


@pytest.fixture
def forked(bench: Bench, talk: Records) -> SessionTree:
    return bench.imported(
        talk(
            "s", ("1", None, "user", "first"), ("2", "1", "assistant", "one"), ("3", "2", "user", "second"),
            ("4", "3", "assistant", "two"), ("5", "2", "user", "other"), ("6", "5", "assistant", "three"),
        )
    )  # fmt: skip


def leaf(bench: Bench, session_tree: SessionTree) -> str | None:
    return bench.id_of(bench.reopened(session_tree).session.leaf)


def test_continuing_from_a_reply_moves_the_leaf_there(bench: Bench, forked: SessionTree) -> None:
    position = bench.services.branching.continue_from(forked.session.key, bench.key(forked, "4")).result()
    assert (bench.id_of(position.leaf), position.text) == ("4", "")
    assert leaf(bench, forked) == "4"
    assert bench.published[-1].what == Change.LEAF | Change.SESSIONS
    assert bench.published[-1].session == forked.session.key


def test_continuing_from_a_prompt_gives_its_text_back(bench: Bench, forked: SessionTree) -> None:
    key = bench.key(forked, "3")
    position = bench.services.branching.continue_from(forked.session.key, key).result()
    assert (bench.id_of(position.leaf), position.text) == ("2", "second")
    first = bench.services.branching.continue_from(forked.session.key, bench.key(forked, "1")).result()
    assert (first.leaf, first.text) == (None, "first")


def test_undo_and_redo_of_leaf_moves(bench: Bench, forked: SessionTree) -> None:
    branching, key = bench.services.branching, forked.session.key
    branching.move_leaf(key, bench.key(forked, "4")).result()
    branching.move_leaf(key, bench.key(forked, "2")).result()
    assert bench.id_of(bench.services.histories.undo(key).result().leaf) == "4"
    assert bench.id_of(bench.services.histories.undo(key).result().leaf) == "6"
    with pytest.raises(NothingToDoError, match="undo"):
        bench.services.histories.undo(key).result()
    assert bench.id_of(bench.services.histories.redo(key).result().leaf) == "4"
    assert bench.id_of(bench.services.histories.redo(key).result().leaf) == "2"
    with pytest.raises(NothingToDoError, match="redo"):
        bench.services.histories.redo(key).result()
    assert bench.services.histories.of(key).result().next_undo is not None


def test_staying_put_is_no_move(bench: Bench, forked: SessionTree) -> None:
    branching, key = bench.services.branching, forked.session.key
    branching.move_leaf(key, bench.key(forked, "6")).result()
    branching.continue_from(key, bench.key(forked, "6")).result()
    with pytest.raises(NothingToDoError):
        bench.services.histories.undo(key).result()


def test_a_fork_shares_the_path_and_nothing_else(bench: Bench, forked: SessionTree) -> None:
    made = bench.services.branching.fork(forked.session.key, bench.key(forked, "3")).result()
    assert made.parent == forked.session.key
    assert made.title.endswith("(fork)")
    opened = bench.services.sessions.open(made.key).result()
    ids = bench.services.entries.ids(made.key).result()
    assert ids == ["1", "2", "3"]
    assert opened.tree.get(made.leaf) == 2
    assert bench.reopened(forked).session.entries == 6


def test_a_new_session_is_empty_and_each_is_one_of_its_own(bench: Bench) -> None:
    made = [bench.services.branching.start("/code").result() for _ in range(2)]
    assert [(session.source, session.cwd, session.leaf, session.entries) for session in made] == [
        ("stemmata", "/code", None, 0)
    ] * 2
    assert made[0].key != made[1].key
    assert len(bench.services.sessions.open(made[0].key).result().tree) == 0
    assert bench.services.sessions.tail(made[0].key, 10).result()[1] == []


def test_what_is_added_to_a_fork_stays_there(bench: Bench, forked: SessionTree) -> None:
    made = bench.services.branching.fork(forked.session.key, bench.key(forked, "2")).result()
    opened = bench.services.sessions.open(made.key).result()
    bench.services.branching.label(made.key, bench.key(opened, "1"), "start").result()
    assert bench.services.sessions.open(made.key).result().tree.labels == {0: "start"}
    assert bench.reopened(forked).tree.labels == {}


def test_labels_and_pins_do_not_move_the_leaf_and_make_no_branch(bench: Bench, forked: SessionTree) -> None:
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


def test_the_initiator_is_named(bench: Bench, forked: SessionTree) -> None:
    bench.services.branching.label(forked.session.key, bench.key(forked, "2"), "x", initiator="me").result()
    assert bench.published[-1].initiator == "me"
    assert bench.published[-1].what == Change.MARKS | Change.ENTRIES


# -- leaving with a summary ------------------------------------------------------------------------------------------


@pytest.fixture
def worked(bench: Bench, talk: Records) -> SessionTree:
    """A session that branches at 2; the leaf is 8, below a file that was read."""
    return bench.imported(
        talk(
            "w", ("1", None, "user", "first"), ("2", "1", "assistant", "one"), ("3", "2", "user", "kept"),
            ("4", "3", "assistant", "done"), ("5", "2", "user", "Try it with a queue"),
            ("6", "5", "call", "src/queue.py"),
            ("7", "6", "toolResult", "class Queue"), ("8", "7", "assistant", "Queues are too slow"),
        )
    )  # fmt: skip


def entry_of(bench: Bench, key: int | None) -> tuple[EntryRow, Body]:
    assert key is not None
    entries = bench.services.entries
    return entries.rows([key]).result()[key], entries.bodies([key]).result()[key]


def test_leaving_with_a_summary_tells_what_was_left(bench: Bench, worked: SessionTree) -> None:
    session, four, eight = worked.session.key, bench.key(worked, "4"), bench.key(worked, "8")
    position = bench.services.branching.continue_from(session, four, "me", focus="speed").result()
    row, body = entry_of(bench, position.leaf)
    assert (row.kind, row.parent, row.target) == (Kind.BRANCH_SUMMARY, four, eight)
    assert "Try it with a queue" in plain_text(body.blocks)
    assert "kept" not in plain_text(body.blocks)  # it is not left
    details = json.loads(body.details)
    assert (details["readFiles"], details["summariser"], details["focus"]) == (["src/queue.py"], "digest", "speed")
    assert bench.reopened(worked).session.leaf == position.leaf
    assert (bench.published[-1].what, bench.published[-1].initiator) == (
        Change.ENTRIES | Change.LEAF | Change.SESSIONS,
        "me",
    )
    assert bench.id_of(bench.services.histories.undo(session).result().leaf) == "8"


def test_continuing_from_a_prompt_with_a_summary(bench: Bench, worked: SessionTree) -> None:
    position = bench.services.branching.continue_from(worked.session.key, bench.key(worked, "3"), focus="").result()
    row, _ = entry_of(bench, position.leaf)
    assert (row.parent, position.text) == (bench.key(worked, "2"), "kept")
    assert Change.ENTRIES in bench.published[-1].what


def test_going_back_to_the_start_with_a_summary(bench: Bench, worked: SessionTree) -> None:
    position = bench.services.branching.continue_from(worked.session.key, bench.key(worked, "1"), focus="").result()
    row, body = entry_of(bench, position.leaf)
    assert (row.parent, row.target) == (None, bench.key(worked, "8"))
    assert "first" in plain_text(body.blocks)


def test_a_summary_of_a_summary_carries_its_files_on(bench: Bench, worked: SessionTree) -> None:
    branching, session = bench.services.branching, worked.session.key
    branching.continue_from(session, bench.key(worked, "4"), focus="").result()
    again = branching.continue_from(session, bench.key(worked, "1"), focus="").result()
    assert json.loads(entry_of(bench, again.leaf)[1].details)["readFiles"] == ["src/queue.py"]


@pytest.mark.parametrize("target", ["8", "4"])
def test_there_is_nothing_to_summarise(bench: Bench, worked: SessionTree, target: str) -> None:
    """The abandoned branch is empty, or there is none."""
    branching, session = bench.services.branching, worked.session.key
    if target == "4":
        branching.move_leaf(session, None).result()
    before = bench.reopened(worked)
    with pytest.raises(NothingToDoError, match="Nothing to summarise"):
        branching.continue_from(session, bench.key(worked, target), focus="").result()
    after = bench.reopened(worked)
    assert (after.session.leaf, len(after.tree)) == (before.session.leaf, len(before.tree))


def test_of_a_branch_beyond_the_budget_the_newest_part_is_told_and_all_files_are_kept(
    bench: Bench, talk: Records
) -> None:
    rows: list[tuple[str, str | None, str, str]] = [("1", None, "user", "start")]
    for at in range(2, 26, 4):
        rows += [
            (f"{at}", rows[-1][0], "user", f"Part {at}"), (f"{at + 1}", f"{at}", "call", f"src/{at}.py"),
            (f"{at + 2}", f"{at + 1}", "toolResult", "x"), (f"{at + 3}", f"{at + 2}", "assistant", "word " * 20_000),
        ]  # fmt: skip
    long = bench.imported(talk("long", *rows))
    position = bench.services.branching.continue_from(long.session.key, bench.key(long, "1"), focus="").result()
    _, body = entry_of(bench, position.leaf)
    assert "Part 22" in plain_text(body.blocks)
    assert "Part 2\n" not in plain_text(body.blocks)
    assert json.loads(body.details)["readFiles"] == sorted(f"src/{at}.py" for at in range(2, 26, 4))


def test_a_branch_in_the_trash_is_not_counted(bench: Bench, worked: SessionTree) -> None:
    branching, session, beside = bench.services.branching, worked.session.key, bench.key(worked, "3")
    assert worked.session.branches == 2
    branching.trash(session, beside, on=True).result()
    assert bench.reopened(worked).session.branches == 1
    branching.trash(session, beside, on=False).result()
    assert bench.reopened(worked).session.branches == 2


def test_a_branch_in_the_trash_keeps_everything_and_comes_back(bench: Bench, worked: SessionTree) -> None:
    branching, session, leaf = bench.services.branching, worked.session.key, worked.session.leaf
    head = worked.tree.index(bench.key(worked, "2"))
    position = branching.trash(session, worked.tree.key(head), on=True).result()
    after = bench.reopened(worked)
    assert after.tree.trash == {head}
    assert position.leaf == after.session.leaf == bench.key(worked, "1"), "a leaf in the trash goes above it"
    assert len(after.tree) == len(worked.tree) + 1
    assert bench.services.histories.undo(session).result().leaf == leaf, "one undo brings back branch and leaf"
    assert bench.reopened(worked).tree.trash == frozenset()
    assert branching.trash(session, worked.tree.key(head), on=True).result().leaf != leaf
    assert branching.trash(session, worked.tree.key(head), on=False).result().leaf != leaf
    assert bench.reopened(worked).tree.trash == frozenset()


def test_a_fork_keeps_the_labels_and_pins_of_its_path(bench: Bench, forked: SessionTree) -> None:
    branching, session = bench.services.branching, forked.session.key
    first, last, other = (bench.key(forked, id) for id in ("1", "3", "6"))
    branching.label(session, first, "start").result()
    branching.pin(session, last, on=True).result()
    branching.label(session, other, "beside").result()
    made = branching.fork(session, last).result()
    tree = bench.services.sessions.open(made.key).result().tree
    assert {tree.key(at): text for at, text in tree.labels.items()} == {first: "start"}
    assert {tree.key(at) for at in tree.pins} == {last}
    branching.label(session, first, "").result()
    branching.pin(session, last, on=False).result()
    assert not bench.services.sessions.open(branching.fork(session, last).result().key).result().tree.labels
    again = bench.services.sessions.open(branching.fork(made.key, last).result().key).result().tree
    assert {again.key(at): text for at, text in again.labels.items()} == {first: "start"}


def test_a_fork_knows_the_entry_at_which_it_was_made(bench: Bench, forked: SessionTree) -> None:
    sessions, at = bench.services.sessions, bench.key(forked, "3")
    assert sessions.fork_points().result() == {}
    made = bench.services.branching.fork(forked.session.key, at).result()
    again = bench.services.branching.fork(made.key, bench.key(forked, "1")).result()
    points = sessions.fork_points().result()
    assert points[made.key] == (at, "second")
    assert points[again.key] == (bench.key(forked, "1"), "first")


def test_an_entry_of_another_session_is_not_forked(bench: Bench, forked: SessionTree, talk: Records) -> None:
    other = bench.imported(talk("other", ("9", None, "user", "elsewhere")))
    count = len(bench.services.sessions.all().result())
    with pytest.raises(NotFoundError):
        bench.services.branching.fork(forked.session.key, bench.key(other, "9")).result()
    assert len(bench.services.sessions.all().result()) == count


@pytest.mark.parametrize("focus", [None, ""])
def test_the_branch_of_an_entry_that_is_gone_is_not_continued(
    bench: Bench, forked: SessionTree, focus: str | None
) -> None:
    with pytest.raises(NotFoundError, match="has no entry 999999"):
        bench.services.branching.continue_from(forked.session.key, 999_999, focus=focus).result()
    assert leaf(bench, forked) == "6"


@pytest.mark.parametrize("on", [True, False])
def test_an_entry_that_is_gone_or_of_another_session_is_not_moved_to_the_trash(
    bench: Bench, forked: SessionTree, talk: Records, on: bool
) -> None:
    other = bench.imported(talk("t", ("x", None, "user", "else")))
    for entry in (999_999, bench.key(other, "x")):
        with pytest.raises(NotFoundError, match=f"has no entry {entry}"):
            bench.services.branching.trash(forked.session.key, entry, on=on).result()
    assert len(bench.reopened(forked).tree) == len(forked.tree)


def test_a_fork_of_deleted_sessions_can_go_to_each_of_its_entries(bench: Bench, forked: SessionTree) -> None:
    services, session = bench.services, forked.session.key
    first, second, third, fourth, sixth = (bench.key(forked, id) for id in "12346")
    services.branching.fork(session, sixth).result()  # gets the entries of the deleted session
    middle = services.branching.fork(session, fourth).result()
    last = services.branching.fork(middle.key, third).result()
    services.branching.move_leaf(last.key, second).result()
    services.sessions.delete([session]).result()
    services.sessions.delete([middle.key]).result()
    bench.archive.write(lambda writer: writer.update_session(last.key, parent=None)).result()  # as older versions did
    assert services.histories.undo(last.key).result().leaf == third
    assert services.branching.move_leaf(last.key, first).result().leaf == first
    with pytest.raises(NotFoundError, match="has no entry"):
        services.branching.move_leaf(last.key, sixth).result()


@pytest.mark.parametrize("focus", [None, ""])
def test_a_first_prompt_of_another_session_is_not_continued(
    bench: Bench, forked: SessionTree, talk: Records, focus: str | None
) -> None:
    other = bench.imported(talk("t", ("x", None, "user", "else")))
    with pytest.raises(NotFoundError, match="has no entry"):
        bench.services.branching.continue_from(forked.session.key, bench.key(other, "x"), focus=focus).result()
    assert leaf(bench, forked) == "6"


def test_the_forks_of_a_deleted_session_get_its_parent(bench: Bench, forked: SessionTree) -> None:
    services, session = bench.services, forked.session.key
    middle = services.branching.fork(session, bench.key(forked, "4")).result()
    last = services.branching.fork(middle.key, bench.key(forked, "3")).result()
    services.branching.move_leaf(last.key, bench.key(forked, "2")).result()
    services.sessions.delete([middle.key]).result()
    assert services.sessions.get(last.key).result().parent == session
    assert services.histories.undo(last.key).result().leaf == bench.key(forked, "3")
    services.sessions.delete([session]).result()
    assert services.sessions.get(last.key).result().parent is None
    assert services.sessions.check().result() == []


def test_the_heir_of_a_deleted_session_gets_its_parent_but_not_itself(bench: Bench, forked: SessionTree) -> None:
    services, session = bench.services, forked.session.key
    first, second = (services.branching.fork(session, bench.key(forked, id)).result().key for id in "43")
    bench.archive.write(lambda writer: writer.update_session(session, parent=first)).result()
    services.sessions.delete([session]).result()
    assert [services.sessions.get(key).result().parent for key in (first, second)] == [None, first]
