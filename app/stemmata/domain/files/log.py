"""The log of the reads and changes of files by a session's tool calls, along every branch of its tree.

Entries come in reading order: each below its parent, the shown branch first at every fork. At a fork, each branch
takes over the known states of the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tree import Tree
from stemmata.domain.files.effects import Effect, effect
from stemmata.domain.files.requests import FileAct, FileRequest, requests_of
from stemmata.domain.files.results import LinesRead
from stemmata.domain.files.state import ABSENT, UNKNOWN, FileState
from stemmata.domain.text.one_line import one_line
from stemmata.domain.tool_calls.checks import is_check, verdict
from stemmata.domain.tool_calls.outcomes import Outcome, ending
from stemmata.domain.tool_calls.use import tool_use

TITLE = 120  # characters of the words that go before a call
KEPT_TEXT = 64_000_000  # characters of states that a history keeps; of further states it keeps every SELDOM-th
SELDOM = 500


class CheckResult(NamedTuple):
    """How tests, a linter or a build ended. `passed` and `failed` count tests; both are 0 without a printed count."""

    is_ok: bool
    passed: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStep:
    """One call that read or changed a file. `entry` is the index of the message with the call, `result` its result's.

    `before` is the number of the step before it on its branch, -1 for none. `removed` is None when it is not known.
    `check` is how the first check after a change ended. `title` is the last text before the call, of the user or of
    the model, on one line.
    """

    entry: int
    result: int
    path: str
    act: FileAct
    title: str
    time: int
    before: int = -1
    added: int = 0
    removed: int | None = 0
    fits: bool = True
    read: tuple[int, int] | None = None  # the first and the last line that were read
    is_whole: bool = False
    lines: int | None = None  # lines of the whole file, if the read reported them
    check: CheckResult | None = None
    moved: str = ""  # the path to which the call moved the file


@dataclass(frozen=True, slots=True)
class _OpenCall:
    """A call that waits for its result."""

    entry: int
    title: str
    requests: tuple[FileRequest, ...]
    command: str


@dataclass(slots=True)
class _Branch:
    """The known facts at the end of a branch: the files with their last steps, open calls, and unchecked changes."""

    files: dict[str, tuple[FileState, int]] = field(default_factory=dict)
    calls: dict[str, _OpenCall] = field(default_factory=dict)
    unchecked: dict[str, int] = field(default_factory=dict)
    title: str = ""

    def copy(self) -> _Branch:
        return _Branch(dict(self.files), dict(self.calls), dict(self.unchecked), self.title)


LEFT_OUT = -2  # the parent of an entry above which entries were left out


class ReadingPlace(NamedTuple):
    """An entry in reading order with its parent, -1 for a root. `children` is the number of its children."""

    entry: int
    parent: int
    children: int


def reading_order(tree: Tree, end: int | None, left_out: bytearray) -> Iterator[ReadingPlace]:
    """Yield the entries, parents before children; at each fork the branch with `end` comes first.

    Entries in `left_out` are skipped.
    """
    ahead = bytearray(len(tree))
    for entry in tree.path(end):
        ahead[entry] = 1

    def shown(entries: Iterator[int]) -> list[int]:
        kept = [entry for entry in entries if not left_out[entry]]
        return kept if len(kept) < 2 else sorted(kept, key=lambda entry: -ahead[entry])

    waiting = [(entry, -1) for entry in reversed(shown(iter(tree.roots)))]
    while waiting:
        entry, parent = waiting.pop()
        children = shown(tree.children(entry))
        yield ReadingPlace(entry, parent, len(children))
        waiting += [(child, entry) for child in reversed(children)]


class FileLog:
    """Collects the steps of all files; with `only`, of one file under these paths, whose states are kept.

    `folder` is the session's folder, to which relative paths refer.
    """

    def __init__(self, folder: str = "", only: frozenset[str] = frozenset()) -> None:
        self._folder, self._only = folder, only
        self._branch = _Branch()
        self._forks: dict[int, tuple[_Branch, int]] = {}  # states at a fork, and how many branches follow
        self._parsed: dict[int, list[tuple[str, _OpenCall]]] = {}
        self._wanted: set[str] = set()
        self.steps: list[FileStep] = []
        self._deeds: list[tuple[FileRequest, Entry]] = []
        self._kept: dict[int, FileState] = {}
        self._size = 0

    # -- input --------------------------------------------------------------------------------------------------

    def parse(self, at: int, reply: Entry) -> None:
        """Note the calls of a message before its turn comes, so that `needs` knows which results matter."""
        title = next((one_line(text, TITLE) for text in _texts(reply) if text.strip()), "")
        calls = []
        for block in reply.blocks:
            if isinstance(block, ToolCall):
                requests = requests_of(block, self._folder)
                if self._only:
                    requests = tuple(request for request in requests if self._only & _paths(request))
                command = tool_use(block).command
                if requests or is_check(command):
                    calls.append((block.id, _OpenCall(at, title, requests, command)))
                    self._wanted.add(block.id)
        if calls or title:
            self._parsed[at] = calls or [("", _OpenCall(at, title, (), ""))]

    def needs(self, call: str) -> bool:
        """Return whether the result of a call matters to a file."""
        return call in self._wanted

    def enter(self, place: ReadingPlace) -> None:
        """Move to an entry, which must be the next one in reading order."""
        known = self._forks.get(place.parent)
        if known is not None:
            branch, left = known
            if left > 1:
                self._forks[place.parent] = branch, left - 1
                self._branch = branch.copy()
            else:
                del self._forks[place.parent]
                self._branch = branch
        elif place.parent == LEFT_OUT:
            self._branch.title = ""  # the words before the entry were left out
        elif place.parent < 0:
            self._branch = _Branch()
        for id, call in self._parsed.pop(place.entry, ()):
            self._branch.title = call.title or self._branch.title
            if id:
                self._branch.calls[id] = replace(call, title=self._branch.title)

    def leave(self, place: ReadingPlace) -> None:
        """Keep the known states at an entry for its branches; to be called after its content was added."""
        if place.children > 1:
            self._forks[place.entry] = self._branch.copy(), place.children

    def prompt(self, text: str) -> None:
        """Store the text of a user's request as the title of the steps after it."""
        self._branch.title = one_line(text, TITLE) or self._branch.title

    def result(self, at: int, result: Entry) -> None:
        """Add the result of a call."""
        call = self._branch.calls.pop(result.call, None)
        if call is None:
            return
        ended, _code = ending(result)
        if ended is Outcome.OK:
            for request in call.requests:
                self._add(at, call, request, result)
        if call.command:
            self._checked(call.command, ended, result)

    def command(self, result: Entry) -> None:
        """Add a command that the user ran."""
        self._checked(result.name, ending(result)[0], result)

    # -- inside -------------------------------------------------------------------------------------------------

    def _checked(self, command: str, ended: Outcome, result: Entry) -> None:
        """Store how a check ended with the changes since the last check."""
        if not is_check(command) or ended not in (Outcome.OK, Outcome.FAILED):
            return
        passed, failed = verdict(plain_text(result.blocks)) or (0, 0)
        told = CheckResult(ended is Outcome.OK and not failed, passed, failed)
        for number in self._branch.unchecked.values():
            if self.steps[number].check is None:  # another branch may have checked it before
                self.steps[number] = replace(self.steps[number], check=told)
        self._branch.unchecked.clear()

    def _add(self, at: int, call: _OpenCall, request: FileRequest, result: Entry) -> None:
        files, number = self._branch.files, len(self.steps)
        state, before = files.get(request.path, (UNKNOWN, -1))
        done = effect(state, request, result)
        moved = request.patch.moved if request.patch is not None else ""
        step = replace(_step(at, call, request, result, done, before), moved=moved)
        self._append(step, request, result, done.state)
        files[request.path] = (ABSENT if moved else done.state, number)
        if moved:
            self._append(replace(step, path=moved, moved=""), request, result, done.state)
            files[moved] = done.state, number + 1
        if request.act.is_change:
            self._branch.unchecked[moved or request.path] = number + bool(moved)

    def _append(self, step: FileStep, request: FileRequest, result: Entry, state: FileState) -> None:
        number = len(self.steps)
        self.steps.append(step)
        if self._only:
            self._deeds.append((request, result))
            self._size += len(state.text)
            if self._size <= KEPT_TEXT or number % SELDOM == 0:
                self._kept[number] = state

    def history(self, path: str, told: Sequence[FileStep], leaves: Sequence[int]) -> FileHistory:
        """Return the history of a file whose own log was computed. `told` are the file's steps in the log of all
        files, which know the words before each call and the checks after it; the log of one file does not. `leaves`
        are the ends of the newest branches through the steps, -1 for steps of the shown branch.
        """
        both = zip(self.steps, told, strict=True)
        steps = tuple(replace(own, title=other.title, check=other.check) for own, other in both)
        return FileHistory(path, steps, tuple(leaves), tuple(self._deeds), self._kept)


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The steps of one file on all branches, from which its state after each step can be computed.

    Steps are numbered from 0 in reading order. Those with another `path` are from before or after the file was moved.
    """

    path: str
    steps: tuple[FileStep, ...]
    leaves: tuple[int, ...]  # the end (index) of the newest branch through each step, -1 for the shown branch
    deeds: tuple[tuple[FileRequest, Entry], ...]
    kept: Mapping[int, FileState]

    def state(self, step: int) -> FileState:
        """Return the state after a step; for -1 the state before the first one."""
        waiting: list[int] = []
        while step >= 0 and step not in self.kept:
            waiting.append(step)
            step = self.steps[step].before
        state = UNKNOWN if step < 0 else self.kept[step]
        for number in reversed(waiting):
            state = effect(state, *self.deeds[number]).state
        return state

    def before(self, step: int) -> FileState:
        """Return the state before a step."""
        return self.state(self.steps[step].before)


def _texts(reply: Entry) -> Iterator[str]:
    return (block.text for block in reply.blocks if isinstance(block, Text))


def _paths(request: FileRequest) -> set[str]:
    return {request.path, request.patch.moved if request.patch is not None else ""}


def _step(at: int, call: _OpenCall, request: FileRequest, result: Entry, done: Effect, before: int) -> FileStep:
    read: LinesRead | None = done.read
    return FileStep(
        entry=call.entry, result=at, path=request.path, act=request.act, title=call.title, time=result.time,
        before=before, added=done.added, removed=done.removed, fits=done.fits,
        read=None if read is None else (read.first, read.last), is_whole=read is not None and read.is_whole,
        lines=None if read is None else len_of(read),
    )  # fmt: skip


def len_of(read: LinesRead) -> int | None:
    """Return the number of lines of the file that was read, without the empty one after a last line feed."""
    if read.is_whole:
        return read.text.removesuffix("\n").count("\n") + 1 if read.text else 0
    return read.total


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUse:
    """The reads and changes of a file by a session, or by one of its branches. `is_here`: on the shown branch.

    `removed_more`: an unknown number of further lines was removed. `last` is the last step's entry.
    """

    path: str
    edits: int = 0
    reads: int = 0
    added: int = 0
    removed: int = 0
    removed_more: bool = False
    is_here: bool = True
    last: int = -1

    @property
    def is_changed(self) -> bool:
        """Whether the file was changed, not only read."""
        return self.edits > 0


def paths_of(path: str, steps: Sequence[FileStep]) -> frozenset[str]:
    """Return the path of a file and all others that it had before or after it was moved."""
    moves = [(step.path, step.moved) for step in steps if step.moved]
    found, waiting = {path}, [path]
    while waiting:
        one = waiting.pop()
        for pair in moves:
            if one in pair and not found.issuperset(pair):
                waiting += set(pair) - found
                found.update(pair)
    return frozenset(found)


def uses_of(steps: Sequence[FileStep], here: bytearray) -> tuple[FileUse, ...]:
    """Return the files, sorted by path. `here` holds 1 for each entry of the shown branch.

    A file that the shown branch touched has the figures of that branch; another one those of the other branches.
    """
    own: dict[str, FileUse] = {}
    other: dict[str, FileUse] = {}
    for step in steps:
        is_here = bool(here[step.entry])
        found = own if is_here else other
        use = found.get(step.path, FileUse(path=step.path, is_here=is_here))
        change = step.act.is_change
        found[step.path] = replace(
            use,
            edits=use.edits + change,
            reads=use.reads + (not change),
            added=use.added + step.added,
            removed=use.removed + (step.removed or 0),
            removed_more=use.removed_more or step.removed is None,
            last=step.entry,
        )
    return tuple(sorted({**other, **own}.values(), key=lambda use: use.path))
