"""From Claude Code's graph of lines to a tree: most points with several children there are not forks.

Lines are put in place one after the other, in the order of the file, and a line's place depends only on what was
placed before it. So a file that has grown gives every old line its old parent, and a cycle cannot arise.

A *stretch* is a line of conversation with the tool results and the bookkeeping written right behind it. Once another
line of conversation follows, the stretch is closed and its tail is the point where later rewinds fork. What arrives
late for a closed stretch (a tool result, a further part of the same message, a hook's note) is put at the end of the
line, as long as that is still the same turn. Only what is left is a fork: a prompt or reply at another time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

NONE = -1
MISSING = -2  # a parent that is named but stands nowhere in the file


class Part(IntEnum):
    """What a line is to the conversation."""

    NOTE = 0  # bookkeeping between messages: attachments, progress, system lines
    PROMPT = 1  # typed by the person: a turn begins
    INJECTION = 2  # user text written by the tool, within a turn
    RESULT = 3  # answers tool calls
    REPLY = 4  # a message of the model, or one part of it
    BOUNDARY = 5  # here the history before was compacted
    SUMMARY = 6  # the text that stands for it from then on


class Mend(IntEnum):
    """How a line's parent came to differ from what the line says."""

    NOTHING = 0
    INLINE = 1  # written beside the line it belongs to, kept in it
    UNLINKED = 2  # names no parent: put behind what the file holds before it
    SAME_TIME = 3  # a second line of the same instant below one parent
    REPEATED = 4  # says what an earlier line says: not an entry of its own
    ORPHAN = 5
    CYCLE = 6


@dataclass(slots=True)
class Nodes:
    """Arrays of one length. `messages` and `groups` are numbers given by the reader; NONE where a line has none.

    Lines of different groups are separate conversations. `digests` are equal for equal contents. `results` holds the
    call ids that a RESULT answers; `kept` the last message (before it in the file) that a BOUNDARY keeps.
    """

    parents: array[int] = field(default_factory=lambda: array("i"))
    parts: bytearray = field(default_factory=bytearray)
    groups: array[int] = field(default_factory=lambda: array("i"))
    times: array[int] = field(default_factory=lambda: array("q"))
    digests: array[int] = field(default_factory=lambda: array("q"))
    messages: array[int] = field(default_factory=lambda: array("i"))
    calling: bytearray = field(default_factory=bytearray)  # 1: a REPLY that calls tools
    results: dict[int, tuple[str, ...]] = field(default_factory=dict)
    kept: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.parents)


@dataclass(frozen=True, slots=True)
class Graph:
    """The solved graph. `order` lists nodes so that parents come first; nodes that only repeat one are left out."""

    parents: array[int]
    order: array[int]
    mends: bytearray  # one Mend per node
    repeats: dict[int, int]  # node → the earlier one that says the same
    last_said: dict[int, int]  # group → its last line of conversation, in order of the file
    anchors: array[int]  # node → the line of conversation it belongs to
    ends: array[int]  # line of conversation → the last result or note right behind it

    def original(self, node: int) -> int:
        """The node itself, or the one that it repeats."""
        return self.repeats.get(node, node)

    def end_behind(self, node: int) -> int:
        """The last result or note right behind the node: where the conversation goes on from it."""
        return self.ends[self.anchors[self.original(node)]]


def solve(nodes: Nodes, linked: frozenset[int] = frozenset()) -> Graph:
    """Never fails: links to nowhere, links in circles and repeated lines are mended, and each mend is noted.

    `linked`: groups of which it is known beforehand that their lines name parents.
    """
    solver = _Solver(nodes, linked)
    order = array("i")
    for node, cut in _parents_first(nodes):
        solver.place(node, cut=cut)
        if node not in solver.repeats:
            order.append(node)
    ends = array("i", [solver.tail_of(node) for node in range(len(nodes))])
    return Graph(solver.parents, order, solver.mends, solver.repeats, solver.last_said, solver.anchors, ends)


def _parents_first(nodes: Nodes) -> Iterator[tuple[int, bool]]:
    """All nodes in order of the file, a parent that comes later drawn forward; and whether a cycle was cut there.

    Of each cycle the first line in the file becomes a root.
    """
    parents = nodes.parents
    state = bytearray(len(parents))  # 0 unseen, 1 on this walk, 2 done
    for start in range(len(parents)):
        walk: list[int] = []
        at = start
        while at >= 0 and not state[at]:
            state[at] = 1
            walk.append(at)
            at = parents[at]
        cut = NONE
        if at >= 0 and state[at] == 1:
            first = walk.index(at)
            cut = min(walk[first:])
            split = walk.index(cut) + 1
            walk = walk[split:] + walk[:split]
        for node in reversed(walk):
            state[node] = 2
            yield node, node == cut


