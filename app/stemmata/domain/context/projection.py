"""The projection: what the model is sent at an entry, and the fate of every entry on the path.

The window, the command line, the requests and the tests all use `context_at`. The messages are those that pi would
list (roles, order, texts). The fate includes the effect of the rules for requests: an aborted reply is among the
messages, and its fate is *never sent*.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.growing import Numbers
from stemmata.domain.entries.path_totals import Emission, PathTotals
from stemmata.domain.entries.tree import Tree


class Fate(IntEnum):
    """The ways in which an entry of the path is sent, shortened or left out."""

    SENT = 0
    SUMMARISED = 1
    PRUNED = 2
    PINNED = 3  # summarised, but also sent before the kept range because it is pinned
    NEVER = 4
    CUT = 5  # only its beginning and its end are sent

    @property
    def text(self) -> str:
        """The fate as a word, as the output in JSON has it."""
        return "kept-as-pinned" if self is Fate.PINNED else self.name.lower()


class Reason(IntEnum):
    """The reason why an entry is never sent, or why a tool result is pruned: the file is read again further down, the
    file was changed after it was read, the failed call is made again."""

    BOOKKEEPING = 0
    HIDDEN_FROM_MODEL = 1
    ABORTED_OR_ERROR = 2
    EMPTY = 3
    EXCLUDED = 4
    READ_AGAIN = 5
    CHANGED_SINCE = 6
    RUN_AGAIN = 7

    @property
    def text(self) -> str:
        """The reason as a word, as the output in JSON has it."""
        return self.name.lower().replace("_", "-")


SUPERSEDED: Mapping[str, Reason] = {
    reason.text: reason for reason in (Reason.READ_AGAIN, Reason.CHANGED_SINCE, Reason.RUN_AGAIN)
}  # the names of omission entries for a tool result that a later one replaces


@dataclass(frozen=True, slots=True)
class EntryFate:
    """The fate of one entry."""

    fate: Fate
    reason: Reason | None = None  # given with NEVER, and with PRUNED when a later result replaces this one
    by: int | None = None  # the compaction entry, given only with SUMMARISED


class Form(IntEnum):
    """The form in which an entry is sent."""

    WHOLE = 0
    SUMMARY = 1
    PINNED = 2
    PRUNED = 3
    CUT = 4


OUT, CUT, WHOLE = "out", "cut", "off"  # the names of omission entries: left out, shortened, sent whole again
CUT_TOKENS = 2_000  # sent of a shortened entry, half from its beginning and half from its end


class SentMessage(NamedTuple):
    """One message of the context: an entry (index) and the form in which it is sent."""

    entry: int
    form: Form


@dataclass(frozen=True)
class Projection:
    """The context at one entry. Positions count along the path; all values are computed on demand."""

    path_totals: PathTotals
    end: int  # positions before `end` are on the path
    compaction: int | None  # position of the last compaction, None without one
    first_kept: int  # position of the first kept entry; equals `compaction` when only the summary is kept
    prune_end: int  # tool results before this position are pruned, except `kept_results`

    @property
    def tree(self) -> Tree:
        """The tree of the session."""
        return self.path_totals.tree

    @property
    def entry(self) -> int | None:
        """The entry at which the context is taken, None for the empty context."""
        return self.path_totals.path[self.end - 1] if self.end else None

    @property
    def path(self) -> Numbers:
        """The entries from the root to `entry`."""
        return self.path_totals.path[: self.end]

    @property
    def compaction_entry(self) -> int | None:
        """The entry of the last compaction, None without one."""
        return None if self.compaction is None else self.path_totals.path[self.compaction]

    @cached_property
    def model(self) -> str:
        """`provider/model` of the last model change or assistant message, "" when no entry names a model."""
        models = self.path_totals.models
        place = bisect_left(models, self.end)
        return self.tree.name(self.path_totals.path[models[place - 1]]) if place else ""

    @cached_property
    def level(self) -> str:
        """The thinking level of the last change of level, `off` without one."""
        at = self.path_totals.kinds.rfind(Kind.THINKING_LEVEL_CHANGE, 0, self.end)
        return self.tree.name(self.path_totals.path[at]) if at >= 0 else "off"

    @cached_property
    def pinned(self) -> tuple[int, ...]:
        """Positions sent before the kept range because they are pinned, together with their call and its results."""
        if self.compaction is None or not self.tree.pins:
            return ()
        found: set[int] = set()
        for entry in self.tree.pins:
            if entry in self.path_totals:
                at = self.path_totals.position(entry)
                if at < self.first_kept:
                    found.update(exchange(self.path_totals, at))
        return tuple(sorted(at for at in found if self._emits(at) and at < self.first_kept))

    @cached_property
    def kept_results(self) -> frozenset[int]:
        """Positions of the tool results before `prune_end` that stay whole, because their tool is kept."""
        path_totals = self.path_totals
        prune = path_totals.kinds.rfind(Kind.TOOL_PRUNE, 0, self.end) if self.prune_end else -1
        if prune < 0 or not self.tree.name(path_totals.path[prune]):
            return frozenset()
        known = self.tree.facts("kept_results")
        entry = path_totals.path[prune]
        if entry not in known:
            known[entry] = frozenset(_kept_results(path_totals, prune, self.prune_end))
        found: frozenset[int] = known[entry]
        return found

    def is_pruned(self, at: int) -> bool:
        """Whether the entry at a position is a tool result of which only the tool's name is sent."""
        if self.path_totals.roles[at] != Role.TOOL_RESULT:
            return False
        if at < self.prune_end and at not in self.kept_results:
            return True
        return self.omissions.get(at, "") in SUPERSEDED

    @cached_property
    def omissions(self) -> Mapping[int, str]:
        """Position → OUT, CUT or a name of SUPERSEDED, for entries left out, shortened or replaced by later ones."""
        path_totals, found = self.path_totals, dict[int, str]()
        at = path_totals.kinds.find(Kind.OMISSION, 0, self.end)
        while at >= 0:
            note_omission(path_totals, at, found)
            at = path_totals.kinds.find(Kind.OMISSION, at + 1, self.end)
        return found

    @cached_property
    def skills(self) -> tuple[int, ...]:
        """Positions of the entries that activated the skills which are active here, in the order of activation."""
        return tuple(self.switched_skills[1].values())

    @cached_property
    def switched_skills(self) -> tuple[frozenset[str], Mapping[str, int]]:
        """The names of all skills that the path switches on or off, and the positions of the active ones by name."""
        path_totals, names, active = self.path_totals, set[str](), dict[str, int]()
        at = path_totals.kinds.find(Kind.SKILL, 0, self.end)
        while at >= 0:
            # an entry from a source file counts for nothing: its author could else write into the system prompt
            if path_totals.tree.columns.flags[path_totals.path[at]] & Flag.OWN:
                name = path_totals.tree.name(path_totals.path[at])
                names.add(name)
                active.pop(name, None)
                if path_totals.tokens[at]:  # an entry without a text switches the skill off
                    active[name] = at
            at = path_totals.kinds.find(Kind.SKILL, at + 1, self.end)
        return frozenset(names), active

    @property
    def is_empty(self) -> bool:
        """Whether the context has no messages."""
        return self.compaction is None and self.path_totals.sent.find(1, 0, self.end) < 0

    @cached_property
    def messages(self) -> tuple[SentMessage, ...]:
        """The messages in the order of sending: the compaction's summary, pinned entries, the kept range."""
        path, out = self.path_totals.path, []
        start = 0
        if self.compaction is not None:
            out.append(SentMessage(path[self.compaction], Form.SUMMARY))
            out += [SentMessage(path[at], Form.PRUNED if self.is_pruned(at) else Form.PINNED) for at in self.pinned]
            start = self.first_kept
        omitted = {path[at]: name for at, name in self.omissions.items()}
        roles, sent, result, whole = self.path_totals.roles, self.path_totals.sent, int(Role.TOOL_RESULT), Form.WHOLE
        prune_end, kept = self.prune_end, self.kept_results
        for at in range(start, self.end):
            if sent[at]:
                pruned = at < prune_end and roles[at] == result and at not in kept
                out.append(SentMessage(path[at], Form.PRUNED if pruned else whole))
        return tuple(_without_omitted(out, omitted)) if omitted else tuple(out)

    def fate(self, entry: int) -> EntryFate:
        """Return the fate of an entry. Raises KeyError when the entry is not on the path."""
        at = self.path_totals.position(entry)
        if at >= self.end:
            raise KeyError(entry)
        return self.fate_at(at)

    def fate_at(self, at: int) -> EntryFate:
        """Return the fate of the entry at a position of the path."""
        emission = self.path_totals.emissions[at]
        if emission == Emission.NOTHING:
            return EntryFate(Fate.SENT) if at in self.skills else EntryFate(Fate.NEVER, self._reason_not_message(at))
        if at == self.compaction:
            return EntryFate(Fate.SENT)
        if emission == Emission.WITHHELD:
            return EntryFate(Fate.NEVER, self._withheld(at))
        if emission == Emission.SUMMARY:
            return EntryFate(Fate.SUMMARISED, by=self.compaction_entry)
        omission = self.omissions.get(at, "")
        if omission == OUT:
            return EntryFate(Fate.NEVER, Reason.EXCLUDED)
        is_pinned = self.compaction is not None and at < self.first_kept
        if is_pinned and at not in self._pinned_set:
            return EntryFate(Fate.SUMMARISED, by=self.compaction_entry)
        if self.is_pruned(at):
            return EntryFate(Fate.PRUNED, SUPERSEDED.get(omission))
        return EntryFate(Fate.CUT if omission else Fate.PINNED if is_pinned else Fate.SENT)

    @cached_property
    def _pinned_set(self) -> frozenset[int]:
        return frozenset(self.pinned)

    def _emits(self, at: int) -> bool:
        return self.path_totals.emissions[at] == Emission.MESSAGE

    def _reason_not_message(self, at: int) -> Reason:
        if self.path_totals.kinds[at] == Kind.BRANCH_SUMMARY:
            return Reason.EMPTY
        if self.tree.columns.flags[self.path_totals.path[at]] & Flag.EXCLUDED:
            return Reason.EXCLUDED
        is_message = self.path_totals.kinds[at] in (Kind.MESSAGE, Kind.CUSTOM_MESSAGE)
        return Reason.HIDDEN_FROM_MODEL if is_message else Reason.BOOKKEEPING

    def _withheld(self, at: int) -> Reason:
        flags = Flag(self.tree.columns.flags[self.path_totals.path[at]])
        if flags & Flag.EXCLUDED:
            return Reason.EXCLUDED
        return Reason.ABORTED_OR_ERROR if flags & (Flag.FAILED | Flag.ABORTED) else Reason.EMPTY


