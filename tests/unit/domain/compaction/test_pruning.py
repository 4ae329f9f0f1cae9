from __future__ import annotations

import pytest

from stemmata.domain.compaction.duplicates import Duplicate
from stemmata.domain.compaction.pruning import PruneOccasion, plan_prune, summarised_whole
from stemmata.domain.context.projection import Projection, Reason
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.settings.settings import CompactionSettings
from tests.unit.domain.trees import assistant, chain, compaction, mark, result, user

THOUSAND = "x" * 4000


def session(results: int) -> list[Entry]:
    steps = [
        e
        for at in range(results)
        for e in (assistant(f"a{at}", None, calls=("c",)), result(f"r{at}", None, THOUSAND))
    ]
    return chain(user("u", None), *steps)


def test_all_but_the_newest_results_are_pruned() -> None:
    entries = session(10)
    made = plan_prune(Tree.from_entries(entries), 20)
    assert len(made.pruned) == 8
    assert entries[made.boundary or 0].id == "r7"
    assert (made.before, made.after) == (10_000, 2000 + 8)


def test_nothing_is_pruned_below_the_threshold_unless_asked() -> None:
    tree = Tree.from_entries(session(5))
    with pytest.raises(NothingToDoError, match="8,000"):
        plan_prune(tree, 10)
    assert len(plan_prune(tree, 10, occasion=PruneOccasion.BY_HAND).pruned) == 3


def test_a_total_equal_to_the_threshold_is_not_pruned() -> None:
    tree = Tree.from_entries(session(5))
    with pytest.raises(NothingToDoError, match="5,000"):
        plan_prune(tree, 10, CompactionSettings(tool_prune_threshold=5_000))
    assert plan_prune(tree, 10, CompactionSettings(tool_prune_threshold=4_999)).before == 5_000


def test_results_older_than_a_pruned_one_are_pruned() -> None:
    sizes = {"small": 400, "large": 20_000, "newest": 4_000}
    steps = [e for id, size in sizes.items() for e in (assistant(f"a-{id}", None), result(id, None, "x" * size))]
    entries = chain(user("u", None), *steps)
    made = plan_prune(Tree.from_entries(entries), 6, occasion=PruneOccasion.BY_HAND)
    assert [entries[at].id for at in made.pruned] == ["small", "large"]


def test_a_pinned_result_right_behind_the_boundary_counts() -> None:
    first, second = result("r0", None, THOUSAND), result("r1", None, THOUSAND)
    entries = [
        *chain(user("u", None), assistant("a", None, calls=("c", "d")), first, second, user("v", None)),
        mark(Kind.TOOL_PRUNE, "p", "v", "r0"), compaction("c", "p", "p"), user("w", "c"),
        mark(Kind.PIN, "pin", "r1", "r1"),
    ]  # fmt: skip
    made = plan_prune(
        Tree.from_entries(entries), 7, CompactionSettings(tool_keep_threshold=10), occasion=PruneOccasion.BY_HAND
    )
    assert [entries[at].id for at in made.pruned] == ["r1"]


def test_recent_results_alone_are_not_pruned() -> None:
    with pytest.raises(NothingToDoError, match="newest"):
        plan_prune(Tree.from_entries(session(1)), 2, occasion=PruneOccasion.BY_HAND)
    with pytest.raises(NothingToDoError, match="no tool result in the context may be pruned"):
        plan_prune(Tree.from_entries(session(0)), 0, occasion=PruneOccasion.BY_HAND)
    with pytest.raises(NothingToDoError, match="empty"):
        plan_prune(Tree.from_entries([]), None)


def test_pruned_results_are_not_counted_again() -> None:
    entries = chain(*session(10), mark(Kind.TOOL_PRUNE, "p", None, "r7"), user("v", None))
    with pytest.raises(NothingToDoError):
        plan_prune(Tree.from_entries(entries), 22)


def test_only_results_in_the_context_are_pruned() -> None:
    entries = [*chain(*session(10), compaction("c", None, "a5"), user("v", None)), mark(Kind.PIN, "p", "r0", "r0")]
    made = plan_prune(Tree.from_entries(entries), 22, CompactionSettings(tool_prune_threshold=10))
    assert [entries[at].id for at in made.pruned] == ["r0", "r5", "r6", "r7"]


NONE = CompactionSettings(tool_policy="keep_none")


def test_keep_none_prunes_the_newest_result_too_whatever_the_threshold() -> None:
    entries = chain(*session(2), assistant("done", None))
    made = plan_prune(Tree.from_entries(entries), 5, NONE)
    assert [entries[at].id for at in made.pruned] == ["r0", "r1"]
    assert (made.before, made.after) == (2_000, 2)


def test_keep_none_keeps_what_the_model_has_not_read_as_far_as_it_is_small() -> None:
    entries = session(3)
    made = plan_prune(Tree.from_entries(entries), 6, NONE)
    assert [entries[at].id for at in made.pruned] == ["r0", "r1"]
    made = plan_prune(Tree.from_entries(entries), 6, NONE._replace(tool_keep_threshold=999))
    assert [entries[at].id for at in made.pruned] == ["r0", "r1", "r2"]


