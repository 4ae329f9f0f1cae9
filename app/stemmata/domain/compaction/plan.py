"""Plans compactions: where the path is cut, which entries are summarised and which are kept.

The cut follows pi: walk back until `keep_recent_tokens` are kept, cut at a message that is not a tool result, split a
turn only when it is too large. Unlike in pi, the entries that the previous compaction kept are summarised too, a
large tool result at the end does not keep everything, and a plan that would summarise nothing is refused.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import compress

from stemmata.domain.context.breakdown import (
    MESSAGE_CATEGORIES,
    Breakdown,
    estimated_breakdown,
    message_parts,
    position_parts,
    skill_tokens,
    subtract_omitted,
    subtract_pruned,
)
from stemmata.domain.context.projection import OUT, Projection, context_at, exchange
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.growing import Numbers, numbers
from stemmata.domain.entries.path_totals import Emission, PathTotals
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import NotFoundError, NothingToDoError
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.domain.text.phrases import Phrase

_TURN_STARTS = frozenset(map(int, (Role.USER, Role.BASH_EXECUTION, Role.CUSTOM)))


@dataclass(frozen=True, slots=True)
class Plan:
    """A compaction at `parent`. All values are indices of entries; the sequences contain only messages.

    `summarised` is sent to the summariser, and so is `turn_prefix`, the first part of a turn that is split. `pinned`
    and `kept` stay in the context. `previous` is the compaction whose summary is merged. When `first_kept` is None,
    no entry is kept, except in the plan of a branch summary: there everything from `first_summarised` on is
    summarised, and the context above it is kept.
    """

    parent: int
    first_kept: int | None
    summarised: Numbers
    turn_prefix: tuple[int, ...]
    kept: tuple[int, ...]
    pinned: tuple[int, ...] = ()
    previous: int | None = None
    first_summarised: int | None = None

    @property
    def split_turn(self) -> bool:
        """Whether the cut lies inside a turn."""
        return bool(self.turn_prefix)


def plan_compaction(
    tree: Tree, leaf: int | None, settings: CompactionSettings | None = None, path_totals: PathTotals | None = None,
    *, most: int | None = None,
) -> Plan:  # fmt: skip
    """Return the plan according to the settings. `path_totals` is as in `context_at`.

    `most` is the number of tokens at which the kept part ends even when the settings would keep more; None for no
    limit. Raises NothingToDoError, with the reason, when nothing can be summarised.
    """
    settings = settings or CompactionSettings()
    projection = _compactable_context(tree, leaf, path_totals)
    start, end = boundary(projection), projection.end
    cut = _cut(projection, start, end, settings, most)
    return _plan(projection, start, cut)


def plan_whole(tree: Tree, leaf: int | None) -> Plan:
    """Return the plan that summarises all messages and keeps none. Raises NothingToDoError when there are none."""
    projection = _compactable_context(tree, leaf)
    start, end = boundary(projection), projection.end
    pinned = _pinned(projection, end)
    summarised = _messages(projection, start, end, pinned)
    if not summarised:
        raise NothingToDoError("Nothing to summarise.")
    path = projection.path_totals.path
    return Plan(
        parent=path[end - 1],
        first_kept=None,
        summarised=summarised,
        turn_prefix=(),
        kept=(),
        pinned=tuple(path[at] for at in pinned),
        previous=projection.compaction_entry,
    )


def plan_from(tree: Tree, leaf: int | None, first_kept: int, path_totals: PathTotals | None = None) -> Plan:
    """Return the plan with the cut that the user chose: at this entry, or the nearest permitted cut above it.

    A setting, label or note stands for the message after it, so that the `first_kept` of any plan gives the same
    cut. Raises NothingToDoError when nothing would be summarised, NotFoundError when the entry is not on the path.
    """
    projection = _compactable_context(tree, leaf, path_totals)
    if first_kept not in projection.path_totals:
        raise NotFoundError(Phrase("That entry is not on the path to the leaf. Nothing was changed."))
    start = boundary(projection)
    wanted, emissions = projection.path_totals.position(first_kept), projection.path_totals.emissions
    while wanted < projection.end and emissions[wanted] == Emission.NOTHING:
        wanted += 1
    allowed = [at for at in cut_points(projection.path_totals, start, projection.end) if at <= wanted]
    if not allowed:
        raise NothingToDoError("Everything above is already in the summary.")
    return _plan(projection, start, allowed[-1])


def plan_branch_summary(tree: Tree, leaf: int, first: int, path_totals: PathTotals | None = None) -> Plan:
    """Return the plan that replaces the path from the entry `first` on by a branch summary.

    The summary begins at the nearest permitted cut above, so that no call loses its result. Raises NothingToDoError
    when there would be nothing to summarise, NotFoundError when the entry is not on the path.
    """
    projection = context_at(tree, leaf, path_totals)
    line = projection.path_totals
    if first not in line:
        raise NotFoundError(Phrase("That entry is not on the path to the leaf. Nothing was changed."))
    wanted = line.position(first)
    while wanted < projection.end and line.emissions[wanted] == Emission.NOTHING:
        wanted += 1
    cut = max((at for at in cut_points(line, 0, projection.end) if at <= wanted), default=line.position(first))
    summarised = _messages(projection, cut, projection.end)
    if not summarised:
        raise NothingToDoError("Nothing to summarise: there are no messages from here on.")
    above = context_above(projection, line.path[cut])
    return Plan(
        parent=leaf,
        first_kept=None,
        summarised=summarised,
        turn_prefix=(),
        kept=tuple(message.entry for message in above.messages),
        first_summarised=line.path[cut],
    )


def context_above(projection: Projection, entry: int) -> Projection:
    """Return the context above an entry of the path, which a branch summary in place of the entry would follow."""
    line = projection.path_totals
    at = line.position(entry)
    return context_at(projection.tree, line.path[at - 1] if at else None, line)


def boundary(projection: Projection) -> int:
    """Return the position of the first entry that may be summarised: the first that the last compaction kept."""
    return 0 if projection.compaction is None else projection.first_kept


def cut_points(path_totals: PathTotals, start: int, end: int) -> array[int]:
    """Return the positions where the kept part may begin: not at a tool result or between a call and its result."""
    out = array("i", _points_from_end(path_totals, start, end))
    out.reverse()
    return out


def _points_from_end(path_totals: PathTotals, start: int, end: int) -> Iterator[int]:
    """Yield the cut points, the last one first."""
    roles, kinds, sent = path_totals.roles, path_totals.kinds, path_totals.sent
    result, assistant, summary = int(Role.TOOL_RESULT), int(Role.ASSISTANT), int(Kind.BRANCH_SUMMARY)
    results_follow = False  # whether a tool result comes before the next assistant message
    for at in range(end - 1, start - 1, -1):
        role = roles[at]
        if role == result:
            results_follow = True
        elif not sent[at]:
            continue
        elif role == assistant:
            results_follow = False
            yield at
        elif not results_follow and (role or kinds[at] == summary):
            yield at


def _compactable_context(tree: Tree, leaf: int | None, path_totals: PathTotals | None = None) -> Projection:
    projection = context_at(tree, leaf, path_totals)
    if leaf is None or projection.is_empty:
        raise NothingToDoError("Nothing to compact: the context is empty.")
    if tree.kind(leaf) is Kind.COMPACTION:
        raise NothingToDoError("Already compacted: there are no new messages.")
    return projection


def _cut(projection: Projection, start: int, end: int, settings: CompactionSettings, most: int | None) -> int:
    """Return the position of the first kept message."""
    wanted = settings.keep_recent_messages
    if wanted is None:
        keep = settings.keep_recent_tokens
        return _cut_by_tokens(projection, start, keep if most is None else min(most, keep))
    points = cut_points(projection.path_totals, start, end)
    if not points:
        return start
    by_tokens = points[0] if most is None else _cut_by_tokens(projection, start, most)
    # a tool result counts with its call: it cannot begin the kept part, and so is no point
    counted = [at for at in points if projection.omissions.get(at) != OUT]
    return max(by_tokens, counted[-wanted] if len(counted) > wanted else points[0])


def _cut_by_tokens(projection: Projection, start: int, keep: int) -> int:
    """Return the first point of the part that has at least `keep` tokens, or of the whole range when that fits.

    Without a point in that part it is the last point before, and without any point `start`. Only the end of a long
    path is looked at.
    """
    kept, path_totals, omitted = 0, projection.path_totals, projection.omissions
    sent, tokens, found = path_totals.sent, path_totals.tokens, None
    points = _points_from_end(path_totals, start, projection.end)
    following = next(points, None)
    for at in range(projection.end - 1, start - 1, -1):
        if at == following:
            found, following = at, next(points, None)
        if sent[at]:
            kept += sum(position_parts(projection, at).values()) if at in omitted else tokens[at]
        if kept >= keep:
            break
    if found is None:
        return start if following is None else following
    return found


def _plan(projection: Projection, start: int, cut: int) -> Plan:
    path_totals, end = projection.path_totals, projection.end
    turn = _turn_start(path_totals, start, cut)
    history_end = cut if turn is None else turn
    pinned = _pinned(projection, cut)
    summarised = _messages(projection, start, history_end, pinned)
    prefix = _messages(projection, history_end, cut, pinned)
    if not summarised and not prefix:
        raise NothingToDoError("Nothing to summarise: all entries are in the kept part.")
    path = path_totals.path
    return Plan(
        parent=path[end - 1],
        first_kept=path[_above_settings(path_totals, start, cut)],
        summarised=summarised,
        turn_prefix=tuple(prefix),
        kept=tuple(_messages(projection, cut, end)),
        pinned=tuple(path[at] for at in pinned),
        previous=projection.compaction_entry,
    )


def _messages(projection: Projection, start: int, stop: int, without: Iterable[int] = ()) -> Numbers:
    """Return the entries of messages, without the previous compaction, which is a separate input.

    Entries that the user left out of the context are not included, so they are in no summary either. The positions
    `without` are left out as well.
    """
    wanted = bytearray(projection.path_totals.sent[start:stop])
    path = projection.path_totals.path[start:stop]
    for at in (*without, *(at for at, name in projection.omissions.items() if name == OUT)):
        if start <= at < stop:
            wanted[at - start] = 0
    return path if wanted.count(1) == len(path) else numbers("i", compress(path, wanted))


def _turn_start(path_totals: PathTotals, start: int, cut: int) -> int | None:
    """Return the first position of the turn that the cut splits; None when the cut is at the start of a turn."""
    if path_totals.roles[cut] in _TURN_STARTS or path_totals.kinds[cut] == Kind.BRANCH_SUMMARY:
        return None
    for at in range(cut, start - 1, -1):
        if path_totals.roles[at] in _TURN_STARTS or path_totals.kinds[at] == Kind.BRANCH_SUMMARY:
            return at
    return None


def _above_settings(path_totals: PathTotals, start: int, cut: int) -> int:
    """Return the cut, moved above the settings, labels and notes before it, since they belong to the message after
    them.
    """
    while cut > start and path_totals.emissions[cut - 1] == Emission.NOTHING:
        cut -= 1
    return cut


def _pinned(projection: Projection, cut: int) -> list[int]:
    """Return the pinned positions before the cut, which stay in the context, calls with their results."""
    path_totals = projection.path_totals
    found: set[int] = set()
    for entry in projection.tree.pins:
        if entry in path_totals and path_totals.position(entry) < cut:
            found.update(exchange(path_totals, path_totals.position(entry)))
    return sorted(at for at in found if at < cut and path_totals.emissions[at] == Emission.MESSAGE)


def breakdown_after(tree: Tree, plan: Plan, summary_tokens: int, window: int | None = None) -> Breakdown:
    """Return the breakdown after the plan, for a summary of this size; equal to `breakdown_of` once it is done."""
    parts = parts_after(context_at(tree, plan.parent), plan)
    parts[Category.SUMMARIES] += summary_tokens
    return estimated_breakdown(parts, window)


def parts_after(projection: Projection, plan: Plan) -> dict[Category, int]:
    """Return the estimated tokens of the entries that the plan keeps, by category, without its summary."""
    path_totals = projection.path_totals
    if plan.first_summarised is not None:
        return message_parts(context_above(projection, plan.first_summarised))
    parts: dict[Category, int] = dict.fromkeys(MESSAGE_CATEGORIES, 0)
    kept_from = projection.end if plan.first_kept is None else path_totals.position(plan.first_kept)
    for category in MESSAGE_CATEGORIES:
        parts[category] += path_totals.between(category, kept_from, projection.end)
    for entry in plan.pinned:
        for category, tokens in position_parts(projection, path_totals.position(entry)).items():
            parts[category] += tokens
    subtract_pruned(projection, kept_from, parts)
    subtract_omitted(projection, kept_from, parts)
    parts[Category.SKILLS] += skill_tokens(projection)
    return parts
