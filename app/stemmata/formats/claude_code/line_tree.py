"""Build a conversation tree from Claude Code's graph of lines.

In Claude Code's files, most lines with several children are not forks. Parallel tool results, parts of one message
and hook notes also name the same parent.

Lines are placed one after the other in file order. The position of a line depends only on the lines placed before it,
so every old line keeps its parent when the file grows, and a cycle cannot arise.

A *stretch* is a conversation line (prompt, reply, tool result, boundary or summary) with the tool results and notes
written directly after it. When another conversation line follows, the stretch is closed, and later rewinds fork at
its tail. A tool result, a further part of the same message or a hook note that arrives late for a closed stretch is
appended at the end of that branch, provided that the branch is still in the same turn. Every other late line is a
fork: a prompt or reply written at another time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

NONE = -1
MISSING = -2  # the line names a parent that is not in the file


class LineRole(IntEnum):
    """The role of a line in the conversation."""

    NOTE = 0  # bookkeeping between messages: attachments, progress, system lines
    PROMPT = 1  # typed by the user: starts a turn
    INJECTION = 2  # user-role text written by the tool within a turn
    RESULT = 3  # results of tool calls
    REPLY = 4  # a message of the model, or one part of it
    BOUNDARY = 5  # marks the point at which the earlier history was compacted
    SUMMARY = 6  # replaces the compacted history in the context


class Repair(IntEnum):
    """The reason why a line's stored parent differs from the parent that the line names."""

    NOTHING = 0
    INLINE = 1  # arrived late; appended to the branch it belongs to
    UNLINKED = 2  # names no parent; linked to the previous line
    SAME_TIME = 3  # has the same parent and timestamp as another line; placed after it
    REPEATED = 4  # duplicates an earlier line; makes no entry
    ORPHAN = 5  # names a parent that is not in the file
    CYCLE = 6  # its chain of parents leads back to itself


@dataclass(slots=True)
class NodeColumns:
    """Columns over the lines of a file; all arrays have the same length.

    `messages` and `groups` hold numbers assigned by the reader; NONE means that the line has no message. Lines of
    different groups belong to separate conversations. Lines with equal contents have equal `digests`. `results` maps
    a RESULT line to the call ids that it answers. `kept` maps a BOUNDARY line to the last message before it that the
    compaction keeps.
    """

    parents: array[int] = field(default_factory=lambda: array("i"))
    roles: bytearray = field(default_factory=bytearray)
    groups: array[int] = field(default_factory=lambda: array("i"))
    times: array[int] = field(default_factory=lambda: array("q"))
    digests: array[int] = field(default_factory=lambda: array("q"))
    messages: array[int] = field(default_factory=lambda: array("i"))
    calling: bytearray = field(default_factory=bytearray)  # 1 for a REPLY that calls tools
    results: dict[int, tuple[str, ...]] = field(default_factory=dict)
    kept: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.parents)


@dataclass(frozen=True, slots=True)
class Graph:
    """The parents of a file's lines after repairs.

    `order` lists the nodes with parents before children; duplicates of other nodes are left out.
    """

    parents: array[int]
    order: array[int]
    repairs: bytearray  # one Repair per node
    repeats: dict[int, int]  # node → the earlier node that it duplicates
    last_of_conversation: dict[int, int]  # group → its last conversation line in file order
    anchors: array[int]  # node → the conversation line it belongs to
    ends: array[int]  # conversation line → the last result or note directly after it

    def original(self, node: int) -> int:
        """Return the earlier node that `node` duplicates, or `node` itself."""
        return self.repeats.get(node, node)

    def end_behind(self, node: int) -> int:
        """Return the last result or note directly after the node; the next message continues from it."""
        return self.ends[self.anchors[self.original(node)]]


def solve(nodes: NodeColumns, linked: frozenset[int] = frozenset()) -> Graph:
    """Compute every node's parent, repairing damaged links.

    Missing parents, cycles and duplicate lines are repaired and recorded in `Graph.repairs`; no input raises.
    `linked` holds groups whose lines are known to name parents, because an earlier reading saw that.
    """
    solver = _TreeBuilder(nodes, linked)
    order = array("i")
    for node, cut in _parents_first(nodes):
        solver.place(node, cut=cut)
        if node not in solver.repeats:
            order.append(node)
    ends = array("i", [solver.tail_of(node) for node in range(len(nodes))])
    return Graph(
        solver.parents, order, solver.repairs, solver.repeats, solver.last_of_conversation, solver.anchors, ends
    )


