"""The projection: what the model sees at an entry, and what became of every other entry on the way.

`context_at` is the one answer for the window, the command line, the request and the tests. Messages are those pi
would list (roles, order, texts); the fate says what the provider's rules then do with them: an aborted reply is in
the list, and its fate is *never sent*.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.path_totals import Emission, Line
from stemmata.domain.entries.tree import Tree


class Fate(IntEnum):
    SENT = 0
    SUMMARISED = 1
    PRUNED = 2
    PINNED = 3  # kept word for word in front of the kept range, because it is pinned
    NEVER = 4
    CUT = 5  # only its beginning and its end are sent

    @property
    def text(self) -> str:
        return "kept-as-pinned" if self is Fate.PINNED else self.name.lower()


class Reason(IntEnum):
    """Why an entry is never sent."""

    BOOKKEEPING = 0
    HIDDEN_FROM_MODEL = 1
    ABORTED_OR_ERROR = 2
    EMPTY = 3
    EXCLUDED = 4

    @property
    def text(self) -> str:
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class EntryFate:
    fate: Fate
    reason: Reason | None = None  # only with NEVER
    by: int | None = None  # only with SUMMARISED: the compaction


class Form(IntEnum):
    """How an entry appears among the messages."""

    WHOLE = 0
    SUMMARY = 1
    PINNED = 2
    PRUNED = 3
    CUT = 4


OUT, CUT, WHOLE = "out", "cut", "off"  # what an omission is called
CUT_TOKENS = 2_000  # of an entry that is cut, half at each end


class Message(NamedTuple):
    entry: int
    form: Form


@dataclass(frozen=True)
class Projection:
    """The context at one entry. Positions count along the path; all lookups are lazy."""

    line: Line
    end: int  # positions before `end` are on the path
    compaction: int | None  # position of the last compaction
    first_kept: int  # position of the first kept entry; equal to `compaction` when only the summary is kept
    prune_end: int  # tool results at positions before this are pruned

    @property
    def tree(self) -> Tree:
        return self.line.tree

    @property
    def entry(self) -> int | None:
        return self.line.path[self.end - 1] if self.end else None

    @property
    def path(self) -> array[int]:
        return self.line.path[: self.end]

    @property
    def compaction_entry(self) -> int | None:
        return None if self.compaction is None else self.line.path[self.compaction]

    @cached_property
    def model(self) -> str:
        """`provider/model` in force, "" when none was ever named; an assistant's own model counts."""
        models = self.line.models
        place = bisect_left(models, self.end)
        return self.tree.name(self.line.path[models[place - 1]]) if place else ""

    @cached_property
    def level(self) -> str:
        """Thinking level in force, `off` when none was ever set."""
        at = self.line.kinds.rfind(Kind.THINKING_LEVEL_CHANGE, 0, self.end)
        return self.tree.name(self.line.path[at]) if at >= 0 else "off"

    @cached_property
    def pinned(self) -> tuple[int, ...]:
        """Positions kept word for word in front of the kept range: pinned ones with their call and results."""
        if self.compaction is None or not self.tree.pins:
            return ()
        found: set[int] = set()
        for entry in self.tree.pins:
            if entry in self.line:
                at = self.line.position(entry)
                if at < self.first_kept:
                    found.update(exchange(self.line, at))
        return tuple(sorted(at for at in found if self._emits(at) and at < self.first_kept))

    @cached_property
    def omissions(self) -> Mapping[int, str]:
        """Positions of entries that are left out or cut here, by a person: OUT or CUT."""
        line, found = self.line, dict[int, str]()
        at = line.kinds.find(Kind.OMISSION, 0, self.end)
        while at >= 0:
            target = line.tree.columns.target[line.path[at]]
            if target >= 0 and target in line and (place := line.position(target)) < at and self._emits(place):
                found[place] = line.tree.name(line.path[at])
            at = line.kinds.find(Kind.OMISSION, at + 1, self.end)
        return {place: name for place, name in found.items() if name in (OUT, CUT)}

    @property
    def is_empty(self) -> bool:
        """Whether there are no messages."""
        return self.compaction is None and self.line.sent.find(1, 0, self.end) < 0

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """In the order they are sent. A compaction's summary comes first, then pins, then the kept range."""
        path, out = self.line.path, []
        start = 0
        if self.compaction is not None:
            out.append(Message(path[self.compaction], Form.SUMMARY))
            for at in self.pinned:
                pruned = at < self.prune_end and self.line.roles[at] == Role.TOOL_RESULT
                out.append(Message(path[at], Form.PRUNED if pruned else Form.PINNED))
            start = self.first_kept
        omitted = {path[at]: name for at, name in self.omissions.items()}
        roles, sent, result, whole = self.line.roles, self.line.sent, int(Role.TOOL_RESULT), Form.WHOLE
        for at in range(start, self.end):
            if sent[at]:
                pruned = at < self.prune_end and roles[at] == result
                out.append(Message(path[at], Form.PRUNED if pruned else whole))
        return tuple(_without(out, omitted)) if omitted else tuple(out)

    def fate(self, entry: int) -> EntryFate:
        """What became of an entry of the path. Raises KeyError off the path."""
        at = self.line.position(entry)
        if at >= self.end:
            raise KeyError(entry)
        return self.fate_at(at)

    def fate_at(self, at: int) -> EntryFate:
        """The fate of the entry at a position of the path."""
        emission = self.line.emissions[at]
        if emission == Emission.NOTHING:
            return EntryFate(Fate.NEVER, self._nature(at))
        if at == self.compaction:
            return EntryFate(Fate.SENT)
        if emission == Emission.WITHHELD:
            return EntryFate(Fate.NEVER, self._withheld(at))
        if emission == Emission.SUMMARY:
            return EntryFate(Fate.SUMMARISED, by=self.compaction_entry)
        omission = self.omissions.get(at, "")
        if omission == OUT:
            return EntryFate(Fate.NEVER, Reason.EXCLUDED)
        pruned = at < self.prune_end and self.line.roles[at] == Role.TOOL_RESULT
        if self.compaction is not None and at < self.first_kept:
            if at not in self._pinned_set:
                return EntryFate(Fate.SUMMARISED, by=self.compaction_entry)
            return EntryFate(Fate.PRUNED if pruned else Fate.CUT if omission else Fate.PINNED)
        return EntryFate(Fate.PRUNED if pruned else Fate.CUT if omission else Fate.SENT)

    @cached_property
    def _pinned_set(self) -> frozenset[int]:
        return frozenset(self.pinned)

    def _emits(self, at: int) -> bool:
        return self.line.emissions[at] == Emission.MESSAGE

    def _nature(self, at: int) -> Reason:
        if self.line.kinds[at] == Kind.BRANCH_SUMMARY:
            return Reason.EMPTY
        if self.tree.columns.flags[self.line.path[at]] & Flag.EXCLUDED:
            return Reason.EXCLUDED
        is_message = self.line.kinds[at] in (Kind.MESSAGE, Kind.CUSTOM_MESSAGE)
        return Reason.HIDDEN_FROM_MODEL if is_message else Reason.BOOKKEEPING

    def _withheld(self, at: int) -> Reason:
        flags = Flag(self.tree.columns.flags[self.line.path[at]])
        if flags & Flag.EXCLUDED:
            return Reason.EXCLUDED
        return Reason.ABORTED_OR_ERROR if flags & (Flag.FAILED | Flag.ABORTED) else Reason.EMPTY


