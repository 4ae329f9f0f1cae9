from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from stemmata.domain.compaction.pruning import PruneOccasion
from stemmata.domain.context.breakdown import Breakdown, Sizes, message_parts
from stemmata.domain.context.projection import Form, context_at
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Entry, Kind, Usage
from stemmata.domain.entries.figures import UNKNOWN
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import ConflictError, NotFoundError, NothingToDoError
from stemmata.domain.sessions.details import with_conversation_key
from stemmata.domain.sessions.session import SessionInfo, SessionTree
from stemmata.domain.sessions.steps import LIST
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.ports.archive import ArchiveReader, ArchiveWriter
from tests.unit.domain.trees import chain, compaction, user
from tests.unit.services.compacting import LONG, request
from tests.unit.services.conftest import Bench, Records


def messages(session_tree: SessionTree) -> list[int]:
    tree = session_tree.tree
    return [tree.key(m.entry) for m in context_at(tree, tree.get(session_tree.session.leaf)).messages]


def test_a_compaction_adds_one_entry_and_keeps_every_other(bench: Bench, long: SessionTree) -> None:
    done = bench.services.compaction.run(request(long)).result()
    after = bench.reopened(long)
    assert after.session.entries == long.session.entries + 1
    assert after.session.leaf == done.entry
    assert after.session.compactions == 1
    assert messages(after)[0] == done.entry
    assert messages(after)[1:] == [long.tree.key(entry) for entry in done.plan.kept]


def test_what_is_kept_for_ever_with_it(bench: Bench, long: SessionTree) -> None:
    done = bench.services.compaction.run(request(long, focus="rules", trigger="manual")).result()
    assert done.entry is not None
    body = bench.services.entries.bodies([done.entry]).result()[done.entry]
    details = json.loads(body.details)
    assert details["readFiles"] == ["src/file1.py", "src/file5.py", "src/file9.py"]
    assert details["before"]["total"]["value"] == done.before.total.value
    assert details["after"]["total"]["value"] == done.after.total.value
    assert (details["trigger"], details["focus"], details["summariser"]) == ("manual", "rules", "digest")
    assert details["summarised"] + details["kept"] == 12


def test_the_preview_promises_what_is_done(bench: Bench, long: SessionTree) -> None:
    drafted = bench.services.compaction.draft(request(long)).result()
    done = bench.services.compaction.run(request(long)).result()
    assert (drafted.plan, drafted.before, drafted.after, drafted.summary) == (
        done.plan, done.before, done.after, done.summary,
    )  # fmt: skip
    after = bench.reopened(long)
    view = bench.services.contexts.seen(after, after.tree.get(after.session.leaf))
    assert view.breakdown.total == done.after.total


def test_a_number_of_tokens_to_keep_replaces_the_number_of_messages(bench: Bench, long: SessionTree) -> None:
    contexts = bench.services.contexts
    contexts.settings = contexts.settings._replace(keep_recent_messages=2)
    leaf, preview = long.tree.get(long.session.leaf), bench.services.compaction.preview
    assert len(preview(long, leaf).plan.kept) == 3  # a call with its result, and the last reply
    sizes = [long.tree.tokens(at) for at in range(4, 12)]
    assert len(preview(long, leaf, keep_recent_tokens=sum(sizes)).plan.kept) == len(sizes)


def test_undo_restores_the_projection_exactly(bench: Bench, long: SessionTree) -> None:
    before = messages(long)
    bench.services.compaction.run(request(long)).result()
    bench.services.histories.undo(long.session.key).result()
    assert messages(bench.reopened(long)) == before
    bench.services.histories.redo(long.session.key).result()
    assert messages(bench.reopened(long)) != before


def test_a_cut_by_hand_and_an_edited_summary(bench: Bench, long: SessionTree) -> None:
    cut = bench.key(long, "9")
    done = bench.services.compaction.run(request(long, first_kept=cut, text="My own words.")).result()
    assert long.tree.key(done.plan.first_kept or 0) == cut
    assert (done.summary.text, done.summary.summariser) == ("My own words.", "person")


