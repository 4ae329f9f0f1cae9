"""The line that stands for a folded tool call: the main argument and the outcome of the call."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import Image, ToolCall, main_argument, plain_text
from stemmata.domain.entries.entry import Flag
from stemmata.domain.entries.figures import Figure
from stemmata.domain.files.changed_lines import FileChange, changes_of
from stemmata.domain.tool_calls.checks import verdict
from stemmata.domain.tool_calls.kinds import ToolKind, arguments_of, kind_of
from stemmata.domain.tool_calls.results import ResultForm, tool_result
from stemmata.gui.cards.tool_files import written
from stemmata.gui.cards.tool_tasks import progress
from stemmata.gui.cards.words import tr
from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.widgets.context_words import figure_with_noun

SHELLS = frozenset({"bash", "shell", "exec", "exec_command", "run_command", "run_shell_command", "powershell"})
EXIT = re.compile(r"(?:exited with code|exit code:?)\s+(-?\d+)", re.IGNORECASE)
ONE_LINE = re.compile(r"\s+")
MOST_ARGUMENT = 400  # characters of the main argument, far more than a line holds
_NOTHING = re.compile(r"\(?no (?:matches|files|results)", re.IGNORECASE)
_JSON_EXIT = re.compile(r'"exit_?code": {0,2}(-?\d{1,5})\b', re.IGNORECASE)
_NOTE = re.compile(r"\[.*\]\s*$|\(?results? (?:are )?(?:truncated|limited)|found \d+ ", re.IGNORECASE)

_FOLDER = re.compile(r"\s*(?:\[dir\]|.*/$)", re.IGNORECASE)  # a line of a list that names a folder


@dataclass(frozen=True, slots=True)
class OutcomeWords:
    """The outcome of a tool call in a few words. `tone` is a colour token."""

    text: str
    tone: str = "dim"


def argument_line(arguments: Mapping[str, Any]) -> str:
    """Return the main argument of a call, or all arguments when none is a text, on one line; "" for none."""
    text = main_argument(arguments)
    return _line(text or (json.dumps(arguments, ensure_ascii=False) if arguments else ""))


def within(folder: str, argument: str) -> str:
    """Return an argument relative to the session's folder: without `cd FOLDER &&` and without the folder in paths."""
    if not folder:
        return argument
    argument = argument.removeprefix(f"cd {folder} && ").removeprefix(f"cd {folder}; ")
    inside = folder.rstrip("/\\") + "/"
    return argument.removeprefix(inside).replace(f", {inside}", ", ")


def outcomes(tool: str, call: ToolCall | None, answer: LoadedEntry | None) -> list[OutcomeWords]:
    """Return the outcome of a tool call in a few words; [] when its result has no short form."""
    if answer is None:
        return [OutcomeWords(tr("no result yet"), "faint")]
    failed = bool(answer.row.flags & Flag.FAILED)
    changes = [] if failed else changes_of(call, answer.body.details)
    if changes:
        return _counts(changes)
    text = plain_text(answer.body.blocks)
    code = exit_code(answer, text)
    if code is not None:
        tests = verdict(text)
        told = [OutcomeWords(verdict_words(*tests), "bad" if tests[1] else "good")] if tests is not None else []
        return [*told, OutcomeWords(tr("exit {code}").format(code=code), "bad" if code else "good")]
    if failed:
        return [OutcomeWords(tr("error"), "bad")]
    kind = kind_of(tool, arguments_of(call) if call is not None else None)
    if kind in (ToolKind.SEARCH, ToolKind.FILES) and (found := found_words(tool, answer)):
        return [OutcomeWords(found)]
    if kind is ToolKind.WRITE and call is not None and (content := written(arguments_of(call))):
        return [_lines(content)]
    if kind is ToolKind.TASKS and call is not None and (done := progress(arguments_of(call))):
        return [OutcomeWords(done)]
    return _amount(kind, tool, answer, text)


def exit_code(answer: LoadedEntry, text: str) -> int | None:
    """Return a command's exit code from the details or the end of its result; 0 for a shell that did not fail."""
    details = answer.details
    for name in ("exitCode", "exit_code", "code"):
        if isinstance(details.get(name), int):
            return int(details[name])
    if kind_of(answer.row.tool) is ToolKind.SHELL and (written := _JSON_EXIT.search(text[-400:])):
        return int(written[1])
    if answer.row.tool.lower() not in SHELLS:
        return None
    found = EXIT.search(text[-400:])
    if found:
        return int(found[1])
    return None if answer.row.flags & Flag.FAILED else 0


def _counts(changes: Sequence[FileChange]) -> list[OutcomeWords]:
    added, removed = (sum(counts) for counts in zip(*(change.counts for change in changes), strict=True))
    return [
        OutcomeWords(f"+{added}", "good" if added else "faint"),
        OutcomeWords(f"−{removed}", "bad" if removed else "faint"),
    ]


def _amount(kind: ToolKind, tool: str, answer: LoadedEntry, text: str) -> list[OutcomeWords]:
    if any(isinstance(block, Image) for block in answer.body.blocks):
        return [OutcomeWords(tr("image"))]
    if kind is ToolKind.READ and not answer.body.cut:
        found = tool_result(tool, {"command": "view"}, text)  # the command of an editor that reads
        return [_lines(found.text, sum(map(bool, found.numbers)) if found.heads else 0)]
    tokens = answer.row.tokens
    return [OutcomeWords(figure_with_noun(Figure.estimated(tokens)))] if tokens else []


def _lines(text: str, count: int = 0) -> OutcomeWords:
    """Return the number of lines of a text, or the number that is given."""
    return OutcomeWords(tr("%Ln lines", None, count or text.rstrip("\n").count("\n") + 1))


def _line(text: str) -> str:
    return ONE_LINE.sub(" ", text[:MOST_ARGUMENT]).strip()


def found_words(tool: str, answer: LoadedEntry) -> str:
    """Return how much a search found, such as `5 files` or `12 matches`; "" when it is unknown."""
    details = answer.details
    for name, words in (("numMatches", _matches), ("numLines", _matches), ("numFiles", _files)):
        count = details.get(name)
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0 and (count or name == "numFiles"):
            return words(count)
    text = plain_text(answer.body.blocks).strip()
    if answer.body.cut or not text:
        return ""
    if _NOTHING.match(text):
        return tr("nothing found")
    if kind_of(tool) is ToolKind.FILES:
        listed = tool_result(tool, {}, text).text.splitlines()
        named = [line for line in listed if line.strip() and not _NOTE.match(line)]
        return (_items if any(map(_FOLDER.match, named)) else _files)(len(named))
    found = tool_result(tool, {}, text)
    if found.form is ResultForm.MATCHES:
        return _matches(sum(map(bool, found.numbers)))
    return _matches(sum(bool(line.strip()) and not _NOTE.match(line) for line in text.splitlines()))


def verdict_words(passed: int, failed: int) -> str:
    """Return the result of a test run in words, such as `38 passed · 3 failed`."""
    words = [tr("%Ln passed", None, passed)] if passed or not failed else []
    return " · ".join([*words, tr("%Ln failed", None, failed)] if failed else words)


def _matches(count: int) -> str:
    return tr("%Ln matches", None, count)


def _files(count: int) -> str:
    return tr("%Ln files", None, count)


def _items(count: int) -> str:
    """Return a number of files and folders in words."""
    return tr("%Ln items", "files and folders", count)
