"""The first pass over a Claude Code file: everything about every line but its content, in little memory.

About 250 bytes a line are held while reading, and 120 afterwards, whatever the lines hold.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from sys import intern
from typing import Any

from stemmata.domain.entries.session_facts import Repaired, Skipped
from stemmata.formats.claude_code.facts import Facts
from stemmata.formats.claude_code.records import (
    MESSAGES,
    blocks_in,
    content_of,
    digest_of,
    entries_in,
    identifier,
    kept_ids,
    parent_of,
    part_of,
    results_of,
)
from stemmata.formats.shared.dag import MISSING, NONE, Nodes, Part
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.values import BadLineError, count, instant, mapping, parse_object

MAIN = 0  # the group of the main conversation; sidechains count from 1
_ENCODING = ("utf-8", "surrogatepass")  # ids may be made of a file's name, which can be anything
_SPAWNING = frozenset({"Task", "Agent"})


class Ids:
    """The ids of the lines, as one text: as objects they would be most of what is held of a long file."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, node: int) -> str:
        return self._text[self._ends[node] : self._ends[node + 1]].decode(*_ENCODING)

    def append(self, id: str) -> None:
        self._text += _encoded(id)
        self._ends.append(len(self._text))


class Skeleton:
    """Columns over the lines that make entries, and what was found out on the way. Read with `scan`."""

    def __init__(self, name: str, facts: Facts | None = None, awaited: Sequence[str] = ()) -> None:
        self._name = name  # what ids of lines without one are made of
        self._awaited = awaited  # ids that stay known once all is read
        self.nodes = Nodes()
        self.ids = Ids()
        self.known: dict[str, int] = {}  # id → node, of the ids that the file names for itself; once all is read
        self.offsets = array("q")
        self.sizes = array("i")
        self.lines = array("i")
        self.outputs = array("i")  # output tokens that a REPLY reports
        self.entries: dict[int, int] = {}  # node → number of its entries, where it is not 1
        self.tools: dict[str, str] = {}  # call id → tool
        self.prompts: dict[int, str] = {}  # hash of a subagent's task → call id
        self.spawned: dict[str, str] = {}  # agent id → call id
        self.first_kept: dict[int, str] = {}  # BOUNDARY → id of the first message it keeps
        self.groups: dict[str, int] = {}  # sidechain → number of its group
        self.facts = facts or Facts()
        self.missing: set[str] = set()  # parents and calls that are named and are not here
        self.is_sidechain = False  # whether there is nothing else
        self.skipped: list[Skipped] = []
        self.repaired: list[Repaired] = []
        self.repeated = 0  # lines that occur again, word for word
        self.odd_line = 0  # the last line that uses an id again
        self._numbers: dict[bytes, int] = {}  # id → node
        self._messages: dict[str, int] = {}
        self._uses: dict[str, int] = {}  # id that several lines use → how many
        self._waiting: dict[int, str] = {}  # node → parent that has not come yet
        self._unnamed_group = NONE

    def see(self, line: Line) -> None:
        try:
            record = parse_object(line.data)
            self._see(record, line)
        except BadLineError as error:
            reason = str(error) if line.complete else f"{error}: the file ends inside this line"
            self.skipped.append(Skipped(line.number, reason))

    def finish(self) -> None:
        """Parents that came later are looked up; a file with nothing but a sidechain is one conversation."""
        for node, parent in self._waiting.items():
            self.nodes.parents[node] = self._numbers.get(_encoded(parent), MISSING)
        called = {call for calls in self.nodes.results.values() for call in calls}
        absent = {parent for parent in self._waiting.values() if _encoded(parent) not in self._numbers}
        self.missing = absent | (called - self.tools.keys())
        self._waiting.clear()
        self._forget()
        groups, parts = self.nodes.groups, self.nodes.parts
        if self.groups and not any(group == MAIN and part for group, part in zip(groups, parts, strict=True)):
            self.nodes.groups = array("i", bytes(4 * len(groups)))
            self.groups.clear()
            self.is_sidechain = True

    def _forget(self) -> None:
        """Let go of what only the reading needs. Of the ids those stay by which the file speaks of itself."""
        named = {self.facts.leaf, *self.facts.summaries, *self.first_kept.values(), *self._awaited}
        numbers = {id: self._numbers.get(_encoded(id), NONE) for id in named}
        self.known = {id: node for id, node in numbers.items() if node != NONE}
        self._numbers = {}
        self._messages = {}
        self._uses = {}
        # Strings that were made while reading lie scattered over the memory of all that goes here, and would keep it.
        self.tools = {_encoded(call).decode(*_ENCODING): tool for call, tool in self.tools.items()}

    # -- one line ---------------------------------------------------------------------------------------------

    def _see(self, record: dict[str, Any], line: Line) -> None:
        kind = record.get("type")
        if not isinstance(kind, str):
            raise BadLineError("an object without a type")
        part = part_of(record)
        if part is None:
            self.facts.see_fact(record, line.number)
            return
        if kind in MESSAGES and "message" not in record and not record.get("uuid"):
            raise BadLineError("a message line without a message")
        digest = digest_of(record)
        own = identifier(record.get("uuid")) or f"{self._name}:{line.number}"
        earlier = self._numbers.get(_encoded(own))
        if earlier is not None and self.nodes.digests[earlier] == digest and self.nodes.parts[earlier] == part:
            self.repeated += 1
            self.odd_line = line.number
            return
        self.facts.see_line(record)
        entries = entries_in(record) if part == Part.RESULT else 1
        self._add(record, line, part, digest, self._claim(own, line.number, entries))

    def _claim(self, own: str, line: int, entries: int) -> str:
        """A unique id for the line, and for each of its entries."""
        id = own
        while any(_encoded(part_id(id, number)) in self._numbers for number in range(1, entries + 1)):
            self._uses[own] = self._uses.get(own, 1) + 1
            id = f"{own}~{self._uses[own]}"
        if id != own:
            self.odd_line = line
            self.repaired.append(Repaired(f"Line {line} uses an id a second time: it is kept as {id}.", id))
        for number in range(1, entries + 1):
            self._numbers[_encoded(part_id(id, number))] = len(self.ids)
        if entries > 1:
            self.entries[len(self.ids)] = entries
        return id

    def _add(self, record: dict[str, Any], line: Line, part: Part, digest: int, id: str) -> None:
        nodes, node = self.nodes, len(self.ids)
        self.ids.append(id)
        self.offsets.append(line.offset)
        self.sizes.append(line.size)
        self.lines.append(line.number)
        message = mapping(record.get("message"))
        self.outputs.append(count(mapping(message.get("usage")).get("output_tokens")) if part == Part.REPLY else 0)
        nodes.parts.append(part)
        nodes.times.append(instant(record.get("timestamp")))
        nodes.digests.append(digest)
        nodes.messages.append(self._message(message) if part == Part.REPLY else NONE)
        nodes.calling.append(0)
        parent = self._parent(record, node, part)
        nodes.parents.append(parent)
        nodes.groups.append(self._group(record, id, parent) if record.get("isSidechain") is True else MAIN)
        if part == Part.RESULT:
            self._see_results(record, node)
        elif part == Part.REPLY:
            self._see_calls(record, node)

    def _message(self, message: dict[str, Any]) -> int:
        """Number of the API message that the line is a part of."""
        id = identifier(message.get("id"))
        return self._messages.setdefault(id, len(self._messages)) if id else NONE

    def _parent(self, record: dict[str, Any], node: int, part: Part) -> int:
        if part == Part.BOUNDARY:
            return self._parent_of_boundary(record, node)
        named = parent_of(record)
        if not named:
            return NONE
        parent = self._numbers.get(_encoded(named), MISSING)
        if parent == MISSING:
            self._waiting[node] = named
        return parent

    def _parent_of_boundary(self, record: dict[str, Any], node: int) -> int:
        """Behind the last message it keeps, else behind the last one before it; only what stands before it counts.

        Kept messages may be written again below the summary: a link to such a line would be a circle.
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
        """By agent; old lines name none and follow their parent, or begin a sidechain where they have none."""
        agent = identifier(record.get("agentId"))
        if agent:
            return self.groups.setdefault(agent, len(self.groups) + 1)
        if 0 <= parent < len(self.nodes.groups) and self.nodes.groups[parent] != MAIN:
            return self.nodes.groups[parent]
        if parent != NONE and self._unnamed_group != NONE:
            return self._unnamed_group
        self._unnamed_group = self.groups.setdefault(id, len(self.groups) + 1)
        return self._unnamed_group

    def _see_results(self, record: dict[str, Any], node: int) -> None:
        calls = tuple(identifier(block.get("tool_use_id")) for block in results_of(record))
        self.nodes.results[node] = tuple(call for call in calls if call)
        agent = identifier(mapping(record.get("toolUseResult")).get("agentId"))
        if agent and calls[0]:
            self.spawned.setdefault(agent, calls[0])

    def _see_calls(self, record: dict[str, Any], node: int) -> None:
        for block in blocks_in(record, "tool_use"):
            call, tool = identifier(block.get("id")), identifier(block.get("name"))
            self.nodes.calling[node] = 1
            self.tools[call] = intern(tool)
            prompt = mapping(block.get("input")).get("prompt")
            if tool in _SPAWNING and isinstance(prompt, str):
                self.prompts.setdefault(hash(prompt), call)

    # -- looking things up ------------------------------------------------------------------------------------

    def last_id(self, node: int) -> str:
        """Id of the last entry that the node's line makes."""
        return part_id(self.ids[node], self.entries.get(node, 1))

    def task_call(self, record: dict[str, Any]) -> str:
        """The call whose task is this line's text, "" when none is."""
        content = content_of(record)
        if isinstance(content, list):
            content = next((block.get("text") for block in blocks_in(record, "text")), None)
        return self.prompts.get(hash(content), "") if isinstance(content, str) else ""


def _encoded(id: str) -> bytes:
    return id.encode(*_ENCODING)


def part_id(id: str, number: int) -> str:
    """Id of the n-th entry of a line, counted from 1."""
    return id if number == 1 else f"{id}#{number}"


def scan(
    path: Path, name: str, *, offset: int = 0, lines: int = 0, facts: Facts | None = None, awaited: Sequence[str] = ()
) -> tuple[Skeleton, SourceLines]:
    """Read the file once, from this byte on, before which there are so many lines. `name` is the session's.

    `awaited`: ids of which it is asked later whether they have come.

    Raises UnreadableSourceError, NotFoundError.
    """
    skeleton, source = Skeleton(name, facts, awaited), SourceLines(path, offset=offset, lines=lines)
    for item in source:
        if isinstance(item, Line):
            skeleton.see(item)
    skeleton.finish()
    return skeleton, source