def test_an_edit_is_a_sibling(bench: Bench, long: SessionTree) -> None:
    done = bench.services.compaction.run(request(long)).result()
    assert done.entry is not None
    edited = bench.services.compaction.edit(long.session.key, done.entry, "Better words.").result()
    after = bench.reopened(long)
    one, other = after.tree.index(done.entry), after.tree.index(edited)
    assert after.tree.parents[one] == after.tree.parents[other]
    assert after.tree.columns.target[one] == after.tree.columns.target[other]
    assert after.tree.kind(other) is Kind.COMPACTION
    assert after.session.leaf == edited
    assert messages(after)[1:] == [long.tree.key(entry) for entry in done.plan.kept]


def test_an_edit_tells_its_own_size(bench: Bench, long: SessionTree) -> None:
    done = bench.services.compaction.run(request(long)).result()
    assert done.entry is not None
    edited = bench.services.compaction.edit(long.session.key, done.entry, "Many words. " * 2_000).result()
    noted = json.loads(bench.services.entries.bodies([edited]).result()[edited].details)
    after = bench.reopened(long)
    seen = bench.services.contexts.seen(after, after.tree.index(edited)).breakdown
    assert noted["after"]["total"]["value"] == seen.total.value
    assert (seen.total.value or 0) > (done.after.total.value or 0)
    assert noted["before"]["total"]["value"] == done.before.total.value


def test_the_edit_of_a_compaction_from_elsewhere_leaves_its_size_to_the_tree(bench: Bench, talk: Records) -> None:
    made = {
        "type": "compaction", "id": "3", "parentId": "2", "timestamp": "2026-01-01T00:00:03.000Z",
        "summary": "What was", "firstKeptEntryId": "2", "tokensBefore": 900, "details": {"tokensAfter": 70},
    }  # fmt: skip
    session = bench.imported([*talk("s", ("1", None, "user", LONG), ("2", "1", "assistant", "Done.")), made])
    compaction = session.session.leaf
    assert compaction is not None
    assert json.loads(bench.services.entries.bodies([compaction]).result()[compaction].details)["tokensAfter"] == 70
    edited = bench.services.compaction.edit(session.session.key, compaction, "Other words.").result()
    noted = json.loads(bench.services.entries.bodies([edited]).result()[edited].details)
    assert {"tokensAfter", "after"}.isdisjoint(noted)


def test_the_preview_is_what_it_then_comes_to(bench: Bench, long: SessionTree) -> None:
    """The forecast with the summary's real size equals the context after the compaction."""
    preview = bench.services.compaction.preview(long, long.tree.get(long.session.leaf))
    done = bench.services.compaction.run(request(long)).result()
    assert done.entry is not None
    after = bench.reopened(long)
    entry = after.tree.index(done.entry)
    written = preview.forecast.with_summary(after.tree.tokens(entry))
    assert written.after.total == done.after.total == bench.services.contexts.seen(after, entry).breakdown.total
    assert bench.services.contexts.compacted(after, PathTotals(after.tree, after.tree.path(entry)))[entry] == (
        preview.before.total, done.after.total,
    )  # fmt: skip
    assert preview.after.total != preview.before.total
    assert (after.session.context_tokens, after.session.context_kind) == (done.after.total.value, "estimated")


def test_sizes_around_a_compaction_are_told_on_its_line_and_noted_off_it(bench: Bench, long: SessionTree) -> None:
    done = bench.services.compaction.run(request(long)).result()
    assert done.entry is not None
    after = bench.reopened(long)
    entry, contexts = after.tree.index(done.entry), bench.services.contexts
    on, off = PathTotals.to(after.tree, entry), PathTotals.to(after.tree, after.tree.get(long.session.leaf))
    sizes = Sizes(done.before.total, done.after.total)
    assert [contexts.compacted(after, on) for _ in range(2)] == [{entry: sizes}] * 2
    noted = contexts.compacted(after, off)[entry]
    assert (noted.before.value, noted.after) == (done.before.total.value, UNKNOWN)


