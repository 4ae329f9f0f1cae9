"""The outline of a session: the rows that the navigator shows at a density, their layout and their entries."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import accumulate, compress, repeat
from operator import add
from typing import NamedTuple

from stemmata.domain.entries.entry import ANNOTATION_KINDS, SETTING_KINDS, Flag, Kind, Role
from stemmata.domain.entries.growing import collected
from stemmata.domain.entries.lanes import NONE, Lanes, lay_out, number_branches, parents_first
from stemmata.domain.entries.tree import ROOT, Tree
from stemmata.domain.entries.visible import (
    Filter,
    kind_role_bytes,
    parent_rows,
    rows_above,
    translation_table,
    visible_entries,
)
from stemmata.domain.entries.whole_columns import both, either, is_zero, nonzero, walked


class _Part(IntEnum):
    """Whether an entry begins a row of turns, continues a turn, or has no part in the rows."""

    NOTHING = 0
    ROW = 1  # has a row of its own
    ASSISTANT = 2  # continues the assistant's turn, or begins one
    RESULT = 3  # belongs to the turn with the call that it answers


@dataclass(frozen=True, slots=True)
class OutlineTurns:
    """The turns of a tree, one row each.

    `entry` is the first entry of each turn, `last` the last, `text_entry` the last one with visible text.
    """

    entry: array[int]
    last: array[int]
    text_entry: array[int]
    tools: array[int]  # tool results folded into the row
    above: array[int]  # by entry: its row or the nearest row above it, -1 for none


def turns_of(tree: Tree) -> OutlineTurns:
    """Return the turns of the whole tree. A fork inside an assistant's turn ends it; each branch begins a new row."""
    if tree.is_straight(0):
        return _turns_of_line(tree)
    return _turns(tree, parents_first(tree.columns.parent), _parts(tree), _split(tree))


def _turns_of_line(tree: Tree) -> OutlineTurns:
    """Return the turns of a tree without forks: as `_turns`, but with whole columns, since such sessions may be long.

    The parts are codes in bytes: those of `_Part`, and `_SAYS` for an assistant's message with visible text. A turn
    of the assistant begins with its first message after a row, and ends with its last message or result.
    """
    codes = _with_visible_text(tree, _parts(tree))
    row, reply, result, says = (codes.translate(table) for table in (_IS_ROW, _IS_REPLY, _IS_RESULT, _IS_SAYING))
    to_reply = walked(b"\1" + row[:-1], codes.translate(_BEFORE_REPLY))
    begins, result = both(to_reply, reply), both(to_reply.translate(_IS_AFTER), result)
    from_end = row[1:] + b"\1"
    last = walked(from_end, either(row, reply, result).translate(_IS_FREE), backwards=True)
    text = walked(from_end, either(row, says, begins).translate(_IS_FREE), backwards=True)
    starts, lasts = either(row, begins), either(row, both(last, either(reply, result)))
    above = collected("i", accumulate(starts, initial=-1))[1:]
    entry = _marked_positions(starts)
    tools = array("i", bytes(4 * len(entry)))
    for turn in compress(above, result):
        tools[turn] += 1
    return OutlineTurns(
        entry,
        _marked_positions(lasts),
        _marked_positions(either(row, both(text, either(says, begins)))),
        tools,
        above,
    )


def _marked_positions(marks: bytes) -> array[int]:
    return collected("i", compress(range(len(marks)), marks))


def _with_visible_text(tree: Tree, parts: bytearray) -> bytes:
    """Return the parts of the entries, with `_SAYS` for an assistant's message that has visible text."""
    flags, hidden = tree.columns.flags, int(Flag.HIDDEN)
    codes = either(parts, nonzero(tree.columns.text).translate(_TIMES_FOUR)).translate(_SAID)
    if not is_zero(flags):
        codes = bytes(part if flag & hidden else code for part, code, flag in zip(parts, codes, flags, strict=True))
    return codes


