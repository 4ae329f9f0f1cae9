"""Finds the tool results in a context that later ones make superfluous.

These are reads of a file that is read again or written as a whole further down, failed calls that are made again, and
calls that give the same output again. Only a result that stays in the context replaces an earlier one.
"""

from __future__ import annotations

import posixpath
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stemmata.domain.context.breakdown import position_parts
from stemmata.domain.context.projection import OUT, Projection, Reason, exchange
from stemmata.domain.entries.blocks import ToolCall, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Role
from stemmata.domain.entries.path_totals import Emission
from stemmata.domain.entries.tokens import units
from stemmata.domain.entries.tree import Tree
from stemmata.domain.tool_calls.outcomes import Outcome, ending
from stemmata.domain.tool_calls.use import ToolUse, overwrites, part_read, tool_use

_LAST = 0  # key of a tree's memo: the answers for the last context
LEAST_TOKENS = 20  # tokens that pruning a result must free: less is not worth an entry
AT_ONCE = 100  # replies whose calls are read and understood before the next ones
MOST_RESULTS = 2_000  # newest results of a context that are examined; a context of a million tokens has fewer
LINES_READ, UNITS_READ = 2_000, 50_000  # pi and Claude Code cut a file that is read as a whole at one of these


class Contents(Protocol):
    """The content of entries, which a tree does not have. Entries are indices of the tree."""

    def calls(self, replies: Sequence[int]) -> Mapping[int, Sequence[ToolCall]]:
        """Return the tool calls of assistant messages."""
        ...

    def answered(self, results: Sequence[int]) -> Mapping[int, str]:
        """Return the ids of the calls that tool results answer."""
        ...

    def whole(self, entry: int) -> Entry:
        """Return an entry with its content."""
        ...


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A tool result that a later entry replaces.

    `entry` and `by` are indices: `by` is the later result, or the message whose call writes the file. `tokens` are
    the estimated tokens that pruning the result frees. `subject` is the file or the command.
    """

    entry: int
    by: int
    reason: Reason
    tokens: int
    tool: str
    subject: str


@dataclass(frozen=True, slots=True)
class _Use:
    """A tool call in the form in which calls are compared."""

    name: str
    subject: str
    read: tuple[str, ...]
    part: str
    modified: tuple[str, ...]
    overwrites: bool
    command: str
    same: tuple[str, str]  # equal for calls with the same command, or the same tool and arguments
    about: tuple[str, str]  # equal for calls of a tool that are about the same file or subject

    @classmethod
    def of(cls, call: ToolCall) -> _Use:
        use: ToolUse = tool_use(call)
        read, modified = (tuple(map(_normal, paths)) for paths in (use.read, use.modified))
        same = ("$", use.command) if use.command else (call.name, call.arguments)
        part = part_read(call) if read else ""
        about = (call.name, use.subject or call.arguments)
        return cls(call.name, use.subject, read, part, modified, overwrites(call), use.command, same, about)


@dataclass(frozen=True, slots=True)
class _Answer:
    """A tool result with its call; both are positions on the path."""

    at: int
    reply: int
    use: _Use


def duplicates_of(projection: Projection, contents: Contents) -> tuple[Duplicate, ...]:
    """Return the results that later ones replace, in the order of the path, without pinned ones."""
    answers = list(_answers(projection, contents))
    protected = _pinned(projection)
    found = []
    for answer, by, reason in _Later(projection, contents, answers).replaced():
        parts = sum(position_parts(projection, answer.at).values())
        freed = parts - projection.path_totals.pruned_tokens[answer.at]
        if freed >= LEAST_TOKENS and answer.at not in protected:
            path, use = projection.path_totals.path, answer.use
            found.append(Duplicate(path[answer.at], path[by], reason, freed, use.name, use.subject))
    return tuple(sorted(found, key=lambda each: projection.path_totals.position(each.entry)))


def _answers(projection: Projection, contents: Contents) -> Iterator[_Answer]:
    """Yield the results that are sent, each with its call, in the order of the path."""
    path_totals, tree, omissions = projection.path_totals, projection.tree, projection.omissions
    path, roles, weights = path_totals.path, path_totals.roles, tree.columns.calls

    def shown(role: Role) -> Iterator[int]:
        """Iterate: a list of all positions of a long session would take tens of megabytes."""
        return (at for at in _in_context(projection) if roles[at] == role and omissions.get(at) != OUT)

    open_results = (at for at in shown(Role.TOOL_RESULT) if not projection.is_pruned(at))
    results = list(deque(open_results, MOST_RESULTS))
    first = exchange(path_totals, results[0])[0] if results else projection.end
    replies = [at for at in shown(Role.ASSISTANT) if at >= first and weights[path[at]]]
    known, ids = _looked_up(tree, contents, [path[at] for at in replies], [path[at] for at in results])
    open_calls: dict[str, tuple[int, _Use]] = {}
    wanted = set(results)
    for at in sorted((*replies, *results)):
        if at not in wanted:
            open_calls.update((id, (at, use)) for id, use in known.get(path[at], ()))
        elif (call := open_calls.pop(ids.get(path[at], ""), None)) is not None:
            yield _Answer(at, *call)


def _looked_up(
    tree: Tree, contents: Contents, replies: Sequence[int], results: Sequence[int]
) -> tuple[Mapping[int, tuple[tuple[str, _Use], ...]], Mapping[int, str]]:
    """Return the calls of the replies with their ids, and the ids of the calls that the results answer, by entry.

    The tree caches the calls of the last context only: a long session has tens of thousands of calls.
    """
    last = tree.facts("calls")
    uses, ids = last.get(_LAST, ({}, {}))
    missing = [entry for entry in replies if entry not in uses]
    uses = {entry: uses[entry] for entry in replies if entry in uses}
    for start in range(0, len(missing), AT_ONCE):
        calls = contents.calls(missing[start : start + AT_ONCE])
        uses |= {entry: tuple((call.id, _Use.of(call)) for call in found) for entry, found in calls.items()}
    answered = contents.answered([entry for entry in results if entry not in ids])
    ids = {entry: ids[entry] for entry in results if entry in ids} | dict(answered)
    last[_LAST] = uses, ids
    return uses, ids


def _in_context(projection: Projection) -> Iterator[int]:
    start = 0 if projection.compaction is None else projection.first_kept
    emissions, message = projection.path_totals.emissions, int(Emission.MESSAGE)
    yield from projection.pinned
    yield from (at for at in range(start, projection.end) if emissions[at] == message)


def _pinned(projection: Projection) -> set[int]:
    """Return the positions of pinned entries, which the user wants to keep, with their calls and results."""
    path_totals = projection.path_totals
    on_path = (path_totals.position(entry) for entry in projection.tree.pins if entry in path_totals)
    return {at for pinned in on_path for at in exchange(path_totals, pinned)}


@dataclass
class _Later:
    """Walks the tool results from the newest to the oldest and collects the later reads, changes and runs."""

    projection: Projection
    contents: Contents
    answers: Sequence[_Answer]
    reads: dict[str, list[_Answer]] = field(default_factory=dict)  # path → later reads that stay, the nearest last
    changes: dict[str, int] = field(default_factory=dict)  # path → position of the next change of the file
    writes: dict[str, int] = field(default_factory=dict)  # path → reply whose call has the whole file
    runs: dict[tuple[str, str], _Answer] = field(default_factory=dict)  # same call → a later result that stays
    successes: dict[tuple[str, str], int] = field(default_factory=dict)  # tool and subject → a later result

    def replaced(self) -> Iterator[tuple[_Answer, int, Reason]]:
        """Yield each replaced result, the position of the result that replaces it, and the reason."""
        counts = Counter(answer.use.same for answer in self.answers)
        for answer in reversed(self.answers):
            ended = self._outcome(answer, is_repeated=counts[answer.use.same] > 1)
            by = self._by(answer, ended)
            if by is not None:
                yield answer, *by
            self._note(answer, ended, is_replaced=by is not None)

    def _outcome(self, answer: _Answer, *, is_repeated: bool) -> Outcome:
        """Return how a call ended. The exit code of a command is read only if the command was run again later."""
        entry, known = self.projection.path_totals.path[answer.at], self.projection.tree.facts("outcomes")
        if answer.use.command and is_repeated:
            if entry not in known:
                whole = self.contents.whole(entry)
                known[entry] = ending(whole)[0]
            return Outcome(known[entry])
        return Outcome.FAILED if self.projection.tree.columns.flags[entry] & Flag.FAILED else Outcome.OK

    def _by(self, answer: _Answer, ended: Outcome) -> tuple[int, Reason] | None:
        use, again = answer.use, self.runs.get(answer.use.same)
        if ended is not Outcome.OK:
            later = again.at if use.command and again is not None else self.successes.get(use.about)
            return None if later is None else (later, Reason.RUN_AGAIN)
        found = [self._covering(answer, path) for path in use.read]
        if found and None not in found:
            return max(each for each in found if each is not None)
        if again is not None and not use.modified and self._is_same(answer, again):
            return again.at, Reason.RUN_AGAIN
        return None

    def _covering(self, answer: _Answer, path: str) -> tuple[int, Reason] | None:
        """Return the position of the nearest later entry that has everything this read has of a file."""
        for later in reversed(self.reads.get(path, [])):
            if later.use.part == answer.use.part or (not later.use.part and self._is_complete(later)):
                is_changed = self.changes.get(path, later.at) < later.at
                return later.at, Reason.CHANGED_SINCE if is_changed else Reason.READ_AGAIN
        reply = self.writes.get(path)
        return None if reply is None else (reply, Reason.CHANGED_SINCE)

    def _is_complete(self, answer: _Answer) -> bool:
        """Whether a file that was read as a whole was short enough to be read to its end."""
        text = plain_text(self.contents.whole(self.projection.path_totals.path[answer.at]).blocks)
        return text.count("\n") < LINES_READ and units(text) < UNITS_READ

    def _is_same(self, answer: _Answer, again: _Answer) -> bool:
        """Whether two results of the same call have the same text."""
        path, columns = self.projection.path_totals.path, self.projection.tree.columns
        one, other = path[answer.at], path[again.at]
        if columns.text[one] != columns.text[other] or columns.images[one] or columns.images[other]:
            return False
        return self._text_hash(one) == self._text_hash(other)

    def _text_hash(self, entry: int) -> int:
        """Return a number that is the same for the same text in this process; the tree keeps it."""
        known = self.projection.tree.facts("text_hashes")
        if entry not in known:
            known[entry] = hash(plain_text(self.contents.whole(entry).blocks))
        return int(known[entry])

    def _note(self, answer: _Answer, ended: Outcome, *, is_replaced: bool) -> None:
        use, omissions = answer.use, self.projection.omissions
        if ended is Outcome.OK:
            for path in use.modified:
                self.changes[path] = answer.at
                if use.overwrites and answer.reply not in omissions:
                    self.writes[path] = answer.reply
        if is_replaced or answer.at in omissions or ended is Outcome.CANCELLED:
            return
        self.runs.setdefault(use.same, answer)
        if ended is Outcome.OK:
            self.successes.setdefault(use.about, answer.at)
            for path in use.read:
                self.reads.setdefault(path, []).append(answer)


def _normal(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/"))