def _parents_first(nodes: NodeColumns) -> Iterator[tuple[int, bool]]:
    """Yield every node in file order, each parent before its children, with a flag: a cycle is cut at this node.

    The first line of each cycle becomes a root.
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


class _TreeBuilder:
    """Places one node after the other; the attributes grow with each placed node."""

    def __init__(self, nodes: NodeColumns, linked: frozenset[int]) -> None:
        count = len(nodes.parents)
        self._nodes = nodes
        self.parents = array("i", [NONE]) * count
        self.repairs = bytearray(count)
        self.repeats: dict[int, int] = {}
        self.last_of_conversation: dict[int, int] = {}  # group → its last conversation line in file order
        self.anchors = array("i", [NONE]) * count  # the conversation line that a node belongs to
        self._stretch = array("i", [NONE]) * count  # node → its stretch
        self._current: dict[int, int] = {}  # group → stretch of its most recently placed node
        self._linked = set(linked)  # groups in which at least one line named its parent
        # last kept message of a compaction → its summary, from which later lines continue
        self._moved: dict[int, int] = {}
        self._answers: dict[str, int] = {}  # call id → its first result
        self._twins: dict[tuple[int, int, int], int] = {}  # (stretch, time, digest) → a fork of the stretch
        # The following arrays have one item per stretch.
        self._head = array("i")
        self._tail = array("i")
        self._turn = array("i")
        self._next = array("i")  # the first stretch after it; NONE while it is open
        self._far = array("i")  # a later stretch of the same branch: a shortcut to the end of the branch

    # -- reading ----------------------------------------------------------------------------------------------

    def tail_of(self, node: int) -> int:
        """Return the last node of the stretch that holds the node's conversation line."""
        return self._tail[self._stretch[self.anchors[node]]]

    def _end(self, stretch: int) -> int:
        """Return the last stretch of the branch that continues from this stretch."""
        passed = []
        at = stretch
        while self._far[at] != NONE:
            passed.append(at)
            at = self._far[at]
        for other in passed:
            self._far[other] = at
        return at

    def _turn_goes_on(self, stretch: int) -> bool:
        """Return whether the branch from this stretch is still in the same turn."""
        return self._turn[self._end(stretch)] == self._turn[stretch]

    def _same(self, one: int, other: int) -> bool:
        nodes = self._nodes
        return nodes.times[one] == nodes.times[other] and nodes.digests[one] == nodes.digests[other]

    # -- placing ----------------------------------------------------------------------------------------------

    def place(self, node: int, *, cut: bool) -> None:
        """Set the node's parent, or record that the node duplicates an earlier one."""
        nodes = self._nodes
        group, role = nodes.groups[node], nodes.roles[node]
        named = self._named_parent(node, cut=cut)
        if named == NONE:
            self._place_unlinked(node, cut=cut)
        else:
            self._linked.add(group)
            anchor = self.anchors[named]
            moved = self._moved.get(anchor, NONE)
            if NONE < moved < node:
                anchor = moved
            self._put(node, self._stretch[anchor], anchor)
            if not self.repairs[node] and self.parents[node] != named and node not in self.repeats:
                self.repairs[node] = Repair.INLINE
        if node in self.repeats:
            self.anchors[node] = self.anchors[self.repeats[node]]
            return
        self._current[group] = self._stretch[node]
        if role != LineRole.NOTE and node > self.last_of_conversation.get(group, NONE):
            self.last_of_conversation[group] = node

    def _named_parent(self, node: int, *, cut: bool) -> int:
        """Return the parent that the line names, or NONE when it is unusable.

        A parent is usable when it is in the file, in the same group, and not cut away with a cycle.
        """
        named = NONE if cut else self._nodes.parents[node]
        if named < 0 or self._nodes.groups[named] != self._nodes.groups[node]:
            return NONE
        return self.repeats.get(named, named)

    def _place_unlinked(self, node: int, *, cut: bool) -> None:
        """Place a line whose parent is missing or not named.

        Such a line becomes a root. Notes and compactions are appended after the previous line of the group instead,
        and so is every line of a group in which no line names a parent.
        """
        nodes = self._nodes
        group = nodes.groups[node]
        orphan = cut or nodes.parents[node] != NONE
        current = self._current.get(group, NONE)
        role = nodes.roles[node]
        follows = role == LineRole.NOTE if orphan else role in _FOLLOWERS or group not in self._linked
        if current == NONE or not follows:
            self._open(node, NONE)
            self.repairs[node] = Repair.CYCLE if cut else Repair.ORPHAN if orphan else Repair.NOTHING
            return
        end = self._end(current)
        self._put(node, end, self._head[end])
        if node not in self.repeats:
            self.repairs[node] = Repair.CYCLE if cut else Repair.ORPHAN if orphan else Repair.UNLINKED

    def _put(self, node: int, stretch: int, anchor: int) -> None:
        role = self._nodes.roles[node]
        if role == LineRole.NOTE:
            self.anchors[node] = anchor
            self._append(node, self._end(stretch))
        elif role == LineRole.RESULT:
            self._place_result(node, stretch)
        else:
            self._place_conversation_line(node, stretch, anchor)

    def _place_result(self, node: int, stretch: int) -> None:
        """Place a tool result: late results of parallel calls stay on the branch.

        A second answer to a call, written after its turn, is a fork.
        """
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

    def _place_conversation_line(self, node: int, stretch: int, anchor: int) -> None:
        """Place a prompt, reply, injection, boundary or summary.

        The line continues its branch, starts a fork, or is dropped as a duplicate.
        """
        nodes = self._nodes
        first = self._next[stretch]
        if first == NONE:
            self._follow(node, stretch)
            return
        twin = self._twin(node, stretch, first)
        if twin != NONE:
            self._repeat(node, twin)
        elif self._continues_turn(node, anchor) and self._turn_goes_on(stretch):
            self._follow(node, self._end(stretch))
        elif nodes.times[node] and nodes.times[node] == nodes.times[self._head[first]]:
            self._follow(node, self._end(stretch))
            self.repairs[node] = Repair.SAME_TIME
        else:
            self._fork(node, stretch)

    def _continues_turn(self, node: int, anchor: int) -> bool:
        """Return whether the node belongs to the anchor's turn by its kind.

        Users cannot rewind into the middle of a turn.
        """
        nodes = self._nodes
        role = nodes.roles[node]
        if role == LineRole.REPLY:
            one = nodes.messages[node] != NONE and nodes.messages[node] == nodes.messages[anchor]
            return one or bool(nodes.calling[anchor])
        return role in (LineRole.BOUNDARY, LineRole.INJECTION)

    def _twin(self, node: int, stretch: int, first: int) -> int:
        """Return an earlier child of the same stretch with equal time and content, or NONE.

        Claude Code writes such duplicates when it compacts.
        """
        if not self._nodes.times[node]:
            return NONE
        head = self._head[first]
        if self._same(head, node):
            return head
        return self._twins.get((stretch, self._nodes.times[node], self._nodes.digests[node]), NONE)

    # -- stretches --------------------------------------------------------------------------------------------

    def _repeat(self, node: int, original: int) -> None:
        self.repeats[node] = original
        self.repairs[node] = Repair.REPEATED

    def _append(self, node: int, stretch: int) -> None:
        """Append a result or note at the end of a stretch."""
        self.parents[node] = self._tail[stretch]
        self._stretch[node] = stretch
        self._tail[stretch] = node

    def _open(self, node: int, parent: int) -> int:
        """Start a new turn whose first stretch begins with this node, and return the number of the stretch."""
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
        """Continue a branch with a new stretch, and close the stretch at its end."""
        new = self._open(node, self._tail[stretch])
        self._next[stretch] = self._far[stretch] = new
        if self._nodes.roles[node] in _WITHIN_TURN:
            self._turn[new] = self._turn[stretch]
        self._after_summary(node)

    def _fork(self, node: int, stretch: int) -> None:
        """Start a new branch below a closed stretch."""
        self._open(node, self._tail[stretch])
        self._twins[stretch, self._nodes.times[node], self._nodes.digests[node]] = node
        self._after_summary(node)

    def _after_summary(self, node: int) -> None:
        """Redirect lines that name the last kept message of a compaction to its summary.

        Messages that a compaction keeps stay in their old position.
        """
        if self._nodes.roles[node] == LineRole.SUMMARY:
            kept = self._nodes.kept.get(self._anchor_above(node), NONE)
            if kept != NONE:
                self._moved[self.anchors[kept]] = node

    def _anchor_above(self, node: int) -> int:
        parent = self.parents[node]
        return NONE if parent == NONE else self.anchors[parent]


_FOLLOWERS = frozenset({LineRole.NOTE, LineRole.BOUNDARY, LineRole.SUMMARY})
_WITHIN_TURN = frozenset({LineRole.REPLY, LineRole.RESULT, LineRole.INJECTION})
