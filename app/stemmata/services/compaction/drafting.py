"""Plans a compaction, forecasts the sizes of the context, and writes the summary. Nothing is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from weakref import ref

from stemmata.domain.compaction.branch_summary import earlier_operations
from stemmata.domain.compaction.forecast import forecast_of
from stemmata.domain.compaction.operations import Operations, from_details
from stemmata.domain.compaction.plan import (
    Plan,
    plan_branch_summary,
    plan_compaction,
    plan_from,
    plan_whole,
)
from stemmata.domain.compaction.pruning import PrunePlan, summarised_whole
from stemmata.domain.compaction.summary.summary import Summariser, Summary, SummaryInput, nothing
from stemmata.domain.context.breakdown import displayed_breakdown
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Kind
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.compaction.prune_planning import planned_prune
from stemmata.services.compaction.request import Compaction, CompactionRequest, Preview
from stemmata.services.context.contexts import Contexts
from stemmata.services.ports.archive import ArchiveReader, EntrySource
from stemmata.services.whole_entries import EntriesInParts, index_of, whole_entries

ASSUMED_SUMMARY = 1200  # tokens assumed for a summary before it is written, when the session has no earlier one


@dataclass(frozen=True, slots=True)
class SummarySubject:
    """What a computed summary depends on, besides the tree: its entries, its focus, its limits."""

    plan: Plan
    focus: str
    longest: int | None
    whole_tools: frozenset[str]


class LastSummary:
    """Holds the last computed summary, which the preview, the draft and the compaction of one cut share.

    Any thread may ask. The entries of a tree never change, so the same tree and the same subject give the same
    summary. The tree itself is not held.
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


