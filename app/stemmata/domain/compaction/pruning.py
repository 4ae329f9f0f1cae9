"""Plans prunings: which tool results are replaced by the name of their tool, and how many tokens that frees.

On each occasion the policy of the settings decides, and with `auto` the table of tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from stemmata.domain.compaction.duplicates import Duplicate
from stemmata.domain.context.breakdown import position_parts
from stemmata.domain.context.projection import CUT, SUPERSEDED, Projection, context_at
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.path_totals import IS_MESSAGE, IS_RESULT, Emission, PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.entries.whole_columns import both, marked
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.domain.text.phrases import plural_phrase, template

ENOUGH = 2  # pruning duplicates is enough when the other results take at most 1/2 of the threshold


class PruneOccasion(Enum):
    """Why tool results are pruned."""

    BY_HAND = "by-hand"  # at any threshold, and with `keep_all` as well
    DUPLICATES = "duplicates"  # by hand: only the results that later ones replace
    RESULTS = "results"  # after a reply, the results exceed their own threshold
    CONTEXT = "context"  # the context is above the trigger, and the results exceed their own threshold
    ROOM = "room"  # a request does not fit: threshold, `keep_all` and the table of tools are ignored

    @property
    def is_automatic(self) -> bool:
        """Whether the pruning was not requested by the user."""
        return self not in (PruneOccasion.BY_HAND, PruneOccasion.DUPLICATES)


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """A pruning below the entry `parent`. All entries are indices; `pruned` are the tool results to leave out.

    Results up to `boundary` are pruned, except those of the tools `kept`; None when only `duplicates` are.
    `duplicates` are results after the boundary that later results replace. `before` and `after` are the estimated
    tokens of all tool results that were not pruned earlier, except those of tools that are kept.
    """

    parent: int
    boundary: int | None
    pruned: tuple[int, ...]
    before: int
    after: int
    kept: tuple[str, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()

    @property
    def freed(self) -> int:
        """The estimated tokens that the pruning frees."""
        return self.before - self.after


def plan_prune(
    tree: Tree, leaf: int | None, settings: CompactionSettings | None = None,
    occasion: PruneOccasion = PruneOccasion.RESULTS, path_totals: PathTotals | None = None, *,
    find: Callable[[Projection], Sequence[Duplicate]] = lambda _projection: (),
) -> PrunePlan:  # fmt: skip
    """Return the plan that prunes the duplicates and all tool results but the newest `tool_keep_threshold` tokens.

    `find` finds the duplicates; it is called only where they matter, since it reads the content of entries. After a
    reply the duplicates alone are pruned when that is enough. With the policy `keep_none` only results that no reply
    has followed yet may stay, since the model has not read them. Raises NothingToDoError when nothing is to be
    pruned: the policy keeps it, nothing would be saved, or the results do not exceed `tool_prune_threshold`.
    """
    if leaf is None:
        raise NothingToDoError("Nothing to prune: the context is empty.")
    choice = _Choice(context_at(tree, leaf, path_totals), settings or CompactionSettings(), occasion)
    return choice.plan(find)


def kept_by(settings: CompactionSettings, occasion: PruneOccasion = PruneOccasion.RESULTS) -> frozenset[str]:
    """Return the tools, in lower case, whose results the table of tools keeps: *keep* and *summarise*."""
    if settings.tool_policy != "auto" or occasion is PruneOccasion.ROOM:
        return frozenset()
    return frozenset(tool.lower() for tool, policy in settings.tools.items() if policy in ("keep", "summarise"))


def summarised_whole(settings: CompactionSettings) -> frozenset[str]:
    """Return the tools, in lower case, whose results go to the summariser as a whole."""
    if settings.tool_policy != "auto":
        return frozenset()
    return frozenset(tool.lower() for tool, policy in settings.tools.items() if policy == "summarise")


@dataclass(frozen=True, slots=True)
class _Choice:
    """The choice of results to prune. Results are positions on the path."""

    projection: Projection
    settings: CompactionSettings
    occasion: PruneOccasion

    def plan(self, find: Callable[[Projection], Sequence[Duplicate]]) -> PrunePlan:
        """Return the plan. Raises NothingToDoError."""
        settings, occasion = self.settings, self.occasion
        has_threshold = occasion in (PruneOccasion.RESULTS, PruneOccasion.CONTEXT)
        if settings.tool_policy == "keep_all" and has_threshold:
            raise NothingToDoError("Nothing to prune: the settings keep all tool results.")
        kept_tools = kept_by(settings, occasion)
        results = _open_results(self.projection)
        if kept_tools:
            results = [at for at in results if self._tool(at).lower() not in kept_tools]
        if occasion is PruneOccasion.DUPLICATES:
            return self._made(results, [], self._pruneable(results, find(self.projection)))
        if settings.tool_policy == "keep_none":
            return self._made(results, self._old(results), {})
        counted = self._check_threshold(results) if has_threshold else 0
        found = self._pruneable(results, () if occasion is PruneOccasion.BY_HAND else find(self.projection))
        rest = counted - sum(duplicate.tokens for duplicate in found.values())
        if found and occasion is PruneOccasion.RESULTS and rest * ENOUGH <= settings.tool_prune_threshold:
            return self._made(results, [], found)
        return self._made(results, self._old([at for at in results if at not in found]), found)

    def _check_threshold(self, results: Sequence[int]) -> int:
        """Return the tokens that count for the threshold. Raises NothingToDoError when they do not exceed it.

        A pruning that was undone on this path was refused: the results that it pruned do not start another one.
        """
        path, until, refused = self.projection.path_totals.path, *_refused(self.projection)
        if until >= 0 or refused:
            counted = self._sum([at for at in results if at > until and path[at] not in refused])
        else:
            counted = self._sum(results)
        if counted <= self.settings.tool_prune_threshold:
            total, threshold = self._sum(results), self.settings.tool_prune_threshold
            one = template("Tool results take ≈ {0} token; pruning starts above {1}.")
            many = template("Tool results take ≈ {0} tokens; pruning starts above {1}.")
            raise NothingToDoError(plural_phrase(one, many, total, total, threshold))
        return counted

    def _pruneable(self, results: Sequence[int], duplicates: Sequence[Duplicate]) -> dict[int, Duplicate]:
        """Return the duplicates by position, without those that the table keeps or whose pruning was undone."""
        position, there = self.projection.path_totals.position, set(results)
        refused = _refused(self.projection)[1] if self.occasion.is_automatic else frozenset()
        found = {position(each.entry): each for each in duplicates if each.entry not in refused}
        return {at: each for at, each in sorted(found.items()) if at in there}

    def _old(self, results: Sequence[int]) -> list[int]:
        """Return the results to prune: all before the newest ones that are kept."""
        roles, kept, keeps_none = self.projection.path_totals.roles, 0, self.settings.tool_policy == "keep_none"
        read = roles.rfind(int(Role.ASSISTANT), 0, self.projection.end) if keeps_none else -1
        for count, at in enumerate(reversed(results)):
            size = self._size(at)
            if at < read or kept + size > self.settings.tool_keep_threshold:
                return list(results[: len(results) - count])
            kept += size
        return []

    def _made(self, results: Sequence[int], old: Sequence[int], found: Mapping[int, Duplicate]) -> PrunePlan:
        path_totals, path = self.projection.path_totals, self.projection.path_totals.path
        pruned = sorted({*old, *found}) if found else old
        before = self._sum(results)
        after = before - self._sum(pruned) + sum(map(path_totals.pruned_tokens.__getitem__, pruned))
        if not pruned or (after >= before and self.settings.tool_policy == "keep_none"):
            if self.occasion is PruneOccasion.DUPLICATES:
                raise NothingToDoError("Nothing to prune: no tool result is replaced by a later one.")
            if not results:
                raise NothingToDoError("Nothing to prune: no tool result in the context may be pruned.")
            raise NothingToDoError(
                "Nothing to prune: only the newest tool results are in the context, and they are kept."
            )
        end = old[-1] if old else -1
        return PrunePlan(
            path[self.projection.end - 1],
            path[end] if old else None,
            tuple(map(path.__getitem__, pruned)),
            before,
            after,
            self._kept_until(end),
            tuple(each for at, each in found.items() if at > end),
        )

    def _kept_until(self, end: int) -> tuple[str, ...]:
        """Return the tools that have results up to a position and are kept."""
        kept, roles = kept_by(self.settings, self.occasion), self.projection.path_totals.roles
        if not kept:
            return ()
        names = {self._tool(at) for at in range(end + 1) if roles[at] == Role.TOOL_RESULT}
        return tuple(sorted(name for name in names if name.lower() in kept))

    def _tool(self, at: int) -> str:
        return self.projection.tree.name(self.projection.path_totals.path[at])

    def _sum(self, results: Sequence[int]) -> int:
        """Return the estimated tokens that results add to the context."""
        sizes = self._size if self.projection.omissions else self.projection.path_totals.tokens.__getitem__
        return sum(map(sizes, results))

    def _size(self, at: int) -> int:
        return _size(self.projection, at)


def _size(projection: Projection, at: int) -> int:
    """Return the estimated tokens that a result adds to the context."""
    if at in projection.omissions:
        return sum(position_parts(projection, at).values())
    return projection.path_totals.tokens[at]


def _refused(projection: Projection) -> tuple[int, frozenset[int]]:
    """Return the results whose pruning the user undid on this path.

    The first value is the position of the last result before an undone boundary, -1 for none; the second is the set
    of duplicates, as entries. The marks of one pruning are a row of entries; the first is a child of the path.
    """
    tree, undone = projection.tree, set[int]()
    until, duplicates = -1, set[int]()
    for entry in sorted(_marks(projection)):
        parent, target = tree.parents[entry], tree.columns.target[entry]
        if _position_above_leaf(projection, entry) >= 0 or (
            parent not in undone and _position_above_leaf(projection, parent) < 0
        ):
            continue
        undone.add(entry)
        if tree.kind(entry) is Kind.TOOL_PRUNE:
            until = max(until, _position_above_leaf(projection, target))
        elif tree.name(entry) in SUPERSEDED:
            duplicates.add(target)
    return until, frozenset(duplicates)


def _marks(projection: Projection) -> Iterator[int]:
    """Yield the prunings and omissions of the tree; none when all are on the path, as mostly in a long session."""
    tree, kinds = projection.tree, projection.path_totals.kinds
    marks = (Kind.TOOL_PRUNE, Kind.OMISSION)
    if any(len(tree.of_kind(kind)) != kinds.count(kind, 0, projection.end) for kind in marks):
        for kind in marks:
            yield from tree.of_kind(kind)


def _position_above_leaf(projection: Projection, entry: int) -> int:
    """Return the position of an entry that is above the leaf, -1 for any other."""
    path_totals = projection.path_totals
    at = path_totals.position(entry) if entry >= 0 and entry in path_totals else -1
    return at if at < projection.end else -1


def _open_results(projection: Projection) -> list[int]:
    """Return the positions of tool results that are in the context and not pruned, in order."""
    return sorted(_open(projection))


def _open(projection: Projection) -> Iterator[int]:
    path_totals, omissions = projection.path_totals, projection.omissions
    roles, emissions = path_totals.roles, path_totals.emissions
    result, message = int(Role.TOOL_RESULT), int(Emission.MESSAGE)
    start = 0 if projection.compaction is None else projection.first_kept
    kept = (at for at in projection.kept_results if at >= start)
    begin = max(projection.prune_end, start)
    is_message = emissions[begin : projection.end].translate(IS_MESSAGE)
    is_result = both(roles[begin : projection.end].translate(IS_RESULT), is_message)
    results = (begin + at for at in marked(is_result)) if begin else marked(is_result)
    if not (projection.pinned or projection.kept_results or omissions):
        yield from results
        return
    for at in (*projection.pinned, *kept, *results):
        is_open = roles[at] == result and emissions[at] == message and omissions.get(at, CUT) == CUT
        if is_open and (at >= projection.prune_end or at in projection.kept_results):
            yield at