def _turns_from(tree: Tree, start: int, row: int) -> OutlineTurns:
    """Return the turns from entry `start` on, which begins a row; from there the tree must not branch.

    `row` is the number of the first returned turn; `above` begins with the entry `start`.
    """
    count = len(tree) - start
    turns = _turns(tree, range(start, len(tree)), _parts(tree, start), bytearray(len(tree)))
    above = array("i", map(add, turns.above[start:], repeat(row, count)))
    return OutlineTurns(turns.entry, turns.last, turns.text_entry, turns.tools, above)


def _turns(tree: Tree, order: Iterable[int], parts: bytearray, split: bytearray) -> OutlineTurns:
    """Return the turns of the entries in `order`, each of which comes after its parent."""
    columns = tree.columns
    parents, texts, flags, hidden = columns.parent, columns.text, columns.flags, int(Flag.HIDDEN)
    above = [-1] * (len(tree) + 1)  # the additional item at index -1 is the parent of the roots
    open_ = bytearray(len(tree) + 1)  # 1 where an assistant message below continues the same turn
    entry: list[int] = []
    last: list[int] = []
    text_entry: list[int] = []
    tools: list[int] = []
    for at in order:
        part, parent = parts[at], parents[at]
        row = above[parent]
        goes_on = open_[parent] and not split[at]
        if part == 1 or (part == 2 and not goes_on):
            row = len(entry)
            entry.append(at)
            last.append(at)
            text_entry.append(at)
            tools.append(0)
            open_[at] = part == 2
        elif part == 2:
            last[row] = at
            if texts[at] and not flags[at] & hidden:
                text_entry[row] = at
            open_[at] = 1
        else:
            open_[at] = goes_on
            if part == 3 and open_[parent]:
                tools[row] += 1
                last[row] = at
        above[at] = row
    above.pop()
    return OutlineTurns(
        array("i", entry), array("i", last), array("i", text_entry), array("i", tools), array("i", above)
    )


def _parts(tree: Tree, start: int = 0) -> bytearray:
    """Return the part of each entry, a `_Part`; 0 before `start`."""
    parts = bytearray(start) + kind_role_bytes(tree, start).translate(_PARTS)
    flags, quiet = tree.columns.flags, int(Flag.INJECTED | Flag.HIDDEN)
    if is_zero(flags):
        return parts
    for at, flag in enumerate(flags[start:], start):
        if flag & quiet and parts[at] == _Part.ROW:
            parts[at] = _Part.NOTHING
    return parts


def _part(kind: Kind, role: Role) -> _Part:
    if kind in (Kind.COMPACTION, Kind.BRANCH_SUMMARY, Kind.CUSTOM_MESSAGE):
        return _Part.ROW
    if kind is not Kind.MESSAGE:
        return _Part.NOTHING
    return {
        Role.USER: _Part.ROW,
        Role.BASH_EXECUTION: _Part.ROW,
        Role.CUSTOM: _Part.ROW,
        Role.ASSISTANT: _Part.ASSISTANT,
        Role.TOOL_RESULT: _Part.RESULT,
    }.get(role, _Part.NOTHING)


_PARTS = translation_table(_part)
_SAYS = 4
_IS_ROW = bytes(code == _Part.ROW for code in range(256))
_IS_RESULT = bytes(code == _Part.RESULT for code in range(256))
_IS_SAYING = bytes(code == _SAYS for code in range(256))
_IS_REPLY = bytes(code in (_Part.ASSISTANT, _SAYS) for code in range(256))
_BEFORE_REPLY = bytes(255 * (code in (_Part.NOTHING, _Part.RESULT)) for code in range(256))
_IS_AFTER = bytes(code == 255 for code in range(256))  # a walk to the first reply did not come here
_IS_FREE = bytes(255 * (not code) for code in range(256))
_TIMES_FOUR = bytes(4 * (code & 1) for code in range(256))
_SAID = bytes(_SAYS if code == 4 + _Part.ASSISTANT else code & 3 for code in range(256))


def _split(tree: Tree) -> bytearray:
    """Return 1 for entries at a fork, which begin a new row: those with siblings other than tool results.

    Results of several calls of one message may be siblings; that is no fork.
    """
    roles, result = tree.columns.role, int(Role.TOOL_RESULT)
    out = bytearray(len(tree))
    for kids in forks(tree):
        others = sum(roles[kid] != result for kid in kids)
        for kid in kids:
            out[kid] = others > (roles[kid] != result)
    return out


