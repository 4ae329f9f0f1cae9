"""One reading of a Claude Code file: its conversation, and the sidechains written into it, as sessions."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from stemmata.domain.entries.session_facts import Begin, Checkpoint, End, Raw, ReadEvent, SessionInfo
from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.claude_code.facts import Facts
from stemmata.formats.claude_code.line_pass import Lines
from stemmata.formats.claude_code.repairs import repairs_of
from stemmata.formats.claude_code.restart import Restart, pending_in, restart_in, stands_alone
from stemmata.formats.claude_code.skeleton_pass import MAIN, Skeleton, scan
from stemmata.formats.shared.dag import solve
from stemmata.formats.shared.dag_nodes import NONE, Part
from stemmata.formats.shared.lines import CHUNK
from stemmata.formats.shared.source_file import open_source, reading
from stemmata.formats.shared.values import dump

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
