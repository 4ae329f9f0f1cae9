"""The sizes of the context before and after a compaction, in words, as the window shows them."""

from __future__ import annotations

from typing import TypeGuard

from stemmata.domain.context.breakdown import sizes_at
from stemmata.domain.entries.figures import Figure, FigureKind, abbreviated_count
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.sources.export import ExportSource
from stemmata.domain.tool_calls.outcomes import details_of


def compaction_words(source: ExportSource, entry: int, details: str = "") -> str:
    """Return the sizes around a compaction, such as `175k → ≈ 22.2k tokens, −87%`; "" when none is known.

    Sizes that Stemmata or the source stored with the compaction come before computed ones.
    """
    told = details_of(details)
    tree = source.tree
    path_totals = PathTotals.to(tree, entry)
    computed = sizes_at(path_totals, len(path_totals) - 1)
    left = told.get("tokensAfter", 0)
    before = _stored(told.get("before")) or computed.before
    after = _stored(told.get("after")) or (Figure.reported(left) if _is_count(left) else computed.after)
    sizes = " → ".join(_text(size) for size in (before, after) if size.value)
    if not before.value or not after.value:
        return f"{sizes} tokens before" if before.value else f"{sizes} tokens after" if after.value else ""
    change = round(100 * after.value / before.value) - 100
    return f"{sizes} tokens, {'−' if change < 0 else '+'}{abs(change)}%"


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _stored(breakdown: object) -> Figure | None:
    """Return the total of a stored breakdown; None for anything else, since a file may hold anything."""
    total = breakdown.get("total") if isinstance(breakdown, dict) else None
    if not isinstance(total, dict) or not _is_count(total.get("value")):
        return None
    kind = next((kind for kind in FigureKind if kind.text == total.get("kind")), FigureKind.UNKNOWN)
    return None if kind is FigureKind.UNKNOWN else Figure(total["value"], kind)


def _text(figure: Figure) -> str:
    short = abbreviated_count(figure.value or 0).replace(".0k", "k").replace(".0M", "M")
    return f"{figure.kind.mark}{short}"