def forks(tree: Tree) -> Iterator[list[int]]:
    """Yield the children of every entry that has more than one, without annotations; also the roots."""
    for kids in tree.families():
        real = [kid for kid in kids if not tree.is_annotation(kid)]
        if len(real) > 1:
            yield real


class Density(IntEnum):
    """The densities of the navigator: which entries it shows."""

    TURNS = 1
    PROMPTS = 2
    NO_TOOLS = 3
    LABELLED = 4
    EVERYTHING = 5

    @property
    def text(self) -> str:
        """The density as a word, as the saved state of the window has it."""
        return self.name.lower()


class Shape(IntEnum):
    """The kind of a row, which decides the shape of its mark."""

    NOTE = 0
    USER = 1
    ASSISTANT = 2
    TOOL = 3
    COMPACTION = 4
    BRANCH_SUMMARY = 5
    SETTING = 6


_FILTERS = {
    Density.PROMPTS: Filter.USER,
    Density.NO_TOOLS: Filter.NO_TOOLS,
    Density.LABELLED: Filter.LABELLED,
    Density.EVERYTHING: Filter.ALL,
}


class Row(NamedTuple):
    """One row of the navigator. Entries are indices in the tree."""

    entry: int  # the first entry of the row
    last: int  # the last entry of the row; continuing from the row continues from this entry
    text_entry: int  # the entry whose text is shown
    shape: Shape
    tools: int  # number of tool results folded into the row
    siblings: tuple[int, int] | None  # (number from 1, count) of a row at a fork
    label: str
    pinned: bool
    deleted: bool = False  # whether it is in a branch in the trash
    removed: bool = False  # whether the tool removed its last entry from the source
    begins_removed: bool = False  # … and not the entry before the row


class Stretch(NamedTuple):
    """A part of a line: its lane, and the places of its first and last row."""

    lane: int
    first: int
    last: int


@dataclass(frozen=True)
class Outline:
    """The rows of the navigator and their layout. Immutable. Rows are addressed by *place*, as in `Lanes`."""

    tree: Tree
    density: Density
    leaf: int | None
    lanes: Lanes
    entry: array[int]  # by row; the next four as well
    last: array[int]
    text_entry: array[int]
    tools: array[int]
    shapes: bytes
    above: array[int]  # by entry: its row or the nearest row above it, -1 for none

    def __len__(self) -> int:
        return len(self.lanes)

    def row(self, place: int) -> Row:
        """Return the row at a place."""
        at = self.lanes.row[place]
        removed, begins = self._removed(at)
        return Row(
            self.entry[at],
            self.last[at],
            self.text_entry[at],
            Shape(self.shapes[at]),
            self.tools[at],
            self._siblings(place),
            self.labels.get(place, ""),
            place in self.pins,
            bool(self.deleted and self.deleted[self.entry[at]]),
            removed,
            begins,
        )

    def _removed(self, row: int) -> tuple[bool, bool]:
        """Return whether the tool removed the row's last entry, and whether the row begins the removed branch."""
        flags, parents = self.tree.columns.flags, self.tree.parents
        if not flags[self.last[row]] & Flag.REMOVED:
            return False, False
        above = parents[self.entry[row]]
        return True, above == ROOT or not flags[above] & Flag.REMOVED

    def place_of(self, entry: int | None) -> int | None:
        """Return the place of the entry's row, or of the nearest row above it; None without such a row."""
        if entry is None or self.above[entry] < 0:
            return None
        return self.lanes.place[self.above[entry]]

    @property
    def leaf_place(self) -> int | None:
        """The place of the row that contains the leaf; None when no row does."""
        return self.place_of(self.leaf)

    @cached_property
    def labels(self) -> dict[int, str]:
        """Place → label; of several labelled entries in one row the last one counts."""
        return dict(self._marked(self.tree.labels))

    @cached_property
    def pins(self) -> frozenset[int]:
        """Places of rows that contain a pinned entry."""
        return frozenset(place for place, _ in self._marked(dict.fromkeys(self.tree.pins, "")))

    @cached_property
    def deleted(self) -> bytearray:
        """For each entry of the tree, 1 if it is in the trash, else 0; empty when no branch is in the trash."""
        return self.tree.in_trash(self.leaf) if self.tree.trash else bytearray()

    def prepared(self) -> Outline:
        """Compute all cached properties and return the outline. Call this on the thread that makes the outline."""
        _ = self.labels, self.pins, self.deleted, self.side_heads, self.deepest, self._starts
        return self

    def _marked(self, marks: dict[int, str]) -> Iterator[tuple[int, str]]:
        for entry in sorted(marks):
            place = self.place_of(entry)
            if place is not None:
                yield place, marks[entry]

    def _siblings(self, place: int) -> tuple[int, int] | None:
        """Return (number, count) among the rows at the same fork, None without siblings. Annotations do not count."""
        which = self.lanes.siblings.get(place)
        if which is None or self.density is not Density.EVERYTHING:
            return which
        peers = [at for at in self.peers(place) if not self.tree.is_annotation(self.entry[self.lanes.row[at]])]
        if len(peers) < 2 or place not in peers:
            return None
        peers.sort(key=lambda at: self.lanes.siblings[at])
        return peers.index(place) + 1, len(peers)

    @cached_property
    def _starts(self) -> dict[int, list[int]]:
        """First place of a line → the places on the line where a branch starts, ascending."""
        lanes = self.lanes
        out: dict[int, list[int]] = {}
        for place in sorted({*lanes.siblings, *lanes.roots()}):
            out.setdefault(lanes.head[place], []).append(place)
        return out

    def branch_start(self, place: int) -> int:
        """Return the place of the first row of the row's branch: the row after a fork, or a root."""
        starts = self._starts[self.lanes.head[place]]
        return starts[bisect_right(starts, place) - 1]

    def branch_end(self, place: int) -> int:
        """Return the place where the next branch on the row's line starts, or else where the line ends."""
        lanes = self.lanes
        head = lanes.head[place]
        starts = self._starts[head]
        following = bisect_right(starts, place)
        # side branches are drawn before their line continues, so a line ends with the last row of its subtree
        return starts[following] if following < len(starts) else head + lanes.size[head] - 1

    @cached_property
    def breaks(self) -> tuple[int, ...]:
        """Places where a branch starts or the active path ends. Only there a line begins or changes its colour."""
        lanes, leaf = self.lanes, self.leaf_place
        beyond = NONE if leaf is None else lanes.below[leaf]
        return tuple(sorted({*lanes.siblings, *lanes.roots(), beyond} - {NONE}))

    @cached_property
    def side_heads(self) -> tuple[int, ...]:
        """The result of `Lanes.side_heads`, in time proportional to the number of forks instead of rows."""
        lanes = self.lanes
        return tuple(
            place
            for place in self.breaks
            if not lanes.is_active(place) and (lanes.parent[place] < 0 or lanes.is_active(lanes.parent[place]))
        )

    @cached_property
    def deepest(self) -> int:
        """The number of the rightmost lane."""
        return max(self.lanes.lane, default=0)

    def lines_to(self, place: int | None) -> tuple[Stretch, ...]:
        """Return the parts of lines that lead from the root to a place, from its own line on; empty for None.

        Takes time proportional to the number of forks on the way.
        """
        lanes, out = self.lanes, list[Stretch]()
        at = NONE if place is None else place
        while at >= 0:
            head = lanes.head[at]
            out.append(Stretch(lanes.lane[at], head, at))
            at = lanes.parent[head]
        return tuple(out)

    def peers(self, place: int) -> list[int]:
        """Return the places of the children of the row's parent, the row included, ordered by sibling number."""
        parent = self.lanes.parent[place]
        places = list(self.lanes.roots() if parent < 0 else self.lanes.children(parent))
        return sorted(places, key=lambda at: self.lanes.siblings.get(at, (0, 0)))


