"""Determines how a tool call or a shell command ended, from the content of its result."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry, Flag

_EXIT_KEYS = ("exitCode", "exit_code", "exitStatus", "returncode", "return_code")
_EXITED = re.compile(
    r"(?:(?:command|process|shell) )?(?:exit(?:ed)?|returned)(?: with)?(?: exit)?(?: code| status):? (-?\d{1,5})\.?",
    re.IGNORECASE,
)
_CANCELLED = re.compile(
    r"command (?:was )?(?:aborted|cancell?ed|interrupted)|\[request interrupted by user|operation aborted"
    r"|the user doesn't want to (?:proceed|take this action)",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"error|fail|fatal|panic|exception|traceback|cannot|can't|could not|not found|no such|denied|invalid"
    r"|unexpected|unresolved|undefined|refused|timed out",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"(?:\w+\.)*\w*(?:Error|Exception)\b|(?:error|fatal|panic|failed|FAILED|E )\b|.*\berror(?: \w+)?: "
)
_LONGEST_LINE = 400  # longer lines are minified code or data
_LINES = 200  # the message is searched only in this many lines at the start of the output
LONGEST_MESSAGE = 240  # characters, the same limit as in OpenClaw


class Outcome(IntEnum):
    """The outcomes of a tool call or shell command."""

    OK = 0
    FAILED = 1
    CANCELLED = 2
    UNFINISHED = 3  # the call has no result

    @property
    def text(self) -> str:
        """The outcome as a word, as the output in JSON has it."""
        return self.name.lower()


def exit_code(entry: Entry) -> int | None:
    """Return a command's exit code from the result's details or from a line such as "exited with code 1".

    None when the result does not tell.
    """
    return _code(entry, details_of(entry.details))


def ending(entry: Entry) -> tuple[Outcome, int | None]:
    """Return how a tool result or shell command ended, and its exit code, None when unknown."""
    details = details_of(entry.details)
    code = _code(entry, details)
    if entry.flags & Flag.ABORTED or any(details.get(key) is True for key in ("cancelled", "interrupted", "aborted")):
        return Outcome.CANCELLED, code
    has_failed = bool(entry.flags & Flag.FAILED) or bool(code)
    if has_failed and _CANCELLED.search(_ends(plain_text(entry.blocks))):
        return Outcome.CANCELLED, code
    return Outcome.FAILED if has_failed else Outcome.OK, code


def _code(entry: Entry, details: Mapping[str, Any]) -> int | None:
    for values in (details, details.get("metadata"), details.get("details")):
        if isinstance(values, dict):
            code = next((values[key] for key in _EXIT_KEYS if key in values), None)
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    for line in _outer_lines(plain_text(entry.blocks).strip()):
        found = _EXITED.fullmatch(line.strip())
        if found:
            return int(found[1])
    return None


def _outer_lines(text: str) -> Sequence[str]:
    """Return the first line and the last two lines of a stripped text, which is not cut into all its lines."""
    first, last = text.split("\n", 1)[0], "\n".join(text.rsplit("\n", 2)[-2:])
    return (*first.splitlines()[:1], *last.splitlines()[-2:])  # there are other ends of lines too


def message(entry: Entry) -> str:
    """Return the most informative line of a failed result: the first about an error, else the first; clipped."""
    lines = [line for line in map(str.strip, plain_text(entry.blocks).splitlines()[:_LINES]) if line]
    short = [line for line in lines if len(line) <= _LONGEST_LINE and not line.startswith((">", "$"))]
    strong = (line for line in short if _STRONG.match(line))
    telling = (line for line in short if _TELLING.search(line))
    line = next(strong, "") or next(telling, "") or (lines[0] if lines else "")
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1].rstrip() + "…"


def details_of(text: str) -> Mapping[str, Any]:
    """Return an entry's details as a mapping; empty when they are not a JSON object."""
    if not text.startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # the details come from files of other programs
        return {}
    return value if isinstance(value, dict) else {}


def _ends(text: str) -> str:
    return text if len(text) < 1000 else f"{text[:500]}\n{text[-500:]}"
