from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stemmata.domain.compaction.forecast import forecast_of
from stemmata.domain.compaction.plan import (
    Plan,
    _cut,
    breakdown_after,
    cut_points,
    plan_branch_summary,
    plan_compaction,
    plan_from,
    plan_whole,
)
from stemmata.domain.context.breakdown import (
    at_scale,
    breakdown_of,
    displayed_breakdown,
    position_parts,
    scale_of,
)
from stemmata.domain.context.projection import Form, Projection, context_at
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NotFoundError, NothingToDoError
from stemmata.domain.settings.settings import CompactionSettings
from tests.strategies import entry_lists
from tests.unit.domain.trees import assistant, chain, compaction, mark, result, user

THOUSAND = "x" * 4000


def pairs(count: int, text: str = THOUSAND) -> list[Entry]:
    return [
        maker(f"{name}{at}", None, text) for at in range(count) for name, maker in (("u", user), ("a", assistant))
    ]


def plan(entries: list[Entry], keep: int | None = 20_000, **more: Any) -> Plan:
    tree = Tree.from_entries(entries)
    settings = CompactionSettings(keep_recent_tokens=keep or 0, **more)
    return plan_compaction(tree, len(tree) - 1, settings)


def names(entries: list[Entry], indices: Sequence[int]) -> str:
    return " ".join(entries[at].id for at in indices)


@given(entry_lists(min_size=1), st.integers(0, 60), st.sampled_from((None, 0, 30)), st.data())
def test_the_cut_by_tokens_is_the_first_point_of_the_kept_part(
    entries: list[Entry], keep: int, most: int | None, data: st.DataObject
) -> None:
    tree = Tree.from_entries(entries)
    projection = context_at(tree, len(tree) - 1)
    start = data.draw(st.integers(0, projection.end))
    points, kept, at = cut_points(projection.path_totals, start, projection.end), 0, projection.end
    limit = keep if most is None else min(keep, most)
    while at > start and (kept < limit or at == projection.end):
        at -= 1
        if projection.path_totals.sent[at]:
            kept += (
                sum(position_parts(projection, at).values())
                if at in projection.omissions
                else tree_tokens(projection, at)
            )
    if kept < limit:
        expected = points[0] if points else start
    else:
        expected = next((point for point in points if point >= at), points[-1] if points else start)
    settings = CompactionSettings(keep_recent_tokens=keep)
    assert _cut(projection, start, projection.end, settings, most) == expected
    by_messages = _cut(projection, start, projection.end, CompactionSettings(keep_recent_messages=2), most)
    assert by_messages in points or (not points and by_messages == start)


def test_without_a_place_to_cut_the_kept_part_begins_at_the_start() -> None:
    projection = context_at(Tree.from_entries(chain(result("r", "c", "text"))), 0)
    for settings in (CompactionSettings(keep_recent_messages=2), CompactionSettings(keep_recent_tokens=1)):
        assert _cut(projection, 0, 1, settings, None) == 0


def tree_tokens(projection: Projection, at: int) -> int:
    return projection.tree.tokens(projection.path_totals.path[at])


def test_ca4_the_cut_is_at_a_user_or_assistant_message() -> None:
    entries = chain(*pairs(10))
    made = plan(entries, 2500)
    assert made.first_kept == 17
    assert made.split_turn
    assert names(entries, made.turn_prefix) == "u8"
    assert names(entries, made.kept) == "a8 u9 a9"


def test_a_cut_at_a_users_message_splits_nothing() -> None:
    entries = chain(*pairs(10))
    made = plan(entries, 2000)
    assert (made.first_kept, made.split_turn, len(made.summarised)) == (18, False, 18)


def test_ca15_when_everything_fits_nothing_is_done() -> None:
    with pytest.raises(NothingToDoError, match="Nothing to summarise"):
        plan(chain(*pairs(3)), 50_000)


def test_a_single_reply_and_an_empty_session_have_nothing_to_compact() -> None:
    with pytest.raises(NothingToDoError):
        plan([assistant("a", None, THOUSAND)], 1000)
    with pytest.raises(NothingToDoError, match="empty"):
        plan_compaction(Tree.from_entries([]), None)
    with pytest.raises(NothingToDoError, match="Already compacted"):
        plan(chain(*pairs(3), compaction("c", None, "u1")), 10)


