"""A turn as a comparison tells it: the prompt, what was answered, which tools ran and how, what it took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stemmata.domain.compaction.operations import operations_of
from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.outcomes import Outcome, exit_code, outcome
from stemmata.domain.entries.tokens import UNKNOWN, Figure
from stemmata.domain.entries.tool_use import tool_use

NOTHING = Figure.reported(0)
_QUIET = Flag.INJECTED | Flag.HIDDEN


@dataclass(frozen=True, slots=True)
class Step:
    """An entry of a branch. `key` is the caller's name for it, `tokens` its estimated size.

    The entry may be shortened: `cut` is the number of characters left out of it.
    """

    key: int
    entry: Entry
    tokens: int
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call, or a command the person ran. `is_command`: it ran in a shell."""

    tool: str
    subject: str
    outcome: Outcome
    exit_code: int | None = None
    is_command: bool = False


@dataclass(frozen=True, slots=True)
class Totals:
    """What turns took. Cost in millionths of a dollar, time in nanoseconds.

    `tokens` are those that were new to the model, and its own: what a provider read from its cache is not counted.
    """

    turns: int = 0
    calls: int = 0
    failed_commands: int = 0
    tokens: Figure = NOTHING
    cost: Figure = NOTHING
    time: Figure = NOTHING

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.turns + other.turns,
            self.calls + other.calls,
            self.failed_commands + other.failed_commands,
            self.tokens + other.tokens,
            self.cost + other.cost,
            self.time + other.time,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A request of a person and what answers it. `request` is None where a branch begins in the middle of a turn.

    `entries` are all its entries, in order, bookkeeping included. A file that was read and modified is modified.
    """

    entries: tuple[int, ...]
    request: int | None
    prompt: str
    replies: tuple[str, ...]
    calls: tuple[Call, ...]
    read: tuple[str, ...]
    modified: tuple[str, ...]
    totals: Totals
    cut: int = 0  # characters that were left out of its entries


def turns_of(steps: Iterable[Step]) -> Iterator[Turn]:
    """The steps of a branch as turns; every step is in exactly one.

    What a tool wrote in the person's name starts none. Bookkeeping and summaries ahead of the first request belong to
    its turn, so that branches which begin alike are aligned.
    """
    open_: list[Step] = []
    for step in steps:
        if _is_request(step.entry) and any(_converses(earlier.entry) for earlier in open_):
            yield _turn(open_)
            open_ = []
        open_.append(step)
    if open_:
        yield _turn(open_)


def asks(kind: Kind, role: Role, flags: Flag) -> bool:
    """Whether such an entry is a request of the person, and so starts a turn."""
    return kind is Kind.MESSAGE and role is Role.USER and not flags & _QUIET


def _is_request(entry: Entry) -> bool:
    return asks(entry.kind, entry.role, entry.flags)


def _converses(entry: Entry) -> bool:
    """Whether it is part of the talk: a turn goes on where its first such entry is no request."""
    if entry.kind is Kind.MESSAGE and entry.role is Role.USER:
        return _is_request(entry)
    return entry.kind in (Kind.MESSAGE, Kind.CUSTOM_MESSAGE)


def _speaks(entry: Entry) -> bool:
    return entry.kind in MESSAGE_KINDS


def _turn(steps: Sequence[Step]) -> Turn:
    request = next((step for step in steps if _converses(step.entry)), None)
    if request is not None and not _is_request(request.entry):
        request = None
    entries = [step.entry for step in steps]
    operations = operations_of(entries)
    calls = tuple(_calls(entries))
    return Turn(
        entries=tuple(step.key for step in steps),
        request=None if request is None else request.key,
        prompt="" if request is None else plain_text(request.entry.blocks, "\n\n").strip(),
        replies=tuple(_replies(entries)),
        calls=calls,
        read=operations.read,
        modified=operations.modified,
        totals=_totals(steps, calls),
        cut=sum(step.cut for step in steps),
    )


def _replies(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        if entry.role is Role.ASSISTANT:
            yield from (block.text for block in entry.blocks if isinstance(block, Text) and block.text.strip())


def _calls(entries: Sequence[Entry]) -> Iterator[Call]:
    """In the order in which they were made, each with the next result that names it."""
    results: dict[str, list[Entry]] = {}
    for entry in reversed(entries):
        if entry.role is Role.TOOL_RESULT:
            results.setdefault(entry.call, []).append(entry)
    for entry in entries:
        if entry.role is Role.BASH_EXECUTION:
            code = exit_code(entry)
            yield Call("", entry.name.strip(), outcome(entry, code), code, is_command=True)
        if entry.role is Role.ASSISTANT:
            for block in entry.blocks:
                if isinstance(block, ToolCall):
                    waiting = results.get(block.id)
                    yield _call(block, waiting.pop() if waiting else None)


def _call(call: ToolCall, result: Entry | None) -> Call:
    use = tool_use(call)
    if result is None:
        return Call(use.tool, use.subject, Outcome.UNFINISHED, is_command=bool(use.command))
    code = exit_code(result)
    return Call(use.tool, use.subject, outcome(result, code), code, is_command=bool(use.command))


def _totals(steps: Sequence[Step], calls: Sequence[Call]) -> Totals:
    failed = sum(call.is_command and call.outcome is Outcome.FAILED for call in calls)
    return Totals(1, len(calls), failed, _tokens(steps), _cost(steps), _time(steps))


def _tokens(steps: Sequence[Step]) -> Figure:
    """A reported reply covers what was sent with it; what no report covers is estimated."""
    total, waiting = NOTHING, 0
    for step in steps:
        used = _spent(step.entry.usage) if step.entry.role is Role.ASSISTANT else 0
        if used:
            total, waiting = total + Figure.reported(used), 0
        elif _speaks(step.entry):
            waiting += step.tokens
    return total + Figure.estimated(waiting) if waiting else total


def _spent(usage: Usage | None) -> int:
    """Tokens that were new in a request, with its reply; 0 where nothing was reported."""
    if usage is None:
        return 0
    return usage.input + usage.cache_write + usage.output or usage.total


def _cost(steps: Sequence[Step]) -> Figure:
    """Unknown as soon as one finished reply has no price."""
    total, broken = NOTHING, Flag.FAILED | Flag.ABORTED
    for step in steps:
        if step.entry.role is Role.ASSISTANT:
            cost = step.entry.usage.cost if step.entry.usage is not None else None
            if cost is not None:
                total += Figure.reported(cost)
            elif not step.entry.flags & broken:
                return UNKNOWN
    return total


def _time(steps: Sequence[Step]) -> Figure:
    """From the first of its entries to the last. A turn of which no time is known has no duration."""
    times = [step.entry.time for step in steps if step.entry.time > 0 and _speaks(step.entry)]
    return Figure.reported(max(times) - min(times)) if times else UNKNOWN
