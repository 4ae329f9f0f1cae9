"""Duplicates in the archive: found, pruned in one move, undone in one, and exported and imported again."""

from __future__ import annotations

import json
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any

import pytest

from stemmata.domain.compaction.pruning import PruneOccasion
from stemmata.domain.context.breakdown import message_parts
from stemmata.domain.context.projection import Form, Projection, context_at
from stemmata.domain.entries.entry import Flag, Kind
from stemmata.domain.errors import ConflictError, NoGainError, NothingToDoError
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.services.compaction.request import CompactionRequest
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records

TEXT = "a line of the file\n" * 30


@pytest.fixture
def read_again(bench: Bench, talk: Records) -> SessionTree:
    """A session in which one file is read three times, another one once."""
    parent = "u"
    rows: list[tuple[str, str | None, str, str]] = [(parent, None, "user", "Look.")]
    for at, name in enumerate(("x.py", "y.py", "x.py", "x.py")):
        rows += [(f"c{at}", parent, "call", name), (f"r{at}", f"c{at}", "toolResult", TEXT)]
        parent = f"r{at}"
    return bench.imported(talk("s", *rows, ("end", parent, "assistant", "Seen.")))


def projection(session_tree: SessionTree) -> Projection:
    return context_at(session_tree.tree, session_tree.tree.get(session_tree.session.leaf))


def pruned(bench: Bench, session_tree: SessionTree) -> list[str]:
    """Return the ids of the results that are pruned."""
    keys = [session_tree.tree.key(m.entry) for m in projection(session_tree).messages if m.form is Form.PRUNED]
    return [bench.id_of(key) or "" for key in keys]


def test_duplicates_are_found_pruned_in_one_move_and_undone_in_one(bench: Bench, read_again: SessionTree) -> None:
    pruning, session, leaf = bench.services.pruning, read_again.session.key, read_again.session.leaf or 0
    found = pruning.duplicates(session, leaf).result()
    assert [bench.id_of(read_again.tree.key(each.entry)) for each in found.duplicates] == ["r0", "r2"]
    plan, key = pruning.run(session, leaf, occasion=PruneOccasion.DUPLICATES).result()
    assert plan == found
    after = bench.reopened(read_again)
    assert after.session.leaf == key
    assert pruned(bench, after) == ["r0", "r2"]
    before = sum(message_parts(projection(read_again)).values())
    assert (
        before - sum(message_parts(projection(after)).values())
        == plan.freed
        == sum(e.tokens for e in found.duplicates)
    )
    assert pruning.run(session, key).result()[0].before == plan.after - 2, "what is pruned is not counted again"
    bench.services.histories.undo(session).result()
    bench.services.histories.undo(session).result()
    undone = bench.reopened(read_again)
    assert undone.session.leaf == leaf
    assert message_parts(projection(undone)) == message_parts(projection(read_again))
    with pytest.raises(ConflictError):
        pruning.run(session, key, occasion=PruneOccasion.DUPLICATES).result()


def test_other_reads_come_between_the_parts_of_a_search(bench: Bench, read_again: SessionTree) -> None:
    session, leaf, clicks = read_again.session.key, read_again.session.leaf or 0, list[Session]()

    def is_wanted() -> bool:
        clicks.append(bench.archive.read(lambda reader: reader.session(session)).result(PATIENCE))
        return True

    assert bench.services.pruning.duplicates(session, leaf, is_wanted).result(PATIENCE).duplicates
    assert len(clicks) > 2


def test_a_search_that_nobody_wants_ends(bench: Bench, read_again: SessionTree) -> None:
    session, leaf = read_again.session.key, read_again.session.leaf or 0
    with pytest.raises(CancelledError):
        bench.services.pruning.duplicates(session, leaf, lambda: False).result(PATIENCE)


def test_the_last_mark_has_a_card_that_counts_all(bench: Bench, read_again: SessionTree) -> None:
    session = read_again.session.key
    _, key = bench.services.pruning.run(
        session, read_again.session.leaf or 0, occasion=PruneOccasion.DUPLICATES
    ).result()
    after = bench.reopened(read_again)
    marks = [after.tree.key(entry) for entry in after.tree.of_kind(Kind.OMISSION)]
    rows = bench.services.entries.rows(marks).result()
    assert [rows[mark].flags & Flag.HIDDEN for mark in marks] == [Flag.HIDDEN, Flag.NONE]
    details = json.loads(bench.services.entries.bodies([key]).result()[key].details)
    assert details == {"by": "r3", "number": 2}


