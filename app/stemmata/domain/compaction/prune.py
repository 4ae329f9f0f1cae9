"""Planning a pruning: which tool results are left out of the context, the outputs themselves staying in the store."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.context.budget import CompactionSettings
from stemmata.domain.context.projection import Projection, context_at
from stemmata.domain.entries.entry import Role
from stemmata.domain.entries.path_totals import Emission, Line
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.text.phrases import Phrase


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """Results up to `boundary` become one line naming their tool. Tokens of tool results before and after."""

    parent: int
    boundary: int
    pruned: tuple[int, ...]
    before: int
    after: int


def plan_prune(
    tree: Tree, leaf: int | None, settings: CompactionSettings | None = None, *, force: bool = False,
    line: Line | None = None,
) -> PrunePlan:  # fmt: skip
    """Prune all but the newest `tool_keep_threshold` tokens of results.

    Raises NothingToDoError below `tool_prune_threshold` (unless forced) or when nothing would be pruned.
    """
    settings = settings or CompactionSettings()
    projection = context_at(tree, leaf, line)
    if leaf is None:
        raise NothingToDoError("There is nothing to prune: the context is empty.")
    open_results = _open_results(projection)
    tokens = projection.line.tokens
    total = sum(map(tokens.__getitem__, open_results))
    if total <= settings.tool_prune_threshold and not force:
        raise NothingToDoError(
            Phrase("Tool results take ≈ {0} tokens; pruning starts above {1}.", total, settings.tool_prune_threshold)
        )
    kept = 0
    pruned: list[int] = []
    for at in reversed(open_results):
        if pruned or kept + tokens[at] > settings.tool_keep_threshold:
            pruned.append(at)
        else:
            kept += tokens[at]
    if not pruned:
        raise NothingToDoError("The newest tool results are all there are: there is nothing to prune.")
    pruned.reverse()
    path = projection.line.path
    left = sum(map(projection.line.pruned_tokens.__getitem__, pruned))
    return PrunePlan(leaf, path[pruned[-1]], tuple(map(path.__getitem__, pruned)), total, kept + left)


def _open_results(projection: Projection) -> list[int]:
    """Positions of tool results that are in the context and not pruned yet."""
    line, result, message = projection.line, int(Role.TOOL_RESULT), int(Emission.MESSAGE)
    start = max(projection.prune_end, 0 if projection.compaction is None else projection.first_kept)
    found = [at for at in projection.pinned if line.roles[at] == result and at >= projection.prune_end]
    roles, emissions = line.roles, line.emissions
    return found + [at for at in range(start, projection.end) if roles[at] == result and emissions[at] == message]
