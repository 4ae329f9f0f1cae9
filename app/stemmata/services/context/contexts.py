"""The context at an entry, with all figures that the window and the command line show."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from stemmata.domain.chat.catalogue import Catalogue
from stemmata.domain.context.breakdown import (
    MESSAGE_CATEGORIES,
    Breakdown,
    Budget,
    Count,
    Sizes,
    breakdown_of,
    counted_breakdown,
    displayed_breakdown,
    sizes_at,
    stored_size_before,
)
from stemmata.domain.context.context_history import ContextHistory, Point, chart_points, context_history_of
from stemmata.domain.context.projection import Projection, context_at
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.figures import UNKNOWN
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.entries.tree import ROOT, Tree
from stemmata.domain.sessions.details import is_compacted_by_hand, summariser_of
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.services.ports.archive import ArchiveReader

GATEWAYS = frozenset({"openclaw"})
MOST_POINTS = 300  # about one point per pixel of the chart
_LAST = 0  # key of a tree's memo: the answer for the last path
_BREAKDOWN = "breakdown"  # begins the names of breakdowns in the memo of a path's totals
MOST_BREAKDOWNS = 64  # that the totals of a path remember
MOST_COUNTS = 64  # counted contexts that are remembered


@dataclass(frozen=True)
class ContextView:
    """The context at an entry: its projection, breakdown and budget.

    `model` is the model of the budget: the projection's, else the chosen one; "" when none is known.
    """

    projection: Projection
    breakdown: Breakdown
    budget: Budget
    model: str = ""

    @property
    def part_left(self) -> int | None:
        """`Budget.part_left` at this context, in estimated tokens; None when the window is unknown."""
        fixed = (Category.SYSTEM, Category.TOOL_DEFINITIONS, Category.SKILLS)
        left = self.budget.part_left(sum(self.breakdown.categories[part].value or 0 for part in fixed))
        return None if left is None else round(left / (self.breakdown.factor or 1))

    @property
    def is_due(self) -> bool:
        """Whether the session should be compacted: its context is beyond the trigger, and has grown since the last
        compaction."""
        return self.is_due_without(0)

    def is_due_without(self, freed: int) -> bool:
        """Return `is_due` for the case that a pruning frees this number of estimated tokens."""
        projection, path_totals = self.projection, self.projection.path_totals
        total = self.breakdown.total.value
        if not self.budget.is_due(None if total is None else total - self.breakdown.scaled(freed)):
            return False
        if projection.compaction is None:
            return True
        added = (path_totals.between(part, projection.compaction + 1, projection.end) for part in MESSAGE_CATEGORIES)
        return self.breakdown.scaled(sum(added)) >= self.budget.least_growth

    def counted(self, count: Count) -> ContextView:
        """Return the context with the breakdown of a provider's count."""
        return replace(self, breakdown=counted_breakdown(self.projection, count, self.budget.window))


def _count_key(session: Session, view: ContextView) -> tuple[object, ...]:
    """Return the key of a count: the facts that determine a request's messages.

    Notes and labels are not among them, so they do not invalidate a count.
    """
    projection = view.projection
    last = next((message.entry for message in reversed(projection.messages)), None)
    return (
        session.key, last, view.model, projection.level, projection.compaction, projection.first_kept,
        projection.prune_end, tuple(projection.pinned), tuple(sorted(projection.omissions.items())),
        projection.skills,
    )  # fmt: skip


def _displayed(projection: Projection, window: int | None) -> Breakdown:
    """Return the displayed breakdown, which the totals of the path remember.

    Half a dozen parts of the window ask for it when a tree arrives. Where much is pruned, finding the largest entries
    takes milliseconds; they are found once, on the db thread.
    """
    known, name = projection.path_totals.memo, (_BREAKDOWN, projection.end, window)
    if name not in known:
        if len(known) >= MOST_BREAKDOWNS:
            known.clear()
        known[name] = displayed_breakdown(projection, window)
    found: Breakdown = known[name]
    return found


@dataclass(frozen=True)
class Timeline:
    """The context along a branch. `points` are the positions that the chart draws; the budget is that at the end."""

    history: ContextHistory
    points: tuple[Point, ...]
    budget: Budget