def test_no_duplicates(bench: Bench, long: SessionTree) -> None:
    leaf = long.session.leaf or 0
    for future in (
        bench.services.pruning.duplicates(long.session.key, leaf),
        bench.services.pruning.duplicates(long.session.key, 999_999),
        bench.services.pruning.run(long.session.key, leaf, occasion=PruneOccasion.DUPLICATES),
    ):
        with pytest.raises(NothingToDoError):
            future.result()


def test_a_pruned_session_is_read_back_as_it_was_exported(bench: Bench, read_again: SessionTree) -> None:
    services, session = bench.services, read_again.session.key
    services.pruning.run(session, read_again.session.leaf or 0, occasion=PruneOccasion.DUPLICATES).result()
    before = bench.reopened(read_again)
    lines = [json.loads(line) for line in services.exporting.to_bytes(session, "pi").result().splitlines()]
    lines[0]["id"] = "another"
    copy = bench.imported(lines, "copy.jsonl")
    assert pruned(bench, copy) == pruned(bench, before) == ["r0", "r2"]
    assert marks(bench, copy) == marks(bench, before) == [("read-again", True, 1), ("read-again", False, 2)]


def marks(bench: Bench, session_tree: SessionTree) -> list[tuple[str, bool, object]]:
    """Return the kind of each mark of a duplicate, whether it has no card, and the number that its card tells."""
    keys = [session_tree.tree.key(entry) for entry in session_tree.tree.of_kind(Kind.OMISSION)]
    rows, bodies = bench.services.entries.rows(keys).result(), bench.services.entries.bodies(keys).result()
    return [
        (rows[key].name, Flag.HIDDEN in rows[key].flags, json.loads(bodies[key].details or "{}").get("number"))
        for key in keys
    ]


def request(session_tree: SessionTree, **facts: Any) -> CompactionRequest:
    made = CompactionRequest(session=session_tree.session.key, leaf=session_tree.session.leaf or 0, text="Short.")
    return replace(made, **facts)


@pytest.mark.parametrize("tools", [{}, {"read": "keep"}])
def test_a_new_session_leaves_out_the_same_results(
    bench: Bench, read_again: SessionTree, tools: dict[str, str]
) -> None:
    """Whether by a boundary, as duplicates, or kept by the table."""
    services, session = bench.services, read_again.session.key
    services.pruning.run(session, read_again.session.leaf or 0, occasion=PruneOccasion.DUPLICATES).result()
    services.contexts.settings = services.contexts.settings._replace(
        tools=tools, tool_keep_threshold=150, tool_prune_threshold=0
    )
    asked = request(bench.reopened(read_again), first_kept=bench.key(read_again, "c1"), prune=PruneOccasion.CONTEXT)
    done = services.compaction.run_in_new_session(asked).result()
    made = services.sessions.open(done.session or 0).result()
    assert message_parts(projection(made)) != message_parts(projection(bench.reopened(read_again)))
    services.compaction.run(asked).result()
    assert message_parts(projection(made)) == message_parts(projection(bench.reopened(read_again)))
    assert len(pruned(bench, made)) == (2 if not tools else 1)


def test_a_compaction_prunes_duplicates_in_the_same_move(bench: Bench, read_again: SessionTree) -> None:
    services = bench.services
    services.contexts.settings = services.contexts.settings._replace(tool_keep_threshold=1_000)
    asked = request(read_again, first_kept=bench.key(read_again, "c1"), prune=PruneOccasion.ROOM, operation="once")
    done = services.compaction.run(asked).result()
    assert done.prune is not None
    assert len(done.prune.duplicates) == 2
    assert pruned(bench, bench.reopened(read_again)) == ["r2"]
    assert services.compaction.run(asked).result().entry == done.entry, "the same operation is done once"
    services.histories.undo(read_again.session.key).result()
    assert bench.reopened(read_again).session.leaf == read_again.session.leaf


def test_what_a_pruning_frees_makes_no_compaction_worth_it(bench: Bench, read_again: SessionTree) -> None:
    """The pruning is then made alone."""
    asked = request(
        read_again, first_kept=bench.key(read_again, "c0"), text="As long. " * 3, prune=PruneOccasion.ROOM
    )
    with pytest.raises(NoGainError):
        bench.services.compaction.run(asked).result()
    by_hand = replace(asked, prune=PruneOccasion.BY_HAND)
    assert bench.services.compaction.run(by_hand).result().entry is not None
