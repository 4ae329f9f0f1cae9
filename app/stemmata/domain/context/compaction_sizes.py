"""How large the context was right before a compaction and right after it, wherever that is told."""

from __future__ import annotations

from typing import NamedTuple

from stemmata.domain.context.breakdown import seen_breakdown
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Flag
from stemmata.domain.entries.path_totals import Line
from stemmata.domain.entries.tokens import UNKNOWN, Figure
from stemmata.domain.entries.tree import Tree


class Sizes(NamedTuple):
    before: Figure
    after: Figure


def sizes_at(line: Line, position: int) -> Sizes:
    """Of the compaction at a position of the line."""
    tree, entry = line.tree, line.path[position]
    above = line.path[position - 1] if position else None
    before = seen_breakdown(context_at(tree, above, line)).total
    return Sizes(noted_before(tree, entry, before), seen_breakdown(context_at(tree, entry, line)).total)


def noted_before(tree: Tree, entry: int, computed: Figure = UNKNOWN) -> Figure:
    """What is noted with a compaction as the size before it, else what is computed.

    A note that says the same is known as well as that. Else it is an estimate when we made it, and as good as
    reported when its source did: it had it from its provider.
    """
    noted = tree.columns.reported[entry]
    if noted <= 0 or noted == computed.value:
        return computed
    return Figure.estimated(noted) if tree.columns.flags[entry] & Flag.OWN else Figure.reported(noted)
