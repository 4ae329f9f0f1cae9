"""Where to begin reading a Claude Code file that has grown, so that what stands before need not be read again.

A *restart* is a line of conversation that all later lines belong behind: none of them names a parent before it, says
again what stands before it, or compacts. What is read from there alone gives every line behind it the place that a
reading of the whole file gives it. Where that cannot be made out, the whole file is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stemmata.formats.claude_code.facts import Facts
from stemmata.formats.claude_code.skeleton_pass import MAIN, Skeleton
from stemmata.formats.shared.dag import MISSING, NONE, Graph, Part

WORTH = 256 << 10  # bytes before a restart that make it worth while; less is read in a few milliseconds
BEHIND = 48  # lines of conversation behind it, so that most of what is named later stands there too
FAR = 2000  # lines looked through for one
PENDING = 100  # ids that are named and have not come
_SAID = frozenset({Part.PROMPT, Part.REPLY, Part.INJECTION})
_COMPACTED = frozenset({Part.BOUNDARY, Part.SUMMARY})


@dataclass(frozen=True, slots=True)
class Restart:
    """`offset` of the line and the number of `lines` before it; and what all lines that were read have left behind.

    `pending`: ids that were named and have not come; what stands before would change with them. `created`: the time
    of the first line.
    """

    offset: int
    lines: int
    facts: dict[str, Any]
    pending: tuple[str, ...]
    created: int

    @classmethod
    def of(cls, state: Any, end: int) -> Restart | None:
        """From what a checkpoint holds, which can be anything, if it is one that lies before the byte `end`."""
        match state:
            case [int(offset), int(lines), dict(facts), list(pending), int(created)] if (
                0 < offset < end and lines > 0
            ):
                if all(isinstance(id, str) for id in pending) and Facts.of_state(facts, lines) is not None:
                    return cls(offset, lines, facts, tuple(pending), created)
        return None

    @property
    def state(self) -> list[Any]:
        return [self.offset, self.lines, self.facts, list(self.pending), self.created]


def restart_in(skeleton: Skeleton, graph: Graph, worth: int = WORTH) -> tuple[int, int] | None:
    """Offset of the last line that will do with BEHIND others behind it, else the first of those that will do.

    With it comes the number of lines before.
    """
    nodes = skeleton.nodes
    count = len(nodes)
    found: int | None = None
    named = said = count  # the first node that is named, and the first message that is told of, behind `node`
    for node in range(count - 1, max(0, count - FAR), -1):
        parent = nodes.parents[node]
        if skeleton.offsets[node] < worth or skeleton.lines[node] <= skeleton.odd_line or _is_odd(skeleton, node):
            break
        if nodes.messages[node] != NONE:
            said = min(said, nodes.messages[node])
        if named >= node and node not in graph.repeats and _is_head(skeleton, node, said):
            found = node
            if count - node > BEHIND:
                break
        named = min(named, parent if parent != NONE else named, graph.repeats.get(node, named))
    return None if found is None else (skeleton.offsets[found], skeleton.lines[found] - 1)


def pending_in(skeleton: Skeleton) -> list[str] | None:
    """Ids that are named and have not come; None when any line that comes could change what stands before."""
    if skeleton.facts.summaries or skeleton.groups or skeleton.is_sidechain:
        return None
    told = {*skeleton.first_kept.values(), *filter(None, [skeleton.facts.leaf])} - skeleton.known.keys()
    pending = sorted(skeleton.missing | told)
    return pending if len(pending) <= PENDING else None


def _is_odd(skeleton: Skeleton, node: int) -> bool:
    """Whether no restart may stand before this node: its place depends on more than what it names."""
    nodes, parent = skeleton.nodes, skeleton.nodes.parents[node]
    strayed = parent == MISSING or parent >= node
    return strayed or nodes.groups[node] != MAIN or nodes.parts[node] in _COMPACTED


def _is_head(skeleton: Skeleton, node: int, said: int) -> bool:
    """A line of conversation that names its parent, and with which a message begins. Messages are counted upwards."""
    nodes = skeleton.nodes
    if nodes.parts[node] not in _SAID or nodes.parents[node] == NONE:
        return False
    return said > max(nodes.messages[:node], default=NONE)


def stands_alone(skeleton: Skeleton, since: int, pending: Sequence[str]) -> bool:
    """Whether what was read from a restart on is placed as in the whole file; lines from the byte `since` on are new.

    That ids are new, nobody can tell from here.
    """
    nodes, facts = skeleton.nodes, skeleton.facts
    if not skeleton.ids or skeleton.groups or facts.summaries or skeleton.odd_line:
        return False
    if facts.leaf and facts.leaf not in skeleton.known:
        return False
    if any(id in skeleton.known or id in skeleton.tools for id in pending):
        return False
    if any(_is_odd(skeleton, node) for node in range(1, len(nodes))):
        return False
    new = [node for node in range(len(nodes)) if skeleton.offsets[node] >= since]
    grown = {nodes.messages[node] for node in new} - {NONE}
    if 0 in new or nodes.messages[0] in grown:
        return False  # of the first line, what it hangs from is not here
    return all(_calls_known(skeleton, nodes.results.get(node, ())) for node in new)


def _calls_known(skeleton: Skeleton, calls: Sequence[str]) -> bool:
    return all(call in skeleton.tools for call in calls)