def test_ca13_a_model_change_before_the_cut_is_kept_and_splits_nothing() -> None:
    change = Entry(id="m", kind=Kind.MODEL_CHANGE, provider="p", model="m")
    entries = chain(user("1", None), assistant("2", None), change, user("3", None), assistant("4", None))
    made = plan(entries, 2)
    assert (made.first_kept, made.split_turn) == (2, False)
    assert names(entries, made.kept) == "3 4"


def test_ca14_what_the_previous_compaction_kept_is_summarised_the_next_time() -> None:
    first = chain(*pairs(6))
    made = plan(first, 2000)
    entries = chain(*first, compaction("c", None, first[made.first_kept or 0].id), *pairs(1, "y" * 9000))
    entries = [replace(e, id=f"{e.id}'") if at > len(first) else e for at, e in enumerate(entries)]
    entries = chain(*entries)
    again = plan(entries, 4000)
    assert again.previous == len(first)
    covered = set(made.summarised) | set(made.turn_prefix)
    again_covered = set(again.summarised) | set(again.turn_prefix)
    assert again_covered >= set(made.kept) - set(again.kept)
    assert covered.isdisjoint(again_covered)
    assert again.previous not in again_covered


def test_ca16_an_oversized_last_result_never_keeps_everything() -> None:
    entries = chain(*pairs(20), user("u", None), assistant("a", None, calls=("c",)), result("r", None, "x" * 100_000))
    made = plan(entries)
    assert made.first_kept == 41
    assert names(entries, made.kept) == "a r"
    behind = chain(*entries, assistant("z", None))
    later = plan(behind)
    assert (later.first_kept, names(behind, later.turn_prefix)) == (43, "u a r")


def test_without_a_point_to_cut_at_nothing_is_done() -> None:
    for call in (result("r", None), result("s", None, "x" * 100_000)):
        with pytest.raises(NothingToDoError, match="Nothing to summarise"):
            plan([call])


def test_the_breakdown_after_a_plan_counts_its_summary_and_what_is_kept() -> None:
    entries = chain(*pairs(10))
    tree, made = Tree.from_entries(entries), plan(entries, 2000)
    found = breakdown_after(tree, made, 10)
    after = Tree.from_entries(compacted(entries, made, "x" * 40))
    assert found.total == breakdown_of(context_at(after, len(entries))).total


def test_a_single_turn_can_be_split() -> None:
    entries = chain(user("u", None, THOUSAND), *(assistant(f"a{at}", None, THOUSAND) for at in range(4)))
    made = plan(entries, 2_000)
    assert (names(entries, made.summarised), names(entries, made.turn_prefix)) == ("", "u a0 a1")
    assert names(entries, made.kept) == "a2 a3"
    assert made.split_turn


def test_a_note_between_a_call_and_its_result_permits_no_cut() -> None:
    note = Flag.OWN | Flag.EXCLUDED
    entries = chain(
        user("u", None), assistant("a", None, calls=("c",)), user("m", None), assistant("n", None, flags=note),
        result("r", None), user("v", None),
    )  # fmt: skip
    line = PathTotals.through(Tree.from_entries(entries), 5)
    assert [bool(sent) for sent in line.sent] == [True, True, True, False, True, True]
    assert list(cut_points(line, 0, 6)) == [0, 1, 5]


def test_a_shell_command_starts_a_turn() -> None:
    bash = Entry(id="b", role=Role.BASH_EXECUTION, name="ls", blocks=user("x", None, THOUSAND).blocks)
    made = plan(chain(*pairs(3), bash), 900)
    assert (made.first_kept, made.split_turn) == (6, False)


def test_keeping_a_number_of_messages() -> None:
    entries = chain(*pairs(5))
    tree = Tree.from_entries(entries)
    made = plan_compaction(tree, 9, CompactionSettings(keep_recent_messages=4))
    assert names(entries, made.kept) == "u3 a3 u4 a4"


@pytest.mark.parametrize(("count", "kept"), [(1, "z"), (2, "b1 r1 z"), (3, "b0 r0 b1 r1 z"), (4, "u2 b0 r0 b1 r1 z")])
def test_a_kept_tool_result_counts_with_its_call(count: int, kept: str) -> None:
    looks = [e for at in range(2) for e in (assistant(f"b{at}", None, calls=("c",)), result(f"r{at}", None))]
    entries = chain(*pairs(2), user("u2", None), *looks, assistant("z", None))
    made = plan_compaction(Tree.from_entries(entries), 9, CompactionSettings(keep_recent_messages=count))
    assert names(entries, made.kept) == kept


