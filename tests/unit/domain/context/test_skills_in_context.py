"""Skills in the context: which are active at an entry, their fate, their tokens, and compactions that keep them."""

from __future__ import annotations

from hypothesis import given

from stemmata.domain.compaction.forecast import forecast_of
from stemmata.domain.compaction.plan import breakdown_after, plan_compaction
from stemmata.domain.context.breakdown import (
    ScaleBasis,
    breakdown_of,
    displayed_breakdown,
    largest_of,
    message_parts,
    skill_tokens,
)
from stemmata.domain.context.context_history import context_history_of
from stemmata.domain.context.projection import Fate, Reason, context_at
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.settings.settings import CompactionSettings
from tests.strategies import chains
from tests.unit.domain.trees import assistant, chain, compaction, user

LONG = "word " * 80  # 100 tokens


def skill(id: str, name: str, text: str = LONG, flags: Flag = Flag.OWN) -> Entry:
    return Entry(id=id, kind=Kind.SKILL, name=name, blocks=(Text(text),) if text else (), flags=flags)


def active(entries: list[Entry], at: int) -> list[str]:
    projection = context_at(Tree.from_entries(entries), at)
    return [entries[place].id for place in projection.skills]


def test_the_last_switch_of_each_skill_counts() -> None:
    entries = chain(
        skill("on", "one"), user("1", None), skill("two", "two"), skill("off", "one", ""), skill("again", "one"),
        skill("new", "two", LONG * 2),
    )  # fmt: skip
    assert [active(entries, at) for at in range(6)] == [
        ["on"], ["on"], ["on", "two"], ["two"], ["two", "again"], ["again", "new"],
    ]  # fmt: skip
    assert context_at(Tree.from_entries(entries), 3).switched_skills[0] == {"one", "two"}
    assert context_at(Tree.from_entries(entries), None).skills == ()


def test_a_skill_that_a_source_file_brings_is_never_active() -> None:
    entries = chain(skill("theirs", "one", flags=Flag.NONE), user("1", None), skill("off", "one", "", Flag.NONE))
    assert active(entries, 1) == []
    assert context_at(Tree.from_entries(entries), 2).switched_skills == (frozenset(), {})


def test_active_skills_are_sent_and_others_are_bookkeeping() -> None:
    tree = Tree.from_entries(chain(skill("on", "one"), user("1", None), skill("off", "one", "")))
    assert context_at(tree, 1).fate(0).fate is Fate.SENT
    gone = context_at(tree, 2)
    assert [(gone.fate(at).fate, gone.fate(at).reason) for at in (0, 2)] == [(Fate.NEVER, Reason.BOOKKEEPING)] * 2
    assert [message.entry for message in context_at(tree, 1).messages] == [1]


def test_skills_are_a_category_of_their_own_with_their_items() -> None:
    entries = chain(skill("on", "one"), user("1", None, LONG * 3), skill("two", "two", LONG * 2), user("2", None))
    projection = context_at(Tree.from_entries(entries), 3)
    found = breakdown_of(projection)
    assert found.categories[Category.SKILLS].value == 300
    assert found.total.value == 300 + 300 + 1
    assert [(item.entry, item.category, item.tokens) for item in found.largest] == [
        (1, Category.USER, 300), (2, Category.SKILLS, 200), (0, Category.SKILLS, 100), (3, Category.USER, 1),
    ]  # fmt: skip
    assert [(item.entry, item.tokens) for item in largest_of(projection, Category.SKILLS)] == [(2, 200), (0, 100)]


def test_a_skill_before_the_first_report_is_not_taken_for_the_system_prompt() -> None:
    entries = chain(skill("on", "one"), user("1", None, LONG), assistant("2", None, "", used=1000))
    found = breakdown_of(context_at(Tree.from_entries(entries), 2))
    assert found.basis is ScaleBasis.REPORT
    assert found.categories[Category.SYSTEM].value == 800
    assert found.categories[Category.SKILLS].value == 100


def test_switching_a_skill_makes_the_report_stale_and_keeps_the_scale() -> None:
    entries = chain(
        user("1", None, LONG), assistant("2", None, "", used=1000), skill("on", "one"), user("3", None),
        skill("off", "one", ""),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    on, off = displayed_breakdown(context_at(tree, 2)), displayed_breakdown(context_at(tree, 4))
    assert (on.basis, on.total.value, on.categories[Category.SKILLS].value) == (ScaleBasis.CARRIED, 1100, 100)
    assert (off.basis, off.total.value, off.categories[Category.SKILLS].value) == (ScaleBasis.CARRIED, 1001, 0)


def test_a_compaction_keeps_the_skills() -> None:
    entries = chain(
        skill("on", "one"), user("1", None, LONG * 30), assistant("2", None, LONG), user("3", None),
        assistant("4", None),
    )  # fmt: skip
    tree = Tree.from_entries(entries)
    plan = plan_compaction(tree, 4, CompactionSettings(keep_recent_tokens=2))
    forecast = forecast_of(context_at(tree, 4), plan, 50)
    done = Tree.from_entries([*entries, compaction("5", "4", entries[plan.first_kept or 0].id, "x" * 200)])
    after = context_at(done, 5)
    assert [entries[at].id for at in after.skills] == ["on"]
    assert message_parts(after)[Category.SKILLS] == 100
    assert breakdown_after(tree, plan, 50).total == breakdown_of(after).total == forecast.after.total
    assert (forecast.kept, forecast.skills) == (sum(tree.tokens(at) for at in plan.kept), 100)
    before = sum(message_parts(context_at(tree, 4)).values())
    assert before == forecast.summarised + forecast.pinned + forecast.kept + forecast.skills
    assert [item.entry for item in largest_of(after, Category.SKILLS)] == [0]


@given(chains(min_size=1))
def test_the_chart_agrees_with_the_breakdown(entries: list[Entry]) -> None:
    tree = Tree.from_entries(entries)
    path_totals = PathTotals.to(tree, len(tree) - 1)
    history = context_history_of(path_totals)
    for at in range(len(path_totals)):
        projection = context_at(tree, path_totals.path[at], path_totals)
        assert history.parts(at) == message_parts(projection)
        assert history.totals[at] == displayed_breakdown(projection).total.value
        assert message_parts(projection)[Category.SKILLS] == skill_tokens(projection)
    assert all(drop.kind is not Kind.SKILL for drop in history.drops)
