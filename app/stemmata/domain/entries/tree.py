"""The tree of one session as columns: structure and numbers of every entry, no texts.

A session of a million entries must open without a million objects, so an entry is an *index* (0-based, in the
order the entries were written) into parallel arrays. Strings that repeat (models, tools, thinking levels) are
interned in `names`. All walks are iterative; real chains are 14,000 entries deep.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from operator import ne
from typing import Any

from stemmata.domain.entries.entry import ANNOTATION_KINDS, Entry, Kind, Role
from stemmata.domain.entries.tokens import to_tokens, weigh

ROOT = -1  # parent of a root; also "no target"
TYPECODES = "qibbqhiiiiiii"  # of the thirteen arrays of Columns, in order
UNRESOLVED = -2  # a target that was named but is not in this tree
_FACTS = "facts"
_COLUMNS = (
    "key", "parent", "kind", "role", "time", "flags", "text", "thinking", "calls", "images", "reported", "target",
    "name",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Columns:
    """The arrays of a tree, all of one length. Weights in UTF-16 units, tokens as reported, times in ns.

    `key` ascends: it is the store's key, and its order is the order of writing. `reported` is the context after
    the reply (tokens) for an assistant message with usage, tokens before for a compaction, -1 otherwise.
    """

    key: array[int]
    parent: array[int]
    kind: array[int]
    role: array[int]
    time: array[int]
    flags: array[int]
    text: array[int]
    thinking: array[int]
    calls: array[int]
    images: array[int]
    reported: array[int]
    target: array[int]
    name: array[int]  # index into names: model of an assistant or model change, tool of a result, level, label
    names: tuple[str, ...]

    @classmethod
    def of(cls, fields: Sequence[Iterable[int]], names: tuple[str, ...]) -> Columns:
        """From the thirteen columns as plain numbers, in the order of the attributes."""
        key, parent, kind, role, time, flags, text, thinking, calls, images, reported, target, name = (
            array(code, values) for code, values in zip(TYPECODES, fields, strict=True)
        )
        return cls(
            key, parent, kind, role, time, flags, text, thinking, calls, images, reported, target, name, names
        )  # fmt: skip


@dataclass(frozen=True)
class Tree:
    """A session's tree. Parents may come after their children; links that would close a cycle are cut here.

    Raises nothing on damaged input: an unknown parent makes a root (listed in `cut`).
    """

    columns: Columns
    cut: tuple[int, ...] = field(default=())  # entries whose parent link was cut because it closed a cycle
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)  # what others worked out of it

    def __len__(self) -> int:
        return len(self.columns.key)

    def facts(self, name: str) -> dict[int, Any]:
        """What was worked out of single entries, by entry, each from its path and the pins alone.

        A tree that is `extended` has the same facts, as long as no entry is pinned or unpinned.
        """
        found: dict[int, Any] = self.memo.setdefault(_FACTS, {}).setdefault(name, {})
        return found

    # -- identity ---------------------------------------------------------------------------------------------

    def index(self, key: int) -> int:
        """Index of the entry with this store key. Raises KeyError."""
        keys = self.columns.key
        at = bisect_left(keys, key)
        if at == len(keys) or keys[at] != key:
            raise KeyError(key)
        return at

    def get(self, key: int | None) -> int | None:
        """Index of the entry with this store key, None when it is not here."""
        if key is None:
            return None
        try:
            return self.index(key)
        except KeyError:
            return None

    def key(self, entry: int) -> int:
        return self.columns.key[entry]

    def kind(self, entry: int) -> Kind:
        return Kind(self.columns.kind[entry])

    def role(self, entry: int) -> Role:
        return Role(self.columns.role[entry])

    def name(self, entry: int) -> str:
        return self.columns.names[self.columns.name[entry]]

    def tokens(self, entry: int) -> int:
        """Estimated tokens of the entry: ceil of all its units / 4."""
        c = self.columns
        return to_tokens(c.text[entry] + c.thinking[entry] + c.calls[entry] + c.images[entry])

    # -- shape ------------------------------------------------------------------------------------------------

    @property
    def parents(self) -> array[int]:
        return self.columns.parent

    @cached_property
    def _breaks(self) -> array[int]:
        """Entries that do not hang on the one written right before them: few, and all that makes the shape."""
        count = len(self)
        return array("i", compress(range(count), map(ne, self.columns.parent, range(-1, count - 1))))

    @cached_property
    def _straight(self) -> array[int]:
        return array("i", range(len(self)))

    def _start(self, entry: int) -> int:
        """The first entry of the stretch in which each hangs on the one before."""
        place = bisect_right(self._breaks, entry)
        return self._breaks[place - 1] if place else 0

    def stretches(self, entry: int | None) -> list[range]:
        """The path to an entry as stretches of entries that follow one another, from the root down."""
        out: list[range] = []
        parents = self.columns.parent
        at = ROOT if entry is None else entry
        while at >= 0:
            start = self._start(at)
            out.append(range(start, at + 1))
            at = parents[start]
        out.reverse()
        return out

    @cached_property
    def _links(self) -> tuple[array[int], array[int], array[int]]:
        """first child, next sibling (both -1 at the end; children in order of time, then of writing), roots."""
        count, parents, times = len(self), self.columns.parent, self.columns.time
        first = array("i", range(1, count + 1))  # as if it were one straight line
        following = array("i", [-1]) * count
        if count:
            first[-1] = -1
        for entry in self._breaks:
            if entry:
                first[entry - 1] = -1
        roots = [entry for entry in self._breaks if parents[entry] < 0]
        if count and parents[0] < 0:
            roots.insert(0, 0)
        roots.sort(key=times.__getitem__)
        joined = [entry for entry in self._breaks if parents[entry] >= 0]
        forked = {parents[entry] for entry in joined}
        joined = sorted([*joined, *(first[parent] for parent in forked if first[parent] >= 0)])
        for parent in forked:
            first[parent] = -1
        for entry in sorted(joined, key=times.__getitem__)[::-1]:
            parent = parents[entry]
            following[entry], first[parent] = first[parent], entry
        return first, following, array("i", roots)

    @property
    def roots(self) -> Sequence[int]:
        """Entries without a parent, in order of time."""
        return self._links[2]

    def children(self, entry: int) -> Iterator[int]:
        """Children in order of time, then of writing."""
        first, following, _ = self._links
        child = first[entry]
        while child >= 0:
            yield child
            child = following[child]

    def has_children(self, entry: int) -> bool:
        return self._links[0][entry] >= 0

    def siblings(self, entry: int) -> list[int]:
        """The entry and those that share its parent, in order; for a root, the roots."""
        parent = self.columns.parent[entry]
        return list(self.roots) if parent < 0 else list(self.children(parent))

    def path(self, entry: int | None) -> array[int]:
        """Indices from a root to the entry, both included; empty for None."""
        out = array("i")
        for stretch in self.stretches(entry):
            out += self._straight[stretch.start : stretch.stop]
        return out

    def is_ancestor(self, ancestor: int, entry: int) -> bool:
        """Whether `ancestor` lies on the path to `entry` (an entry is its own ancestor)."""
        parents = self.columns.parent
        at = entry
        while at >= 0:
            start = self._start(at)
            if start <= ancestor <= at:
                return True
            at = parents[start]
        return False

    def common_ancestor(self, one: int | None, other: int | None) -> int | None:
        """The deepest entry on both paths, None when there is none."""
        mine = {stretch.start: stretch[-1] for stretch in self.stretches(one)}
        for stretch in reversed(self.stretches(other)):
            if stretch.start in mine:
                return min(stretch[-1], mine[stretch.start])
        return None

    def subtree(self, entry: int) -> array[int]:
        """The entry and all below it, in the order of writing."""
        out = array("i")
        stack = [entry]
        while stack:
            at = stack.pop()
            out.append(at)
            stack.extend(self.children(at))
        return array("i", sorted(out))

    def is_annotation(self, entry: int) -> bool:
        """A label, pin or name without children: it hangs beside the tree and is no branch."""
        return self.columns.kind[entry] in ANNOTATION_KINDS and not self.has_children(entry)

    @cached_property
    def leaves(self) -> array[int]:
        """Childless entries, in order, annotations left out: one per branch.

        An entry whose children are all annotations counts as childless.
        """
        kinds, first, parents = self.columns.kind, self._links[0], self.columns.parent
        ends = [entry - 1 for entry in (*self._breaks, len(self)) if entry and first[entry - 1] < 0]
        found = [entry for entry in ends if kinds[entry] not in ANNOTATION_KINDS]
        noted = {parents[entry] for kind in ANNOTATION_KINDS for entry in self.of_kind(kind)} - {ROOT}
        held = (entry for entry in noted if self.has_children(entry))
        found += (entry for entry in held if all(map(self.is_annotation, self.children(entry))))
        return array("i", sorted(found))

    def newest_leaf_below(self, entry: int) -> int:
        """The most recent branch end at or below the entry: follows the newest child each time."""
        first, following, _ = self._links
        at = entry
        while True:
            last, child = -1, first[at]
            while child >= 0:
                if not self.is_annotation(child):
                    last = child
                child = following[child]
            if last < 0:
                return at
            at = last

    # -- marks ------------------------------------------------------------------------------------------------

    @cached_property
    def labels(self) -> dict[int, str]:
        """Entry → its label: the last one written wins, an empty one clears, as in pi."""
        out: dict[int, str] = {}
        for entry in self.of_kind(Kind.LABEL):
            target = self.columns.target[entry]
            if target >= 0:
                text = self.name(entry)
                if text:
                    out[target] = text
                else:
                    out.pop(target, None)
        return out

    @cached_property
    def pins(self) -> frozenset[int]:
        """Pinned entries: the last pin written for an entry wins, one named `off` takes it back."""
        return self._marked(Kind.PIN)

    @cached_property
    def trash(self) -> frozenset[int]:
        """Heads of the subtrees that were thrown away, by the same rule."""
        return self._marked(Kind.TRASH)

    def in_trash(self, *seen: int | None) -> bytearray:
        """1 for every entry that was thrown away. What holds the leaf is not: what is worked on is seen."""
        out = bytearray(len(self))
        for head in self.trash:
            if not self._holds(head, seen):
                for entry in self.subtree(head):
                    out[entry] = 1
        return out

    def alternatives(self, entry: int) -> list[int]:
        """The entry and what was not thrown away of the branches beside it; without it, if it is an annotation."""
        return [
            other
            for other in self.siblings(entry)
            if not self.is_annotation(other) and (other == entry or other not in self.trash)
        ]

    def kept_leaves(self, *seen: int | None) -> array[int]:
        """The leaves that were not thrown away, or lie below what holds one of these entries."""
        hidden = self.in_trash(*seen) if self.trash else None
        return self.leaves if hidden is None else array("i", [leaf for leaf in self.leaves if not hidden[leaf]])

    def _holds(self, head: int, entries: Iterable[int | None]) -> bool:
        return any(entry is not None and self.is_ancestor(head, entry) for entry in entries)

    def _marked(self, kind: Kind) -> frozenset[int]:
        """Targets of the marks of a kind that are in force."""
        out: set[int] = set()
        for entry in self.of_kind(kind):
            target = self.columns.target[entry]
            if target >= 0:
                (out.discard if self.name(entry) == "off" else out.add)(target)
        return frozenset(out)

    def of_kind(self, kind: Kind) -> Iterator[int]:
        """Entries of one kind, in order."""
        kinds, wanted = self.columns.kind, int(kind)
        at = -1
        try:
            while True:
                at = kinds.index(wanted, at + 1)
                yield at
        except ValueError:
            return

    # -- building ---------------------------------------------------------------------------------------------

    def extended(self, new: Columns) -> Tree | None:
        """The tree with these entries written after all of its own; `new.names` begins with its names.

        Costs what is new, and copies. None where an entry hangs from one that is written later: then the tree has
        to be made from all of its entries.
        """
        count = len(self)
        if any(parent >= count + at for at, parent in enumerate(new.parent)):
            return None
        joined: dict[str, array[int]] = {name: getattr(self.columns, name) + getattr(new, name) for name in _COLUMNS}
        tree = Tree(Columns(**joined, names=new.names), self.cut)
        breaks = (count + at for at, parent in enumerate(new.parent) if parent != count + at - 1)
        tree.__dict__["_breaks"] = self._breaks + array("i", breaks)
        tree.memo.update(self.memo)
        if int(Kind.PIN) in new.kind:
            tree.memo.pop(_FACTS, None)
        return tree

    @classmethod
    def of(cls, columns: Columns) -> Tree:
        """A tree over these columns, with cycles cut: of each cycle the first entry written becomes a root."""
        tree = cls(columns)
        cut = _cycle_heads(columns.parent, tree._breaks)
        if not cut:
            return tree
        for entry in cut:
            columns.parent[entry] = ROOT
        return cls(columns, tuple(cut))

    @classmethod
    def from_entries(cls, entries: Iterable[Entry]) -> Tree:
        """A tree of whole entries; keys are their positions. A repeated id keeps its first holder."""
        listed = list(entries)
        where: dict[str, int] = {}
        for at, entry in enumerate(listed):
            where.setdefault(entry.id, at)
        names: dict[str, int] = {"": 0}
        rows = [_row(at, entry, where, names) for at, entry in enumerate(listed)]
        fields = list(zip(*rows, strict=True)) if rows else [()] * len(TYPECODES)
        return cls.of(Columns.of(fields, tuple(names)))


def _row(at: int, entry: Entry, where: dict[str, int], names: dict[str, int]) -> tuple[int, ...]:
    weights = weigh(entry)
    parent = ROOT if entry.parent is None else where.get(entry.parent, ROOT)
    target = ROOT if entry.target is None else where.get(entry.target, UNRESOLVED)
    return (
        at, parent if parent != at else ROOT, entry.kind, entry.role, entry.time, entry.flags,
        weights.text, weights.thinking, weights.calls, weights.images,
        reported_of(entry), target, names.setdefault(name_of(entry), len(names)),
    )  # fmt: skip


def name_of(entry: Entry) -> str:
    """What the `name` column holds: `provider/model` of an assistant or model change, else tool, else name."""
    if entry.model:
        return f"{entry.provider}/{entry.model}"
    return entry.tool or entry.name


def reported_of(entry: Entry) -> int:
    """What the `reported` column holds: context tokens after the reply, or -1. All-zero usage is none."""
    if entry.usage is None or not entry.usage.context:
        return -1
    return entry.usage.context


def _cycle_heads(parents: array[int], breaks: array[int]) -> list[int]:
    """For each cycle of the parent links, its lowest index. One pass, each entry visited once."""
    count = len(parents)
    if all(parents[entry] < entry for entry in breaks):
        return []
    state = bytearray(count)  # 0 unseen, 1 on the walk, 2 done
    heads: list[int] = []
    for start in range(count):
        walk: list[int] = []
        at = start
        while at >= 0 and state[at] == 0:
            state[at] = 1
            walk.append(at)
            at = parents[at]
        if at >= 0 and state[at] == 1:
            heads.append(min(walk[walk.index(at) :]))
        for entry in walk:
            state[entry] = 2
    return heads