def test_an_excluded_message_does_not_count_as_kept() -> None:
    entries = [*chain(*pairs(5)), mark(Kind.OMISSION, "o", "a4", "u4", "out")]
    made = plan_compaction(Tree.from_entries(entries), 10, CompactionSettings(keep_recent_messages=3))
    assert names(entries, made.kept) == "u3 a3 a4"


def test_more_messages_to_keep_than_there_are_leave_nothing_to_summarise() -> None:
    tree = Tree.from_entries(chain(*pairs(3)))
    for count in (6, 7):
        with pytest.raises(NothingToDoError, match="all entries are in the kept part"):
            plan_compaction(tree, 5, CompactionSettings(keep_recent_messages=count))


@pytest.mark.parametrize(
    ("settings", "most", "kept"),
    [
        (CompactionSettings(keep_recent_messages=4), 2_000, "u4 a4"),
        (CompactionSettings(keep_recent_messages=2), 4_000, "u4 a4"),
        (CompactionSettings(keep_recent_tokens=4_000), 2_000, "u4 a4"),
        (CompactionSettings(keep_recent_tokens=2_000), 4_000, "u4 a4"),
    ],
)
def test_the_limit_of_tokens_is_kept_whatever_the_settings_keep(
    settings: CompactionSettings, most: int, kept: str
) -> None:
    entries = chain(*pairs(5))
    made = plan_compaction(Tree.from_entries(entries), 9, settings, most=most)
    assert names(entries, made.kept) == kept


def test_a_cut_by_hand_moves_to_the_nearest_place_above() -> None:
    entries = chain(
        *pairs(2), user("u", None), assistant("a", None, calls=("c",)), result("r", None), assistant("z", None)
    )
    tree = Tree.from_entries(entries)
    assert plan_from(tree, 7, 6).first_kept == 5
    assert plan_from(tree, 7, 4).first_kept == 4
    with pytest.raises(NothingToDoError):
        plan_from(tree, 7, 0)
    with pytest.raises(NotFoundError, match="not on the path"):
        plan_from(tree, 3, 6)
    headless = Tree.from_entries(chain(result("r", None), user("u", None)))
    with pytest.raises(NothingToDoError, match="Everything above"):
        plan_from(headless, 1, 0)


