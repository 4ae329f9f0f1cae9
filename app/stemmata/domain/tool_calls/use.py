"""Determines the effect of a tool call from its name and arguments, for the tools of any agent.

pi calls its tools read, write, edit and bash with `path`; Claude Code Read, Write, Edit, MultiEdit and NotebookEdit
with `file_path`; Codex apply_patch and shell; others resemble one of these. So a tool is classified by the words in
its name instead of a table of products, which also covers renamed tools and MCP tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from stemmata.domain.entries.blocks import (
    PATH_ARGUMENTS,
    ToolCall,
    arguments_of,
    command_line,
    files_named,
    first_text,
)
from stemmata.domain.text.json_text import compact_json

_MODIFYING = frozenset(
    "write edit editor multiedit create update patch replace insert append delete remove rename move save".split()
)
_READING = frozenset("read view open cat show get".split())
_SEARCHING = frozenset("grep glob ls find search list rg".split())
_USING_FILES = _MODIFYING | _READING | _SEARCHING
_SHELLS = frozenset("bash shell exec execute terminal powershell zsh command".split())
_PLANS = frozenset("todo todos todowrite plan tasks".split())

_PATH_LISTS = ("paths", "files", "file_paths")
_WHOLE_TEXTS = ("content", "contents", "file_text", "new_source", "text")
_WRITING = frozenset("write create save".split())
_CHANGING_PARTS = frozenset("edit multiedit update patch replace insert append notebook".split())
_ASIDE = frozenset((*PATH_ARGUMENTS, *_PATH_LISTS, "command", "description", "explanation"))
_PLAN_KEYS = ("todos", "plan", "items", "tasks", "steps")
_STEP_TEXTS = ("content", "step", "text", "title", "description", "task", "subject")
_SUBJECT_KEYS = ("pattern", "query", "url", "description", "prompt", "name", "id")

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)
_NAMES_A_FILE = re.compile(r"[^/\\*?]\.[A-Za-z0-9_]{1,10}$")


class PlanStepState(IntEnum):
    """The state of an item of a plan."""

    PENDING = 0
    ACTIVE = 1
    DONE = 2
    BLOCKED = 3
    DROPPED = 4

    @property
    def text(self) -> str:
        """The state as a word, as the output in JSON has it."""
        return self.name.lower()


_STATES = {
    "active": PlanStepState.ACTIVE,
    "in_progress": PlanStepState.ACTIVE,
    "in-progress": PlanStepState.ACTIVE,
    "doing": PlanStepState.ACTIVE,
    "done": PlanStepState.DONE,
    "completed": PlanStepState.DONE,
    "complete": PlanStepState.DONE,
    "blocked": PlanStepState.BLOCKED,
    "dropped": PlanStepState.DROPPED,
    "cancelled": PlanStepState.DROPPED,
    "canceled": PlanStepState.DROPPED,
}


@dataclass(frozen=True, slots=True)
class PlanStep:
    """An item of a plan or to-do list."""

    text: str
    state: PlanStepState = PlanStepState.PENDING


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The effects of a tool call: the files it reads and modifies, the command it runs, the plan it sets.

    `command` is "" for a tool that runs no command, `plan` None for a tool that sets no plan. `subject` describes the
    call in a line of text: a path, a command, a pattern or an address.
    """

    tool: str
    subject: str = ""
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    command: str = ""
    plan: tuple[PlanStep, ...] | None = None


def tool_use(call: ToolCall) -> ToolUse:
    """Return the effects that a call requests, whether or not it succeeded."""
    values = arguments_of(call)
    words = _words(call.name)
    command = command_line(values) if words & _SHELLS else ""
    patched = _patched(values, call.arguments)
    read, modified = ((), patched) if patched else _files(words, values)
    plan = _plan(values) if words & _PLANS else None
    subject = command or next(iter(modified or read), "") or first_text(values, (*PATH_ARGUMENTS, *_SUBJECT_KEYS))
    return ToolUse(call.name, subject, read, modified, command, plan)


def part_read(call: ToolCall) -> str:
    """Return the arguments that choose a part of the file that a call reads, as JSON text; "" for the whole file."""
    chosen = {key: value for key, value in arguments_of(call).items() if key not in _ASIDE and value is not None}
    return compact_json(dict(sorted(chosen.items()))) if chosen else ""


def overwrites(call: ToolCall) -> bool:
    """Return whether the call contains the whole new text of the file that it modifies."""
    values, words = arguments_of(call), _words(call.name)
    writes = values.get("command") == "create" or (words & _WRITING and not words & _CHANGING_PARTS)
    return bool(writes) and any(isinstance(values.get(key), str) for key in _WHOLE_TEXTS)


def step_state(value: object) -> PlanStepState:
    """Return the state for a tool's value (a word, or True for done); pending for an unknown value."""
    if isinstance(value, bool):
        return PlanStepState.DONE if value else PlanStepState.PENDING
    return _STATES.get(value.lower(), PlanStepState.PENDING) if isinstance(value, str) else PlanStepState.PENDING


def _words(name: str) -> set[str]:
    """Return the words of a tool's name in lower case, e.g. of `multi_edit` or `NotebookEdit`.

    Of a name with parts such as `mcp__files__read_file` only the last part counts.
    """
    return {word.lower() for word in _WORD.findall(name.rpartition("__")[2])}


def _files(words: set[str], values: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files read and the files modified.

    An editor's `view` command reads. A search reads the paths that name a file.
    """
    if not words & _USING_FILES:
        return (), ()
    paths = tuple(_paths(values))
    views = values.get("command") in ("view", "open", "read")
    if words & _MODIFYING and not views:
        return (), paths
    if words & _READING or (views and words & _MODIFYING):
        return paths, ()
    return tuple(path for path in paths if _NAMES_A_FILE.search(path)), ()


def _paths(values: Mapping[str, Any]) -> Iterable[str]:
    found = first_text(values, PATH_ARGUMENTS)
    if found:
        yield found
    yield from files_named(values)


def _patched(values: Mapping[str, Any], raw: str) -> tuple[str, ...]:
    """Return the files named by a patch in Codex's format, in whichever argument it is."""
    if "*** Begin Patch" not in raw:
        return ()
    texts = [*_strings(values)] or [raw]
    return tuple(dict.fromkeys(path for text in texts for path in _PATCHED.findall(text)))


def _strings(values: Mapping[str, Any]) -> Iterable[str]:
    for value in values.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, str))


def _plan(values: Mapping[str, Any]) -> tuple[PlanStep, ...] | None:
    items = next((values[key] for key in _PLAN_KEYS if isinstance(values.get(key), list)), None)
    if items is None:
        return None
    steps = (_step(item) for item in items)
    return tuple(step for step in steps if step.text)


def _step(item: object) -> PlanStep:
    if isinstance(item, str):
        return PlanStep(item.strip())
    if not isinstance(item, dict):
        return PlanStep("")
    state = next((item[key] for key in ("status", "state", "completed", "done") if key in item), None)
    return PlanStep(first_text(item, _STEP_TEXTS).strip(), step_state(state))
