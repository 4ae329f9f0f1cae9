"""The tree of one session in columns: the structure and numbers of every entry, without texts.

A session of a million entries must open without creating a million objects. So an entry is an *index* (from 0, in the
order in which the entries were written) into parallel arrays. Strings that repeat (models, tools, thinking levels)
are stored once in `names`. Nothing is recursive, since real trees are 14,000 entries deep.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from operator import ne
from typing import Any

from stemmata.domain.entries.entry import ANNOTATION_KINDS, Entry, Kind, Role
from stemmata.domain.entries.tokens import to_tokens, weigh

ROOT = -1  # the parent of a root, and the target of an entry that has none
TYPECODES = "qibbqhiiiiiiiii"  # of the fifteen arrays of Columns, in order
UNRESOLVED = -2  # the target of an entry that names one which is not in this tree
_FACTS = "facts"
_OF_KIND = "of kind "  # where a tree keeps how many entries were looked at, and those of one kind among them
_LINEAGE = "lineage"  # one object for a tree and all that are extended from it
_COLUMNS = (
    "key", "parent", "kind", "role", "time", "flags", "text", "thinking", "calls", "images", "reported", "system",
    "tools", "target", "name",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Columns:
    """The arrays of a tree, all of the same length. Weights are in UTF-16 code units, times in nanoseconds.

    `key` is the store's key and ascends in the order of writing. `reported` holds tokens: the context after the reply
    for an assistant message with usage, the context before a compaction for the compaction, -1 for other entries.
    `system` and `tools` hold the estimated tokens of the system prompt and the tool definitions in the request that a
    reply answers, where Stemmata sent the request; -1 for other entries.
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
    system: array[int]
    tools: array[int]
    target: array[int]
    name: array[int]  # index into names: model of an assistant or model change, tool of a result, level, label
    names: tuple[str, ...]

    @classmethod
    def of(cls, fields: Sequence[Iterable[int]], names: tuple[str, ...]) -> Columns:
        """Return the arrays made from the fifteen columns, given in the order of the attributes."""
        arrays = (array(code, values) for code, values in zip(TYPECODES, fields, strict=True))
        return cls(**dict(zip(_COLUMNS, arrays, strict=True)), names=names)


@dataclass(frozen=True)
class Tree:
    """The tree of a session. A parent may be written after its children; a link that closes a cycle is cut.

    Damaged input raises no error: an entry with an unknown parent becomes a root.
    """

    columns: Columns
    cut: tuple[int, ...] = field(default=())  # entries whose parent link was cut because it closed a cycle
    # cached results of other modules
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.columns.key)

    def facts(self, name: str) -> dict[int, Any]:
        """Return a cache of values by entry, each computed only from the entry's path and the pins.

        An `extended` tree shares the cache unless an added entry changes the pins.
        """
        found: dict[int, Any] = self.memo.setdefault(_FACTS, {}).setdefault(name, {})
        return found

    # -- identity ---------------------------------------------------------------------------------------------

    def index(self, key: int) -> int:
        """Return the index of the entry with this store key. Raises KeyError when the tree does not contain it."""
        keys = self.columns.key
        at = bisect_left(keys, key)
        if at == len(keys) or keys[at] != key:
            raise KeyError(key)
        return at

    def get(self, key: int | None) -> int | None:
        """Return the index of the entry with this store key, None when the tree does not contain it."""
        if key is None:
            return None
        try:
            return self.index(key)
        except KeyError:
            return None

    def key(self, entry: int) -> int:
        """Return the store key of the entry."""
        return self.columns.key[entry]

    def kind(self, entry: int) -> Kind:
        """Return the kind of the entry."""
        return Kind(self.columns.kind[entry])

    def role(self, entry: int) -> Role:
        """Return the role of the entry."""
        return Role(self.columns.role[entry])

    def name(self, entry: int) -> str:
        """Return the entry's `name` column, see `name_of`."""
        return self.columns.names[self.columns.name[entry]]

    def tokens(self, entry: int) -> int:
        """Return the estimated tokens of the entry."""
        c = self.columns
        return to_tokens(c.text[entry] + c.thinking[entry] + c.calls[entry] + c.images[entry])

    # -- shape ------------------------------------------------------------------------------------------------

    @property
    def parents(self) -> array[int]:
        """The parent of each entry, ROOT for a root."""
        return self.columns.parent

    @cached_property
    def _breaks(self) -> array[int]:
        """Entries whose parent is not the entry written right before them. They are few and determine the shape."""
        count = len(self)
        return array("i", compress(range(count), map(ne, self.columns.parent, range(-1, count - 1))))

    @cached_property
    def _straight(self) -> array[int]:
        return array("i", range(len(self)))

    def _start(self, entry: int) -> int:
        """Return the first entry of the entry's stretch. In a stretch, each entry is the child of the one before."""
        place = bisect_right(self._breaks, entry)
        return self._breaks[place - 1] if place else 0

    def stretches(self, entry: int | None) -> list[range]:
        """Return the path to an entry, from the root down, as ranges of consecutive entries."""
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
        """The first child and the next sibling of each entry (-1 for none), and the roots.

        Children are ordered by time, then by the order of writing.
        """
        count, parents, times = len(self), self.columns.parent, self.columns.time
        first = array("i", range(1, count + 1))  # as if each entry were the parent of the next; corrected below
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
        """Entries without a parent, ordered by time."""
        return self._links[2]

    def children(self, entry: int) -> Iterator[int]:
        """Yield the children, ordered by time, then by the order of writing."""
        first, following, _ = self._links
        child = first[entry]
        while child >= 0:
            yield child
            child = following[child]

    def has_children(self, entry: int) -> bool:
        """Return whether the entry has children, annotations included."""
        return self._links[0][entry] >= 0

    def siblings(self, entry: int) -> list[int]:
        """Return the children of the entry's parent, the entry included, in order; for a root, all roots."""
        parent = self.columns.parent[entry]
        return list(self.roots) if parent < 0 else list(self.children(parent))

    def path(self, entry: int | None) -> array[int]:
        """Return the indices from a root to the entry, both included; empty for None."""
        out = array("i")
        for stretch in self.stretches(entry):
            out += self._straight[stretch.start : stretch.stop]
        return out

    def is_ancestor(self, ancestor: int, entry: int) -> bool:
        """Return whether `ancestor` lies on the path to `entry`; an entry is its own ancestor."""
        parents = self.columns.parent
        at = entry
        while at >= 0:
            start = self._start(at)
            if start <= ancestor <= at:
                return True
            at = parents[start]
        return False

    def common_ancestor(self, one: int | None, other: int | None) -> int | None:
        """Return the deepest entry that is on both paths, None when the paths share no entry."""
        stretch_ends = {stretch.start: stretch[-1] for stretch in self.stretches(one)}
        for stretch in reversed(self.stretches(other)):
            if stretch.start in stretch_ends:
                return min(stretch[-1], stretch_ends[stretch.start])
        return None

    def subtree(self, entry: int) -> array[int]:
        """Return the entry and all entries below it, in the order of writing."""
        out = array("i")
        stack = [entry]
        while stack:
            at = stack.pop()
            out.append(at)
            stack.extend(self.children(at))
        return array("i", sorted(out))

    def is_annotation(self, entry: int) -> bool:
        """Return whether the entry is an annotation without children, such as a label, which is no branch."""
        return self.columns.kind[entry] in ANNOTATION_KINDS and not self.has_children(entry)

    @cached_property
    def leaves(self) -> array[int]:
        """The entries without children, in the order of writing: one per branch. Annotations do not count."""
        kinds, first, parents = self.columns.kind, self._links[0], self.columns.parent
        ends = [entry - 1 for entry in (*self._breaks, len(self)) if entry and first[entry - 1] < 0]
        found = [entry for entry in ends if kinds[entry] not in ANNOTATION_KINDS]
        annotated = {parents[entry] for kind in ANNOTATION_KINDS for entry in self.of_kind(kind)} - {ROOT}
        with_children = (entry for entry in annotated if self.has_children(entry))
        found += (entry for entry in with_children if all(map(self.is_annotation, self.children(entry))))
        return array("i", sorted(found))

    def newest_leaf_below(self, entry: int) -> int:
        """Return the leaf that is reached from the entry by following the newest child at every fork."""
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
        """Entry → its label. The label written last counts; an empty one removes the label, as in pi."""
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
        """Pinned entries. The pin written last for an entry counts; one with the name `off` removes the pin."""
        return self._marked(Kind.PIN)

    @cached_property
    def trash(self) -> frozenset[int]:
        """The first entries of the subtrees in the trash. The trash mark written last for an entry counts."""
        return self._marked(Kind.TRASH)

    def in_trash(self, *seen: int | None) -> bytearray:
        """Return one byte per entry: 1 for an entry in the trash.

        A subtree that contains one of the entries `seen`, such as the leaf, does not count as in the trash.
        """
        out = bytearray(len(self))
        for head in self.trash:
            if not self._holds(head, seen):
                for entry in self.subtree(head):
                    out[entry] = 1
        return out

    def alternatives(self, entry: int) -> list[int]:
        """Return the entry and its siblings that are not in the trash, without annotations."""
        return [
            other
            for other in self.siblings(entry)
            if not self.is_annotation(other) and (other == entry or other not in self.trash)
        ]

    def kept_leaves(self, *seen: int | None) -> array[int]:
        """Return the leaves that are not in the trash, as `in_trash` defines it."""
        hidden = self.in_trash(*seen) if self.trash else None
        return self.leaves if hidden is None else array("i", [leaf for leaf in self.leaves if not hidden[leaf]])

    def _holds(self, head: int, entries: Iterable[int | None]) -> bool:
        return any(entry is not None and self.is_ancestor(head, entry) for entry in entries)

    def _marked(self, kind: Kind) -> frozenset[int]:
        """Return the entries that have a mark of this kind which was not removed again."""
        out: set[int] = set()
        for entry in self.of_kind(kind):
            target = self.columns.target[entry]
            if target >= 0:
                (out.discard if self.name(entry) == "off" else out.add)(target)
        return frozenset(out)

    def of_kind(self, kind: Kind) -> Sequence[int]:
        """Return the entries of one kind, in the order of writing.

        A tree that is extended from this one looks only at its new entries.
        """
        kinds, name = self.columns.kind, f"{_OF_KIND}{int(kind)}"
        seen, known = self.memo.get(name, (0, array("i")))
        found: array[int] = known
        if seen < len(self):
            found, at = array("i", known), seen - 1
            with suppress(ValueError):  # `index` is faster than a loop, and says in this way that there are no more
                while True:
                    at = kinds.index(int(kind), at + 1)
                    found.append(at)
            self.memo[name] = len(self), found
        return found

    # -- building ---------------------------------------------------------------------------------------------

    def extended(self, new: Columns) -> Tree | None:
        """Return a tree with the new entries after the present ones. `new.names` must begin with the present names.

        Takes time for the new entries and for copying the arrays. Returns None when a new entry is written before its
        parent; then the tree must be built from all of its entries.
        """
        count = len(self)
        if any(parent >= count + at for at, parent in enumerate(new.parent)):
            return None
        joined: dict[str, array[int]] = {name: getattr(self.columns, name) + getattr(new, name) for name in _COLUMNS}
        tree = Tree(Columns(**joined, names=new.names), self.cut)
        breaks = (count + at for at, parent in enumerate(new.parent) if parent != count + at - 1)
        tree.__dict__["_breaks"] = self._breaks + array("i", breaks)
        tree.__dict__["_straight"] = self._straight + array("i", range(count, len(tree)))
        self.memo.setdefault(_LINEAGE, object())
        tree.memo.update(self.memo)
        if int(Kind.PIN) in new.kind:
            tree.memo.pop(_FACTS, None)
        return tree

    def extends(self, other: Tree) -> bool:
        """Return whether the tree is this one, or was `extended` from it, in one step or several."""
        lineage = self.memo.get(_LINEAGE)
        return self is other or (
            lineage is not None and lineage is other.memo.get(_LINEAGE) and len(self) >= len(other)
        )

    def is_straight(self, entry: int) -> bool:
        """Return whether each entry after this one is the child of the one written before it."""
        return not self._breaks or self._breaks[-1] <= entry

    @classmethod
    def of(cls, columns: Columns) -> Tree:
        """Return a tree over these columns. Of each cycle the entry that was written first becomes a root."""
        tree = cls(columns)
        cut = _cycle_heads(columns.parent, tree._breaks)
        if not cut:
            return tree
        for entry in cut:
            columns.parent[entry] = ROOT
        return cls(columns, tuple(cut))

    @classmethod
    def from_entries(cls, entries: Iterable[Entry]) -> Tree:
        """Return a tree of complete entries, whose keys are their positions. A repeated id means its first entry."""
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
        reported_of(entry), *fixed_of(entry), target, names.setdefault(name_of(entry), len(names)),
    )  # fmt: skip


def name_of(entry: Entry) -> str:
    """Return the value of the `name` column: `provider/model` when the entry names a model, else its tool or name."""
    if entry.model:
        return f"{entry.provider}/{entry.model}"
    return entry.tool or entry.name


def reported_of(entry: Entry) -> int:
    """Return the value of the `reported` column: context tokens after the reply, -1 without usage."""
    if entry.usage is None or not entry.usage.context:
        return -1
    return entry.usage.context


def fixed_of(entry: Entry) -> tuple[int, int]:
    """Return the values of the columns `system` and `tools`."""
    return (-1, -1) if entry.fixed is None else (entry.fixed.system, entry.fixed.tools or 0)


def _cycle_heads(parents: array[int], breaks: array[int]) -> list[int]:
    """Return the lowest index of each cycle of parent links. Visits each entry once."""
    count = len(parents)
    if all(parents[entry] < entry for entry in breaks):
        return []
    state = bytearray(count)  # 0 not visited, 1 on the current walk, 2 done
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
