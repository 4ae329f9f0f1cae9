"""The operations of tools: files read and changed, commands, failed calls, calls without a result, the plan.

They are computed from the entries and passed from summary to summary, never taken from a model's text. The lists keep
their newest items, so that a long session continues to record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.tool_calls.checks import is_check
from stemmata.domain.tool_calls.outcomes import Outcome, details_of, ending, message
from stemmata.domain.tool_calls.use import PlanStep, ToolUse, step_state, tool_use

FILES = 1000
COMMANDS = 40
FAILURES = 16
UNFINISHED = 16
LONGEST_COMMAND = 400  # characters

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Command:
    """A shell command and how its last run ended. `runs` counts all its runs."""

    text: str
    outcome: Outcome = Outcome.OK
    exit_code: int | None = None
    runs: int = 1

    @property
    def is_check(self) -> bool:
        """Whether the command tests, lints or builds."""
        return is_check(self.text)


@dataclass(frozen=True, slots=True)
class Failure:
    """A tool call that failed. `resolved`: a later call of the same tool with the same subject succeeded."""

    tool: str
    subject: str
    message: str
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A tool call without a result."""

    id: str
    tool: str
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """The operations of tools. Files are sorted by UTF-16 code units; the other lists have the oldest item first.

    A file that was read and modified is listed only as modified.
    """

    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    failures: tuple[Failure, ...] = ()
    unfinished: tuple[OpenCall, ...] = ()
    plan: tuple[PlanStep, ...] = ()

    def __bool__(self) -> bool:
        return self != Operations()


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A call of a tool, and what it requests."""

    id: str
    use: ToolUse


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """The result of the call `id`, or with `command` of a command that the user ran.

    `message` is the most informative line of a failed result, else "".
    """

    id: str
    tool: str
    outcome: Outcome
    exit_code: int | None
    message: str = ""
    command: str = ""


def tool_events(entry: Entry) -> Iterator[ToolCalled | ToolEnded]:
    """Yield the calls and results of an entry, from which operations are collected."""
    if entry.kind is not Kind.MESSAGE or entry.flags & Flag.EXCLUDED:
        return
    if entry.role is Role.ASSISTANT:
        yield from (ToolCalled(block.id, tool_use(block)) for block in entry.blocks if isinstance(block, ToolCall))
    elif entry.role is Role.TOOL_RESULT:
        outcome, code = ending(entry)
        yield ToolEnded(entry.call, entry.tool, outcome, code, message(entry) if outcome is Outcome.FAILED else "")
    elif entry.role is Role.BASH_EXECUTION and entry.name.strip():
        yield ToolEnded("", entry.tool, *ending(entry), command=entry.name.strip())


def operations_of(entries: Iterable[Entry], previous: Operations | None = None) -> Operations:
    """Return the operations of the entries, which are in the order of the path, added to the previous operations."""
    return collected((event for entry in entries for event in tool_events(entry)), previous)


def collected(events: Iterable[ToolCalled | ToolEnded], previous: Operations | None = None) -> Operations:
    """Return the operations of calls and results in the order of the path, added to the previous operations."""
    record = _Record()
    if previous is not None:
        record.carry(previous)
    for event in events:
        record.add(event)
    return record.result()


def file_lists(read: Iterable[str], modified: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return both lists as pi prints them: sorted by UTF-16 code units, modified files removed from the read ones."""
    changed = set(modified)
    return _sorted(set(read) - changed), _sorted(changed)


