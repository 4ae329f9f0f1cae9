"""One reading of a Claude Code file: its conversation, and the sidechains written into it, as sessions."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from stemmata.domain.entries.entry import Entry, Flag, Record, Usage
from stemmata.domain.entries.session_facts import (
    Begin,
    Blob,
    Checkpoint,
    End,
    Raw,
    ReadEvent,
    Repaired,
    SessionInfo,
    Skipped,
)
from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.claude_code.entries import Place, entries_of, usage_of
from stemmata.formats.claude_code.facts import Facts
from stemmata.formats.claude_code.records import part_of
from stemmata.formats.claude_code.restart import Restart, pending_in, restart_in, stands_alone
from stemmata.formats.claude_code.skeleton_pass import MAIN, Skeleton, scan
from stemmata.formats.shared.dag import NONE, Graph, Mend, Part, solve
from stemmata.formats.shared.lines import CHUNK
from stemmata.formats.shared.source_file import open_source, reading
from stemmata.formats.shared.values import BadLineError, dump, parse_object

_LISTED = 20  # of one kind; the rest are counted
_ONE = {
    Mend.SAME_TIME: "Written at the same time as its neighbour below one parent: kept behind it.",
    Mend.REPEATED: "Says again what an earlier line says at the same place and time: kept once.",
    Mend.ORPHAN: "Its parent is not in the file: attached as a root, or to the line before if it is a note.",
    Mend.CYCLE: "The parents of this line led back to it: the circle was cut here.",
}
_MANY = {  # usual in sound files, so only counted
    Mend.INLINE: "Late tool results, parts of one message and notes that were kept in line",
    Mend.UNLINKED: "Lines that name no parent, each attached to what stands before it",
}


def repairs_of(skeleton: Skeleton, graph: Graph) -> Iterator[Repaired]:
    yield from skeleton.repaired
    if skeleton.repeated:
        yield Repaired(f"Lines that occur a second time with the same content, kept once: {skeleton.repeated}.")
    counts: Counter[Mend] = Counter()
    for node, code in enumerate(graph.mends):
        mend = Mend(code)
        if mend is not Mend.NOTHING:
            counts[mend] += 1
            if mend in _ONE and counts[mend] <= _LISTED:
                yield Repaired(f"Line {skeleton.lines[node]}: {_ONE[mend]}", skeleton.ids[node])
    for mend, number in counts.items():
        if mend in _MANY:
            yield Repaired(f"{_MANY[mend]}: {number}.")
        elif number > _LISTED:
            yield Repaired(f"{_ONE[mend]} {number - _LISTED} more lines like those listed.")


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


SOURCE = "claude-code"


class Reading:
    """Scans and solves on construction. Raises UnreadableSourceError, NotFoundError.

    `restart`: only what stands behind it is read, and of that nothing before `since`, where an earlier reading ended,
    is yielded again but what has changed with what came.
    """

    def __init__(self, path: Path, since: Checkpoint | None = None, restart: Restart | None = None) -> None:
        self._path = path
        self._restart = restart
        self._since, self._lines = (0, 0) if since is None or restart is None else (since.offset, since.lines)
        if restart is None:
            self.skeleton, self._source = scan(path, path.stem)
            self.graph = solve(self.skeleton.nodes)
            self.skeleton.nodes.results.clear()  # only a restart is asked for them later
        else:
            facts = Facts.of_state(restart.facts, self._lines)
            self.skeleton, self._source = scan(
                path, path.stem, offset=restart.offset, lines=restart.lines, facts=facts, awaited=restart.pending
            )
            self.graph = solve(self.skeleton.nodes, frozenset({MAIN}))
        self._members: dict[int, array[int]] = defaultdict(lambda: array("i"))
        groups = self.skeleton.nodes.groups
        for node in self.graph.order:
            self._members[groups[node]].append(node)

    @property
    def stands_alone(self) -> bool:
        """Whether what was read from the restart on is as a reading of the whole file would have it."""
        return self._restart is not None and stands_alone(self.skeleton, self._since, self._restart.pending)

    def restart(self, worth: int) -> Restart | None:
        """Where the next reading may begin, if there are that many bytes before it."""
        pending = pending_in(self.skeleton)
        taken_early = self.skeleton.offsets[-1] >= self._source.offset  # the last line, which has no end yet
        if taken_early or pending is None:
            return None
        before = self._restart
        found = restart_in(self.skeleton, self.graph, worth)
        if found is None and before is not None:
            found = before.offset, before.lines
        if found is None:
            return None
        left = tuple({*pending, *(before.pending if before is not None else ())})
        return Restart(*found, self.skeleton.facts.state, left, self.created_at())

    def require_entries(self) -> None:
        if not self.skeleton.ids:
            raise UnreadableSourceError(f"{self._path} holds no messages of a Claude Code session.")

    # -- the file's own conversation --------------------------------------------------------------------------

    def conversation(self, info: SessionInfo, notes: Iterable[ReadEvent] = ()) -> Iterator[ReadEvent]:
        """From Begin to what is before End. `notes` belong to the report of this session."""
        yield Begin(info, offset=self._since)
        with open_source(self._path) as file, reading(self._path):
            yield from self._raw(file)
            members = self._members.get(MAIN, array("i"))
            yield from self._report(members)
            yield from notes
            lines = Lines(file, self.skeleton, self.graph)
            yield from lines.entries(members if self._restart is None else self._changed(members))

    def _changed(self, members: array[int]) -> list[int]:
        """The new lines, and those of messages that go on in them."""
        messages = self.skeleton.nodes.messages
        grown = {messages[node] for node in self._new(members)} - {NONE}
        new = set(self._new(members))
        return [node for node in members if node in new or messages[node] in grown]

    def _new(self, members: array[int]) -> Iterator[int]:
        return (node for node in members if self.skeleton.offsets[node] >= self._since)

    def _report(self, members: array[int]) -> Iterator[ReadEvent]:
        """What was left out and mended; behind a restart, of the new lines alone."""
        repairs = repairs_of(self.skeleton, self.graph)
        if self._restart is None:
            yield from self.skeleton.skipped
            yield from repairs
            return
        yield from (skipped for skipped in self.skeleton.skipped if skipped.line > self._lines)
        new = {self.skeleton.ids[node] for node in self._new(members)}
        yield from (repaired for repaired in repairs if repaired.entry in new)

    def end(self, title: str, state: dict[str, Any] | None = None) -> End:
        """Without `state` the file is read only as a part of another, and gets no checkpoint."""
        checkpoint = self.checkpoint(state) if state is not None else None
        return End(self._leaf(), leaf_known=True, title=title, checkpoint=checkpoint)

    def checkpoint(self, state: dict[str, Any]) -> Checkpoint:
        return self._source.checkpoint(state)

    def first_record(self, group: int = MAIN) -> dict[str, Any]:
        """The first line of conversation."""
        parts = self.skeleton.nodes.parts
        first = next((node for node in self._members.get(group, ()) if parts[node] != Part.NOTE), NONE)
        if first == NONE:
            return {}
        with open_source(self._path) as file, reading(self._path):
            return Lines(file, self.skeleton, self.graph).record(first) or {}

    def created_at(self, group: int = MAIN) -> int:
        if self._restart is not None:
            return self._restart.created
        times = self.skeleton.nodes.times
        return next((times[node] for node in self._members.get(group, ()) if times[node]), 0)

    def _raw(self, file: BinaryIO) -> Iterator[Raw]:
        at = self._since
        file.seek(at)
        while at < self._source.size and (data := file.read(min(CHUNK, self._source.size - at))):
            yield Raw(at, data)
            at += len(data)

    def _leaf(self, group: int = MAIN) -> str | None:
        """Behind the last message, or behind the one that a later `last-prompt` line names."""
        skeleton, graph = self.skeleton, self.graph
        node = graph.last_said.get(group, NONE)
        if group == MAIN:
            node = self._named_leaf(node)
        if node == NONE:
            members = self._members.get(group)
            return skeleton.last_id(members[-1]) if members else None
        return skeleton.last_id(graph.end_behind(node))

    def _named_leaf(self, last: int) -> int:
        skeleton = self.skeleton
        named = skeleton.known.get(skeleton.facts.leaf, NONE)
        if named == NONE or skeleton.nodes.groups[named] != MAIN:
            return last
        return named if last == NONE or skeleton.lines[last] < skeleton.facts.leaf_line else last

    # -- sidechains in the file -------------------------------------------------------------------------------

    def sidechains(self, parent: SessionInfo) -> Iterator[ReadEvent]:
        """Each as a session of its own, whose source is its lines alone: as newer versions write them to a file."""
        for key, group in self.skeleton.groups.items():
            yield from self._sidechain(key, group, self._members[group], parent)

    def _sidechain(self, key: str, group: int, members: array[int], parent: SessionInfo) -> Iterator[ReadEvent]:
        call = self.skeleton.spawned.get(key) or self.skeleton.task_call(self.first_record(group))
        yield Begin(
            SessionInfo(
                source=SOURCE,
                source_id=f"{parent.source_id}/agent-{key}",
                cwd=parent.cwd,
                created_at=self.created_at(group),
                parent_source_id=parent.source_id,
                details=dump({"agentId": key, **({"toolCall": call} if call else {})}),
            )
        )
        shift: dict[int, int] = {}
        with open_source(self._path) as file, reading(self._path):
            lines = Lines(file, self.skeleton, self.graph)
            at = 0
            for node in sorted(members):
                data = lines.data(node) + b"\n"
                shift[node] = at
                yield Raw(at, data)
                at += len(data)
            yield from lines.entries(members, shift)
        yield End(self._leaf(group), leaf_known=True)


def details_of(skeleton: Skeleton, extras: dict[str, Any]) -> str:
    """The session's details: what its lines say of it, how many lines make no entry, and `extras`."""
    facts = skeleton.facts
    told: dict[str, Any] = {key: value for key, value in facts.first.items() if key != "cwd"}
    if facts.others:
        told["otherLines"] = dict(facts.others)
    return dump({**told, **extras})
