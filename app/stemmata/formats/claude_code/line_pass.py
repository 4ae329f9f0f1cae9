"""The second pass over a Claude Code file: entries in the order of the solved graph, read line by line again."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from stemmata.domain.entries.entry import Entry, Flag, Record, Usage
from stemmata.domain.entries.session_facts import Blob, Skipped
from stemmata.formats.claude_code.entries import Place, entries_of, usage_of
from stemmata.formats.claude_code.records import part_of
from stemmata.formats.claude_code.skeleton_pass import Skeleton
from stemmata.formats.shared.dag import Graph
from stemmata.formats.shared.dag_nodes import NONE, Mend, Part
from stemmata.formats.shared.json_lines import BadLineError, parse_object


class Lines:
    """The lines of one file."""

    def __init__(self, file: BinaryIO, skeleton: Skeleton, graph: Graph) -> None:
        self._file = file
        self._skeleton = skeleton
        self._graph = graph
        self._messages = _Messages(skeleton, graph)

    def data(self, node: int) -> bytes:
        """The line's bytes as they are now."""
        self._file.seek(self._skeleton.offsets[node])
        return self._file.read(self._skeleton.sizes[node])

    def record(self, node: int) -> dict[str, Any] | None:
        """None when the file has been changed since the first pass."""
        try:
            record = parse_object(self.data(node))
        except BadLineError:
            return None
        return record if part_of(record) == self._skeleton.nodes.parts[node] else None

    def entries(self, nodes: Iterable[int], shift: dict[int, int] | None = None) -> Iterator[Entry | Blob | Skipped]:
        """`shift`: where the lines lie in the session's own source, when that is not the file."""
        for node in nodes:
            record = self.record(node)
            if record is None:
                yield Skipped(self._skeleton.lines[node], "changed while it was being read")
            else:
                offset = self._skeleton.offsets[node] if shift is None else shift[node]
                yield from entries_of(record, self._place(node, record, offset))

    def _place(self, node: int, record: dict[str, Any], offset: int) -> Place:
        skeleton, graph = self._skeleton, self._graph
        part = Part(skeleton.nodes.parts[node])
        boundary = self._boundary(node) if part == Part.SUMMARY else NONE
        return Place(
            id=skeleton.ids[node],
            parent=self._parent(node, record),
            time=skeleton.nodes.times[node],
            record=Record(offset, skeleton.sizes[node]),
            flags=Flag.REPAIRED if graph.mends[node] else Flag.NONE,
            part=part,
            tools=skeleton.tools,
            usage=self._usage(node, record) if part == Part.REPLY else None,
            last_of_message=self._messages.is_last(node),
            target=self._first_kept(boundary),
            boundary=self.record(boundary) if boundary != NONE else None,
        )

    def _parent(self, node: int, record: dict[str, Any]) -> str | None:
        """A parent that is not in the file may be in the one this was forked from: the store looks there."""
        parent = self._graph.parents[node]
        if parent != NONE:
            return self._skeleton.last_id(parent)
        if self._graph.mends[node] == Mend.ORPHAN and self._skeleton.facts.forked_from:
            return str(record["parentUuid"]) if record.get("parentUuid") else None
        return None

    def _boundary(self, node: int) -> int:
        parent = self._graph.parents[node]
        anchor = NONE if parent == NONE else self._graph.anchors[parent]
        return anchor if anchor != NONE and self._skeleton.nodes.parts[anchor] == Part.BOUNDARY else NONE

    def _first_kept(self, boundary: int) -> str | None:
        first = self._skeleton.known.get(self._skeleton.first_kept.get(boundary, ""))
        return None if first is None else self._skeleton.ids[self._graph.original(first)]

    def _usage(self, node: int, record: dict[str, Any]) -> Usage | None:
        source = self._messages.usage_source(node)
        if source == node:
            return usage_of(record)
        return usage_of(self.record(source) or {}) if source != NONE else None


class _Messages:
    """An API message is written as several lines that repeat its usage: it counts once, at the last of them.

    The one with the most output tokens is right: earlier ones were written while the reply was still coming.
    """

    def __init__(self, skeleton: Skeleton, graph: Graph) -> None:
        self._of = skeleton.nodes.messages
        size = max(self._of, default=NONE) + 1
        self._last = array("i", [NONE]) * size
        self._best = array("i", [NONE]) * size
        for node, message in enumerate(self._of):
            if message == NONE or node in graph.repeats:
                continue
            best = self._best[message]
            if best == NONE or skeleton.outputs[node] >= skeleton.outputs[best]:
                self._best[message] = node
            self._last[message] = node

    def is_last(self, node: int) -> bool:
        message = self._of[node]
        return message == NONE or self._last[message] == node

    def usage_source(self, node: int) -> int:
        """The node whose usage this one reports; NONE when another line of its message reports it."""
        message = self._of[node]
        if message == NONE:
            return node
        return self._best[message] if self._last[message] == node else NONE
