"""The line that stands for a folded tool call: the main argument and the outcome of the call."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from stemmata.domain.entries import outcomes as entry_outcomes
from stemmata.domain.entries.blocks import Image, ToolCall, plain_text
from stemmata.domain.entries.checks import verdict
from stemmata.domain.entries.entry import Flag
from stemmata.domain.entries.tokens import Figure
from stemmata.domain.entries.tool_kinds import MOST_READ, ToolKind, arguments_of, kind_of
from stemmata.domain.entries.tool_results import tool_result
from stemmata.gui.cards.tool_files import written
from stemmata.gui.cards.tool_tasks import progress
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.widgets.categories import figure_with_noun

MAIN_ARGUMENTS = (
    "command", "cmd", "file_path", "filePath", "path", "notebook_path", "pattern", "query", "url", "description",
    "prompt", "skill", "name", "title", "subject",
)  # fmt: skip
BEFORE, AFTER = ("oldText", "old_string", "old_str"), ("newText", "new_string", "new_str")
SHELLS = frozenset({"bash", "shell", "exec", "exec_command", "run_command", "run_shell_command", "powershell"})
EXIT = re.compile(r"(?:exited with code|exit code:?)\s+(-?\d+)", re.IGNORECASE)
ONE_LINE = re.compile(r"\s+")
ELSEWHERE = "…"  # between changes at different places
MOST_ARGUMENT = 400  # characters of the main argument, far more than a line holds
MOST_PAIRS = 40_000  # of lines that may differ
MOST_COMPARED = 2000  # lines; longer texts are counted, not compared
_NOTHING = re.compile(r"\(?no (?:matches|files|results)", re.IGNORECASE)
_NOTE = re.compile(r"\[.*\]|\(?results? (?:are )?(?:truncated|limited)|found \d+ ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OutcomeWords:
    """The outcome of a tool call in a few words. `tone` is a colour token."""

    text: str
    tone: str = "dim"


def main_argument(arguments: Mapping[str, Any]) -> str:
    """Return the argument that distinguishes a call from others, such as a path or a command, on one line."""
    for name in MAIN_ARGUMENTS:
        if isinstance(arguments.get(name), str) and arguments[name]:
            return _line(arguments[name])
    for value in arguments.values():
        if isinstance(value, str) and value:
            return _line(value)
    return _line(json.dumps(arguments, ensure_ascii=False)) if arguments else ""


def within(folder: str, argument: str) -> str:
    """Return an argument relative to the session's folder: without `cd FOLDER &&` and without the folder in paths."""
    if not folder:
        return argument
    argument = argument.removeprefix(f"cd {folder} && ").removeprefix(f"cd {folder}; ")
    return argument.removeprefix(folder.rstrip("/\\") + "/")


def outcomes(tool: str, call: ToolCall | None, answer: LoadedEntry | None) -> list[OutcomeWords]:
    """Return the outcome of a call in a few words; [] when the result has no short form."""
    if answer is None:
        return [OutcomeWords(tr("no result"), "faint")]
    failed = bool(answer.row.flags & Flag.FAILED)
    change = None if failed else diff_of(call, answer)
    if change:
        return _counts(change)
    text = plain_text(answer.body.blocks)
    code = exit_code(answer, text)
    if code is not None:
        tests = verdict(text)
        told = [OutcomeWords(verdict_words(*tests), "bad" if tests[1] else "good")] if tests is not None else []
        return [*told, OutcomeWords(tr("exit {code}").format(code=code), "bad" if code else "good")]
    if failed:
        return [OutcomeWords(tr("error"), "bad")]
    kind = kind_of(tool)
    if kind in (ToolKind.SEARCH, ToolKind.FILES) and (found := found_words(tool, answer)):
        return [OutcomeWords(found)]
    if kind is ToolKind.WRITE and call is not None and (content := written(arguments_of(call))):
        return [_lines(content)]
    if kind is ToolKind.TASKS and call is not None and (done := progress(arguments_of(call))):
        return [OutcomeWords(done)]
    return _amount(tool, answer, text)


def exit_code(answer: LoadedEntry, text: str) -> int | None:
    """Return a command's exit code from the details or the end of its result; 0 for a shell that did not fail."""
    details = details_of(answer)
    for name in ("exitCode", "exit_code", "code"):
        if isinstance(details.get(name), int):
            return int(details[name])
    if answer.row.tool.lower() not in SHELLS:
        return None
    found = EXIT.search(text[-400:])
    if found:
        return int(found[1])
    return None if answer.row.flags & Flag.FAILED else 0


def diff_of(call: ToolCall | None, answer: LoadedEntry | None) -> str:
    """Return the change that a call made to a file, as lines with + and -; "" when no change is known."""
    details = details_of(answer) if answer is not None else {}
    if isinstance(details.get("diff"), str):
        return str(details["diff"])
    patch = details.get("structuredPatch")
    if isinstance(patch, list) and patch:
        return "\n".join(line for hunk in patch if isinstance(hunk, dict) for line in _hunk(hunk))
    arguments = arguments_of(call) if call is not None else {}
    edits = arguments.get("edits")
    if isinstance(edits, list):
        return f"\n{ELSEWHERE}\n".join(filter(None, (_edit(edit) for edit in edits if isinstance(edit, dict))))
    return _edit(arguments)


def details_of(answer: LoadedEntry) -> Mapping[str, Any]:
    """Return a result's structured details; empty when it has none or they are not a JSON object."""
    return entry_outcomes.details_of(answer.body.details) if len(answer.body.details) <= MOST_READ else {}


def _hunk(hunk: Mapping[str, Any]) -> list[str]:
    lines = hunk.get("lines")
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def _edit(arguments: Mapping[str, Any]) -> str:
    before = next((arguments[name] for name in BEFORE if isinstance(arguments.get(name), str)), None)
    after = next((arguments[name] for name in AFTER if isinstance(arguments.get(name), str)), None)
    if before is None or after is None:
        return ""
    return difference(before, after)


def difference(before: str, after: str) -> str:
    """Return the lines that differ, marked with + and -, with two lines around each; "" for equal texts.

    When a comparison would take too long, all lines of the old text are followed by all lines of the new one.
    """
    old, new = before.splitlines(), after.splitlines()
    if len(old) + len(new) > MOST_COMPARED or _differing(old, new) > MOST_PAIRS:
        return "\n".join([*(f"-{line}" for line in old), *(f"+{line}" for line in new)])
    hunks = list(unified_diff(old, new, lineterm="", n=2))[3:]  # numbers of lines would be those of the argument
    return "\n".join(ELSEWHERE if line.startswith("@@") else line for line in hunks)


def _differing(old: list[str], new: list[str]) -> int:
    """Return the number of line pairs between the common beginning and end; comparing takes time in proportion."""
    start = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    if start is None:
        return 0
    rest = list(zip(reversed(old[start:]), reversed(new[start:]), strict=False))
    stop = next((at for at, (one, other) in enumerate(rest) if one != other), len(rest))
    return (len(old) - start - stop) * (len(new) - start - stop)


def _counts(diff: str) -> list[OutcomeWords]:
    lines = diff.splitlines()
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    return [
        OutcomeWords(f"+{added}", "good" if added else "faint"),
        OutcomeWords(f"−{removed}", "bad" if removed else "faint"),
    ]


def _amount(tool: str, answer: LoadedEntry, text: str) -> list[OutcomeWords]:
    if any(isinstance(block, Image) for block in answer.body.blocks):
        return [OutcomeWords(tr("image"))]
    if kind_of(tool) is ToolKind.READ and not answer.body.cut:
        return [_lines(tool_result(tool, {}, text).text)]
    tokens = answer.row.tokens
    return [OutcomeWords(figure_with_noun(Figure.estimated(tokens)))] if tokens else []


def _lines(text: str) -> OutcomeWords:
    return OutcomeWords(tr("%Ln lines", None, text.rstrip("\n").count("\n") + 1))


def _line(text: str) -> str:
    return ONE_LINE.sub(" ", text[:MOST_ARGUMENT]).strip()


def found_words(tool: str, answer: LoadedEntry) -> str:
    """Return how much a search found, such as `5 files` or `12 matches`; "" when it is unknown."""
    details = details_of(answer)
    for name, words in (("numMatches", _matches), ("numLines", _matches), ("numFiles", _files)):
        count = details.get(name)
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0 and (count or name == "numFiles"):
            return words(count)
    text = plain_text(answer.body.blocks).strip()
    if answer.body.cut or not text:
        return ""
    if _NOTHING.match(text):
        return tr("nothing found")
    count = sum(bool(line.strip()) and not _NOTE.match(line) for line in text.splitlines())
    return _files(count) if kind_of(tool) is ToolKind.FILES else _matches(count)


def verdict_words(passed: int, failed: int) -> str:
    """Return the result of a test run in words, such as `38 passed · 3 failed`."""
    words = [tr("%Ln passed", None, passed)] if passed or not failed else []
    return " · ".join([*words, tr("%Ln failed", None, failed)] if failed else words)


def _matches(count: int) -> str:
    return tr("%Ln matches", None, count)


def _files(count: int) -> str:
    return tr("%Ln files", None, count)