class Drafting:
    """Plans compactions and writes their summaries with a summariser. Stores nothing."""

    def __init__(self, contexts: Contexts, summariser: Summariser) -> None:
        self._contexts, self.summariser = contexts, summariser
        self._last = LastSummary()

    def preview(
        self,
        session_tree: SessionTree,
        leaf: int | None,
        *,
        first_kept: int | None = None,
        keep_recent_tokens: int | None = None,
        from_entry: int | None = None,
        path_totals: PathTotals | None = None,
    ) -> Preview:
        """Forecast a compaction, without side effects. Arguments are indices of the tree.

        Raises NothingToDoError with the reason.
        """
        if from_entry is not None and leaf is not None:
            plan = plan_branch_summary(session_tree.tree, leaf, from_entry, path_totals)
        else:
            plan = self._plan_above(session_tree.tree, leaf, first_kept, keep_recent_tokens, path_totals)
        return self._forecast(session_tree, plan, _assumed_summary(session_tree.tree, plan), path_totals)

    def plan(self, tree: Tree, request: CompactionRequest) -> Plan:
        """Return the plan of a request. Raises NothingToDoError, and NotFoundError for an entry that is gone."""
        leaf = index_of(tree, request.leaf)
        if request.from_entry is not None:
            return plan_branch_summary(tree, leaf, index_of(tree, request.from_entry))
        if request.whole:
            return plan_whole(tree, leaf)
        cut = None if request.first_kept is None else index_of(tree, request.first_kept)
        return self._plan_above(tree, leaf, cut, request.keep_recent_tokens, most=request.most_kept)

    def _plan_above(
        self, tree: Tree, leaf: int | None, first_kept: int | None, keep: int | None,
        path_totals: PathTotals | None = None, *, most: int | None = None,
    ) -> Plan:  # fmt: skip
        """Plan a compaction that summarises what is above the cut."""
        if first_kept is not None:
            return plan_from(tree, leaf, first_kept, path_totals)
        settings = self._contexts.settings
        if keep is not None:
            settings = settings._replace(keep_recent_tokens=keep, keep_recent_messages=None)
        return plan_compaction(tree, leaf, settings, path_totals, most=most)

    def material(self, reader: ArchiveReader, request: CompactionRequest) -> SummaryInput:
        """Return the input for another writer of the summary. Raises NothingToDoError."""
        session_tree = SessionTree(reader.session(request.session), reader.tree(request.session))
        subject = self._subject(session_tree, self.plan(session_tree.tree, request), request)
        given = self._input_of(reader, session_tree.tree, subject)
        return replace(given, entries=tuple(given.entries), turn_prefix=tuple(given.turn_prefix))

    def draft(
        self, reader: EntrySource, request: CompactionRequest, pause: Callable[[], object] = nothing,
        begin: Callable[[int], object] = lambda _entries: None,
    ) -> Compaction:  # fmt: skip
        """Return the compaction with its summary, before it is stored. Raises NothingToDoError.

        The summariser calls `pause` between small steps. `begin` gets the number of entries to summarise.
        """
        session_tree = SessionTree(reader.session(request.session), reader.tree(request.session))
        tree = session_tree.tree
        plan = self.plan(tree, request)
        subject = self._subject(session_tree, plan, request)

        def computed() -> Summary:
            begin(len(plan.summarised) + len(plan.turn_prefix))
            return self.summariser.summarise(replace(self._input_of(reader, tree, subject), pause=pause))

        summary = self._last.of(tree, subject, computed)
        if request.text is not None:
            summary = replace(summary, text=request.text, summariser=request.maker or "person")
        prune = self._pruning(reader, tree, request)
        preview = self._forecast(session_tree, plan, to_tokens(units(summary.text)), None, prune)
        return Compaction(plan, preview.before, preview.after, summary, prune=prune, usage=request.usage)

    def _subject(self, session_tree: SessionTree, plan: Plan, request: CompactionRequest) -> SummarySubject:
        longest = request.longest_summary
        if longest is None:
            longest = self._contexts.seen(session_tree, plan.parent).part_left
        return SummarySubject(plan, request.focus, longest, summarised_whole(self._contexts.settings))

    def _input_of(self, reader: EntrySource, tree: Tree, subject: SummarySubject) -> SummaryInput:
        plan = subject.plan
        given = material_of(reader, tree, plan, subject.focus, subject.longest, subject.whole_tools)
        if plan.first_summarised is not None:
            summaries = [entry for entry in plan.summarised if tree.kind(entry) is Kind.BRANCH_SUMMARY]
            given = replace(given, previous_operations=earlier_operations(whole_entries(reader, tree, summaries)))
        return given

    def _forecast(
        self,
        session_tree: SessionTree,
        plan: Plan,
        summary: int,
        path_totals: PathTotals | None,
        prune: PrunePlan | None = None,
    ) -> Preview:
        projection = context_at(session_tree.tree, plan.parent, path_totals)
        window = self._contexts.window(projection.model)
        forecast = forecast_of(projection, plan, summary, window)
        if prune is not None:
            forecast = forecast.with_pruned(projection, plan, prune.pruned)
        return Preview(plan, displayed_breakdown(projection, window), forecast)

    def _pruning(self, reader: EntrySource, tree: Tree, request: CompactionRequest) -> PrunePlan | None:
        """Return the pruning before the compaction; None when none is wanted or nothing can be pruned."""
        if request.prune is None:
            return None
        try:
            return planned_prune(reader, tree, tree.index(request.leaf), self._contexts.settings, request.prune)
        except NothingToDoError:
            return None


def material_of(
    reader: EntrySource, tree: Tree, plan: Plan, focus: str, longest: int | None = None,
    whole_tools: frozenset[str] = frozenset(),
) -> SummaryInput:  # fmt: skip
    """Return the input for the writer of a summary: the entries that the plan summarises."""
    previous, operations = "", Operations()
    if plan.previous is not None:
        [entry] = whole_entries(reader, tree, [plan.previous])
        previous = "\n".join(block.text for block in entry.blocks if isinstance(block, Text))
        operations = from_details(entry.details)
    return SummaryInput(
        entries=EntriesInParts(reader, tree, plan.summarised),
        turn_prefix=EntriesInParts(reader, tree, plan.turn_prefix),
        previous=previous,
        previous_operations=operations,
        focus=focus,
        longest=longest,
        whole_tools=whole_tools,
    )


def _assumed_summary(tree: Tree, plan: Plan) -> int:
    return ASSUMED_SUMMARY if plan.previous is None else max(ASSUMED_SUMMARY, tree.tokens(plan.previous))
