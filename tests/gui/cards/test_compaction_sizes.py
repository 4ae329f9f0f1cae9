"""What a compaction's card shows of the context before and after."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from stemmata.domain.context.breakdown import (
    MESSAGE_CATEGORIES,
    Breakdown,
    Scale,
    at_scale,
    estimated_breakdown,
)
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Usage
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.compaction import SizesPiece
from stemmata.gui.cards.line_piece import HeadPiece
from tests.fakes.cards import words
from tests.fakes.conversation import compaction

MakeCard = Callable[..., Card]


def _breakdown(total: object, **parts: int) -> dict[str, Any]:
    categories = {name: {"value": value, "kind": "estimated"} for name, value in parts.items()}
    return {"total": {"value": total, "kind": "estimated"}, "window": 200_000, "categories": categories}


def test_a_compaction_keeps_both_breakdowns_for_ever(make_card: MakeCard) -> None:
    details = {
        "before": _breakdown(124_600, system=3_400, user=41_200, tool_results=80_000),
        "after": _breakdown(9_400, system=3_400, summaries=3_200, user=2_800),
    }
    card = make_card(compaction("s", usage=Usage(total=124_600), details=json.dumps(details)))
    [bars] = [part for part in card.parts if isinstance(part, SizesPiece)]
    before, after = bars.spans(0), bars.spans(1)
    assert [color for color, _ in after] == ["system", "summary", "user"]
    assert after[0][1].width() == pytest.approx(before[0][1].width()), "one scale for both"
    assert "≈ 124.6k → ≈ 9.4k" in words(card)
    assert "After ≈ 9.4k, System prompt ≈ 3.4k" in words(card)
    assert not card.grab().isNull()


@pytest.mark.parametrize("width", [600, *range(400, 520, 3)])
def test_a_narrow_head_leaves_out_facts_before_it_cuts_the_title(make_card: MakeCard, width: int) -> None:
    details = {"before": _breakdown(124_600), "after": _breakdown(9_400), "summariser": "digest", "kept": 10}
    card = make_card(compaction("s", details=json.dumps(details)))
    card.lay_out(width, 0, 10**6)
    [head] = [part for part in card.parts if isinstance(part, HeadPiece)]
    shown = [box.text for box in sorted(head.placed_words(), key=lambda box: box.rect.x())]
    assert shown[0] == "Compacted ≈ 124.6k → ≈ 9.4k"
    assert shown[-2:] == ["Edit", "Undo"]
    facts = ["Digest ·", "10 entries kept ·", "−92%"]
    assert shown[1:-2] == [fact for fact in facts if fact in shown]


def _seen(system: int = 0, **parts: int) -> Breakdown:
    found = dict.fromkeys(MESSAGE_CATEGORIES, 0) | {Category[name.upper()]: value for name, value in parts.items()}
    return at_scale(estimated_breakdown(found, None), Scale(system, 1.0))


def test_what_an_imported_compaction_left_is_told_by_the_tree(make_card: MakeCard) -> None:
    card = make_card(compaction("s", usage=Usage(total=157_200)), sizes=(_seen(), _seen(user=9_100)))
    assert "Compacted 157.2k → ≈ 9.1k" in words(card)
    assert any(isinstance(part, SizesPiece) for part in card.parts)
    larger = make_card(compaction("s", usage=Usage(total=1000)), sizes=(_seen(), _seen(user=1100)))
    assert "+10%" in words(larger)


def test_so_are_the_parts_of_both_contexts_where_the_totals_agree(make_card: MakeCard) -> None:
    seen = _seen(10_000, user=20_000, tool_results=70_000), _seen(10_000, summaries=2_000)
    card = make_card(compaction("s", usage=Usage(total=110_000)), sizes=seen)
    [bars] = [part for part in card.parts if isinstance(part, SizesPiece)]
    before, after = bars.spans(0), bars.spans(1)
    assert [color for color, _ in before] == ["system", "user", "tool"]
    assert [color for color, _ in after] == ["system", "summary"]
    widths = [place.width() for _, place in before]
    assert widths == pytest.approx([sum(widths) * share for share in (0.1, 0.2, 0.7)])
    assert "Before 110k, System prompt ≈ 11k, User ≈ 22k, Tool results ≈ 77k" in words(card)


def test_a_total_that_the_tree_contradicts_has_no_parts(make_card: MakeCard) -> None:
    card = make_card(compaction("s", usage=Usage(total=150_000)), sizes=(_seen(user=100_000), _seen(summaries=2_000)))
    [bars] = [part for part in card.parts if isinstance(part, SizesPiece)]
    assert [color for color, _ in bars.spans(0)] == ["dim"]
    assert [color for color, _ in bars.spans(1)] == ["summary"]


@pytest.mark.parametrize("damage", ["x", 7, [], {"total": 5}, _breakdown("many"), _breakdown(-1), _breakdown(10**40)])
def test_damaged_breakdowns_are_passed_over(make_card: MakeCard, damage: object) -> None:
    card = make_card(compaction("s", details=json.dumps({"before": damage, "after": damage})))
    assert not any(isinstance(part, SizesPiece) for part in card.parts)
    assert "Compacted Edit" in words(card)


def test_a_signed_summary_says_so(make_card: MakeCard) -> None:
    assert "signed" in words(make_card(compaction("s", details='{"summariser": "Fake/m", "signed": {}}')))
    assert "signed" not in words(make_card(compaction("s", details='{"summariser": "Fake/m"}')))
