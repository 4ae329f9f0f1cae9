"""The last computed summary, which the preview, the draft and the compaction of one cut share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from weakref import ref

from stemmata.domain.compaction.plan import Plan
from stemmata.domain.compaction.summary.summary import Summary
from stemmata.domain.entries.tree import Tree


@dataclass(frozen=True, slots=True)
class SummarySubject:
    """What a computed summary depends on, besides the tree: its entries, its focus, its limits."""

    plan: Plan
    focus: str
    longest: int | None
    whole_tools: frozenset[str]


class LastSummary:
    """Holds one summary, until another one is computed; any thread may ask.

    The entries of a tree never change, so the same tree and the same subject give the same summary. The tree itself
    is not held.
    """

    def __init__(self) -> None:
        self._held: tuple[ref[Tree], SummarySubject, Summary] | None = None

    def of(self, tree: Tree, subject: SummarySubject, compute: Callable[[], Summary]) -> Summary:
        """Return the held summary of the subject, else compute and hold it."""
        held = self._held
        if held is not None and held[0]() is tree and held[1] == subject:
            return held[2]
        summary = compute()
        self._held = ref(tree), subject, summary
        return summary