def _without_omitted(messages: list[SentMessage], omitted: Mapping[int, str]) -> Iterator[SentMessage]:
    """Yield the messages that the user did not leave out; shortened ones get the form CUT unless they are pruned."""
    for message in messages:
        name = omitted.get(message.entry, "")
        if name in SUPERSEDED:
            yield SentMessage(message.entry, Form.PRUNED)
        elif name == CUT and message.form is not Form.PRUNED:
            yield SentMessage(message.entry, Form.CUT)
        elif name != OUT:
            yield message


def context_at(tree: Tree, entry: int | None, path_totals: PathTotals | None = None) -> Projection:
    """Return the projection at an entry; None means the empty context before the first entry.

    `path_totals` may be the totals of a path of the same tree that contains the entry, which saves computing them.
    """
    if path_totals is None or path_totals.tree is not tree or (entry is not None and entry not in path_totals):
        path_totals = PathTotals.to(tree, entry)
    end = 0 if entry is None else path_totals.position(entry) + 1
    compaction = path_totals.kinds.rfind(Kind.COMPACTION, 0, end)
    prune = path_totals.kinds.rfind(Kind.TOOL_PRUNE, 0, end)
    return Projection(
        path_totals,
        end,
        compaction if compaction >= 0 else None,
        _first_kept(path_totals, compaction),
        _prune_end(path_totals, prune, end),
    )


def _first_kept(path_totals: PathTotals, compaction: int) -> int:
    """Return the position of the first kept entry.

    When it is unknown or not above the compaction, this is the compaction's position, so that nothing is kept.
    """
    if compaction < 0:
        return 0
    target = path_totals.tree.columns.target[path_totals.path[compaction]]
    if target >= 0 and target in path_totals:
        return min(path_totals.position(target), compaction)
    return compaction


def _prune_end(path_totals: PathTotals, prune: int, end: int) -> int:
    if prune < 0:
        return 0
    target = path_totals.tree.columns.target[path_totals.path[prune]]
    if target >= 0 and target in path_totals and path_totals.position(target) < end:
        return path_totals.position(target) + 1
    return 0


def note_omission(path_totals: PathTotals, at: int, found: dict[int, str]) -> int:
    """Add the omission at a position to `found`, a mapping like `Projection.omissions`.

    Returns the position of its target, -1 when it has no effect.
    """
    target, name = path_totals.tree.columns.target[path_totals.path[at]], path_totals.tree.name(path_totals.path[at])
    place = path_totals.position(target) if target >= 0 and target in path_totals else at
    if place >= at or path_totals.emissions[place] != Emission.MESSAGE:
        return -1
    is_result = path_totals.roles[place] == Role.TOOL_RESULT
    found.pop(place, None)
    if name in (OUT, CUT) or (name in SUPERSEDED and is_result):
        found[place] = name
    return place