def test_a_cut_at_a_setting_is_a_cut_at_the_message_after_it() -> None:
    entries = chain(
        *pairs(2), mark(Kind.MODEL_CHANGE, "m", None, None), mark(Kind.LABEL, "l", None, "u0"),
        user("u", None), assistant("a", None),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    made = plan_from(tree, 7, 4)
    assert names(entries, made.kept) == "u a"
    assert made == plan_from(tree, 7, 5) == plan_from(tree, 7, 6)


def test_pinned_entries_are_neither_summarised_nor_lost() -> None:
    entries = [*chain(*pairs(5)), mark(Kind.PIN, "p", "u0", "u0"), mark(Kind.PIN, "q", "a4", "a4")]
    tree = Tree.from_entries(entries)
    made = plan_compaction(tree, 9, CompactionSettings(keep_recent_tokens=2000))
    assert made.pinned == (0,)
    assert 0 not in made.summarised


def test_all_entries_can_be_summarised() -> None:
    entries = chain(*pairs(2), mark(Kind.PIN, "p", None, "u0"))
    tree = Tree.from_entries(entries)
    made = plan_whole(tree, len(tree) - 1)
    assert (names(entries, made.summarised), names(entries, made.pinned)) == ("a0 u1 a1", "u0")
    assert (made.first_kept, made.kept, made.turn_prefix, made.previous) == (None, (), (), None)
    assert made.parent == len(tree) - 1


def test_a_context_of_pinned_entries_alone_cannot_be_summarised() -> None:
    tree = Tree.from_entries(chain(user("1", None), mark(Kind.PIN, "p", None, "1")))
    with pytest.raises(NothingToDoError, match="Nothing to summarise"):
        plan_whole(tree, 1)


def compacted(entries: list[Entry], made: Plan, text: str = "summary") -> list[Entry]:
    done = compaction("new", entries[made.parent].id, entries[made.first_kept or 0].id, text)
    return [*entries, done]


@given(entry_lists(damaged=True, min_size=1), st.sampled_from([0, 1, 3, 8, 30, 100]))
def test_invariants_of_any_compaction_of_any_tree(entries: list[Entry], keep: int) -> None:
    assume(len({entry.id for entry in entries}) == len(entries))  # the new entry names its first kept one by id
    tree = Tree.from_entries(entries)
    for leaf in range(len(tree)):
        try:
            made = plan_compaction(tree, leaf, CompactionSettings(keep_recent_tokens=keep))
        except NothingToDoError:
            continue
        before = [m.entry for m in context_at(tree, leaf).messages if m.form is not Form.SUMMARY]
        parts = [*made.summarised, *made.turn_prefix, *made.pinned, *made.kept]
        assert sorted(parts) == sorted(before), "every message is summarised, pinned or kept, and only once"
        assert tree.role(made.kept[0]) is not Role.TOOL_RESULT if made.kept else True
        assert made.first_kept is not None
        assert plan_from(tree, leaf, made.first_kept) == made
        after = Tree.from_entries(compacted(entries, made))
        sent = context_at(after, len(entries))
        assert sent.messages[0].form is Form.SUMMARY
        assert [m.entry for m in sent.messages[1:]] == [*made.pinned, *made.kept]
        assert context_at(after, leaf).messages == context_at(tree, leaf).messages, "undo is moving the leaf back"


@given(entry_lists(min_size=2))
def test_the_preview_equals_the_later_breakdown(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    leaf = len(tree) - 1
    try:
        made = plan_compaction(tree, leaf, CompactionSettings(keep_recent_tokens=5))
    except NothingToDoError:
        return
    after = Tree.from_entries(compacted(entries, made, "x" * 40))
    found = breakdown_of(context_at(after, len(entries)))
    promised = breakdown_after(tree, made, 10)
    assert promised.total == found.total
    assert promised.categories == found.categories
    seen = displayed_breakdown(context_at(after, len(entries)))
    carry = at_scale(promised, scale_of(context_at(tree, leaf)))
    assert (carry.total, carry.categories) == (seen.total, seen.categories)


# -- a branch summary ------------------------------------------------------------------------------------------------


def test_a_branch_summary_replaces_everything_from_an_entry_on() -> None:
    entries = chain(*pairs(4))
    tree = Tree.from_entries(entries)
    made = plan_branch_summary(tree, 7, 4)
    assert (names(entries, made.summarised), names(entries, made.kept)) == ("u2 a2 u3 a3", "u0 a0 u1 a1")
    assert (made.parent, made.first_summarised, made.first_kept) == (7, 4, None)
    after = breakdown_after(tree, made, 10)
    above = breakdown_of(context_at(tree, 3)).total.value
    assert above is not None
    assert after.total.value == above + 10


def test_a_branch_summary_of_the_whole_path_keeps_nothing() -> None:
    entries = chain(*pairs(2))
    made = plan_branch_summary(Tree.from_entries(entries), 3, 0)
    assert (made.first_summarised, made.kept, len(made.summarised)) == (0, (), 4)
    assert breakdown_after(Tree.from_entries(entries), made, 10).total.value == 10


def test_a_branch_summary_separates_no_call_from_its_result() -> None:
    called = [user("u", None), assistant("a", None, calls=("c",)), result("r", None, call="c")]
    tree = Tree.from_entries(chain(*called, mark(Kind.SESSION_INFO, "m", None, None), user("v", None)))
    assert plan_branch_summary(tree, 4, 2).first_summarised == 1
    assert plan_branch_summary(tree, 4, 3).first_summarised == 4  # a note stands for the message after it


def test_a_branch_summary_brings_back_what_a_compaction_below_had_summarised() -> None:
    entries = chain(*pairs(2), compaction("c", None, "a1"), user("v", None))
    tree = Tree.from_entries(entries)
    made = plan_branch_summary(tree, 5, 3)
    assert names(entries, made.kept) == "u0 a0 u1"
    assert names(entries, made.summarised) == "a1 v"
    assert forecast_of(context_at(tree, 5), made, 10).summarised == 0  # the context grows


def test_a_branch_summary_needs_messages_on_the_path() -> None:
    note = mark(Kind.SESSION_INFO, "m", None, None)
    with pytest.raises(NothingToDoError, match="no messages from here on"):
        plan_branch_summary(Tree.from_entries([note]), 0, 0)
    with pytest.raises(NotFoundError, match="not on the path"):
        plan_branch_summary(Tree.from_entries([note, user("w", None)]), 0, 1)