def test_lines_that_share_a_compaction_share_its_sizes(bench: Bench, long: SessionTree) -> None:
    above = chain(user("u", None, LONG), compaction("c", None, "u"))
    tree = Tree.from_entries([*above, user("a", "c"), user("b", "c")])
    ones = [
        bench.services.contexts.compacted(SessionTree(long.session, tree), PathTotals.to(tree, leaf))
        for leaf in (2, 3)
    ]
    assert ones[0] == ones[1]
    assert ones[0][1] is ones[1][1]


def test_on_a_growing_line_only_new_compactions_are_looked_up(
    bench: Bench, long: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [user(f"u{at}", None, LONG) if at % 2 else compaction(f"c{at}", None, f"u{at - 1}") for at in range(80)]
    whole = Tree.from_entries(chain(*entries))
    contexts, session = bench.services.contexts, long.session
    contexts.compacted(SessionTree(session, whole), PathTotals.to(whole, 75))
    looked: list[int] = []
    position = PathTotals.position

    def counted(line: PathTotals, entry: int) -> int:
        looked.append(entry)
        return position(line, entry)

    monkeypatch.setattr(PathTotals, "position", counted)
    sizes = contexts.compacted(SessionTree(session, whole), PathTotals.to(whole, 79))
    assert len(sizes) == 40
    assert len(looked) < 40
    fresh = Tree.from_entries(chain(*entries))
    assert sizes == contexts.compacted(SessionTree(session, fresh), PathTotals.to(fresh, 79))


def test_a_second_compaction_of_the_same_leaf_is_refused(bench: Bench, long: SessionTree) -> None:
    bench.services.compaction.run(request(long)).result()
    with pytest.raises(ConflictError, match="changed after the preview"):
        bench.services.compaction.run(request(long)).result()
    with pytest.raises(NothingToDoError, match="Already compacted"):
        bench.services.compaction.run(request(bench.reopened(long))).result()
    assert bench.reopened(long).session.entries == long.session.entries + 1


def test_the_same_operation_twice_is_done_once(bench: Bench, long: SessionTree) -> None:
    first = bench.services.compaction.run(request(long, operation="op-1")).result()
    again = bench.services.compaction.run(request(long, operation="op-1")).result()
    assert again.entry == first.entry
    with pytest.raises(ConflictError):
        bench.services.compaction.run(request(long, operation="op-2")).result()


def test_a_failed_compaction_leaves_nothing(bench: Bench, talk: Records) -> None:
    short = bench.imported(talk("short", ("1", None, "user", "hi")), "short.jsonl")
    with pytest.raises(NothingToDoError):
        bench.services.compaction.run(request(short)).result()
    assert bench.reopened(short).session.entries == 1


def test_compacting_into_a_new_session(bench: Bench, long: SessionTree) -> None:
    done = bench.services.compaction.run_in_new_session(request(long)).result()
    old = bench.reopened(long)
    assert messages(old) == messages(long), "the old session stays as it was"
    assert done.entry is not None
    [made] = [s for s in bench.services.sessions.all().result() if s.parent == long.session.key]
    opened = bench.services.sessions.open(made.key).result()
    assert opened.tree.kind(0) is Kind.COMPACTION
    assert len(messages(opened)) == 1 + len(done.plan.kept)
    bodies = bench.services.entries.bodies(messages(opened)).result()
    kept = bench.services.entries.bodies([long.tree.key(entry) for entry in done.plan.kept]).result()
    assert [body.blocks for body in bodies.values()][1:] == [body.blocks for body in kept.values()]


def shown(bench: Bench, session_tree: SessionTree) -> Breakdown:
    return bench.services.contexts.seen(session_tree, session_tree.tree.get(session_tree.session.leaf)).breakdown


def kept_results(bench: Bench, session_tree: SessionTree) -> CompactionRequest:
    """A compaction with pruning whose kept part begins at the second turn."""
    cut = bench.key(session_tree, "5")
    return request(session_tree, first_kept=cut, text="Short.", prune=PruneOccasion.BY_HAND, operation="once")


def sizes(session_tree: SessionTree) -> dict[Category, int]:
    return message_parts(context_at(session_tree.tree, session_tree.tree.get(session_tree.session.leaf)))


def test_pruning_and_compacting_is_one_job_and_one_move(bench: Bench, long: SessionTree) -> None:
    compaction, session = bench.services.compaction, long.session.key
    asked = replace(kept_results(bench, long), notice=lambda *_parts: "Both are done.", command="/compact")
    drafted, plain = compaction.draft(asked).result(), compaction.draft(replace(asked, prune=None)).result()
    done = compaction.run(asked).result()
    assert (done.before, done.after, done.prune) == (drafted.before, drafted.after, drafted.prune)
    assert (done.after.total.value or 0) < (plain.after.total.value or 0)
    after = bench.reopened(long)
    tree, entry = after.tree, after.tree.index(done.entry or 0)
    assert tree.kind(tree.parents[entry]) is Kind.TOOL_PRUNE
    assert tree.key(tree.parents[tree.parents[entry]]) == long.session.leaf
    assert shown(bench, after).total == done.after.total
    assert after.session.leaf == done.tip != done.entry
    body = bench.services.entries.bodies([done.tip or 0]).result()[done.tip or 0]
    assert json.loads(body.details) == {"command": "/compact"}
    assert compaction.run(asked).result().entry == done.entry, "the same operation is done once"
    bench.services.histories.undo(session).result()
    assert bench.reopened(long).session.leaf == long.session.leaf


def test_nothing_to_prune_is_compacted_all_the_same(bench: Bench, long: SessionTree) -> None:
    bench.services.pruning.run(long.session.key, long.session.leaf or 0).result()
    pruned = bench.reopened(long)
    done = bench.services.compaction.run(kept_results(bench, pruned)).result()
    assert done.prune is None
    after = bench.reopened(long)
    assert after.tree.key(after.tree.parents[after.tree.index(done.entry or 0)]) == pruned.session.leaf


@pytest.mark.parametrize("is_conversation", [False, True])
def test_undoing_a_new_session_gives_the_queue_and_the_conversation_back(
    bench: Bench, long: SessionTree, is_conversation: bool
) -> None:
    services, old = bench.services, long.session.key

    def prepare(writer: ArchiveWriter) -> None:
        writer.enqueue(old, (Text("later"),), time=1)
        if is_conversation:
            writer.update_session(old, details=with_conversation_key(writer.session(old).details, "main"))
            writer.make_current("main", old, time=1)

    def standing(reader: ArchiveReader) -> tuple[int, int, int | None]:
        current = reader.current_session("main")
        return len(reader.queued(old)), len(reader.queued(made)), None if current is None else current[0]

    bench.archive.write(prepare).result()
    made = services.compaction.run_in_new_session(request(long)).result().session or 0
    there = bench.archive.read(standing).result()
    assert there == (0, 1, made if is_conversation else None)
    undone = services.histories.undo(old).result()
    assert (undone.step.what, undone.made, undone.origin) == ("compact-into-new", (made,), old)
    assert services.sessions.get(made).result().trashed
    assert bench.archive.read(standing).result() == (1, 0, old if is_conversation else None)
    services.histories.redo(old).result()
    assert bench.archive.read(standing).result() == there


@pytest.mark.parametrize(
    ("is_deleted", "reason"), [(True, "no longer exists"), (False, "The session that was continued is in the trash")]
)
def test_a_new_session_keeps_the_queue_when_the_old_one_is_gone(
    bench: Bench, long: SessionTree, *, is_deleted: bool, reason: str
) -> None:
    """The deleted session leaves its own parent to the new one. This parent must not get the queue."""
    services, old = bench.services, long.session.key

    def prepare(writer: ArchiveWriter) -> int:
        before = writer.create_session(SessionInfo(source="pi", source_id="before"))
        writer.update_session(old, parent=before)
        writer.enqueue(old, (Text("later"),), time=1)
        return before

    before = bench.archive.write(prepare).result()
    made = services.compaction.run_in_new_session(request(long)).result().session or 0
    if is_deleted:
        bench.archive.write(lambda writer: writer.delete_session(old)).result()
        assert services.sessions.get(made).result().parent == before
    else:
        bench.archive.write(lambda writer: writer.update_session(old, trashed=True)).result()
    with pytest.raises(ConflictError, match=reason):
        services.histories.undo(LIST).result()
    assert not services.sessions.get(made).result().trashed
    queued = bench.archive.read(lambda reader: [len(reader.queued(key)) for key in (before, made)]).result()
    assert queued == [0, 1]


@pytest.mark.parametrize("is_pruned_before", [False, True])
def test_a_new_session_has_what_the_preview_promised(bench: Bench, long: SessionTree, is_pruned_before: bool) -> None:
    """Pruned and shortened entries are the same in the new session; the old session does not change."""
    services, session = bench.services, long.session.key
    services.pruning.omit(session, bench.key(long, "9"), "out").result()
    services.pruning.omit(session, bench.key(long, "12"), "out").result()
    services.pruning.omit(session, bench.key(long, "12"), "off").result()
    if is_pruned_before:
        services.pruning.run(session, bench.reopened(long).session.leaf or 0).result()
    old = bench.reopened(long)
    asked = replace(kept_results(bench, old), notice=lambda *_parts: "Continued.")
    done = services.compaction.run_in_new_session(asked).result()
    assert messages(bench.reopened(long)) == messages(old)
    made = services.sessions.open(done.session or 0).result()
    in_place = services.compaction.run(asked).result()
    assert in_place.after == done.after
    assert sizes(made) == sizes(bench.reopened(long))
    assert made.session.leaf == done.tip
    forms = [message.form for message in context_at(made.tree, made.tree.get(made.session.leaf)).messages]
    assert forms.count(Form.PRUNED) == 2


def test_a_pruning_up_to_an_unknown_entry_does_not_come_along(bench: Bench, long: SessionTree) -> None:
    session, leaf = long.session.key, bench.id_of(long.session.leaf)
    lost = Entry(id="lost", parent=leaf, kind=Kind.TOOL_PRUNE, target="nowhere", time=1)
    key = bench.archive.write(lambda writer: writer.append(session, [lost])[0]).result()
    bench.archive.write(lambda writer: writer.move_leaf(session, key, "import", time=1)).result()
    bench.services.pruning.run(session, key).result()
    old = bench.reopened(long)
    done = bench.services.compaction.run_in_new_session(kept_results(bench, old)).result()
    made = bench.services.sessions.open(done.session or 0).result()
    kinds = [made.tree.kind(at) for at in range(len(made.tree))]
    assert kinds.count(Kind.TOOL_PRUNE) == 1


def test_a_new_session_shortens_what_the_old_one_shortened(bench: Bench, talk: Records) -> None:
    rows = [("1", None, "user", LONG), ("2", "1", "assistant", "Done."), ("3", "2", "user", LONG * 40)]
    old = bench.imported(talk("s", *rows, ("4", "3", "assistant", "Done.")))
    bench.services.pruning.omit(old.session.key, bench.key(old, "3"), "cut").result()
    old = bench.reopened(old)
    asked = request(old, first_kept=bench.key(old, "3"), text="Short.")
    done = bench.services.compaction.run_in_new_session(asked).result()
    made = bench.services.sessions.open(done.session or 0).result()
    forms = [message.form for message in context_at(made.tree, made.tree.get(made.session.leaf)).messages]
    assert forms == [Form.SUMMARY, Form.CUT, Form.WHOLE]
    bench.services.compaction.run(asked).result()
    assert sizes(made) == sizes(bench.reopened(old))


def test_pruning(bench: Bench, long: SessionTree) -> None:
    assert long.session.leaf is not None
    preview = bench.services.pruning.preview(long, long.tree.get(long.session.leaf))
    plan, key = bench.services.pruning.run(long.session.key, long.session.leaf).result()
    assert plan == preview
    after = bench.reopened(long)
    assert after.session.leaf == key
    assert len(messages(after)) == len(messages(long))
    view = bench.services.contexts.at(after, after.tree.get(key))
    assert (view.breakdown.total.value or 0) < (
        bench.services.contexts.at(long, 11).breakdown.total.value or 0
    ) + 1_200
    with pytest.raises(ConflictError):
        bench.services.pruning.run(long.session.key, long.session.leaf).result()
    bench.services.histories.undo(long.session.key).result()
    assert messages(bench.reopened(long)) == messages(long)


# -- a branch summary ------------------------------------------------------------------------------------------------


def from_entry(long: SessionTree, at: int, **more: Any) -> CompactionRequest:
    return request(long, from_entry=long.tree.key(at), **more)


def test_a_branch_summary_is_stored_beside_the_entry_as_it_was_previewed(bench: Bench, long: SessionTree) -> None:
    services, leaf = bench.services, long.tree.get(long.session.leaf)
    preview = services.compaction.preview(long, leaf, from_entry=8)
    drafted = services.compaction.draft(from_entry(long, 8)).result()
    assert drafted.plan == preview.plan
    assert (drafted.before, drafted.entry) == (preview.before, None)
    done = services.compaction.run(from_entry(long, 8, text="Mine.")).result()
    assert done.entry is not None
    row, body = (getattr(services.entries, name)([done.entry]).result()[done.entry] for name in ("rows", "bodies"))
    assert (row.kind, row.parent, row.target) == (Kind.BRANCH_SUMMARY, long.tree.key(7), long.session.leaf)
    assert plain_text(body.blocks) == "Mine."
    details = json.loads(body.details)
    assert (details["summariser"], details["readFiles"]) == ("person", ["src/file9.py"])
    assert row.usage is None
    after = bench.reopened(long)
    assert after.session.leaf == done.entry
    assert messages(after)[-1] == done.entry
    view = services.contexts.seen(after, after.tree.get(after.session.leaf))
    # what comes after a report counts as estimated, and the forecast scales the summary
    assert view.breakdown.total.value == pytest.approx(done.after.total.value, rel=0.02)
    assert services.histories.undo(long.session.key).result().leaf == long.session.leaf


def test_a_branch_summary_from_the_first_entry_begins_a_new_root(bench: Bench, long: SessionTree) -> None:
    done = bench.services.compaction.run(from_entry(long, 0, text="Mine.", usage=Usage(input=9, cost=7))).result()
    assert done.entry is not None
    row = bench.services.entries.rows([done.entry]).result()[done.entry]
    assert (row.parent, row.usage) == (None, Usage(cost=7))


def test_a_branch_summary_carries_the_files_of_earlier_ones_on(bench: Bench, long: SessionTree) -> None:
    first = bench.services.compaction.run(from_entry(long, 8)).result()
    again = bench.reopened(long)
    at = again.tree.index(first.entry or 0)
    drafted = bench.services.compaction.draft(from_entry(again, at)).result()
    assert "src/file9.py" in drafted.summary.operations.read


def test_a_branch_summary_is_refused_when_the_session_has_moved_on(bench: Bench, long: SessionTree) -> None:
    asked = from_entry(long, 8)
    bench.services.compaction.run(asked).result()
    with pytest.raises(ConflictError, match="changed after the preview"):
        bench.services.compaction.run(asked).result()


def test_a_compaction_below_a_leaf_that_is_gone_is_refused(bench: Bench, long: SessionTree) -> None:
    with pytest.raises(ConflictError, match="changed after the preview"):
        bench.services.compaction.run(replace(request(long), leaf=999_999)).result()
    assert bench.reopened(long).session.entries == long.session.entries


@pytest.mark.parametrize(
    "gone", [{"leaf": 999_999}, {"first_kept": 999_999}, {"from_entry": 999_999}, {"leaf": 999_999, "whole": True}]
)
def test_a_compaction_that_names_an_entry_that_is_gone_is_not_planned(
    bench: Bench, long: SessionTree, gone: dict[str, Any]
) -> None:
    with pytest.raises(NotFoundError, match="has no entry 999999"):
        bench.services.compaction.draft(replace(request(long), **gone)).result()


def test_the_summary_of_a_compaction_that_is_gone_is_not_edited(bench: Bench, long: SessionTree) -> None:
    with pytest.raises(NotFoundError, match="has no entry 999999"):
        bench.services.compaction.edit(long.session.key, 999_999, "other words").result()
    assert bench.reopened(long).session.leaf == long.session.leaf
