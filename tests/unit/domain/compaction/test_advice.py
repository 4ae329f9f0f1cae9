"""When compactions repeat, and why."""

from __future__ import annotations

from typing import Any

import pytest

from stemmata.domain.compaction.advice import Cause, Gain, causes_of
from stemmata.domain.context.breakdown import MESSAGE_CATEGORIES, Breakdown, Budget
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.figures import UNKNOWN, Figure
from stemmata.domain.settings.settings import CompactionSettings


def breakdown(**tokens: int) -> Breakdown:
    """Return a breakdown with `system` and `tool_results` as given; all other tokens are the user's."""
    found = dict.fromkeys(MESSAGE_CATEGORIES, Figure.estimated(0))
    found |= {Category.TOOL_DEFINITIONS: UNKNOWN, Category.SYSTEM: Figure.estimated(tokens.get("system", 0))}
    found[Category.TOOL_RESULTS] = Figure.estimated(tokens.get("tool_results", 0))
    return Breakdown(Figure.estimated(tokens.get("total", 100_000)), None, found, ())


@pytest.mark.parametrize(
    ("before", "after", "replies", "is_repeated"),
    [
        (100, 99, None, False),  # the first one
        (100, 10, 3, True),  # too soon
        (100, 10, 4, False),
        (100, 75, 40, False),  # a quarter is saved
        (100, 76, 40, True),
    ],
)
def test_a_compaction_is_repeated_when_it_comes_soon_or_brings_little(
    before: int, after: int, replies: int | None, is_repeated: bool
) -> None:
    assert Gain(before, after, replies).is_repeated == is_repeated


@pytest.mark.parametrize(
    ("window", "facts", "tokens", "causes"),
    [
        (200_000, {}, {}, (Cause.GROWTH,)),
        (None, {}, {}, (Cause.GROWTH,)),
        (32_000, {"reserve_tokens": 4_000}, {}, (Cause.WINDOW,)),
        (200_000, {"reserve_tokens": 70_000}, {}, (Cause.RESERVE,)),
        (200_000, {"reserve_tokens": 70_000, "threshold_percent": 50}, {}, (Cause.GROWTH,)),  # not what lowers it
        (200_000, {}, {"system": 54_000}, (Cause.FIXED,)),
        (200_000, {}, {"tool_results": 34_000}, (Cause.TOOLS,)),
        (None, {}, {"tool_results": 34_000, "system": 90_000}, (Cause.TOOLS,)),
        (
            16_000, {}, {"tool_results": 34_000, "system": 54_000},
            (Cause.WINDOW, Cause.RESERVE, Cause.FIXED, Cause.TOOLS),
        ),
    ],
)  # fmt: skip
def test_the_causes_are_seen_in_the_figures(
    window: int | None, facts: dict[str, Any], tokens: dict[str, int], causes: tuple[Cause, ...]
) -> None:
    settings = CompactionSettings()._replace(**facts)
    assert causes_of(Budget.of(window, settings), settings, breakdown(**tokens)) == causes
