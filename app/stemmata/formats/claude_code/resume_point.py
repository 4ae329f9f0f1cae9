"""Find the line from which reading a grown Claude Code file can resume.

A *resume point* is a conversation line to which no later line reaches back: no later line names a parent before it,
duplicates a line before it, or compacts. Reading from such a line gives every later line the same position as reading
the whole file. When no such line is found, the whole file is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stemmata.formats.claude_code.facts import TranscriptFacts
from stemmata.formats.claude_code.line_index import MAIN, LineIndex
from stemmata.formats.claude_code.line_tree import MISSING, NONE, Graph, LineRole

MIN_SKIPPED = 256 << 10  # bytes that resuming must skip; fewer bytes are read in a few milliseconds
MIN_LINES_BEHIND = 48  # lines after the resume point, so that later lines rarely name a parent before it
SEARCH_LIMIT = 2000  # lines at the end of the file that are searched
PENDING_LIMIT = 100  # named ids that are not in the file yet
_CONVERSATION = frozenset({LineRole.PROMPT, LineRole.REPLY, LineRole.INJECTION})
_COMPACTED = frozenset({LineRole.BOUNDARY, LineRole.SUMMARY})


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """A line from which the next reading can start: its byte `offset` and the number of `lines` before it.

    `pending` holds ids that are named but not in the file yet; when one arrives, earlier lines change. `created` is
    the time of the first line.
    """

    offset: int
    lines: int
    facts: dict[str, Any]
    pending: tuple[str, ...]
    created: int

    @classmethod
    def of(cls, state: Any, end: int) -> ResumePoint | None:
        """Restore a resume point from a checkpoint's state.

        Returns None for an invalid state, and for a point at or after the byte `end`.
        """
        match state:
            case [int(offset), int(lines), dict(facts), list(pending), int(created)] if (
                0 < offset < end and lines > 0
            ):
                is_sound = all(isinstance(id, str) for id in pending)
                is_sound = is_sound and TranscriptFacts.of_state(facts, lines) is not None
                return cls(offset, lines, facts, tuple(pending), created) if is_sound else None
        return None

    @property
    def state(self) -> list[Any]:
        """The resume point as JSON values for `of`."""
        return [self.offset, self.lines, self.facts, list(self.pending), self.created]


def find_resume_point(index: LineIndex, graph: Graph, min_skipped: int = MIN_SKIPPED) -> tuple[int, int] | None:
    """Return the byte offset of the best resume point and the number of lines before it, or None.

    The best is the last possible line with MIN_LINES_BEHIND lines after it, else the first possible line.
    """
    nodes = index.nodes
    count = len(nodes)
    found: int | None = None
    earliest_parent = earliest_message = count  # those that later lines name
    for node in range(count - 1, max(0, count - SEARCH_LIMIT), -1):
        parent = nodes.parents[node]
        if index.offsets[node] < min_skipped or index.lines[node] <= index.odd_line or _is_odd(index, node):
            break
        if nodes.messages[node] != NONE:
            earliest_message = min(earliest_message, nodes.messages[node])
        if earliest_parent >= node and node not in graph.repeats and _is_head(index, node, earliest_message):
            found = node
            if count - node > MIN_LINES_BEHIND:
                break
        earliest_parent = min(earliest_parent, parent if parent != NONE else count, graph.repeats.get(node, count))
    return None if found is None else (index.offsets[found], index.lines[found] - 1)


def pending_ids(index: LineIndex) -> list[str] | None:
    """Return the ids that are named but not in the file yet, sorted.

    Returns None when any new line could change earlier lines.
    """
    if index.facts.summaries or index.groups or index.is_sidechain:
        return None
    named = {*index.first_kept.values(), *filter(None, [index.facts.leaf])}
    pending = sorted(index.missing | (named - index.known.keys()))
    return pending if len(pending) <= PENDING_LIMIT else None


def _is_odd(index: LineIndex, node: int) -> bool:
    """Return whether no resume point may precede this node, because its position depends on more than its parent."""
    nodes, parent = index.nodes, index.nodes.parents[node]
    strayed = parent == MISSING or parent >= node
    return strayed or nodes.groups[node] != MAIN or nodes.roles[node] in _COMPACTED


def _is_head(index: LineIndex, node: int, earliest_message: int) -> bool:
    """Return whether the node is a conversation line with a parent that starts a new API message.

    Messages are numbered in order of their first line; `earliest_message` is the lowest number of a
    message after the node.
    """
    nodes = index.nodes
    if nodes.roles[node] not in _CONVERSATION or nodes.parents[node] == NONE:
        return False
    return earliest_message > max(nodes.messages[:node], default=NONE)


def equals_full_read(index: LineIndex, since: int, pending: Sequence[str]) -> bool:
    """Return whether reading from a resume point placed every line as reading the whole file would.

    Lines from the byte `since` on are new. This function cannot check that their ids differ from those before the
    resume point.
    """
    nodes, facts = index.nodes, index.facts
    if not index.ids or index.groups or facts.summaries or index.odd_line:
        return False
    if facts.leaf and facts.leaf not in index.known:
        return False
    if any(id in index.known or id in index.tools for id in pending):
        return False
    if any(_is_odd(index, node) for node in range(1, len(nodes))):
        return False
    new = [node for node in range(len(nodes)) if index.offsets[node] >= since]
    grown = {nodes.messages[node] for node in new} - {NONE}
    if 0 in new or nodes.messages[0] in grown:
        return False  # the first line's parent was not read
    return all(_calls_known(index, nodes.results.get(node, ())) for node in new)


def _calls_known(index: LineIndex, calls: Sequence[str]) -> bool:
    return all(call in index.tools for call in calls)
