"""How a tool call or a shell command ended, from what its result says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
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
_LINES = 200  # of a long output only its start is searched for the line that tells
LONGEST_MESSAGE = 240  # characters, as OpenClaw cuts tool failures


class Outcome(IntEnum):
    """How it ended. `text` is the word used in JSON."""

    OK = 0
    FAILED = 1
    CANCELLED = 2
    UNFINISHED = 3  # no result is known

    @property
    def text(self) -> str:
        return self.name.lower()


def exit_code(entry: Entry) -> int | None:
    """Exit code of a command, from the result's details or from the line agents write about it."""
    details = details_of(entry.details)
    for values in (details, details.get("metadata"), details.get("details")):
        if isinstance(values, dict):
            code = next((values[key] for key in _EXIT_KEYS if key in values), None)
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    lines = plain_text(entry.blocks).strip().splitlines()
    for line in (*lines[:1], *lines[-2:]):
        found = _EXITED.fullmatch(line.strip())
        if found:
            return int(found[1])
    return None


def outcome(entry: Entry, code: int | None = None) -> Outcome:
    """How the tool result or shell command `entry` ended; `code` is its exit code where it has one."""
    details = details_of(entry.details)
    if entry.flags & Flag.ABORTED or any(details.get(key) is True for key in ("cancelled", "interrupted", "aborted")):
        return Outcome.CANCELLED
    failed = bool(entry.flags & Flag.FAILED) or bool(code)
    if failed and _CANCELLED.search(_ends(plain_text(entry.blocks))):
        return Outcome.CANCELLED
    return Outcome.FAILED if failed else Outcome.OK


def message(entry: Entry) -> str:
    """The line of a failed result that tells most: the first that speaks of an error, else the first; clipped."""
    lines = [line for line in map(str.strip, plain_text(entry.blocks).splitlines()[:_LINES]) if line]
    short = [line for line in lines if len(line) <= _LONGEST_LINE and not line.startswith((">", "$"))]
    strong = (line for line in short if _STRONG.match(line))
    telling = (line for line in short if _TELLING.search(line))
    line = next(strong, "") or next(telling, "") or (lines[0] if lines else "")
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1].rstrip() + "…"


def details_of(text: str) -> Mapping[str, Any]:
    """An entry's details as a mapping; empty when they are no JSON object."""
    if not text.startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # details come from foreign files
        return {}
    return value if isinstance(value, dict) else {}


def _ends(text: str) -> str:
    return text if len(text) < 1000 else f"{text[:500]}\n{text[-500:]}"