class Contexts:
    """Computes contexts. Fast enough for any thread: ≤ 30 ms cold at 14,000 entries, ≤ 3 ms per further entry."""

    def __init__(self, catalogue: Catalogue, settings: CompactionSettings) -> None:
        self._catalogue = catalogue
        self.settings = settings
        self._asked = ""
        self._counts: OrderedDict[tuple[object, ...], tuple[object, Count]] = OrderedDict()
        self._fixed_texts: Callable[[Session], object] = lambda _session: None

    def is_automatic(self, session: Session) -> bool:
        """Return whether the settings and the session allow automatic compaction."""
        return self.settings.enabled and not is_compacted_by_hand(session.details)

    def summary_model(self, session: Session) -> str:
        """Return the `connection/model` chosen for summaries, by the session or else by the settings.

        A part that is not chosen is empty; an empty connection means the session's connection.
        """
        chosen = summariser_of(session.details)
        return chosen or f"{self.settings.connection}/{self.settings.model}"

    def ask(self, model: str) -> None:
        """Set the model (`connection/model`) of sessions that name none."""
        self._asked = model

    def adopt(self, catalogue: Catalogue) -> None:
        """Use a catalogue for the models' windows from now on."""
        self._catalogue = catalogue

    def at(self, session_tree: SessionTree, entry: int | None, path_totals: PathTotals | None = None) -> ContextView:
        """Return the context at an entry (index in the tree), counted as pi counts.

        Passing the `path_totals` of an earlier answer makes the next step cheap.
        """
        projection = context_at(session_tree.tree, entry, path_totals)
        budget = self.budget(session_tree, projection.model)
        breakdown = breakdown_of(projection, budget.window)
        return ContextView(projection, breakdown, budget, projection.model or self._asked)

    def seen(
        self, session_tree: SessionTree, entry: int | None, path_totals: PathTotals | None = None
    ) -> ContextView:
        """Return the context as `at` does, with the displayed breakdown: that of a provider's count of this context,
        else at the last known scale."""
        projection = context_at(session_tree.tree, entry, path_totals)
        budget = self.budget(session_tree, projection.model)
        breakdown = _displayed(projection, budget.window)
        view = ContextView(projection, breakdown, budget, projection.model or self._asked)
        count = self._count_of(session_tree.session, view) if self._counts else None
        return view if count is None else view.counted(count)

    def watch_fixed_texts(self, texts: Callable[[Session], object]) -> None:
        """Drop counts when the value of `texts` changes: the parts of a session's requests besides its entries."""
        self._fixed_texts = texts

    def remember(self, session: Session, view: ContextView, count: Count) -> None:
        """Use a provider's count of a context until its request changes. The oldest counts are forgotten."""
        self._counts[_count_key(session, view)] = self._fixed_texts(session), count
        while len(self._counts) > MOST_COUNTS:
            self._counts.popitem(last=False)

    def _count_of(self, session: Session, view: ContextView) -> Count | None:
        texts, count = self._counts.get(_count_key(session, view), (None, None))
        return count if count is not None and texts == self._fixed_texts(session) else None

    def compacted(self, session_tree: SessionTree, path_totals: PathTotals) -> dict[int, Sizes]:
        """Return the context's size before and, on the line, after each compaction, scaled as in `seen`.

        The tree caches the sizes for the last line, so that for a growing line only new compactions are computed.
        """
        tree, known, last = session_tree.tree, session_tree.tree.facts("sizes"), session_tree.tree.facts("all sizes")
        end, before = last.get(_LAST, (ROOT, {}))
        on_line: dict[int, Sizes] = dict(before) if end in path_totals else {}
        others: dict[int, Sizes] = {}
        for entry in tree.of_kind(Kind.COMPACTION):
            if entry in on_line:
                continue
            if entry not in path_totals:
                others[entry] = Sizes(stored_size_before(tree, entry), UNKNOWN)
                continue
            found = known.get(entry)
            if found is None:
                found = known[entry] = sizes_at(path_totals, path_totals.position(entry))
            on_line[entry] = found
        last[_LAST] = (path_totals.path[-1] if path_totals.path else ROOT), on_line
        return on_line | others

    def along(self, session_tree: SessionTree, path_totals: PathTotals) -> Timeline:
        """Return the context at every entry of a line.

        Takes a frame or two for 14,000 entries, seconds for a million.
        """
        history = context_history_of(path_totals)
        end = context_at(session_tree.tree, path_totals.path[-1] if path_totals.path else None, path_totals)
        return Timeline(history, chart_points(history, MOST_POINTS), self.budget(session_tree, end.model))

    def budget(self, session_tree: SessionTree, model: str, window: int | None = None) -> Budget:
        """Return the budget with this window in tokens, by default that of the model (`connection/model`)."""
        gateway = session_tree.session.source in GATEWAYS
        return Budget.of(window or self._catalogue.window(model or self._asked), self.settings, gateway=gateway)

    def window(self, model: str) -> int | None:
        """Return the window of a model in tokens; None when unknown."""
        return self._catalogue.window(model)


PAGE = 500  # rows in memory at a time
_SUMMARIES = (Kind.COMPACTION, Kind.BRANCH_SUMMARY)


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """The reported usage of replies: tokens sent, read from the cache and received; cost in $/1,000,000.

    The cost includes that of summaries, as the cost of a session does.
    """

    sent: int
    read: int
    output: int
    cost: int

    @property
    def cache_hits(self) -> float | None:
        """The share of the sent tokens that came from the cache; None when nothing was reported."""
        return self.read / self.sent if self.sent else None


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """Facts of a session: `path` is the usage of the active path, `whole` the usage of all branches.

    `is_automatic` says whether settings and session allow automatic compaction.
    """

    session: Session
    view: ContextView
    path: UsageTotals
    whole: UsageTotals
    is_automatic: bool = True


def facts_of(reader: ArchiveReader, contexts: Contexts, session: int) -> SessionFacts:
    """Compute the facts of a session. Runs on the db thread."""
    session_tree = SessionTree(reader.session(session), reader.tree(session))
    tree = session_tree.tree
    leaf = tree.get(session_tree.session.leaf)
    path = _used(reader, tree, tree.path(leaf))
    whole = _used(reader, tree, range(len(tree))) if session_tree.session.branches > 1 else path
    return SessionFacts(
        session_tree.session,
        contexts.seen(session_tree, leaf),
        path,
        whole,
        contexts.is_automatic(session_tree.session),
    )


def _used(reader: ArchiveReader, tree: Tree, entries: Iterable[int]) -> UsageTotals:
    written = [tree.key(at) for at in entries if tree.role(at) is Role.ASSISTANT or tree.kind(at) in _SUMMARIES]
    sent = read = output = cost = 0
    for start in range(0, len(written), PAGE):
        for row in reader.rows(written[start : start + PAGE]).values():
            if row.usage is not None:
                sent += row.usage.sent
                read += row.usage.cache_read
                output += row.usage.output
                cost += row.usage.cost or 0
    return UsageTotals(sent, read, output, cost)