def test_keep_none_does_not_prune_what_saves_nothing() -> None:
    entries = chain(user("u", None), assistant("a", None, calls=("c",)), result("r", None, "x"), assistant("b", None))
    with pytest.raises(NothingToDoError):
        plan_prune(Tree.from_entries(entries), 3, NONE)
    with pytest.raises(NothingToDoError):
        plan_prune(Tree.from_entries(entries), 1, NONE, occasion=PruneOccasion.BY_HAND)


def test_results_of_a_pruning_that_was_undone_start_no_other_one() -> None:
    """The pruning up to r7 is undone below r9; the next one is due when the results after r7 exceed the threshold."""
    first, *more = session(17)[21:]
    entries = [*session(10), mark(Kind.TOOL_PRUNE, "p", "r9", "r7"), first, *more]
    settings, tree = CompactionSettings(tool_prune_threshold=8_000), Tree.from_entries(entries)
    at = {entry.id: index for index, entry in enumerate(entries)}
    with pytest.raises(NothingToDoError, match="16,000"):
        plan_prune(tree, at["r15"], settings)  # eight of them count
    made = plan_prune(tree, at["r16"], settings)
    assert len(made.pruned) == 15
    assert len(plan_prune(tree, at["r9"], settings, occasion=PruneOccasion.BY_HAND).pruned) == 8
    assert len(plan_prune(Tree.from_entries(session(10)), 20, settings).pruned) == 8


def test_a_pruning_below_the_leaf_or_elsewhere_is_no_refusal() -> None:
    entries = [*session(10), assistant("other", "u"), mark(Kind.TOOL_PRUNE, "p", "other", "r7")]
    assert len(plan_prune(Tree.from_entries(entries), 20).pruned) == 8
    below = chain(*session(10), user("v", None), mark(Kind.TOOL_PRUNE, "p", "v", "r7"))
    tree = Tree.from_entries(below)
    assert len(plan_prune(tree, 20, path_totals=PathTotals.to(tree, 22)).pruned) == 8


# -- the table of tools


def by_tool(*tools: str) -> list[Entry]:
    """A session with a result of a thousand tokens of each of these tools."""
    steps = [
        entry
        for at, tool in enumerate(tools)
        for entry in (assistant(f"a{at}", None, calls=("c",)), result(f"r{at}", None, THOUSAND, tool=tool))
    ]
    return chain(user("u", None), *steps)


TABLE = CompactionSettings(
    tool_prune_threshold=1_000, tool_keep_threshold=0, tools={"Book": "keep", "page": "summarise"}
)


def test_the_table_keeps_the_results_of_a_tool() -> None:
    entries = by_tool("book", "read", "Page", "read")
    tree = Tree.from_entries(entries)
    for occasion in (PruneOccasion.BY_HAND, PruneOccasion.RESULTS, PruneOccasion.CONTEXT):
        made = plan_prune(tree, 8, TABLE, occasion)
        assert [entries[at].id for at in made.pruned] == ["r1", "r3"]
        assert made.kept == ("Page", "book")
        assert (made.before, made.after, made.freed) == (2_000, 2, 1_998)


def test_a_request_that_does_not_fit_has_no_regard_for_the_table() -> None:
    made = plan_prune(Tree.from_entries(by_tool("book", "read")), 4, TABLE, PruneOccasion.ROOM)
    assert len(made.pruned) == 2
    assert made.kept == ()


@pytest.mark.parametrize("policy", ["keep_none", "keep_all"])
def test_only_the_policy_auto_decides_by_tool(policy: str) -> None:
    settings = TABLE._replace(tool_policy=policy)
    entries = chain(*by_tool("book", "read"), assistant("done", None))
    assert len(plan_prune(Tree.from_entries(entries), 5, settings, PruneOccasion.BY_HAND).pruned) == 2
    assert summarised_whole(settings) == frozenset()


def test_results_that_the_table_keeps_start_no_pruning() -> None:
    with pytest.raises(NothingToDoError, match="1,000"):
        plan_prune(Tree.from_entries(by_tool("book", "book", "read")), 6, TABLE)
    with pytest.raises(NothingToDoError, match="no tool result in the context may be pruned"):
        plan_prune(Tree.from_entries(by_tool("book")), 2, TABLE, PruneOccasion.BY_HAND)
    assert summarised_whole(TABLE) == {"page"}


@pytest.mark.parametrize("occasion", [PruneOccasion.RESULTS, PruneOccasion.CONTEXT])
def test_keep_all_keeps_all(occasion: PruneOccasion) -> None:
    tree, settings = Tree.from_entries(session(10)), CompactionSettings(tool_policy="keep_all")
    with pytest.raises(NothingToDoError, match="settings keep"):
        plan_prune(tree, 20, settings, occasion)
    assert len(plan_prune(tree, 20, settings, PruneOccasion.ROOM).pruned) == 8