@dataclass
class _Record:
    """Collects operations. Each use inserts an item into its dict again, so items are in the order of last use."""

    read: dict[str, None] = field(default_factory=dict)
    modified: dict[str, None] = field(default_factory=dict)
    commands: dict[str, Command] = field(default_factory=dict)
    failures: dict[tuple[str, str], Failure] = field(default_factory=dict)
    open: dict[str, ToolUse] = field(default_factory=dict)
    lost: list[tuple[str, ToolUse]] = field(default_factory=list)  # open calls whose id a later call reused
    plan: tuple[PlanStep, ...] = ()

    def carry(self, before: Operations) -> None:
        """Start with the operations of an earlier summary."""
        self.read.update(dict.fromkeys(before.read))
        self.modified.update(dict.fromkeys(before.modified))
        pending = {command.text for command in before.commands if command.outcome is Outcome.UNFINISHED}
        self.commands.update({command.text: command for command in before.commands if command.text not in pending})
        self.failures.update({(failure.tool, failure.subject): failure for failure in before.failures})
        for call in before.unfinished:
            command = call.subject if call.subject in pending else ""
            self._open(call.id, ToolUse(call.tool, call.subject, command=command))
        self.plan = before.plan

    def add(self, event: ToolCalled | ToolEnded) -> None:
        """Add a call or a result."""
        if isinstance(event, ToolCalled):
            self._open(event.id, event.use)
            self.plan = self.plan if event.use.plan is None else event.use.plan
        elif event.command:
            self._ran(event.command, event.outcome, event.exit_code)
        else:
            self._result(event)

    def _open(self, id: str, use: ToolUse) -> None:
        if id in self.open:
            self.lost.append((id, self.open.pop(id)))
        self.open[id] = use

    def _result(self, event: ToolEnded) -> None:
        ended = event.outcome
        use = self.open.pop(event.id, None) or ToolUse(event.tool)
        if use.command:
            self._ran(use.command, ended, event.exit_code)
        about = (use.tool or event.tool, _clipped(use.subject))
        if ended is not Outcome.FAILED:
            self._touched(use)
        if ended is Outcome.FAILED:
            self.failures.pop(about, None)
            self.failures[about] = Failure(*about, event.message)
        elif ended is Outcome.OK and about in self.failures:
            before = self.failures[about]
            self.failures[about] = Failure(before.tool, before.subject, before.message, resolved=True)

    def _touched(self, use: ToolUse) -> None:
        """Record the files of a call that did not fail. A call without a result counts: it may have changed files."""
        for names, used in ((self.read, use.read), (self.modified, use.modified)):
            for name in used:
                names.pop(name, None)
                names[name] = None

    def _ran(self, text: str, ended: Outcome, code: int | None) -> None:
        text = _clipped(text)
        before = self.commands.pop(text, None)
        self.commands[text] = Command(text, ended, code, before.runs + 1 if before else 1)

    def result(self) -> Operations:
        """Return the collected operations, each list cut to its newest items."""
        unfinished = [*self.lost, *self.open.items()]
        for _, use in unfinished:
            self._touched(use)
        read, modified = file_lists(_newest([*self.read], FILES), _newest([*self.modified], FILES))
        pending = {_clipped(use.command): Command(_clipped(use.command), Outcome.UNFINISHED)
                   for _, use in unfinished if use.command}  # fmt: skip
        ran = [command for text, command in self.commands.items() if text not in pending]
        return Operations(
            read=read,
            modified=modified,
            commands=_newest([*ran, *pending.values()], COMMANDS),
            failures=_newest([*self.failures.values()], FAILURES),
            unfinished=_newest([OpenCall(id, use.tool, _clipped(use.subject)) for id, use in unfinished], UNFINISHED),
            plan=self.plan,
        )


def _newest(items: Sequence[T], count: int) -> tuple[T, ...]:
    return tuple(items[-count:])


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass")))


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST_COMMAND else text[: LONGEST_COMMAND - 1] + "…"


_OUTCOMES = {outcome.text: outcome for outcome in Outcome}


def to_details(operations: Operations) -> dict[str, Any]:
    """Return the operations as data for JSON. Empty lists are left out, except pi's two file lists."""
    details: dict[str, Any] = {"readFiles": [*operations.read], "modifiedFiles": [*operations.modified]}
    lists = {
        "commands": [_command_row(command) for command in operations.commands],
        "failures": [_failure_row(failure) for failure in operations.failures],
        "unfinished": [{"id": call.id, "tool": call.tool, "subject": call.subject} for call in operations.unfinished],
        "plan": [{"text": step.text, "state": step.state.text} for step in operations.plan],
    }
    return details | {name: rows for name, rows in lists.items() if rows}


def details_text(operations: Operations) -> str:
    """Return the operations as JSON text."""
    return compact_json(to_details(operations))


def from_details(text: str) -> Operations:
    """Return the operations in an entry's details; missing or invalid items are left out."""
    details = details_of(text)
    read, modified = file_lists(_strings(details.get("readFiles")), _strings(details.get("modifiedFiles")))
    return Operations(
        read=read,
        modified=modified,
        commands=tuple(_command(row) for row in _rows(details.get("commands"), "text")),
        failures=tuple(_failure(row) for row in _rows(details.get("failures"), "tool")),
        unfinished=tuple(_open_call(row) for row in _rows(details.get("unfinished"), "id")),
        plan=tuple(PlanStep(row["text"], step_state(row.get("state"))) for row in _rows(details.get("plan"), "text")),
    )


def _command_row(command: Command) -> dict[str, Any]:
    row: dict[str, Any] = {"text": command.text, "outcome": command.outcome.text, "runs": command.runs}
    return row if command.exit_code is None else row | {"exitCode": command.exit_code}


def _failure_row(failure: Failure) -> dict[str, Any]:
    return {
        "tool": failure.tool,
        "subject": failure.subject,
        "message": failure.message,
        "resolved": failure.resolved,
    }


def _command(row: Mapping[str, Any]) -> Command:
    code, runs = row.get("exitCode"), row.get("runs")
    return Command(
        row["text"],
        _OUTCOMES.get(_string(row, "outcome"), Outcome.OK),
        code if type(code) is int else None,
        runs if type(runs) is int and runs > 0 else 1,
    )


def _failure(row: Mapping[str, Any]) -> Failure:
    resolved = row.get("resolved") is True
    return Failure(row["tool"], _string(row, "subject"), _string(row, "message"), resolved)


def _open_call(row: Mapping[str, Any]) -> OpenCall:
    return OpenCall(row["id"], _string(row, "tool"), _string(row, "subject"))


def _rows(value: object, key: str) -> Iterable[Mapping[str, Any]]:
    """Return the mappings of a list that have a string under the key."""
    items = value if isinstance(value, list) else []
    return (item for item in items if isinstance(item, dict) and isinstance(item.get(key), str))


def _string(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []
