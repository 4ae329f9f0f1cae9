"""The tree of one session in columns: the structure and numbers of every entry, without texts.

A session of a million entries must open without creating a million objects. So an entry is an *index* (from 0, in the
order in which the entries were written) into parallel arrays. Strings that repeat (models, tools, thinking levels)
are stored once in `names`. Nothing is recursive, since real trees are 14,000 entries deep.

A tree does not change. A longer version of it (`Tree.extended`) shares the memory of its columns.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from operator import ne
from typing import Any

from stemmata.domain.entries.entry import ANNOTATION_KINDS, BOOKKEEPING_KINDS, Entry, Flag, Kind, Role
from stemmata.domain.entries.growing import Numbers, appended, numbers, picked
from stemmata.domain.entries.tokens import to_tokens, weigh
from stemmata.domain.entries.whole_columns import consecutive

ROOT = -1  # the parent of a root, and the target of an entry that has none
TYPECODES = "qibbqhiiiiiiiii"  # type codes of the fifteen arrays of Columns, in order
UNRESOLVED = -2  # the target of an entry that names one which is not in this tree
_FACTS = "facts"
_NEWEST = "newest"  # key of a tree's memo: the number of examined entries, and their latest time
_OF_KIND = "of kind "  # key of a tree's memo: the number of examined entries, and those of one kind among them
_LINEAGE = "lineage"  # key of a tree's memo: an object shared by a tree and all trees that extend it
_COLUMNS = (
    "key", "parent", "kind", "role", "time", "flags", "text", "thinking", "calls", "images", "reported", "system",
    "tools", "target", "name",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a tree, all of the same length. Weights are in UTF-16 code units, times in nanoseconds.

    `key` is the store's key and ascends in the order of writing. `reported` holds tokens: the context after the reply
    for an assistant message with usage, the context before a compaction for the compaction, -1 for other entries.
    `system` and `tools` hold the estimated tokens of the system prompt and the tool definitions in the request that a
    reply answers, where Stemmata sent the request; -1 for other entries.
    """

    key: Numbers
    parent: Numbers
    kind: Numbers
    role: Numbers
    time: Numbers
    flags: Numbers
    text: Numbers
    thinking: Numbers
    calls: Numbers
    images: Numbers
    reported: Numbers
    system: Numbers
    tools: Numbers
    target: Numbers
    name: Numbers  # index into names: model of an assistant or model change, tool of a result, level, label
    names: tuple[str, ...]

    @classmethod
    def of(cls, fields: Sequence[Iterable[int]], names: tuple[str, ...]) -> Columns:
        """Return the columns with these values, given in the order of the attributes."""
        columns = (numbers(code, values) for code, values in zip(TYPECODES, fields, strict=True))
        return cls(**dict(zip(_COLUMNS, columns, strict=True)), names=names)


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

    @property
    def newest_key(self) -> int:
        """The highest store key in a tree that is not empty: that of the entry that was stored last."""
        return max(self.columns.key)

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
    def parents(self) -> Numbers:
        """The parent of each entry, ROOT for a root."""
        return self.columns.parent

    @cached_property
    def _breaks(self) -> Numbers:
        """Entries whose parent is not the entry written right before them. They are few and determine the shape."""
        count = len(self)
        return numbers("i", compress(range(count), map(ne, self.columns.parent, range(-1, count - 1))))

    @cached_property
    def _own_indices(self) -> Numbers:
        return consecutive("i", 0, len(self))

    def breaks(self, start: int, stop: int) -> Numbers:
        """Return the entries from `start` to `stop` - 1 whose parent is not the entry written right before them."""
        return self._breaks[bisect_left(self._breaks, start) : bisect_left(self._breaks, stop)]

    def _start(self, entry: int) -> int:
        """Return the first entry of the entry's stretch.

        In a stretch, each entry is the child of the previous entry.
        """
        place = bisect_right(self._breaks, entry)
        return self._breaks[place - 1] if place else 0

    def _end(self, entry: int) -> int:
        """Return the last entry of the entry's stretch."""
        place = bisect_right(self._breaks, entry)
        return (self._breaks[place] if place < len(self._breaks) else len(self)) - 1

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
    def _joined(self) -> dict[int, tuple[int, ...]]:
        """The children of each entry that has another child than the entry written right after it, in order."""
        joined: dict[int, list[int]] = {}
        for entry in self._breaks:
            if self.columns.parent[entry] >= 0:
                joined.setdefault(self.columns.parent[entry], []).append(entry)
        for parent, children in joined.items():
            if self._continues(parent):
                children.append(parent + 1)
        return {parent: self._in_order(children) for parent, children in joined.items()}

    @cached_property
    def _forks(self) -> list[int]:
        """The entries in `_joined`, in the order of writing."""
        return sorted(self._joined)

    def _continues(self, entry: int) -> bool:
        """Return whether the entry written right after this one is its child."""
        return entry + 1 < len(self) and self.columns.parent[entry + 1] == entry

    def _in_order(self, entries: Iterable[int]) -> tuple[int, ...]:
        """Return entries ordered by time, then by the order of writing."""
        return tuple(sorted(sorted(entries), key=self.columns.time.__getitem__))

    @cached_property
    def roots(self) -> Sequence[int]:
        """Entries without a parent, ordered by time."""
        parents = self.columns.parent
        first = (0,) if len(self) and parents[0] < 0 else ()  # it is no break: its parent is the place before it
        return self._in_order([*first, *(entry for entry in self._breaks if parents[entry] < 0)])

    def children(self, entry: int) -> Iterator[int]:
        """Iterate the children, ordered by time, then by the order of writing."""
        joined = self._joined.get(entry)
        return iter(((entry + 1,) if self._continues(entry) else ()) if joined is None else joined)

    def families(self) -> Iterator[Sequence[int]]:
        """Iterate the children of every entry that has several, and the roots when there are several."""
        if len(self.roots) > 1:
            yield self.roots
        yield from (children for children in self._joined.values() if len(children) > 1)

    def has_children(self, entry: int) -> bool:
        """Return whether the entry has children, annotations included."""
        return self._continues(entry) or entry in self._joined

    def siblings(self, entry: int) -> list[int]:
        """Return the children of the entry's parent, the entry included, in order; for a root, all roots."""
        parent = self.columns.parent[entry]
        return list(self.roots) if parent < 0 else list(self.children(parent))

    def path(self, entry: int | None) -> Numbers:
        """Return the indices from a root to the entry, both included; empty for None."""
        return self.entries_of(self.stretches(entry))

    def entries_of(self, stretches: Sequence[range]) -> Numbers:
        """Return the entries of some stretches, one stretch after the other."""
        return picked(self._own_indices, stretches)

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
        kinds, parents = self.columns.kind, self.columns.parent
        ends = [entry - 1 for entry in (*self._breaks, len(self)) if entry and not self.has_children(entry - 1)]
        found = [entry for entry in ends if kinds[entry] not in ANNOTATION_KINDS]
        annotated = {parents[entry] for kind in ANNOTATION_KINDS for entry in self.of_kind(kind)} - {ROOT}
        with_children = (entry for entry in annotated if self.has_children(entry))
        found += (entry for entry in with_children if all(map(self.is_annotation, self.children(entry))))
        return array("i", sorted(found))

    def newest_leaf_below(self, entry: int, *seen: int | None) -> int:
        """Return the leaf that is reached from the entry by following the newest child at every fork.

        Branches in the trash below the entry are not followed; `seen` is as for `in_trash`.
        """
        hidden = {head for head in self.trash if not self._holds(head, (entry, *seen))}
        at = entry
        while True:
            end, place = self._end(at), bisect_left(self._forks, at)
            fork = self._forks[place] if place < len(self._forks) else end + 1
            deleted = min((head for head in hidden if at < head <= min(end, fork)), default=None)
            if deleted is not None:
                return deleted - 1  # its parent: both are on one straight stretch
            if fork > end:
                return end - 1 if end > at and self.is_annotation(end) else end
            below = [child for child in self.children(fork) if not self.is_annotation(child) and child not in hidden]
            if not below:
                return fork
            at = below[-1]

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

    def deleted_head(self, entry: int | None, *seen: int | None) -> int | None:
        """Return the first entry of the branch in the trash that an entry is in, as for `in_trash`; None for none."""
        heads = [head for head in self.trash if entry is not None and self.is_ancestor(head, entry)]
        return max((head for head in heads if not self._holds(head, seen)), default=None)

    def alternatives(self, entry: int) -> list[int]:
        """Return the entry and the other continuations of the entry above it, ordered by time, without the trash.

        Annotations, settings and other bookkeeping between two entries do not count, so that these are the rows that
        the navigator shows side by side. Bookkeeping itself has no alternatives.
        """
        kinds, parents, times = self.columns.kind, self.columns.parent, self.columns.time
        if kinds[entry] in BOOKKEEPING_KINDS:
            return [entry]
        above = parents[entry]
        while above >= 0 and kinds[above] in BOOKKEEPING_KINDS:
            above = parents[above]
        out, waiting = {entry}, list(self.roots if above < 0 else self.children(above))
        while waiting:
            other = waiting.pop()
            if other in self.trash:
                continue
            if kinds[other] in BOOKKEEPING_KINDS:
                waiting += self.children(other)
            else:
                out.add(other)
        return sorted(out, key=lambda at: (times[at], at))

    def kept_leaves(self, *seen: int | None) -> array[int]:
        """Return the last entry of each branch that is not in the trash, as `in_trash` defines it.

        Where all that follows an entry is in the trash, the entry is the last one of its branch.
        """
        hidden = self.in_trash(*seen) if self.trash else None
        if hidden is None:
            return self.leaves
        kept = {leaf for leaf in self.leaves if not hidden[leaf]}
        for head in self.trash:
            above = self.columns.parent[head]
            if hidden[head] and above >= 0 and not hidden[above]:
                below = self.children(above)
                if all(hidden[child] or self.is_annotation(child) for child in below):
                    kept.add(above)
        return array("i", sorted(kept))

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
        name = f"{_OF_KIND}{int(kind)}"
        seen, known = self.memo.get(name, (0, numbers("i")))
        found: Numbers = known
        if seen < len(self):
            kinds, at = self.columns.kind[seen:].tobytes(), -1
            new = array("i")
            while (at := kinds.find(int(kind), at + 1)) >= 0:
                new.append(seen + at)
            found = appended(known, new)
            self.memo[name] = len(self), found
        return found

    @property
    def newest(self) -> int:
        """The latest time of any entry, at least 0.

        A tree that is extended from this one looks only at its new entries.
        """
        seen, latest = self.memo.get(_NEWEST, (0, 0))
        if seen < len(self):
            latest = max(latest, max(self.columns.time[seen:]))
            self.memo[_NEWEST] = len(self), latest
        return int(latest)

    # -- building ---------------------------------------------------------------------------------------------

    def extended(self, new: Columns) -> Tree | None:
        """Return a tree with the new entries after the present ones. `new.names` must begin with the present names.

        Takes time for the new entries only: both trees share the memory of the present ones (`growing`). Returns None
        when a new entry is written before its parent; then the tree must be built from all of its entries.
        """
        count = len(self)
        if any(parent >= count + at for at, parent in enumerate(new.parent)):
            return None
        columns = {name: appended(getattr(self.columns, name), getattr(new, name)) for name in _COLUMNS}
        tree = Tree(Columns(**columns, names=new.names), self.cut)
        breaks = array("i", [count + at for at, parent in enumerate(new.parent) if parent != count + at - 1])
        tree.__dict__["_breaks"] = appended(self._breaks, breaks)
        tree.__dict__["_own_indices"] = appended(self._own_indices, array("i", range(count, len(tree))))
        if count and not breaks and count - 1 not in self._joined:
            for name in ("_joined", "_forks", "roots"):
                tree.__dict__[name] = getattr(self, name)
        self.memo.setdefault(_LINEAGE, object())
        tree.memo.update(self.memo)
        if int(Kind.PIN) in new.kind:
            tree.memo.pop(_FACTS, None)
        return tree

    def removed_head(self, entry: int | None) -> int | None:
        """Return the first entry of the removed branch that ends with this entry; None when its tool has it."""
        flags, parents = self.columns.flags, self.parents
        head = None
        at = ROOT if entry is None else entry
        while at != ROOT and flags[at] & Flag.REMOVED:
            head, at = at, parents[at]
        return head

    def extends(self, other: Tree) -> bool:
        """Return whether the tree is this one, or was `extended` from it, in one step or several."""
        lineage = self.memo.get(_LINEAGE)
        return self is other or (
            lineage is not None and lineage is other.memo.get(_LINEAGE) and len(self) >= len(other)
        )

    def is_straight(self, entry: int) -> bool:
        """Return whether each entry after this one is the child of the one written before it."""
        return not self._breaks or self._breaks[-1] <= entry

    def part(self, entries: Sequence[int]) -> Tree:
        """Return a tree of these entries alone, given in ascending order. Its entries have the same store keys.

        An entry whose parent is left out becomes a root, and a target that is left out is unresolved.
        """
        new = {entry: at for at, entry in enumerate(entries)}
        values = [[getattr(self.columns, name)[entry] for entry in entries] for name in _COLUMNS]
        columns = dict(zip(_COLUMNS, values, strict=True))
        columns["parent"] = [new.get(parent, ROOT) for parent in columns["parent"]]
        columns["target"] = [target if target < 0 else new.get(target, UNRESOLVED) for target in columns["target"]]
        return Tree.of(Columns.of([columns[name] for name in _COLUMNS], self.columns.names))

    @classmethod
    def of(cls, columns: Columns, breaks: Numbers | None = None) -> Tree:
        """Return a tree over these columns. Of each cycle the entry that was written first becomes a root.

        `breaks` are all entries whose parent is not the entry written right before them, None when they are unknown.
        """
        tree = cls(columns)
        if breaks is not None:
            tree.__dict__["_breaks"] = breaks
        cut = _cycle_heads(columns.parent, tree._breaks)
        if not cut:
            return tree
        parents = list(columns.parent)
        for entry in cut:
            parents[entry] = ROOT
        return cls(replace(columns, parent=numbers(columns.parent.format, parents)), tuple(cut))

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


def _cycle_heads(parents: Numbers, breaks: Numbers) -> list[int]:
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