def test_what_was_kept_is_pruned_when_the_table_no_longer_keeps_it() -> None:
    entries = chain(*by_tool("book", "read"), mark(Kind.TOOL_PRUNE, "p", None, "r1", "book"), user("v", None))
    made = plan_prune(Tree.from_entries(entries), 6, TABLE._replace(tools={}), PruneOccasion.BY_HAND)
    assert [entries[at].id for at in made.pruned] == ["r0"]
    with pytest.raises(NothingToDoError):
        plan_prune(Tree.from_entries(entries), 6, TABLE, PruneOccasion.BY_HAND)


def test_the_name_of_a_tool_is_found_whatever_its_case() -> None:
    settings = CompactionSettings(tool_prune_threshold=0, tool_keep_threshold=0, tools={"READ": "keep", "x": "prune"})
    made = plan_prune(Tree.from_entries(by_tool("Read", "x")), 4, settings)
    assert made.kept == ("Read",)


# -- duplicates


def duplicate(entry: int, by: int = 0, tokens: int = 999) -> Duplicate:
    return Duplicate(entry, by, Reason.READ_AGAIN, tokens, "read", "x.py")


def test_after_a_reply_duplicates_alone_are_pruned_when_that_is_enough() -> None:
    tree = Tree.from_entries(session(10))
    settings = CompactionSettings(tool_prune_threshold=9_000)
    five, six = [duplicate(2 * at) for at in range(1, 6)], [duplicate(2 * at) for at in range(1, 7)]
    made = plan_prune(tree, 20, settings, find=lambda _projection: six)
    assert made.boundary is None
    assert made.kept == ()
    assert made.pruned == (2, 4, 6, 8, 10, 12)
    assert list(made.duplicates) == six
    assert (made.before, made.after) == (10_000, 4_006)
    made = plan_prune(tree, 20, settings, find=lambda _projection: five)
    assert made.boundary == 16
    assert made.duplicates == ()  # the pruning leaves them out already
    made = plan_prune(tree, 20, settings, PruneOccasion.CONTEXT, find=lambda _projection: six)
    assert made.boundary == 16


def test_duplicates_do_not_count_among_the_newest_results() -> None:
    made = plan_prune(Tree.from_entries(session(10)), 20, find=lambda _projection: [duplicate(18), duplicate(4)])
    assert made.boundary == 14
    assert made.pruned == (2, 4, 6, 8, 10, 12, 14, 18)
    assert [each.entry for each in made.duplicates] == [18]
    assert (made.before, made.after) == (10_000, 2_008)


def test_all_that_is_to_be_pruned_may_be_duplicates() -> None:
    tree = Tree.from_entries(session(3))
    settings = CompactionSettings(tool_keep_threshold=2_000)
    made = plan_prune(tree, 6, settings, PruneOccasion.ROOM, find=lambda _projection: [duplicate(2)])
    assert made.boundary is None
    assert made.pruned == (2,)


@pytest.mark.parametrize("policy", ["auto", "keep_all", "keep_none"])
def test_duplicates_by_hand_leave_everything_else(policy: str) -> None:
    settings = CompactionSettings(tool_policy=policy)
    made = plan_prune(
        Tree.from_entries(session(10)),
        20,
        settings,
        PruneOccasion.DUPLICATES,
        find=lambda _projection: [duplicate(4)],
    )
    assert made.pruned == (4,)
    assert (made.before, made.after) == (10_000, 9_001)


def test_duplicates_of_a_tool_that_is_kept_stay() -> None:
    settings = CompactionSettings(tools={"read": "keep"})
    with pytest.raises(NothingToDoError, match="later one"):
        plan_prune(
            Tree.from_entries(session(3)),
            6,
            settings,
            PruneOccasion.DUPLICATES,
            find=lambda _projection: [duplicate(2)],
        )


def test_duplicates_whose_pruning_was_undone_are_pruned_only_by_hand() -> None:
    marks = [mark(Kind.OMISSION, "m0", "r9", "r0", "read-again"), mark(Kind.OMISSION, "m1", "m0", "r1", "read-again")]
    elsewhere = [mark(Kind.OMISSION, "m2", "gone", "r3", "read-again"), mark(Kind.OMISSION, "m3", "r9", "r4", "cut")]
    entries = [*session(10), *marks, *elsewhere, user("v", "r9")]
    tree, leaf = Tree.from_entries(entries), len(entries) - 1

    def find(_projection: Projection) -> list[Duplicate]:
        return [duplicate(2 * at) for at in range(1, 9)]

    settings = CompactionSettings(tool_prune_threshold=7_000)
    assert plan_prune(tree, leaf, settings, find=find).pruned == (6, 8, 10, 12, 14, 16)
    assert len(plan_prune(tree, leaf, settings, PruneOccasion.DUPLICATES, find=find).pruned) == 8


def test_what_is_left_out_counts_for_no_threshold() -> None:
    entries = chain(
        *session(9),
        mark(Kind.OMISSION, "o", None, "r0", "out"), mark(Kind.OMISSION, "s", None, "r1", "run-again"),
        mark(Kind.OMISSION, "c", None, "r2", "cut"),
    )  # fmt: skip
    made = plan_prune(Tree.from_entries(entries), len(entries) - 1, occasion=PruneOccasion.BY_HAND)
    assert (made.before, len(made.pruned)) == (7_000, 5)
