"""Turns as a comparison shows them: prompt, replies, tool calls with outcomes, tokens, cost and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stemmata.domain.compaction.operations import operations_of
from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.figures import UNKNOWN, Figure
from stemmata.domain.entries.prompts import is_prompt
from stemmata.domain.tool_calls.outcomes import Outcome, ending
from stemmata.domain.tool_calls.use import tool_use

NOTHING = Figure.reported(0)


@dataclass(frozen=True, slots=True)
class TurnStep:
    """An entry of a branch. `key` identifies it for the caller, `tokens` is its estimated size.

    `cut` is the number of characters left out of a shortened entry.
    """

    key: int
    entry: Entry
    tokens: int
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call, or a command that the user ran. `is_command`: it ran in a shell."""

    tool: str
    subject: str
    outcome: Outcome
    exit_code: int | None = None
    is_command: bool = False


@dataclass(frozen=True, slots=True)
class Totals:
    """The usage of one or more turns. Cost is in millionths of a dollar, time in nanoseconds.

    `turns` counts those with a part of the conversation: settings, labels and summaries alone are no turn of it.

    `tokens` counts new input and output; tokens read from the provider's cache are not counted.
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
    """A user's request and the entries that answer it. `request` is None when a branch begins inside a turn.

    `entries` are all entries of the turn, in order, settings and labels included. A file that was read and
    modified is listed only as modified.
    """

    entries: tuple[int, ...]
    request: int | None
    prompt: str
    replies: tuple[str, ...]
    calls: tuple[Call, ...]
    read: tuple[str, ...]
    modified: tuple[str, ...]
    totals: Totals
    cut: int = 0  # characters left out of the entries


def turns_of(steps: Iterable[TurnStep]) -> Iterator[Turn]:
    """Yield the turns of a branch; every step is in exactly one turn.

    A user message that a tool wrote does not start a turn. Settings, labels and summaries before the first request
    belong to its turn, so that branches that begin alike are aligned.
    """
    open_: list[TurnStep] = []
    for step in steps:
        if _is_request(step.entry) and any(_is_conversation(earlier.entry) for earlier in open_):
            yield _turn(open_)
            open_ = []
        open_.append(step)
    if open_:
        yield _turn(open_)


def _is_request(entry: Entry) -> bool:
    return is_prompt(entry.kind, entry.role, entry.flags)


def _is_conversation(entry: Entry) -> bool:
    """Return whether the entry is part of the conversation, not a setting, label, summary or injected message."""
    if entry.kind is Kind.MESSAGE and entry.role is Role.USER:
        return _is_request(entry)
    return entry.kind in (Kind.MESSAGE, Kind.CUSTOM_MESSAGE)


def _is_message(entry: Entry) -> bool:
    return entry.kind in MESSAGE_KINDS


def _turn(steps: Sequence[TurnStep]) -> Turn:
    request = next((step for step in steps if _is_conversation(step.entry)), None)
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
    """Yield the calls in order, each with the next result for its id."""
    results: dict[str, list[Entry]] = {}
    for entry in reversed(entries):
        if entry.role is Role.TOOL_RESULT:
            results.setdefault(entry.call, []).append(entry)
    for entry in entries:
        if entry.role is Role.BASH_EXECUTION:
            yield Call("", entry.name.strip(), *ending(entry), is_command=True)
        if entry.role is Role.ASSISTANT:
            for block in entry.blocks:
                if isinstance(block, ToolCall):
                    waiting = results.get(block.id)
                    yield _call(block, waiting.pop() if waiting else None)


def _call(call: ToolCall, result: Entry | None) -> Call:
    use = tool_use(call)
    if result is None:
        return Call(use.tool, use.subject, Outcome.UNFINISHED, is_command=bool(use.command))
    return Call(use.tool, use.subject, *ending(result), is_command=bool(use.command))


def _totals(steps: Sequence[TurnStep], calls: Sequence[Call]) -> Totals:
    failed = sum(call.is_command and call.outcome is Outcome.FAILED for call in calls)
    turns = int(any(_is_conversation(step.entry) for step in steps))
    return Totals(turns, len(calls), failed, _tokens(steps), _cost(steps), _time(steps))


def _tokens(steps: Sequence[TurnStep]) -> Figure:
    """Return the new tokens of a turn: reported usage, plus estimates of the entries after the last report."""
    total, waiting = NOTHING, 0
    for step in steps:
        used = _spent(step.entry.usage) if step.entry.role is Role.ASSISTANT else 0
        if used:
            total, waiting = total + Figure.reported(used), 0
        elif _is_message(step.entry):
            waiting += step.tokens
    return total + Figure.estimated(waiting) if waiting else total


def _spent(usage: Usage | None) -> int:
    """Return the new tokens of a request and its reply; 0 without a report."""
    if usage is None:
        return 0
    return usage.input + usage.cache_write + usage.output or usage.total


def _cost(steps: Sequence[TurnStep]) -> Figure:
    """Return the cost of a turn; unknown when a complete reply has no reported cost."""
    total, broken = NOTHING, Flag.FAILED | Flag.ABORTED
    for step in steps:
        if step.entry.role is Role.ASSISTANT:
            cost = step.entry.usage.cost if step.entry.usage is not None else None
            if cost is not None:
                total += Figure.reported(cost)
            elif not step.entry.flags & broken:
                return UNKNOWN
    return total


def _time(steps: Sequence[TurnStep]) -> Figure:
    """Return the time from the first to the last message; unknown when no message has a time."""
    times = [step.entry.time for step in steps if step.entry.time > 0 and _is_message(step.entry)]
    return Figure.reported(max(times) - min(times)) if times else UNKNOWN