def outline_of(
    tree: Tree, density: Density, leaf: int | None = None, *, trash: bool = False, known: Outline | None = None
) -> Outline:
    """Return the outline at a density. The active path leads to `leaf`; `trash` includes branches in the trash.

    `known` is an earlier outline: where the tree only went on below its leaf, the new rows are appended to it. Pure:
    it may run on any thread.
    """
    if known is not None and density is known.density is Density.TURNS:
        continued = _continued(known, tree, leaf)
        if continued is not None:
            return continued
    if density is Density.TURNS:
        turns = turns_of(tree)
        entry, last, text_entry, tools, above = turns.entry, turns.last, turns.text_entry, turns.tools, turns.above
    else:
        entry = last = text_entry = visible_entries(tree, _FILTERS[density], leaf)
        tools, above = array("i", bytes(4 * len(entry))), rows_above(tree, entry)
    if tree.trash and not trash:
        rows = array("i", _kept(tree.in_trash(leaf), entry))
        above = _renumbered(above, rows, len(entry))
        entry, last, text_entry, tools = (_picked(column, rows) for column in (entry, last, text_entry, tools))
    parents = parent_rows(tree, entry, above)
    is_line = tree.is_straight(0)  # the layout of a line does not depend on times
    lanes = lay_out(
        parents,
        () if is_line else _times(tree, entry),
        -1 if leaf is None else above[leaf],
        array("i", bytes(4 * len(entry))) if is_line else _branches(tree, entry),
    )
    return Outline(tree, density, leaf, lanes, entry, last, text_entry, tools, _shapes(tree, entry), above)


def _continued(known: Outline, tree: Tree, leaf: int | None) -> Outline | None:
    """Return the outline of turns, made from a known one by adding the entries after its leaf.

    None if that is not possible: it requires that the tree does not branch from the first entry of the last row on,
    that it ends at the leaf, and that this row is drawn last.
    """
    count, rows = len(known.tree), len(known)
    if not rows or leaf != len(tree) - 1 or known.leaf != count - 1 or not tree.extends(known.tree):
        return None
    if tree.trash or known.tree.trash:
        return None
    start = known.entry[-1]
    if known.above[-1] != rows - 1 or known.lanes.place[-1] != rows - 1 or not tree.is_straight(start):
        return None
    new = _turns_from(tree, start, rows - 1)
    entry = known.entry[:-1] + new.entry
    return Outline(
        tree,
        known.density,
        leaf,
        known.lanes.continued(len(entry) - rows),
        entry,
        known.last[:-1] + new.last,
        known.text_entry[:-1] + new.text_entry,
        known.tools[:-1] + new.tools,
        known.shapes[:-1] + _shapes(tree, new.entry),
        known.above[:start] + new.above,
    )


def _kept(hidden: bytearray, entries: array[int]) -> Iterator[int]:
    return (row for row, entry in enumerate(entries) if not hidden[entry])


def _picked(column: array[int], rows: array[int]) -> array[int]:
    return array("i", map(column.__getitem__, rows))


def _renumbered(above: array[int], rows: array[int], count: int) -> array[int]:
    """Return `above` with the new numbers of the kept `rows`, -1 where a row was left out."""
    new = array("i", [NONE]) * (count + 1)  # the additional item at index -1 serves entries without a row above
    for number, row in enumerate(rows):
        new[row] = number
    return array("i", map(new.__getitem__, above))


def _times(tree: Tree, entries: array[int]) -> array[int]:
    """Return the time of each row. An annotation has the time of its parent, so that no line continues with it."""
    times, parents = tree.columns.time, tree.parents
    out = array("q", map(times.__getitem__, entries))
    kinds = tree.columns.kind
    if not any(tree.of_kind(kind) for kind in ANNOTATION_KINDS):
        return out
    for row, entry in enumerate(entries):
        if kinds[entry] in ANNOTATION_KINDS and parents[entry] >= 0:
            out[row] = times[parents[entry]]
    return out


def _branches(tree: Tree, entries: array[int]) -> array[int]:
    """Return the branch number of each row, computed on the whole tree so that it is the same at every density."""
    numbers = number_branches(tree.parents, (kid for kids in forks(tree) for kid in kids[1:]))
    return array("i", map(numbers.__getitem__, entries))


