"""Operations in the details of a summary entry, so that the next summary can carry them on.

The two file lists are pi's own (`readFiles`, `modifiedFiles`): pi reads what we write and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from stemmata.domain.compaction.operations import Command, Failure, OpenCall, Operations, file_lists
from stemmata.domain.entries.outcomes import Outcome, details_of
from stemmata.domain.entries.tool_use import Step, step_state
from stemmata.domain.text.json_text import compact

_OUTCOMES = {outcome.text: outcome for outcome in Outcome}


def to_details(operations: Operations) -> dict[str, Any]:
    """A JSON-ready mapping. Empty lists are left out, apart from pi's two."""
    details: dict[str, Any] = {"readFiles": [*operations.read], "modifiedFiles": [*operations.modified]}
    lists = {
        "commands": [_command_row(command) for command in operations.commands],
        "failures": [_failure_row(failure) for failure in operations.failures],
        "unfinished": [{"id": call.id, "tool": call.tool, "subject": call.subject} for call in operations.unfinished],
        "plan": [{"text": step.text, "state": step.state.text} for step in operations.plan],
    }
    return details | {name: rows for name, rows in lists.items() if rows}


def details_text(operations: Operations) -> str:
    """The same as compact JSON text."""
    return compact(to_details(operations))


def from_details(text: str) -> Operations:
    """The operations an entry's details hold; what is missing or misshapen is left out."""
    details = details_of(text)
    read, modified = file_lists(_strings(details.get("readFiles")), _strings(details.get("modifiedFiles")))
    return Operations(
        read=read,
        modified=modified,
        commands=tuple(_command(row) for row in _rows(details.get("commands"), "text")),
        failures=tuple(_failure(row) for row in _rows(details.get("failures"), "tool")),
        unfinished=tuple(_open_call(row) for row in _rows(details.get("unfinished"), "id")),
        plan=tuple(Step(row["text"], step_state(row.get("state"))) for row in _rows(details.get("plan"), "text")),
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
    """The mappings of a list that have a text under the key."""
    items = value if isinstance(value, list) else []
    return (item for item in items if isinstance(item, dict) and isinstance(item.get(key), str))


def _string(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []
