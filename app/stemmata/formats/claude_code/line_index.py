"""The first pass over a Claude Code file: index every line without keeping its content.

Memory is about 250 bytes per line while reading and 120 bytes afterwards, independent of the length of the lines.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from sys import intern
from typing import Any

from stemmata.domain.sources.reading import Repaired, Skipped
from stemmata.formats.claude_code.facts import TITLES, TranscriptFacts
from stemmata.formats.claude_code.line_tree import MISSING, NONE, LineRole, NodeColumns
from stemmata.formats.claude_code.records import (
    MESSAGES,
    blocks_in,
    content_of,
    digest_of,
    entries_in,
    identifier,
    kept_ids,
    parent_of,
    results_of,
    role_of,
)
from stemmata.formats.shared.lines import Line, SourceLines, object_in
from stemmata.formats.shared.values import BadLineError, count, instant, mapping

MAIN = 0  # the group of the main conversation; sidechains are numbered from 1
_ENCODING = ("utf-8", "surrogatepass")  # ids can be derived from a file name, which may hold any bytes
_SPAWNING = frozenset({"Task", "Agent"})


class Ids:
    """The ids of all lines in one byte string.

    As Python strings, the ids would use most of the memory for a long file.
    """

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, node: int) -> str:
        return self._text[self._ends[node] : self._ends[node + 1]].decode(*_ENCODING)

    def append(self, id: bytes) -> None:
        """Add the encoded id of the next node."""
        self._text += id
        self._ends.append(len(self._text))


class LineIndex:
    """Columns over the lines that make entries, and the facts found while reading. `scan` fills it."""

    def __init__(self, name: str, facts: TranscriptFacts | None = None, awaited: Sequence[str] = ()) -> None:
        self._name = name  # prefix of the ids of lines that carry none
        self._awaited = awaited  # ids that stay in `known` after the reading
        self.nodes = NodeColumns()
        self.ids = Ids()
        self.known: dict[str, int] = {}  # id → node for ids that the session's facts name; filled by `finish`
        self.offsets = array("q")
        self.sizes = array("i")
        self.lines = array("i")
        self.outputs = array("i")  # output tokens that a REPLY reports
        self.entries: dict[int, int] = {}  # node → number of its entries, unless it is 1
        self.tools: dict[str, str] = {}  # call id → tool
        self.prompts: dict[int, str] = {}  # hash of a subagent's task → call id
        self.spawned: dict[str, str] = {}  # agent id → call id
        self.first_kept: dict[int, str] = {}  # BOUNDARY → id of the first message it keeps
        self.groups: dict[str, int] = {}  # sidechain → number of its group
        self.facts = facts or TranscriptFacts()
        self.missing: set[str] = set()  # ids of parents and calls that are named but not in the file
        self.is_sidechain = False  # whether the file holds only a sidechain
        self.skipped: list[Skipped] = []
        self.repaired: list[Repaired] = []
        self.repeated = 0  # number of lines that repeat an earlier line word for word
        self.odd_line = 0  # number of the last line that reuses an id
        self._numbers: dict[bytes, int] = {}  # id → node
        self._messages: dict[str, int] = {}  # API message id → its number
        self._uses: dict[str, int] = {}  # id used by several lines → number of its uses
        self._waiting: dict[int, str] = {}  # node → id of its parent, which has not been read yet
        self._unnamed_group = NONE

    def add(self, line: Line) -> None:
        """Index one line; a damaged line is recorded in `skipped`."""
        try:
            self._add_record(object_in(line), line)
        except BadLineError as error:
            self.skipped.append(Skipped(line.number, str(error)))

    def finish(self) -> None:
        """Complete the index after the last line.

        Resolves parents that come after their children. A file that holds only sidechains becomes one conversation.
        """
        for node, parent in self._waiting.items():
            self.nodes.parents[node] = self._numbers.get(_encoded(parent), MISSING)
        called = {call for calls in self.nodes.results.values() for call in calls}
        absent = {parent for parent in self._waiting.values() if _encoded(parent) not in self._numbers}
        self.missing = absent | (called - self.tools.keys())
        self._waiting.clear()
        self._forget()
        groups, roles = self.nodes.groups, self.nodes.roles
        if self.groups and not any(group == MAIN and role for group, role in zip(groups, roles, strict=True)):
            self.nodes.groups = array("i", bytes(4 * len(groups)))
            self.groups.clear()
            self.is_sidechain = True

    def _forget(self) -> None:
        """Free the tables that only the reading needs; keep the ids that the session's facts name."""
        named = {self.facts.leaf, *self.facts.summaries, *self.first_kept.values(), *self._awaited}
        numbers = {id: self._numbers.get(_encoded(id), NONE) for id in named}
        self.known = {id: node for id, node in numbers.items() if node != NONE}
        self._numbers = {}
        self._messages = {}
        self._uses = {}
        # The strings lie between objects that are freed here; copying them lets the allocator release those pages.
        self.tools = {_encoded(call).decode(*_ENCODING): tool for call, tool in self.tools.items()}

    # -- one line ---------------------------------------------------------------------------------------------

    def _add_record(self, record: dict[str, Any], line: Line) -> None:
        kind = record.get("type")
        if not isinstance(kind, str):
            raise BadLineError("an object without a type")
        role = role_of(record)
        if role is None:
            if not isinstance(record.get(TITLES.get(kind, "")), str | None):
                raise BadLineError("a title that is not a text")
            self.facts.add_fact(record, line.number)
            return
        if kind in MESSAGES and "message" not in record and not record.get("uuid"):
            raise BadLineError("a message line without a message")
        digest = digest_of(record)
        own = identifier(record.get("uuid")) or f"{self._name}:{line.number}"
        encoded = _encoded(own)
        earlier = self._numbers.get(encoded)
        if earlier is not None and self.nodes.digests[earlier] == digest and self.nodes.roles[earlier] == role:
            self.repeated += 1
            self.odd_line = line.number
            return
        self.facts.add_line(record)
        entries = entries_in(record) if role == LineRole.RESULT else 1
        if entries == 1 and earlier is None:  # most lines
            self._numbers[encoded] = len(self.ids)
        else:
            own = self._claim(own, line.number, entries)
            encoded = _encoded(own)
        self.ids.append(encoded)
        self._add(record, line, role, digest, own)

    def _claim(self, own: str, line: int, entries: int) -> str:
        """Return a unique id for the line, and reserve the ids of its entries."""
        id = own
        while any(_encoded(part_id(id, number)) in self._numbers for number in range(1, entries + 1)):
            self._uses[own] = self._uses.get(own, 1) + 1
            id = f"{own}~{self._uses[own]}"
        if id != own:
            self.odd_line = line
            self.repaired.append(Repaired(f"Line {line} reuses an id; stored as {id}.", id))
        for number in range(1, entries + 1):
            self._numbers[_encoded(part_id(id, number))] = len(self.ids)
        if entries > 1:
            self.entries[len(self.ids)] = entries
        return id

    def _add(self, record: dict[str, Any], line: Line, role: LineRole, digest: int, id: str) -> None:
        nodes, node = self.nodes, len(self.offsets)
        self.offsets.append(line.offset)
        self.sizes.append(line.size)
        self.lines.append(line.number)
        is_reply = role == LineRole.REPLY
        message = mapping(record.get("message")) if is_reply else {}
        self.outputs.append(count(mapping(message.get("usage")).get("output_tokens")) if is_reply else 0)
        nodes.roles.append(role)
        nodes.times.append(instant(record.get("timestamp")))
        nodes.digests.append(digest)
        nodes.messages.append(self._message(message) if is_reply else NONE)
        nodes.calling.append(0)
        parent = self._parent(record, node, role)
        nodes.parents.append(parent)
        nodes.groups.append(self._group(record, id, parent) if record.get("isSidechain") is True else MAIN)
        if role == LineRole.RESULT:
            self._add_results(record, node)
        elif is_reply:
            self._add_calls(record, node)

    def _message(self, message: dict[str, Any]) -> int:
        """Return the number of the API message that the line belongs to, or NONE."""
        id = identifier(message.get("id"))
        return self._messages.setdefault(id, len(self._messages)) if id else NONE

    def _parent(self, record: dict[str, Any], node: int, role: LineRole) -> int:
        if role == LineRole.BOUNDARY:
            return self._parent_of_boundary(record, node)
        named = parent_of(record)
        if not named:
            return NONE
        parent = self._numbers.get(_encoded(named), MISSING)
        if parent == MISSING:
            self._waiting[node] = named
        return parent

    def _parent_of_boundary(self, record: dict[str, Any], node: int) -> int:
        """Return the parent of a boundary: its last kept message, else the parent it names; only earlier lines count.

        Claude Code may write kept messages again below the summary; a link to such a copy would form a cycle.
        """
        first, kept = kept_ids(record)
        named = parent_of(record)
        if first:
            self.first_kept[node] = first
        for at, id in enumerate([*kept, named]):
            parent = self._numbers.get(_encoded(id), NONE)
            if NONE < parent < node:
                if at == 0 and kept:
                    self.nodes.kept[node] = parent
                return parent
        return MISSING if named else NONE

    def _group(self, record: dict[str, Any], id: str, parent: int) -> int:
        """Return the line's group: by its agent id, else its parent's group, else a new group.

        Lines of old versions carry no agent id.
        """
        agent = identifier(record.get("agentId"))
        if agent:
            return self.groups.setdefault(agent, len(self.groups) + 1)
        if 0 <= parent < len(self.nodes.groups) and self.nodes.groups[parent] != MAIN:
            return self.nodes.groups[parent]
        if parent != NONE and self._unnamed_group != NONE:
            return self._unnamed_group
        self._unnamed_group = self.groups.setdefault(id, len(self.groups) + 1)
        return self._unnamed_group

    def _add_results(self, record: dict[str, Any], node: int) -> None:
        calls = [identifier(block.get("tool_use_id")) for block in results_of(record)]
        self.nodes.results[node] = tuple([call for call in calls if call])
        agent = identifier(mapping(record.get("toolUseResult")).get("agentId"))
        if agent and calls[0]:
            self.spawned.setdefault(agent, calls[0])

    def _add_calls(self, record: dict[str, Any], node: int) -> None:
        for block in blocks_in(record, "tool_use"):
            call, tool = identifier(block.get("id")), identifier(block.get("name"))
            self.nodes.calling[node] = 1
            self.tools[call] = intern(tool)
            prompt = mapping(block.get("input")).get("prompt")
            if tool in _SPAWNING and isinstance(prompt, str):
                self.prompts.setdefault(hash(prompt), call)

    # -- lookups ------------------------------------------------------------------------------------

    def last_id(self, node: int) -> str:
        """Return the id of the last entry of the node's line."""
        return part_id(self.ids[node], self.entries.get(node, 1))

    def task_call(self, record: dict[str, Any]) -> str:
        """Return the id of the call whose task is this line's text, or ""."""
        content = content_of(record)
        if isinstance(content, list):
            content = next((block.get("text") for block in blocks_in(record, "text")), None)
        return self.prompts.get(hash(content), "") if isinstance(content, str) else ""


def _encoded(id: str) -> bytes:
    return id.encode(*_ENCODING)


def part_id(id: str, number: int) -> str:
    """Return the id of the n-th entry of a line, counted from 1."""
    return id if number == 1 else f"{id}#{number}"


def scan(
    path: Path,
    name: str,
    *,
    offset: int = 0,
    lines: int = 0,
    facts: TranscriptFacts | None = None,
    awaited: Sequence[str] = (),
    end: int | None = None,
) -> tuple[LineIndex, SourceLines]:
    """Index the file from the byte `offset` on, which `lines` lines precede.

    `name` is the session's name. `awaited` holds ids that the caller looks up in `known` afterwards.
    With `end`, no more than about that number of bytes is read.

    Raises UnreadableSourceError, NotFoundError.
    """
    index, source = LineIndex(name, facts, awaited), SourceLines(path, offset=offset, lines=lines, end=end)
    for item in source:
        if isinstance(item, Line):
            index.add(item)
    index.finish()
    return index, source