def _shapes(tree: Tree, entries: array[int]) -> bytes:
    start = min(entries, default=0)
    by_entry = kind_role_bytes(tree, start).translate(_SHAPES)
    if not start and is_zero(tree.columns.flags):
        return bytes(map(by_entry.__getitem__, entries))
    flags, injected = tree.columns.flags, int(Flag.INJECTED)
    return bytes(Shape.NOTE if flags[entry] & injected else by_entry[entry - start] for entry in entries)


def _shape(kind: Kind, role: Role) -> Shape:
    if kind is Kind.MESSAGE:
        return {
            Role.USER: Shape.USER,
            Role.ASSISTANT: Shape.ASSISTANT,
            Role.TOOL_RESULT: Shape.TOOL,
            Role.BASH_EXECUTION: Shape.TOOL,
        }.get(role, Shape.NOTE)
    if kind in SETTING_KINDS or kind in (Kind.TOOL_PRUNE, Kind.OMISSION, Kind.SKILL):
        return Shape.SETTING
    return {Kind.COMPACTION: Shape.COMPACTION, Kind.BRANCH_SUMMARY: Shape.BRANCH_SUMMARY}.get(kind, Shape.NOTE)


_SHAPES = translation_table(_shape)


EMPTY = 0  # a cell of the overview without a lane


@dataclass(frozen=True, slots=True)
class Overview:
    """A strip of `lines` pixel lines that represents `rows` visible rows. Marks are line numbers, ascending."""

    lines: int
    rows: int
    columns: tuple[bytes, ...]  # for each lane one byte per line: EMPTY, or 1 + the lane's colour
    compactions: tuple[int, ...] = ()
    labels: tuple[int, ...] = ()

    def line(self, row: int) -> int:
        """Return the line in the middle of the row."""
        return (2 * row + 1) * self.lines // (2 * self.rows)


def overview_of(outline: Outline, places: Sequence[int], lines: int, columns: int, colours: int) -> Overview:
    """Return the overview of the visible `places`. Lanes beyond the number of `columns` share the last column.

    Colours are numbered as in `Lanes`; those of side branches repeat after `colours - 1`. Takes time proportional to
    the number of forks. May run on any thread.
    """
    rows = len(places)
    if not rows or lines < 1:
        return Overview(0, rows, ())
    strip = [bytearray(lines) for _ in range(columns)]
    for lane, colour, first, last in _pieces(outline, places):
        start = first * lines // rows
        stop = max(start + 1, -(-(last + 1) * lines // rows))
        cell = 1 + (colour if not colour else 1 + (colour - 1) % (colours - 1))
        strip[min(lane, columns - 1)][start:stop] = bytes((cell,)) * (stop - start)
    bare = Overview(lines, rows, tuple(map(bytes, strip)))
    place = outline.lanes.place
    compactions = (place[row] for row in _rows_of(outline.shapes, Shape.COMPACTION))
    return Overview(
        lines, rows, bare.columns, _marks(bare, places, compactions), _marks(bare, places, outline.labels)
    )


def _pieces(outline: Outline, places: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Yield lane, colour, first and last visible row of every piece of a line that has one colour."""
    lanes = outline.lanes
    ends: dict[int, int] = {}  # first place of a line → the place where its next lower piece begins
    pieces: list[tuple[int, int, int, int]] = []
    for start in reversed(outline.breaks):
        head = lanes.head[start]
        end = ends.get(head, head + lanes.size[head])
        ends[head] = start
        first, beyond = bisect_left(places, start), bisect_left(places, end)
        if first < beyond and places[first] == start:
            pieces.append((lanes.lane[start], lanes.colour[start], first, beyond - 1))
    return reversed(pieces)


def _rows_of(shapes: bytes, shape: Shape) -> Iterator[int]:
    at = shapes.find(shape)
    while at >= 0:
        yield at
        at = shapes.find(shape, at + 1)


def _marks(overview: Overview, places: Sequence[int], marked: Iterable[int]) -> tuple[int, ...]:
    """Return the lines of the marked places that are visible, ascending."""
    if places[-1] == len(places) - 1:  # no row is hidden, so a place is a row
        return tuple(sorted(set(map(overview.line, marked))))
    out = set()
    for place in marked:
        row = bisect_left(places, place)
        if row < len(places) and places[row] == place:
            out.add(overview.line(row))
    return tuple(sorted(out))
