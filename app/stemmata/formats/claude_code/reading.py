"""Read a Claude Code file once: yield its conversation and the sidechains inside it as sessions."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from stemmata.domain.entries.entry import Entry, Flag, Record, Usage
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Repaired, Skipped
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.claude_code.entries import LinePlacement, entries_of, usage_of
from stemmata.formats.claude_code.facts import TranscriptFacts
from stemmata.formats.claude_code.line_index import MAIN, LineIndex, scan
from stemmata.formats.claude_code.line_tree import NONE, Graph, LineRole, Repair, solve
from stemmata.formats.claude_code.records import role_of
from stemmata.formats.claude_code.resume_point import ResumePoint, equals_full_read, find_resume_point, pending_ids
from stemmata.formats.shared.lines import CHUNK
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, dump, parse_object

_LISTED = 20  # repairs of one kind that are listed; further ones are only counted
_LISTED_REPAIRS = {
    Repair.SAME_TIME: "Has the same parent and time as another line; placed after it.",
    Repair.REPEATED: "Duplicates an earlier line at the same position and time; kept once.",
    Repair.ORPHAN: "Its parent is not in the file; stored as a root, or a note linked to the previous line.",
    Repair.CYCLE: "Its parents formed a cycle; the cycle was cut at this line.",
}
_COUNTED_REPAIRS = {  # one and several repairs that are normal in sound files, so they are only counted
    Repair.INLINE: (
        "1 late tool result, message part or note was appended to its branch.",
        "{} late tool results, message parts or notes were appended to their branch.",
    ),
    Repair.UNLINKED: (
        "1 line had no parent; linked to the previous line.",
        "{} lines had no parent; linked to the previous line.",
    ),
}


def repairs_of(index: LineIndex, graph: Graph) -> Iterator[Repaired]:
    """Yield a report item for each repair; frequent kinds are summarised as counts."""
    yield from index.repaired
    if index.repeated:
        lines = "1 line occurs" if index.repeated == 1 else f"{index.repeated} lines occur"
        yield Repaired(f"{lines} twice with the same content; kept once.")
    counts: Counter[Repair] = Counter()
    for node, code in enumerate(graph.repairs):
        repair = Repair(code)
        if repair is not Repair.NOTHING:
            counts[repair] += 1
            if repair in _LISTED_REPAIRS and counts[repair] <= _LISTED:
                yield Repaired(f"Line {index.lines[node]}: {_LISTED_REPAIRS[repair]}", index.ids[node])
    for repair, number in counts.items():
        if repair in _COUNTED_REPAIRS:
            one, several = _COUNTED_REPAIRS[repair]
            yield Repaired(one if number == 1 else several.format(number))
        elif number > _LISTED:
            yield Repaired(f"{_LISTED_REPAIRS[repair]} {number - _LISTED} more lines of this kind.")


_ROLES = {role.value: role for role in LineRole}  # `LineRole(…)` takes ten times as long, for each line


class EntryReader:
    """Read the entries of single lines from the file, using the index of the first pass."""

    def __init__(self, file: BinaryIO, index: LineIndex, graph: Graph) -> None:
        self._file = file
        self._line_index = index
        self._graph = graph
        self._messages = _MessageUsage(index, graph)
        self._window = b""  # bytes of the file that were read last
        self._start = 0  # where they begin
        # the first line of the session's own conversation
        self._first = next((at for at, group in enumerate(index.nodes.groups) if group == MAIN), NONE)

    def data(self, node: int) -> bytes:
        """Return the line's bytes as they are now, or were when the bytes before it were read."""
        offset, size = self._line_index.offsets[node], self._line_index.sizes[node]
        at = offset - self._start
        if at < 0 or at + size > len(self._window):
            self._file.seek(offset)
            self._window, self._start, at = self._file.read(max(size, CHUNK)), offset, 0
        return self._window[at : at + size]

    def record(self, node: int) -> dict[str, Any] | None:
        """Return the line's record; None when the file was changed since the first pass."""
        try:
            record = parse_object(self.data(node))
        except BadLineError:
            return None
        return record if role_of(record) == self._line_index.nodes.roles[node] else None

    def entries(self, nodes: Iterable[int], shift: dict[int, int] | None = None) -> Iterator[Entry | Blob | Skipped]:
        """Yield the entries of these lines.

        `shift` maps nodes to byte offsets in the session's own source, for a sidechain, whose source is not the file.
        """
        for node in nodes:
            record = self.record(node)
            if record is None:
                yield Skipped(self._line_index.lines[node], "the file changed while it was being read")
            else:
                offset = self._line_index.offsets[node] if shift is None else shift[node]
                yield from entries_of(record, self._placement(node, record, offset))

    def _placement(self, node: int, record: dict[str, Any], offset: int) -> LinePlacement:
        index, graph = self._line_index, self._graph
        role = _ROLES[index.nodes.roles[node]]
        boundary = self._boundary(node) if role == LineRole.SUMMARY else NONE
        return LinePlacement(
            id=index.ids[node],
            parent=self._parent(node, record),
            time=index.nodes.times[node],
            record=Record(offset, index.sizes[node]),
            flags=Flag.REPAIRED if graph.repairs[node] else Flag.NONE,
            role=role,
            tools=index.tools,
            usage=self._usage(node, record) if role == LineRole.REPLY else None,
            last_of_message=self._messages.is_last(node),
            target=self._first_kept(boundary),
            boundary=self.record(boundary) if boundary != NONE else None,
        )

    def _parent(self, node: int, record: dict[str, Any]) -> str | None:
        """Return the id of the parent entry, or None for a root.

        A parent outside this file may be in the file that this session was forked from, or that its first line
        continues; the store resolves the id there.
        """
        parent = self._graph.parents[node]
        if parent != NONE:
            return self._line_index.last_id(parent)
        is_first = node == self._first
        if self._graph.repairs[node] == Repair.ORPHAN and (is_first or self._line_index.facts.forked_from):
            named = record.get("parentUuid") or (record.get("logicalParentUuid") if is_first else None)
            return str(named) if named and not (is_first and self._contains(str(named))) else None
        return None

    def _contains(self, id: str) -> bool:
        """Return whether a line of the file, also one of a sidechain, has this id."""
        ids = self._line_index.ids
        return any(ids[node] == id for node in range(len(ids)))

    def _boundary(self, node: int) -> int:
        parent = self._graph.parents[node]
        anchor = NONE if parent == NONE else self._graph.anchors[parent]
        return anchor if anchor != NONE and self._line_index.nodes.roles[anchor] == LineRole.BOUNDARY else NONE

    def _first_kept(self, boundary: int) -> str | None:
        first = self._line_index.known.get(self._line_index.first_kept.get(boundary, ""))
        return None if first is None else self._line_index.ids[self._graph.original(first)]

    def _usage(self, node: int, record: dict[str, Any]) -> Usage | None:
        source = self._messages.usage_source(node)
        if source == node:
            return usage_of(record)
        return usage_of(self.record(source) or {}) if source != NONE else None


