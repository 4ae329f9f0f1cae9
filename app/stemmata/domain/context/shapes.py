"""JSON shapes of figures and breakdowns, the same on the command line and in what a compaction keeps for ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.entries.tokens import Figure


def figure(value: Figure) -> dict[str, Any]:
    return {"value": value.value, "kind": value.kind.text}


def breakdown(value: Breakdown, id_of: Callable[[int], str]) -> dict[str, Any]:
    """`id_of` gives the source's id of an entry by its index. Times `factor`, the `largest` are at its scale."""
    return {
        "total": figure(value.total),
        "window": value.window,
        "categories": {category.text: figure(part) for category, part in value.categories.items()},
        "largest": [
            {"entry": id_of(item.entry), "category": item.category.text, "tokens": item.tokens}
            for item in value.largest
        ],
        "factor": round(value.factor, 4),
        "basis": value.basis.text,
    }
