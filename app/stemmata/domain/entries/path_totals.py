"""Running token totals along one path, so that the context size at any entry of the path is found at once.

Walking 14,000 entries whenever the selection moves would take 20 ms. The path is walked once; after that, the size
at any entry takes a few subtractions.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from itertools import compress, pairwise, repeat
from operator import mul, sub
from typing import Any, NamedTuple, TypeAlias
from weakref import ref

from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.growing import Numbers, appended, numbers, picked
from stemmata.domain.entries.sums import Sums
from stemmata.domain.entries.tokens import UNITS_PER_TOKEN, to_tokens
from stemmata.domain.entries.tree import Tree
from stemmata.domain.entries.whole_columns import (
    both,
    calculated,
    differences,
    either,
    is_zero,
    lowest_bytes,
    marked,
    masked,
    nonzero,
    positive,
    quarters,
    quarters_up,
    widened,
)


class Emission(IntEnum):
    """How the projection treats an entry by its kind, role and flags, before compactions and prunings apply."""

    NOTHING = 0  # not a message: settings, labels, notes
    MESSAGE = 1
    SUMMARY = 2  # a compaction; only the last one of a path is sent
    WITHHELD = 3  # listed among the messages, but the rules for requests drop it: failed, aborted, empty, excluded


_TEXT_CATEGORY: Mapping[int, int] = {
    Role.USER: Category.USER,
    Role.ASSISTANT: Category.ASSISTANT,
    Role.TOOL_RESULT: Category.TOOL_RESULTS,
    Role.BASH_EXECUTION: Category.TOOL_RESULTS,
    Role.CUSTOM: Category.USER,
}
_BROKEN = int(Flag.FAILED | Flag.ABORTED)
_NOTE = int(Flag.EXCLUDED | Flag.OWN)  # Stemmata's answer to a command, see `Runs.note`; pi has no such entry
_UNREPORTED = _BROKEN | int(Flag.UNFINISHED)
_SUSPECT = _BROKEN | int(Flag.EXCLUDED)
MEMORY_PREFIX = "memory"
RUN = 4_096  # positions that are sorted at once
KNOWN_OF = 100_000  # a tree of more entries caches its last path totals only while another object refers to them
SHARED = 8  # shared entries whose numbers are copied in the time in which those of one new entry are computed
_LAST = "line"


@dataclass(frozen=True)
class PathTotals:
    """The path from a root to `path[-1]`, with prefix sums of the tokens that each entry adds to a request.

    A *position* counts the entries along the path, from 0 at the root.
    """

    # The computed values are kept in a dictionary apart from the tree, which the tree can remember: if it remembered
    # the totals themselves, they and the tree would refer to each other, and a tree that is replaced would stay in
    # memory until the garbage collector runs.
    __slots__ = ("__dict__", "__weakref__", "path", "tree")

    tree: Tree
    path: Numbers

    @classmethod
    def to(cls, tree: Tree, entry: int | None) -> PathTotals:
        """Return the totals of the path that ends at this entry.

        They reuse the last totals computed for this tree, or for the tree that it was `extended` from: only the part
        of the path that is not shared is computed.
        """
        known = _last_totals_of(tree)
        if known is None or entry is None or not known.path:
            line = cls(tree, tree.path(entry))
        elif known.path[-1] == entry:
            return known.on(tree)
        else:
            line = _resumed(known, tree, entry)
        tree.memo[_LAST] = _Known(line.path, line.__dict__) if len(tree) <= KNOWN_OF else ref(line)
        return line

    @classmethod
    def work(cls, tree: Tree, entry: int | None) -> int:
        """Return for how many entries `to` would compute numbers; an entry whose numbers are copied counts less."""
        known, count = _last_totals_of(tree), _length(tree, entry)
        if known is None or entry is None or not known.path:
            return count
        if known.path[-1] == entry:
            return 0
        shared = _length(tree, tree.common_ancestor(known.path[-1], entry))
        return count - shared + shared // SHARED

    @classmethod
    def through(cls, tree: Tree, entry: int | None) -> PathTotals:
        """Return the totals of the path through this entry, down to the newest leaf below it."""
        return cls(tree, tree.path(None if entry is None else tree.newest_leaf_below(entry)))

    def __len__(self) -> int:
        return len(self.path)

    def on(self, tree: Tree) -> PathTotals:
        """Return the same totals for a newer tree with the same path, which `extended` made from the old one."""
        return _Known(self.path, self.__dict__).on(tree)

    @cached_property
    def memo(self) -> dict[object, Any]:
        """Values that other modules have computed from these totals, by the names that they chose."""
        return {}

    @cached_property
    def _stretches(self) -> list[range]:
        return self.tree.stretches(self.path[-1] if self.path else None)

    @cached_property
    def _ascending(self) -> bool:
        return all(one[-1] < other[0] for one, other in pairwise(self._stretches))

    def _along(self, column: Numbers) -> Numbers:
        """Return a column of the tree for the entries of the path."""
        return picked(column, self._stretches)

    @cached_property
    def _positions(self) -> dict[int, int]:
        """Entry → position, for a path on which a parent was written after its child."""
        return {entry: at for at, entry in enumerate(self.path)}

    def position(self, entry: int) -> int:
        """Return the entry's position on the path. Raises KeyError when the entry is not on it."""
        if self._ascending:
            at = bisect_left(self.path, entry)
            if at < len(self.path) and self.path[at] == entry:
                return at
            raise KeyError(entry)
        return self._positions[entry]

    def __contains__(self, entry: int) -> bool:
        try:
            self.position(entry)
        except KeyError:
            return False
        return True

    @cached_property
    def kinds(self) -> bytes:
        """One Kind per position."""
        return self._along(self.tree.columns.kind).tobytes()

    @cached_property
    def roles(self) -> bytes:
        """One Role per position."""
        return self._along(self.tree.columns.role).tobytes()

    @cached_property
    def _codes(self) -> bytes:
        """Kind and role of each position in one byte, for translation tables."""
        return either(self.kinds.translate(_SHIFTED), self.roles)

    @cached_property
    def emissions(self) -> bytes:
        """One Emission per position."""
        out = bytearray(self._codes.translate(_NATURES))
        flags, tokens = self._along(self.tree.columns.flags), self.tokens
        suspect = set() if is_zero(flags) else {at for at, flag in enumerate(flags) if flag & _SUSPECT}
        for at in suspect.union(_empty(tokens)):
            out[at] = _withheld(out[at], self.roles[at], flags[at], tokens[at])
        return bytes(out)

    @cached_property
    def sent(self) -> bytes:
        """1 for positions that pi lists as messages (Emission MESSAGE or WITHHELD); 0 for all others."""
        return self.emissions.translate(_LISTED)

    @cached_property
    def tokens(self) -> Numbers:
        """Estimated tokens per position, also of entries that are never sent."""
        c = self.tree.columns
        parts = [part for part in map(self._along, (c.thinking, c.calls, c.images)) if not is_zero(part)]
        return calculated(quarters_up, lambda *units: to_tokens(sum(units)), self._along(c.text), *parts)

    @cached_property
    def shares(self) -> _Shares:
        """Tokens per position for each category; zero for entries that are not sent as messages.

        The parts of an entry add up to its estimate: rounding differences are added to its text.
        """
        c, is_message, rest = self.tree.columns, self.emissions.translate(IS_MESSAGE), self.tokens
        out = dict.fromkeys(Category, numbers("i", bytes(4 * len(self.path))))  # shared by all empty ones
        parts = ((Category.THINKING, c.thinking), (Category.TOOL_CALLS, c.calls), (Category.IMAGES, c.images))
        for category, column in parts:
            units = self._along(column)
            if not is_zero(units):
                whole = calculated(quarters, lambda one: one // UNITS_PER_TOKEN, units)
                out[category] = part = masked(whole, is_message)
                rest = calculated(differences, sub, rest, part)
        for text in set(self._texts) - {_NO_TEXT}:
            out[Category(text)] = masked(rest, self._texts.translate(_ONLY[text]))
        return out

    @cached_property
    def _texts(self) -> bytes:
        """The Category of each position's text; `_NO_TEXT` for entries that are not sent as messages."""
        kinds = self.kinds
        out = bytearray(either(self._codes.translate(_TEXTS), self.emissions.translate(_NOT_SENT)))
        at = kinds.find(Kind.CUSTOM_MESSAGE)
        while at >= 0:
            if out[at] != _NO_TEXT and self.tree.name(self.path[at]).startswith(MEMORY_PREFIX):
                out[at] = Category.MEMORY
            at = kinds.find(Kind.CUSTOM_MESSAGE, at + 1)
        return bytes(out)

    @cached_property
    def totals(self) -> dict[Category, Sums]:
        """Running sums of `shares`: the tokens of each category up to a position."""
        return _sums(self.shares)

    @cached_property
    def pruned_tokens(self) -> Numbers:
        """Tokens of the line that replaces a pruned tool result (the tool's name); zero for other entries."""
        lengths = [to_tokens(len(name)) for name in self.tree.columns.names]
        names, is_result = self._along(self.tree.columns.name), self.roles.translate(IS_RESULT)
        if max(len(lengths), *lengths) <= _BYTE:  # so many names at most, and no longer ones
            by_name = lowest_bytes(names).translate(bytes(lengths).ljust(_BYTE + 1))
            return numbers("i", widened(both(by_name, is_result.translate(_SPREAD))))
        return numbers("i", map(mul, map(lengths.__getitem__, names), is_result))

    @cached_property
    def savings(self) -> _Shares:
        """Tokens per position that are saved by pruning a tool result; zero for other entries."""
        results, images = self.shares[Category.TOOL_RESULTS], self.shares[Category.IMAGES]
        is_result = both(self.roles.translate(IS_RESULT), self.emissions.translate(IS_MESSAGE))
        text = calculated(differences, sub, masked(results, is_result), masked(self.pruned_tokens, is_result))
        return {Category.TOOL_RESULTS: text, Category.IMAGES: masked(images, is_result)}

    @cached_property
    def spared(self) -> dict[Category, Sums]:
        """Running sums of `savings`: the tokens that pruning saves up to a position, by category."""
        return _sums(self.savings)

    def between(self, category: Category, start: int, stop: int) -> int:
        """Return the tokens of one category over the positions start … stop - 1."""
        if self.shares[category] is self.shares[Category.SYSTEM]:  # the column of zeros
            return 0
        return self.totals[category].between(start, stop)

    def before(self, category: Category, position: int) -> int:
        """Return the tokens of one category over all positions before this one."""
        if self.shares[category] is self.shares[Category.SYSTEM]:
            return 0
        return self.totals[category].before(position)

    @cached_property
    def _sorted(self) -> dict[int, Numbers]:
        """The cache of sorted runs: the positions of a run's sent entries, the largest entry first, equal ones in
        order.

        A run is RUN positions of the path. It is sorted when it is first needed, since most calls need a few.
        """
        return {}

    @cached_property
    def _limits(self) -> Numbers:
        """Return a number for each run of RUN positions: no sent entry of the run has more tokens."""
        return numbers("i", [max(self.tokens[start : start + RUN]) for start in range(0, len(self.path), RUN)])

    def _run(self, run: int) -> Numbers:
        if run not in self._sorted:
            start, stop = run * RUN, (run + 1) * RUN
            sent = list(compress(range(start, stop), self.emissions[start:stop].translate(IS_MESSAGE)))
            sent.sort(key=self.tokens.__getitem__, reverse=True)
            self._sorted[run] = numbers("i", sent)
        return self._sorted[run]

    def largest(self, start: int, stop: int) -> Iterator[int]:
        """Iterate the sent positions start … stop - 1, the largest first; equal ones in the order of the path.

        The heap first holds each run by the run's limit. When this limit is the largest number in the heap, the run's
        positions are sorted, and the heap holds the run by its largest position that was not returned yet.
        """
        tokens = self.tokens
        heap = [(-self._limits[run], run * RUN, -1) for run in range(start // RUN, -(-stop // RUN))]
        heapify(heap)
        while heap:
            _, at, place = heap[0]
            if place >= 0 and start <= at < stop:
                yield at
            positions = self._run(at // RUN)
            if place + 1 < len(positions):
                following = positions[place + 1]
                heapreplace(heap, (-tokens[following], following, place + 1))
            else:
                heappop(heap)

    @cached_property
    def reports(self) -> Numbers:
        """Positions of complete assistant messages whose reported usage is not zero."""
        flags, is_assistant = self._along(self.tree.columns.flags), self.roles.translate(_IS_ASSISTANT)
        found = marked(both(positive(self._along(self.tree.columns.reported)), is_assistant))
        return numbers("i", [at for at in found if not flags[at] & _UNREPORTED])

    @cached_property
    def models(self) -> Numbers:
        """Positions that name a model: assistant messages and model changes."""
        may = either(self.roles.translate(_IS_ASSISTANT), self.kinds.translate(_IS_MODEL_CHANGE))
        return numbers("i", marked(both(nonzero(self._along(self.tree.columns.name)), may)))


class _Known(NamedTuple):
    """The totals of a path without their tree. `values` are its cached properties; later ones are added to it."""

    path: Numbers
    values: dict[str, Any]

    def on(self, tree: Tree) -> PathTotals:
        """Return the totals with their tree, or with a tree `extended` from it, which has the same path."""
        line = PathTotals(tree, self.path)
        object.__setattr__(line, "__dict__", self.values)
        return line


def _last_totals_of(tree: Tree) -> _Known | None:
    """Return the last totals computed for a tree, or for the tree that it was extended from; None for none."""
    found: _Known | ref[PathTotals] | None = tree.memo.get(_LAST)
    if not isinstance(found, ref):
        return found
    line = found()
    return None if line is None else _Known(line.path, line.__dict__)


def _length(tree: Tree, entry: int | None) -> int:
    return sum(map(len, tree.stretches(entry)))


def _resumed(last: _Known, tree: Tree, entry: int) -> PathTotals:
    """Return the totals of the path to the entry, reusing the values of `last` for the beginning that both paths
    share.

    If the path of `last` is the whole beginning, no value of it is copied.
    """
    known = last.on(tree)
    fork = tree.common_ancestor(known.path[-1], entry)
    if fork is None:
        return PathTotals(tree, tree.path(entry))
    count = known.position(fork) + 1
    stretches = tree.stretches(entry)
    below = list(_ranges_below(stretches, fork))
    new = PathTotals(tree, tree.entries_of(below))
    new.__dict__["_stretches"] = below
    line = PathTotals(tree, tree.path(entry) if len(stretches) == 1 else appended(known.path[:count], new.path))
    line.__dict__["_stretches"] = stretches
    for name, join in _JOINED.items():
        if name in known.__dict__:
            line.__dict__[name] = join(getattr(known, name), getattr(new, name), count, len(new))
    for name, of in (("totals", "shares"), ("spared", "savings")):
        if name in known.__dict__:
            line.__dict__[name] = _continued_sums(getattr(known, name), getattr(line, of), count)
    return line


def _ranges_below(stretches: list[range], fork: int) -> Iterator[range]:
    """Yield the parts of a path's stretches that come after the entry `fork`."""
    passed = False
    for stretch in stretches:
        if passed:
            yield stretch
        elif fork in stretch:
            passed = True
            if stretch[-1] != fork:
                yield range(fork + 1, stretch.stop)


def _join_bytes(known: bytes, new: bytes, count: int, _more: int) -> bytes:
    return known[:count] + new


def _join(known: Numbers, new: Numbers, count: int, _more: int) -> Numbers:
    return appended(known[:count], new)


def _join_positions(known: Numbers, new: Numbers, count: int, _more: int) -> Numbers:
    return appended(known[: bisect_left(known, count)], array("i", [at + count for at in new]))


def _join_shares(known: _Shares, new: _Shares, count: int, _more: int) -> _Shares:
    """Join the shares of both parts; columns of zeros stay one shared column."""
    zeros, more_zeros = known[Category.SYSTEM], new[Category.SYSTEM]
    zero = appended(zeros[:count], more_zeros)
    return {
        category: zero if share is zeros and new[category] is more_zeros else appended(share[:count], new[category])
        for category, share in known.items()
    }


def _join_savings(known: _Shares, new: _Shares, count: int, _more: int) -> _Shares:
    return {category: appended(part[:count], new[category]) for category, part in known.items()}


def _join_limits(known: Numbers, new: Numbers, count: int, more: int) -> Numbers:
    """Join the limits of both parts, whose runs do not begin at the same positions: the new ones have one limit."""
    whole, top = count // RUN, max(new, default=0)
    last = known[whole] if count % RUN else 0
    added = -(-(count + more) // RUN) - whole
    return appended(known[:whole], array("i", [max(last, top), *repeat(top, added - 1)] if added else ()))


def _join_sorted(known: dict[int, Numbers], _new: object, count: int, _more: int) -> dict[int, Numbers]:
    found = list(known.items())  # in one go, since another thread may add a run meanwhile
    return {run: positions for run, positions in found if (run + 1) * RUN <= count}


def _sums(columns: _Shares) -> dict[Category, Sums]:
    """Return the sums of columns; a column that stands for several categories is added up once."""
    found = {id(column): column for column in columns.values()}
    sums = {which: Sums.of(column) for which, column in found.items()}
    return {category: sums[id(column)] for category, column in columns.items()}


def _continued_sums(known: Mapping[Category, Sums], columns: _Shares, count: int) -> dict[Category, Sums]:
    """Return the sums of columns that begin with the same `count` numbers as the known ones."""
    found = {id(column): (category, column) for category, column in columns.items()}
    sums = {which: known[category].continued(column, count) for which, (category, column) in found.items()}
    return {category: sums[id(column)] for category, column in columns.items()}


_Shares: TypeAlias = "dict[Category, Numbers]"
_JOINED: dict[str, Callable[[Any, Any, int, int], Any]] = {
    **dict.fromkeys(("kinds", "roles", "_codes", "emissions", "sent", "_texts"), _join_bytes),
    **dict.fromkeys(("tokens", "pruned_tokens"), _join),
    **dict.fromkeys(("reports", "models"), _join_positions),
    "shares": _join_shares,
    "savings": _join_savings,
    "_limits": _join_limits,
    "_sorted": _join_sorted,
}  # attribute of Line → how to join the values of two parts of a path


def _emission_of(kind: int, role: int) -> Emission:
    """Return the emission of an entry of this kind and role that is not empty and has no flags."""
    if kind == Kind.COMPACTION:
        return Emission.SUMMARY
    if kind == Kind.BRANCH_SUMMARY:
        return Emission.MESSAGE
    is_conversation = kind in (Kind.MESSAGE, Kind.CUSTOM_MESSAGE) and role not in (Role.NONE, Role.SYSTEM)
    return Emission.MESSAGE if is_conversation else Emission.NOTHING


def _empty(tokens: Numbers) -> Iterator[int]:
    """Iterate the positions of entries without tokens."""
    return marked(nonzero(tokens).translate(_IS_ZERO))


def _text_of(kind: int, role: int) -> int:
    if kind == Kind.BRANCH_SUMMARY:
        return Category.SUMMARIES
    return _TEXT_CATEGORY.get(role, _NO_TEXT)


_NO_TEXT = 255
_BYTE = 255
_SPREAD = bytes((0, 255)) + bytes(254)
_ONLY = {int(text): bytes(code == text for code in range(256)) for text in Category}
_NOT_SENT = bytes(0 if code == Emission.MESSAGE else _NO_TEXT for code in range(256))
_IS_ZERO = bytes(not code for code in range(256))
_IS_ASSISTANT = bytes(code == Role.ASSISTANT for code in range(256))
_IS_MODEL_CHANGE = bytes(code == Kind.MODEL_CHANGE for code in range(256))
IS_RESULT = bytes(code == Role.TOOL_RESULT for code in range(256))
IS_MESSAGE = bytes(code == Emission.MESSAGE for code in range(256))
_SHIFTED = bytes(kind << 3 & 255 for kind in range(256))
_TEXTS = bytes(_text_of(code >> 3, code & 7) for code in range(256))
_LISTED = bytes(code in (Emission.MESSAGE, Emission.WITHHELD) for code in range(256))
_NATURES = bytes(_emission_of(code >> 3, code & 7) for code in range(256))


def _withheld(nature: int, role: int, flags: int, tokens: int) -> int:
    """Return the emission of an entry that is empty or has flags."""
    if nature != Emission.MESSAGE:
        return nature
    if flags & _NOTE == _NOTE:  # a note is no part of the conversation and of no total
        return Emission.NOTHING
    if role == Role.NONE:  # a branch summary
        return nature if tokens else Emission.NOTHING
    broken = flags & Flag.EXCLUDED or (role == Role.ASSISTANT and flags & _BROKEN)
    return Emission.WITHHELD if broken or (not tokens and role != Role.TOOL_RESULT) else nature
