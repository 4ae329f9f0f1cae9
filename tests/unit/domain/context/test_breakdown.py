from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from stemmata.domain.context.breakdown import (
    Budget,
    Count,
    Scale,
    ScaleBasis,
    breakdown_data,
    breakdown_of,
    counted_breakdown,
    displayed_breakdown,
    largest_of,
    last_report,
    message_parts,
    scale_of,
)
from stemmata.domain.context.projection import CUT, CUT_TOKENS, OUT, context_at
from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Entry, FixedParts, Flag, Kind, Role
from stemmata.domain.entries.figures import Figure, FigureKind
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings
from tests.strategies import entry_lists
from tests.unit.domain.trees import assistant, branch_summary, chain, compaction, mark, result, user

LONG = "x" * 400  # 100 tokens


def values(entries: list[Entry], at: int) -> dict[str, int | None]:
    tree = Tree.from_entries(entries)
    figures = breakdown_of(context_at(tree, at)).categories
    return {category.text: figure.value for category, figure in figures.items() if figure.value}


def test_each_part_of_an_entry_counts_in_its_category() -> None:
    blocks = (Text("abcde"), Thinking("x" * 10), ToolCall("c", "read", '{"path":"a"}'))
    entries = chain(
        user("1", None, LONG),
        replace(assistant("2", None), blocks=blocks),
        replace(result("3", None), blocks=(Text("123456789"), Image("image/png", "0"))),
        replace(user("4", None), kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="memory:notes"),
        branch_summary("5", None, "12345678"),
    )
    total = -(-(5 + 10 + 4 + 12) // 4)
    assert values(entries, 4) == {
        "user": 100,
        "assistant": total - 10 // 4 - 16 // 4,
        "thinking": 2,
        "tool_calls": 4,
        "tool_results": 3,
        "images": 1200,
        "memory": 1,
        "summaries": 2,
    }


def test_an_estimated_total_is_the_sum_of_the_messages() -> None:
    tree = Tree.from_entries(chain(user("1", None, LONG), assistant("2", None, LONG)))
    total = breakdown_of(context_at(tree, 1), 1000)
    assert (total.total.value, total.total.kind, total.free, total.factor) == (200, FigureKind.ESTIMATED, 800, 1.0)
    assert total.categories[Category.SYSTEM].kind is FigureKind.UNKNOWN
    assert breakdown_of(context_at(tree, 1), 150).free == 0
    assert breakdown_of(context_at(tree, 1)).free is None


def test_a_reported_total_is_met_and_the_rest_is_the_system_prompt() -> None:
    entries = chain(user("1", None, LONG), assistant("2", None, LONG, used=1000), user("3", None, LONG))
    tree = Tree.from_entries(entries)
    at_reply = breakdown_of(context_at(tree, 1))
    assert at_reply.total.kind is FigureKind.REPORTED
    assert at_reply.categories[Category.SYSTEM].value == 800
    after = breakdown_of(context_at(tree, 2))
    assert (after.total.value, after.total.kind) == (1100, FigureKind.ESTIMATED)
    assert sum(figure.value or 0 for figure in after.categories.values()) == 1100


def test_ca2_broken_replies_and_empty_usage_report_nothing() -> None:
    entries = chain(
        user("1", None), assistant("2", None, used=50), assistant("3", None, used=70, flags=Flag.ABORTED),
        assistant("4", None, used=80, flags=Flag.FAILED), assistant("5", None),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    assert last_report(context_at(tree, 4)) == 1
    assert last_report(context_at(tree, 0)) is None


def test_a_report_older_than_the_last_compaction_or_pruning_is_stale() -> None:
    entries = chain(
        user("1", None, LONG), assistant("2", None, used=5000), user("3", None), compaction("4", None, "3", LONG),
        user("5", None), assistant("6", None, used=6000), mark(Kind.TOOL_PRUNE, "7", None, "2"), user("8", None),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    assert breakdown_of(context_at(tree, 4)).total.value == 102
    assert breakdown_of(context_at(tree, 5)).total.value == 6000
    assert breakdown_of(context_at(tree, 5)).categories[Category.SYSTEM].value == 5000 - 101
    assert breakdown_of(context_at(tree, 7)).total.kind is FigureKind.ESTIMATED


def test_pruned_results_count_as_their_tools_name() -> None:
    entries = chain(
        user("1", None), assistant("2", None, calls=("c",)), result("3", None, LONG, tool="search-files"),
        mark(Kind.TOOL_PRUNE, "4", None, "3"), user("5", None),
    )  # fmt: skip
    assert values(entries, 2)["tool_results"] == 100
    assert values(entries, 4)["tool_results"] == 3


def test_pinned_entries_and_the_summary_are_counted_after_a_compaction() -> None:
    entries = [
        *chain(user("1", None, LONG), assistant("2", None), compaction("3", None, None, LONG), user("4", None)),
        mark(Kind.PIN, "p", "1", "1"),
    ]
    found = values(entries, 3)
    assert found == {"user": 101, "summaries": 100}


def test_a_pinned_result_that_was_pruned_counts_as_its_tools_name_wherever_it_is_listed() -> None:
    entries = [
        *chain(user("1", None), assistant("2", None, "", calls=("c",)), result("3", None, LONG * 9, tool="search"),
               mark(Kind.TOOL_PRUNE, "4", None, "3"), user("5", None), compaction("6", None, "5")),
        mark(Kind.PIN, "p", "3", "3"),
    ]  # fmt: skip
    tree = Tree.from_entries(entries)
    projection = context_at(tree, 5)
    total = breakdown_of(projection)
    assert total.categories[Category.TOOL_RESULTS].value == 2
    assert [(item.entry, item.tokens) for item in largest_of(projection, Category.TOOL_RESULTS)] == [(2, 2)]


def test_a_withheld_result_adds_nothing_pruned_or_not() -> None:
    entries = chain(replace(result("r", None, ""), flags=Flag.EXCLUDED), mark(Kind.TOOL_PRUNE, "p", None, "r"))
    assert values(entries, 1) == {}
    assert largest_of(context_at(Tree.from_entries(entries), 1), Category.TOOL_RESULTS) == ()


def test_tokens_of_omitted_and_shortened_entries() -> None:
    entries = chain(
        user("1", None, LONG * 100), user("2", None, LONG * 30), user("3", None, LONG),
        replace(user("4", None), blocks=(Image("image/png", "0"),)), mark(Kind.OMISSION, "o", None, "2", OUT),
        mark(Kind.OMISSION, "c1", None, "1", CUT), mark(Kind.OMISSION, "c3", None, "3", CUT),
        mark(Kind.OMISSION, "c4", None, "4", CUT),
    )  # fmt: skip
    assert values(entries, 3) == {"user": 13_100, "images": 1200}
    assert values(entries, 7) == {"user": CUT_TOKENS + 100, "images": 1200}
    projection = context_at(Tree.from_entries(entries), 7)
    assert [(item.entry, item.tokens) for item in largest_of(projection, Category.USER)] == [
        (0, CUT_TOKENS),
        (2, 100),
    ]
    assert sum(message_parts(projection).values()) == CUT_TOKENS + 1300
    assert breakdown_of(projection).largest[0].entry == 0


def test_omissions_before_a_compaction_are_not_subtracted_twice() -> None:
    entries = chain(
        user("1", None, LONG), user("2", None, LONG), mark(Kind.OMISSION, "o", None, "1", OUT),
        compaction("s", None, "2", "x" * 40),
    )  # fmt: skip
    assert values(entries, 2) == {"user": 100}
    assert values(entries, 3) == {"user": 100, "summaries": 10}


def test_largest_items_come_first_and_know_their_category() -> None:
    entries = chain(
        user("1", None, LONG), assistant("2", None, calls=("c",)), result("3", None, LONG * 3),
        compaction("4", None, "1", LONG * 2), user("5", None, "hi"),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    largest = breakdown_of(context_at(tree, 4)).largest
    assert [(entries[i.entry].id, i.category, i.tokens) for i in largest[:3]] == [
        ("3", Category.TOOL_RESULTS, 300),
        ("4", Category.SUMMARIES, 200),
        ("1", Category.USER, 100),
    ]


@given(entry_lists(damaged=True))
def test_the_parts_add_up_to_the_total_at_every_entry(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    for entry in range(len(tree)):
        found = breakdown_of(context_at(tree, entry))
        assert sum(figure.value or 0 for figure in found.categories.values()) == found.total.value


def test_without_message_tokens_the_system_part_is_the_total() -> None:
    entries = chain(user("1", None, ""), assistant("2", None, "", used=50), assistant("3", None, "", used=90))
    found = breakdown_of(context_at(Tree.from_entries(entries), 2))
    assert (found.total.value, found.categories[Category.SYSTEM].value, found.factor) == (90, 90, 1.0)


def test_a_report_smaller_than_the_system_part_reduces_all_parts_in_proportion() -> None:
    """Another model may report so little; the messages must not be shown with 0 tokens."""
    entries = chain(
        user("1", None, LONG), assistant("2", None, LONG, used=1000), user("3", None, LONG),
        assistant("4", None, LONG, used=600),
    )  # fmt: skip
    found = breakdown_of(context_at(Tree.from_entries(entries), 3))
    assert (found.total.value, found.categories[Category.SYSTEM].value, found.factor) == (600, 400, 0.5)


@given(entry_lists())
def test_a_shared_line_gives_the_same_breakdown(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    for leaf in range(len(tree)):
        line = PathTotals.through(tree, leaf)
        assert breakdown_of(context_at(tree, leaf, line)) == breakdown_of(context_at(tree, leaf))


def test_ca3_the_trigger_is_the_lower_of_threshold_and_reserve() -> None:
    settings = CompactionSettings(threshold_percent=100, reserve_tokens=10_000)
    budget = Budget.of(100_000, settings)
    assert budget.is_due(95_000)
    assert not budget.is_due(89_000)
    assert not budget.is_due(90_000)
    assert not budget.is_due(None)
    assert Budget.of(200_000, CompactionSettings()).trigger == 160_000


def test_small_windows_keep_two_fifths_usable_and_unknown_ones_never_block() -> None:
    assert (Budget.of(8192, CompactionSettings()).trigger or 0) >= int(8192 * 0.4)
    unknown = Budget.of(None, CompactionSettings())
    assert unknown.trigger is None
    assert not unknown.is_due(10**9)
    assert (unknown.part_left(), unknown.least_growth) == (None, 0)


@pytest.mark.parametrize(
    ("reserve", "floor", "own", "gateway"),
    [(16_384, 20_000, 16_384, 20_000), (30_000, 20_000, 30_000, 30_000), (16_384, 0, 16_384, 16_384)],
)
def test_sessions_of_a_gateway_have_a_least_reserve(reserve: int, floor: int, own: int, gateway: int) -> None:
    settings = CompactionSettings(threshold_percent=100, reserve_tokens=reserve, reserve_floor=floor)
    assert Budget.of(100_000, settings).trigger == 100_000 - own
    assert Budget.of(100_000, settings, gateway=True).trigger == 100_000 - gateway


@pytest.mark.parametrize(
    ("window", "fixed", "left"),
    [
        (32_000, 0, 15_616 // 4),
        (32_000, 3_808, 2_000),
        (32_000, 50_000, 15_616 // 8),
        (200_000, 0, 40_000),
    ],
)
def test_summary_and_kept_entries_take_half_of_the_trigger(window: int, fixed: int, left: int) -> None:
    assert Budget.of(window, CompactionSettings()).part_left(fixed) == left
    assert Budget.of(None, CompactionSettings(), gateway=True).reserve == 20_000


@given(entry_lists(damaged=True))
def test_the_entries_of_a_category_make_up_all_of_it(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    for entry in range(len(tree)):
        projection = context_at(tree, entry)
        parts = message_parts(projection)
        for category in Category:
            items = largest_of(projection, category, len(tree))
            sizes = [item.tokens for item in items]
            assert sizes == sorted(sizes, reverse=True)
            assert all(item.category is category and item.tokens for item in items)
            assert len({item.entry for item in items}) == len(items)
            assert sum(sizes) == parts.get(category, 0)


def test_the_largest_of_a_category_come_first() -> None:
    entries = chain(
        user("1", None, LONG), assistant("2", None, "", calls=("c",)), result("3", None, LONG * 3),
        result("4", None, LONG * 4), user("5", None, LONG * 2),
    )  # fmt: skip
    projection = context_at(Tree.from_entries(entries), 4)
    assert [(item.entry, item.tokens) for item in largest_of(projection, Category.USER)] == [(4, 200), (0, 100)]
    assert [item.entry for item in largest_of(projection, Category.TOOL_RESULTS, 1)] == [3]


def test_a_stopped_reply_adds_nothing_and_does_not_change_the_scale() -> None:
    """A stopped reply is never sent. Its tokens in the total would be spread over the other messages."""
    entries = chain(
        user("1", None, LONG), assistant("2", None, LONG, used=1000), user("3", None, LONG),
        assistant("4", None, LONG * 9, used=40, flags=Flag.ABORTED), user("5", None, LONG),
        assistant("6", None, LONG * 9, flags=Flag.FAILED), user("7", None, LONG),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    stopped = displayed_breakdown(context_at(tree, 3))
    assert (stopped.total, stopped.factor) == (Figure.estimated(1100), 1.0)
    assert stopped.categories == displayed_breakdown(context_at(tree, 2)).categories
    assert displayed_breakdown(context_at(tree, 6)).total == Figure.estimated(1300)
    alone = Tree.from_entries(chain(user("1", None, LONG), assistant("2", None, LONG, used=50, flags=Flag.ABORTED)))
    assert displayed_breakdown(context_at(alone, 1)).total == Figure.estimated(100)


def test_an_unfinished_reply_is_counted_by_its_estimate() -> None:
    """At the start of a reply a provider reports the size of the request, but almost nothing of the reply."""
    entries = chain(
        user("1", None, LONG), assistant("2", None, LONG, used=1000), user("3", None, LONG),
        assistant("4", None, LONG * 9, used=1101, flags=Flag.UNFINISHED), user("5", None, LONG),
    )  # fmt: skip
    found = displayed_breakdown(context_at(Tree.from_entries(entries), 4))
    assert (found.total, found.factor) == (Figure.estimated(1000 + 100 + 900 + 100), 1.0)


def test_without_a_report_the_scale_of_the_last_one_is_carried() -> None:
    entries = chain(
        user("1", None, LONG), assistant("2", None, LONG, used=1000), user("3", None, LONG),
        assistant("4", None, LONG, used=1400), compaction("5", None, "3", LONG),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    known = scale_of(context_at(tree, 4))
    assert known == Scale(800, 1.5)  # 1000 − 200 beside the messages; 1400 − 800 for 400 estimated
    found = displayed_breakdown(context_at(tree, 4), 5000)
    assert found.categories[Category.SYSTEM] == Figure.estimated(800)
    assert found.total == Figure.estimated(800 + 450)
    assert sum(figure.value or 0 for figure in found.categories.values()) == 1250
    assert breakdown_of(context_at(tree, 4)).total == Figure.estimated(300), "as pi counts"
    assert (found.basis, breakdown_of(context_at(tree, 4)).basis) == (ScaleBasis.CARRIED, ScaleBasis.MESSAGES)
    assert displayed_breakdown(context_at(tree, 3)).basis is ScaleBasis.REPORT


def test_the_scale_carried_is_that_right_before_the_compaction() -> None:
    """Messages after the report have changed the factor; the figures before and after use one scale."""
    entries = chain(
        user("1", None, LONG), assistant("2", None, LONG, used=1000), assistant("3", None, LONG * 2, used=1500),
        user("4", None, LONG * 4), compaction("5", None, "4", LONG), user("6", None, LONG),
        mark(Kind.TOOL_PRUNE, "7", None, "6"), compaction("8", None, "6", LONG * 2), user("9", None, LONG),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    before = displayed_breakdown(context_at(tree, 3))
    assert (before.total, before.factor) == (Figure.estimated(1900), 1100 / 800)
    for leaf in (4, 5, 6, 7, 8):
        assert scale_of(context_at(tree, leaf)) == Scale(800, before.factor)
    assert displayed_breakdown(context_at(tree, 4)).total == Figure.estimated(800 + round(500 * before.factor))
    assert [before.scaled(item.tokens) for item in before.largest[:2]] == [550, 275]


def test_contexts_with_a_report_or_without_any_are_not_carried() -> None:
    entries = chain(user("1", None, LONG), assistant("2", None, LONG, used=1000), user("3", None, LONG))
    tree = Tree.from_entries(entries)
    for leaf in (0, 1, 2):
        assert displayed_breakdown(context_at(tree, leaf)) == breakdown_of(context_at(tree, leaf))
    assert scale_of(context_at(tree, 0)) is None


def test_a_pruning_without_a_boundary_makes_no_report_stale() -> None:
    entries = chain(
        user("1", None, LONG), assistant("2", None, LONG, used=400), mark(Kind.TOOL_PRUNE, "p", None, "nowhere"),
        user("3", None, LONG), compaction("4", None, "3", LONG),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    assert scale_of(context_at(tree, 4)) == scale_of(context_at(tree, 3)) == Scale(200, 1.0)


def test_a_pinned_entry_that_is_left_out_is_an_item_of_no_tokens() -> None:
    entries = chain(
        user("1", None, LONG), user("2", None, LONG), mark(Kind.PIN, "p", None, "1"),
        compaction("3", None, "2", LONG), mark(Kind.OMISSION, "o", None, "1", OUT),
    )  # fmt: skip
    found = breakdown_of(context_at(Tree.from_entries(entries), 4))
    assert {item.entry: item.tokens for item in found.largest} == {0: 0, 1: 100, 3: 100}


# -- the parts before the messages --


def test_nothing_is_inferred_from_a_report_after_a_compaction() -> None:
    """The report does not cover all messages of the path, so the system part cannot be inferred from it."""
    entries = chain(
        user("1", None, LONG), compaction("2", None, "1", LONG), assistant("3", None, LONG, used=9000),
    )  # fmt: skip
    assert fixed_figures(entries) == (None, None, 30.0)


def own(used: int, system: int, tools: int, text: str = LONG) -> Entry:
    """A reply to a request of Stemmata, whose fixed parts were measured."""
    return replace(assistant("x", None, text, used=used), fixed=FixedParts(system, tools))


def fixed_figures(entries: list[Entry], at: int = -1) -> tuple[int | None, int | None, float]:
    found = displayed_breakdown(context_at(Tree.from_entries(entries), at % len(entries)))
    assert sum(figure.value or 0 for figure in found.categories.values()) == found.total.value
    parts = found.categories
    return parts[Category.SYSTEM].value, parts[Category.TOOL_DEFINITIONS].value, found.factor


def test_measured_parts_are_scaled_like_the_messages() -> None:
    entries = chain(user("1", None, LONG), replace(own(1500, 200, 600), id="2"))
    assert fixed_figures(entries) == (300, 900, 1.5)
    found = breakdown_of(context_at(Tree.from_entries(entries), 1))
    assert found.fixed_origin == "measured"
    assert breakdown_data(found, str)["categories"]["tool_definitions"] == {"value": 900, "kind": "estimated"}


def test_what_a_server_adds_of_its_own_stays_the_same() -> None:
    """A report of much more than the text: the messages are not to be blown up by it."""
    entries = chain(
        user("1", None, LONG), replace(own(5300, 0, 100), id="2"), user("3", None, LONG * 10),
        replace(own(6400, 0, 100), id="4"),
    )  # fmt: skip
    assert fixed_figures(entries, 1) == (5000, 100, 1.0)
    assert fixed_figures(entries, 3) == (5000, 100, 1.0)


def test_a_report_of_less_than_what_the_server_adds_reduces_all_parts() -> None:
    entries = chain(user("1", None, LONG), replace(own(5300, 0, 100), id="2"), replace(own(1000, 0, 100), id="3"))
    system, tools, factor = fixed_figures(entries)
    assert 900 < (system or 0) < 1000
    assert (tools or 0) < 100
    assert factor < 0.2


def test_measured_parts_alone_are_the_total() -> None:
    assert fixed_figures(chain(user("1", None, ""), replace(own(300, 100, 100, ""), id="2"))) == (150, 150, 1.0)
    assert fixed_figures(chain(user("1", None, ""), replace(own(300, 0, 0, ""), id="2"))) == (300, 0, 1.0)
    assert fixed_figures(chain(user("1", None, LONG), replace(own(300, 0, 0), id="2"))) == (0, 0, 1.5)


def test_after_a_compaction_the_measured_parts_stay() -> None:
    entries = chain(
        user("1", None, LONG), replace(own(1500, 200, 600), id="2"), compaction("3", None, "2", LONG),
        user("4", None, LONG),
    )  # fmt: skip
    assert fixed_figures(entries) == (300, 900, 1.5)
    again = chain(*entries, replace(own(1800, 200, 600), id="5"))
    assert fixed_figures(again)[2] == pytest.approx(1800 / 1200)
    late = chain(user("1", None, LONG), compaction("2", None, "1", LONG), replace(own(9000, 200, 600), id="3"))
    system, tools, factor = fixed_figures(late)
    assert (system, tools) == (1636, 4909)
    assert factor == pytest.approx(9000 / 1100, rel=0.01)


def test_an_imported_session_that_goes_on_here_is_measured_from_then_on() -> None:
    entries = chain(
        user("1", None, LONG), assistant("2", None, LONG, used=1000), user("3", None, LONG),
        replace(own(600, 100, 100), id="4"),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    origins = [breakdown_of(context_at(tree, at)).fixed_origin for at in (0, 1, 3)]
    assert origins == ["unknown", "inferred", "measured"]
    assert fixed_figures(entries) == (100, 100, 1.0)


@pytest.mark.parametrize("has_parts", [True, False])
def test_a_count_is_met(has_parts: bool) -> None:
    entries = chain(user("1", None, LONG), assistant("2", None, LONG, used=1000), user("3", None, LONG))
    projection = context_at(Tree.from_entries(entries), 2)
    found = counted_breakdown(projection, Count(1500, FixedParts(300, 900), has_parts), 4000)
    assert (found.total, found.window, found.basis) == (Figure.counted(1500), 4000, ScaleBasis.COUNT)
    parts = found.categories
    assert sum(figure.value or 0 for figure in parts.values()) == 1500
    kind = FigureKind.COUNTED if has_parts else FigureKind.ESTIMATED
    assert (parts[Category.SYSTEM], parts[Category.TOOL_DEFINITIONS]) == (Figure(300, kind), Figure(900, kind))
    assert parts[Category.USER].kind is FigureKind.ESTIMATED
    assert found.fixed_origin == ("counted" if has_parts else "measured")
    data = breakdown_data(found, str)
    assert (data["total"], data["basis"]) == ({"value": 1500, "kind": "counted"}, "count")
    assert (found.total + Figure.estimated(1)).kind is FigureKind.ESTIMATED  # a total is as weak as its weakest part
    assert (found.total + Figure.reported(1)).kind is FigureKind.COUNTED


def test_each_kind_of_figure_has_its_mark() -> None:
    assert [kind.mark for kind in FigureKind] == ["", "= ", "≈ ", ""]