def _without(messages: list[Message], omitted: Mapping[int, str]) -> Iterator[Message]:
    """The messages without those that are left out; what is cut has that form, unless it is pruned anyway."""
    for message in messages:
        name = omitted.get(message.entry, "")
        if name == CUT and message.form is not Form.PRUNED:
            yield Message(message.entry, Form.CUT)
        elif name != OUT:
            yield message


def context_at(tree: Tree, entry: int | None, line: Line | None = None) -> Projection:
    """The projection at an entry; None is the empty context before anything was said.

    `line`: a line of the same tree that holds the entry; passing it makes moving along a branch cheap.
    """
    if line is None or line.tree is not tree or (entry is not None and entry not in line):
        line = Line.to(tree, entry)
    end = 0 if entry is None else line.position(entry) + 1
    compaction = line.kinds.rfind(Kind.COMPACTION, 0, end)
    prune = line.kinds.rfind(Kind.TOOL_PRUNE, 0, end)
    return Projection(
        line,
        end,
        compaction if compaction >= 0 else None,
        _first_kept(line, compaction),
        _prune_end(line, prune, end),
    )


def _first_kept(line: Line, compaction: int) -> int:
    """Position of the first kept entry; an unknown one, or one not above the compaction, keeps nothing."""
    if compaction < 0:
        return 0
    target = line.tree.columns.target[line.path[compaction]]
    if target >= 0 and target in line:
        return min(line.position(target), compaction)
    return compaction


def _prune_end(line: Line, prune: int, end: int) -> int:
    if prune < 0:
        return 0
    target = line.tree.columns.target[line.path[prune]]
    if target >= 0 and target in line and line.position(target) < end:
        return line.position(target) + 1
    return 0


def exchange(line: Line, at: int) -> tuple[int, ...]:
    """Positions that must stay together with this one: an assistant entry with the results that follow it.

    A result that something else parts from its call stays with the call too.
    """
    start = at
    if line.roles[at] == Role.TOOL_RESULT:
        while start > 0 and line.roles[start] != Role.ASSISTANT:
            start -= 1
    if line.roles[start] != Role.ASSISTANT:
        return (at,)
    stop = start + 1
    while stop < len(line) and line.roles[stop] in (Role.TOOL_RESULT, Role.NONE):
        stop += 1
    return tuple(range(start, stop)) if at < stop else (*range(start, stop), at)