class _MessageUsage:
    """Assign the usage of an API message to one of its lines.

    Claude Code writes an API message as several lines that repeat its usage; it counts once, at the last line. The
    line with the most output tokens has the final numbers, because earlier lines were written while the reply was
    streaming.
    """

    def __init__(self, index: LineIndex, graph: Graph) -> None:
        self._of = index.nodes.messages
        size = max(self._of, default=NONE) + 1
        self._last = array("i", [NONE]) * size
        self._best = array("i", [NONE]) * size
        for node, message in enumerate(self._of):
            if message == NONE or node in graph.repeats:
                continue
            best = self._best[message]
            if best == NONE or index.outputs[node] >= index.outputs[best]:
                self._best[message] = node
            self._last[message] = node

    def is_last(self, node: int) -> bool:
        """Return whether the line is the last of its message, or belongs to none."""
        message = self._of[node]
        return message == NONE or self._last[message] == node

    def usage_source(self, node: int) -> int:
        """Return the node whose usage this line reports; NONE when another line reports it."""
        message = self._of[node]
        if message == NONE:
            return node
        return self._best[message] if self._last[message] == node else NONE


SOURCE = "claude-code"


class ClaudeCodeReading:
    """Index and solve the file on construction. Raises UnreadableSourceError, NotFoundError.

    With a `resume_point`, only the lines after it are read. Lines before `since`, where the previous reading ended,
    are yielded again only when new lines changed them. Else with `end` no more than about so many bytes are read.
    """

    def __init__(
        self,
        path: Path,
        since: Checkpoint | None = None,
        resume_point: ResumePoint | None = None,
        *,
        end: int | None = None,
    ) -> None:
        self._path = path
        self._resume_point = resume_point
        self._since, self._lines = (0, 0) if since is None or resume_point is None else (since.offset, since.lines)
        if resume_point is None:
            self.index, self._source = scan(path, path.stem, end=end)
            self.graph = solve(self.index.nodes)
            self.index.nodes.results.clear()  # only a resumed reading needs them later
        else:
            facts = TranscriptFacts.of_state(resume_point.facts, self._lines)
            self.index, self._source = scan(
                path,
                path.stem,
                offset=resume_point.offset,
                lines=resume_point.lines,
                facts=facts,
                awaited=resume_point.pending,
            )
            self.graph = solve(self.index.nodes, frozenset({MAIN}))
        self._members: dict[int, array[int]] = defaultdict(lambda: array("i"))
        groups = self.index.nodes.groups
        for node in self.graph.order:
            self._members[groups[node]].append(node)

    @property
    def equals_full_read(self) -> bool:
        """Whether reading from the resume point gave the same result as reading the whole file would."""
        return self._resume_point is not None and equals_full_read(
            self.index, self._since, self._resume_point.pending
        )

    def resume_point(self, min_skipped: int) -> ResumePoint | None:
        """Return the point from which the next reading can start.

        Returns None when resuming there would skip fewer than `min_skipped` bytes.
        """
        pending = pending_ids(self.index)
        taken_early = self.index.offsets[-1] >= self._source.offset  # the last line has no line end yet
        if taken_early or pending is None:
            return None
        before = self._resume_point
        found = find_resume_point(self.index, self.graph, min_skipped)
        if found is None and before is not None:
            found = before.offset, before.lines
        if found is None:
            return None
        left = tuple(sorted({*pending, *(before.pending if before is not None else ())}))
        return ResumePoint(*found, self.index.facts.state, left, self.created_at())

    def require_entries(self) -> None:
        """Raise UnreadableSourceError when the file contains no messages."""
        if not self.index.ids:
            raise UnreadableSourceError(Phrase("{0} contains no messages of a Claude Code session.", self._path))

    # -- the file's own conversation --------------------------------------------------------------------------

    def conversation(self, info: SessionInfo, notes: Iterable[ReadEvent] = ()) -> Iterator[ReadEvent]:
        """Yield the events from Begin up to, but not including, End. `notes` are added to this session's report."""
        yield Begin(info, offset=self._since)
        with open_source(self._path) as file, known_read_errors(self._path):
            members = self._members.get(MAIN, array("i"))
            yield from self._report(members)
            yield from notes
            yield from self._entries(file, members if self._resume_point is None else self._changed(members))

    def _changed(self, members: array[int]) -> list[int]:
        """Return the new lines and the earlier lines of messages that continue in them, in order."""
        messages = self.index.nodes.messages
        grown = {messages[node] for node in self._new(members)} - {NONE}
        new = set(self._new(members))
        return [node for node in members if node in new or messages[node] in grown]

    def _new(self, members: array[int]) -> Iterator[int]:
        return (node for node in members if self.index.offsets[node] >= self._since)

    def _report(self, members: array[int]) -> Iterator[ReadEvent]:
        """Yield skipped and repaired lines; a resumed reading reports new lines only."""
        repairs = repairs_of(self.index, self.graph)
        if self._resume_point is None:
            yield from self.index.skipped
            yield from repairs
            return
        yield from (skipped for skipped in self.index.skipped if skipped.line > self._lines)
        new = {self.index.ids[node] for node in self._new(members)}
        yield from (repaired for repaired in repairs if repaired.entry in new)

    def end(self, info: SessionInfo, state: dict[str, Any] | None = None) -> End:
        """Return the End event of a session with these properties.

        Without `state` the file is read as part of another file and gets no checkpoint.
        """
        checkpoint = self.checkpoint(state) if state is not None else None
        return End(self._leaf(), leaf_known=True, title=info.title, checkpoint=checkpoint, named=info.named)

    def checkpoint(self, state: dict[str, Any]) -> Checkpoint:
        """Return the checkpoint from which the next reading continues."""
        return self._source.checkpoint(state)

    def first_record(self, group: int = MAIN) -> dict[str, Any]:
        """Return the record of the group's first conversation line; {} when the group has none."""
        roles = self.index.nodes.roles
        first = next((node for node in self._members.get(group, ()) if roles[node] != LineRole.NOTE), NONE)
        if first == NONE:
            return {}
        with open_source(self._path) as file, known_read_errors(self._path):
            return EntryReader(file, self.index, self.graph).record(first) or {}

    def created_at(self, group: int = MAIN) -> int:
        """Return the first timestamp of the group, in nanoseconds since the epoch; 0 when there is none."""
        if self._resume_point is not None:
            return self._resume_point.created
        times = self.index.nodes.times
        return next((times[node] for node in self._members.get(group, ()) if times[node]), 0)

    def _entries(self, file: BinaryIO, nodes: Iterable[int]) -> Iterator[Raw | Entry | Blob | Skipped]:
        """Yield the entries of these lines, each after the file's bytes up to its end; then the other bytes.

        The bytes are compressed on another thread, which would let the entries wait if all bytes came first.
        """
        lines, offsets, sizes = EntryReader(file, self.index, self.graph), self.index.offsets, self.index.sizes
        at = self._since
        for node in nodes:
            for raw in self._raw(file, at, offsets[node] + sizes[node]):
                yield raw
                at = raw.offset + len(raw.data)
            yield from lines.entries((node,))
        yield from self._raw(file, at, self._source.size)

    def _raw(self, file: BinaryIO, at: int, end: int) -> Iterator[Raw]:
        """Yield the bytes from `at` on in whole pieces, at least up to `end`."""
        while at < end:
            file.seek(at)
            data = file.read(min(CHUNK, self._source.size - at))
            if not data:
                return
            yield Raw(at, data)
            at += len(data)

    def _leaf(self, group: int = MAIN) -> str | None:
        """Return the id of the current leaf, or None for an empty group.

        The leaf is the end after the last message, or after the message that a later `last-prompt` line names.
        """
        index, graph = self.index, self.graph
        node = graph.last_of_conversation.get(group, NONE)
        if group == MAIN:
            node = self._named_leaf(node)
        if node == NONE:
            members = self._members.get(group)
            return index.last_id(members[-1]) if members else None
        return index.last_id(graph.end_behind(node))

    def _named_leaf(self, last: int) -> int:
        index = self.index
        named = index.known.get(index.facts.leaf, NONE)
        if named == NONE or index.nodes.groups[named] != MAIN:
            return last
        return named if last == NONE or index.lines[last] < index.facts.leaf_line else last

    # -- sidechains in the file -------------------------------------------------------------------------------

    def sidechains(self, parent: SessionInfo) -> Iterator[ReadEvent]:
        """Yield each sidechain as a session of its own, whose source consists of its lines only.

        This matches newer versions of Claude Code, which write a sidechain to its own file.
        """
        for key, group in self.index.groups.items():
            yield from self._sidechain(key, group, self._members[group], parent)

    def _sidechain(self, key: str, group: int, members: array[int], parent: SessionInfo) -> Iterator[ReadEvent]:
        call = self.index.spawned.get(key) or self.index.task_call(self.first_record(group))
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
        with open_source(self._path) as file, known_read_errors(self._path):
            lines = EntryReader(file, self.index, self.graph)
            at = 0
            for node in sorted(members):
                data = lines.data(node) + b"\n"
                shift[node] = at
                yield Raw(at, data)
                at += len(data)
            yield from lines.entries(members, shift)
        yield End(self._leaf(group), leaf_known=True)


def details_of(index: LineIndex, extras: dict[str, Any]) -> str:
    """Return the session's details as JSON text.

    They hold the facts in its lines, the number of lines that make no entry, and `extras`.
    """
    facts = index.facts
    details: dict[str, Any] = {key: value for key, value in facts.first.items() if key != "cwd"}
    if facts.others:
        details["otherLines"] = dict(facts.others)
    return dump({**details, **extras})