def kept_tools(name: str) -> frozenset[str]:
    """Return the tools whose results a pruning keeps, from the name of its entry: one tool a line."""
    return frozenset(filter(None, name.split("\n")))


def _kept_results(path_totals: PathTotals, prune: int, prune_end: int) -> Iterator[int]:
    """Yield the positions of the results that the pruning at position `prune` keeps whole.

    A result that an earlier pruning left out stays left out, so that the text before it does not change again.
    """
    tree, path, roles = path_totals.tree, path_totals.path, path_totals.roles
    ends: dict[str, int] = {}  # tool → the end of the results that an earlier pruning left out
    wanted = set(kept_tools(tree.name(path[prune])))
    before = prune
    while wanted and (before := path_totals.kinds.rfind(Kind.TOOL_PRUNE, 0, before)) >= 0:
        for tool in wanted - kept_tools(tree.name(path[before])):
            ends[tool] = _prune_end(path_totals, before, before)
            wanted.remove(tool)
    ends |= dict.fromkeys(wanted, 0)
    at = roles.find(Role.TOOL_RESULT, 0, prune_end)
    while at >= 0:
        if at >= ends.get(tree.name(path[at]), prune_end):
            yield at
        at = roles.find(Role.TOOL_RESULT, at + 1, prune_end)


def exchange(path_totals: PathTotals, at: int) -> tuple[int, ...]:
    """Return the positions that must be kept together with this one: an assistant message and the results after it.

    A result that other entries separate from its call also belongs to the call.
    """
    start = at
    if path_totals.roles[at] == Role.TOOL_RESULT:
        while start > 0 and path_totals.roles[start] != Role.ASSISTANT:
            start -= 1
    if path_totals.roles[start] != Role.ASSISTANT:
        return (at,)
    stop = start + 1
    while stop < len(path_totals) and path_totals.roles[stop] in (Role.TOOL_RESULT, Role.NONE):
        stop += 1
    return tuple(range(start, stop)) if at < stop else (*range(start, stop), at)