class _Solver:
    def __init__(self, nodes: Nodes, linked: frozenset[int]) -> None:
        count = len(nodes.parents)
        self._nodes = nodes
        self.parents = array("i", [NONE]) * count
        self.mends = bytearray(count)
        self.repeats: dict[int, int] = {}
        self.last_said: dict[int, int] = {}  # group → its last node of conversation, in order of the file
        self.anchors = array("i", [NONE]) * count  # the line of conversation that a node belongs to
        self._stretch = array("i", [NONE]) * count  # where a node was put
        self._current: dict[int, int] = {}  # group → stretch of the node placed last
        self._linked = set(linked)  # groups in which some line named its parent
        self._moved: dict[int, int] = {}  # last message kept by a compaction → the summary that it follows now
        self._answers: dict[str, int] = {}
        self._twins: dict[tuple[int, int, int], int] = {}
        # of each stretch:
        self._head = array("i")
        self._tail = array("i")
        self._turn = array("i")
        self._next = array("i")  # the first stretch behind it, NONE while it is open
        self._far = array("i")  # a stretch further along that line, to get to its end quickly

    # -- reading ----------------------------------------------------------------------------------------------

    def tail_of(self, node: int) -> int:
        return self._tail[self._stretch[self.anchors[node]]]

    def _end(self, stretch: int) -> int:
        """The stretch at the end of the line that begins here."""
        passed = []
        at = stretch
        while self._far[at] != NONE:
            passed.append(at)
            at = self._far[at]
        for other in passed:
            self._far[other] = at
        return at

    def _turn_goes_on(self, stretch: int) -> bool:
        return self._turn[self._end(stretch)] == self._turn[stretch]

    def _same(self, one: int, other: int) -> bool:
        nodes = self._nodes
        return nodes.times[one] == nodes.times[other] and nodes.digests[one] == nodes.digests[other]

    # -- placing ----------------------------------------------------------------------------------------------

    def place(self, node: int, *, cut: bool) -> None:
        """Decide the node's parent, or that it repeats an earlier one."""
        nodes = self._nodes
        group, part = nodes.groups[node], nodes.parts[node]
        said = self._said(node, cut=cut)
        if said == NONE:
            self._place_unlinked(node, cut=cut)
        else:
            self._linked.add(group)
            anchor = self.anchors[said]
            moved = self._moved.get(anchor, NONE)
            if NONE < moved < node:
                anchor = moved
            self._put(node, self._stretch[anchor], anchor)
            if not self.mends[node] and self.parents[node] != said and node not in self.repeats:
                self.mends[node] = Mend.INLINE
        if node in self.repeats:
            self.anchors[node] = self.anchors[self.repeats[node]]
            return
        self._current[group] = self._stretch[node]
        if part != Part.NOTE and node > self.last_said.get(group, NONE):
            self.last_said[group] = node

    def _said(self, node: int, *, cut: bool) -> int:
        """The parent the line names, when it is here, of the same group, and not the line itself."""
        said = NONE if cut else self._nodes.parents[node]
        if said < 0 or self._nodes.groups[said] != self._nodes.groups[node]:
            return NONE
        return self.repeats.get(said, said)

    def _place_unlinked(self, node: int, *, cut: bool) -> None:
        """A line without a parent starts anew, but notes and compactions go on where the file stands.

        So does everything as long as no line of the file names a parent.
        """
        nodes = self._nodes
        group = nodes.groups[node]
        orphan = cut or nodes.parents[node] != NONE
        current = self._current.get(group, NONE)
        part = nodes.parts[node]
        follows = part == Part.NOTE if orphan else part in _FOLLOWERS or group not in self._linked
        if current == NONE or not follows:
            self._open(node, NONE)
            self.mends[node] = Mend.CYCLE if cut else Mend.ORPHAN if orphan else Mend.NOTHING
            return
        end = self._end(current)
        self._put(node, end, self._head[end])
        if node not in self.repeats:
            self.mends[node] = Mend.CYCLE if cut else Mend.ORPHAN if orphan else Mend.UNLINKED

    def _put(self, node: int, stretch: int, anchor: int) -> None:
        part = self._nodes.parts[node]
        if part == Part.NOTE:
            self.anchors[node] = anchor
            self._append(node, self._end(stretch))
        elif part == Part.RESULT:
            self._place_result(node, stretch)
        else:
            self._place_said(node, stretch, anchor)

    def _place_result(self, node: int, stretch: int) -> None:
        """Late results of parallel calls stay in line; a second answer to a call after its turn is a fork."""
        answered = [self._answers[call] for call in self._nodes.results.get(node, ()) if call in self._answers]
        if answered and self._same(answered[0], node) and self._nodes.times[node]:
            self._repeat(node, answered[0])
            return
        for call in self._nodes.results.get(node, ()):
            self._answers.setdefault(call, node)
        is_open = self._next[stretch] == NONE
        if is_open or (not answered and self._turn_goes_on(stretch)):
            self.anchors[node] = node
            self._append(node, self._end(stretch))
        else:
            self._fork(node, stretch)

    def _place_said(self, node: int, stretch: int, anchor: int) -> None:
        nodes = self._nodes
        first = self._next[stretch]
        if first == NONE:
            self._follow(node, stretch)
            return
        twin = self._twin(node, stretch, first)
        if twin != NONE:
            self._repeat(node, twin)
        elif self._goes_on(node, anchor) and self._turn_goes_on(stretch):
            self._follow(node, self._end(stretch))
        elif nodes.times[node] and nodes.times[node] == nodes.times[self._head[first]]:
            self._follow(node, self._end(stretch))
            self.mends[node] = Mend.SAME_TIME
        else:
            self._fork(node, stretch)

    def _goes_on(self, node: int, anchor: int) -> bool:
        """Whether the node belongs to the turn of the anchor by its nature: nobody rewinds into the middle of one."""
        nodes = self._nodes
        part = nodes.parts[node]
        if part == Part.REPLY:
            one = nodes.messages[node] != NONE and nodes.messages[node] == nodes.messages[anchor]
            return one or bool(nodes.calling[anchor])
        return part in (Part.BOUNDARY, Part.INJECTION)

    def _twin(self, node: int, stretch: int, first: int) -> int:
        """An earlier child of the same point that says the same at the same time: compaction wrote it again."""
        if not self._nodes.times[node]:
            return NONE
        head = self._head[first]
        if self._same(head, node):
            return head
        return self._twins.get((stretch, self._nodes.times[node], self._nodes.digests[node]), NONE)

    # -- stretches --------------------------------------------------------------------------------------------

    def _repeat(self, node: int, original: int) -> None:
        self.repeats[node] = original
        self.mends[node] = Mend.REPEATED

    def _append(self, node: int, stretch: int) -> None:
        self.parents[node] = self._tail[stretch]
        self._stretch[node] = stretch
        self._tail[stretch] = node

    def _open(self, node: int, parent: int) -> int:
        """A new stretch, in a turn of its own."""
        stretch = len(self._tail)
        self.parents[node] = parent
        self.anchors[node] = node
        self._stretch[node] = stretch
        self._head.append(node)
        self._tail.append(node)
        self._turn.append(stretch)
        self._next.append(NONE)
        self._far.append(NONE)
        return stretch

    def _follow(self, node: int, stretch: int) -> None:
        """Go on at the end of the line: the stretch there is closed."""
        new = self._open(node, self._tail[stretch])
        self._next[stretch] = self._far[stretch] = new
        if self._nodes.parts[node] in _WITHIN_TURN:
            self._turn[new] = self._turn[stretch]
        self._after_summary(node)

    def _fork(self, node: int, stretch: int) -> None:
        self._open(node, self._tail[stretch])
        self._twins[stretch, self._nodes.times[node], self._nodes.digests[node]] = node
        self._after_summary(node)

    def _after_summary(self, node: int) -> None:
        """Messages kept by a compaction stay where they are; what names the last of them comes after the summary."""
        if self._nodes.parts[node] == Part.SUMMARY:
            kept = self._nodes.kept.get(self._anchor_above(node), NONE)
            if kept != NONE:
                self._moved[self.anchors[kept]] = node

    def _anchor_above(self, node: int) -> int:
        parent = self.parents[node]
        return NONE if parent == NONE else self.anchors[parent]


_FOLLOWERS = frozenset({Part.NOTE, Part.BOUNDARY, Part.SUMMARY})
_WITHIN_TURN = frozenset({Part.REPLY, Part.RESULT, Part.INJECTION})
