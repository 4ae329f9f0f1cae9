"""The part of a file that the result of a read shows: its lines, and the numbers of the first and the last line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemmata.domain.entries.blocks import Image, plain_text
from stemmata.domain.entries.entry import Entry
from stemmata.domain.files.requests import FileRequest
from stemmata.domain.tool_calls.envelopes import enclosed_texts
from stemmata.domain.tool_calls.kinds import MOST_READ
from stemmata.domain.tool_calls.outcomes import details_of
from stemmata.domain.tool_calls.shell_reads import ShellRead, printed

MOST_SHOWN = 2_000  # lines of a file that tools show at once
CUT_LINE = 2_000  # characters at which tools cut a line that they show with a number
_LINE = re.compile(r" *(\d{1,9})(→|\t| ?\| ?|: |\. )(.*)", re.DOTALL)
_WRAPPERS = re.compile(r"</?(?:file|content|type|path)>.*|")
_END = re.compile(r"\(End of file - total (\d{1,9}) lines\)")
_REMINDER = re.compile(r"\n+<system-reminder>.*", re.DOTALL)
_SHOWING = re.compile(r"\n\n\[Showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9})[^\n]*\]\s*\Z")
_MORE = re.compile(r"\n\n\[(\d{1,9}) more lines in file\. [^\n]*\]\s*\Z")
_STATUS = re.compile(r"showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9}) total lines", re.IGNORECASE)
_CONTENT = "--- FILE CONTENT (truncated) ---\n"
_CUT_MARKS = ("... [truncated]", "[Line ", "(line truncated")


@dataclass(frozen=True, slots=True)
class LinesRead:
    """The lines of a read, from line `first` on. `total` is the file's number of lines, None when it is unknown.

    `is_whole` says whether the lines are the whole file.
    """

    text: str
    first: int = 1
    total: int | None = None
    is_whole: bool = False

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + self.text.count("\n")


def lines_read(request: FileRequest, result: Entry) -> LinesRead | None:
    """Return the lines that the result of a read shows; None when it is not certain which these are."""
    if any(isinstance(block, Image) for block in result.blocks):
        return None
    told = details_of(result.details)
    if isinstance(told.get("file"), dict):
        return _of_claude_code(told["file"])
    text = _own_text(request.path, plain_text(result.blocks)).replace("\r\n", "\n")
    if request.shell is not None:
        return _of_shell(request.shell, request.tool, text)
    if request.is_plain:
        return _of_plain(request, text)
    return _of_numbers(_REMINDER.sub("", text), may_be_whole=not request.is_part)


def _own_text(path: str, text: str) -> str:
    """Return the part of an answer for one file, where the answer has a JSON object for each file (Cline)."""
    parts = enclosed_texts(text, of_files=True) if len(text) <= MOST_READ else []
    own = [part for part in parts if part.name and path.endswith(part.name)]
    return own[0].text if len(own) == 1 else text


def _of_claude_code(file: Mapping[str, Any]) -> LinesRead | None:
    text, first, total = file.get("content"), file.get("startLine", 1), file.get("totalLines")
    if not isinstance(text, str) or not isinstance(first, int) or first < 1:
        return None
    read = LinesRead(text.replace("\r\n", "\n"), first, total if isinstance(total, int) else None)
    whole = first == 1 and read.total is not None and read.last >= read.total
    return LinesRead(read.text, 1, read.total, is_whole=True) if whole else read


def _of_numbers(text: str, *, may_be_whole: bool) -> LinesRead | None:
    """Return lines that have their numbers before them, as Claude Code, opencode and Copilot print them.

    `may_be_whole`: the whole file was asked for, so it ends with these lines unless they are many or a note follows.
    """
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if not _WRAPPERS.fullmatch(line)), len(lines))
    own, first = _counted(lines[start:])
    if not own or any(len(line) >= CUT_LINE or line.endswith(_CUT_MARKS) for line in own):
        return None
    notes = [line for line in lines[start + len(own) :] if not _WRAPPERS.fullmatch(line)]
    end = _END.search("\n".join(notes))
    ends = may_be_whole and not notes and len(own) < MOST_SHOWN
    total = int(end[1]) if end is not None else len(own) if first == 1 and ends else None
    return LinesRead("\n".join(own), first, total, is_whole=first == 1 and total == len(own))


def _counted(lines: Sequence[str]) -> tuple[list[str], int]:
    """Return the lines whose numbers ascend from the first line on, and the number of the first."""
    own: list[str] = []
    first, separator = 0, ""
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None or (own and (found[2] != separator or int(found[1]) != first + len(own))):
            break
        first, separator = first or int(found[1]), found[2]
        own.append(found[3])
    return own, first


def _of_plain(request: FileRequest, text: str) -> LinesRead | None:
    """Return a text without numbers, as pi, OpenClaw and Gemini print it, with notes about omitted lines."""
    status = _STATUS.search(text[:1_000])
    if status is not None and request.tool != "read":
        return _of_gemini(text, *map(int, status.groups()))
    if any(mark in text[-200:] for mark in _CUT_MARKS):
        return None
    showing, more = _SHOWING.search(text[-400:]), _MORE.search(text[-400:])
    first = 1 if request.first is None else max(request.first, 1)
    if showing is not None:
        body = text[: len(text) - len(text[-400:]) + showing.start()]
        return _checked(body, int(showing[1]), int(showing[2]), int(showing[3]))
    if more is not None:
        body = text[: len(text) - len(text[-400:]) + more.start()]
        return LinesRead(body, first, first + body.count("\n") + int(more[1]))
    if not request.is_part:
        return LinesRead(text, is_whole=True)
    return LinesRead(text, first, first + text.count("\n")) if request.tool == "read" else None


def _of_gemini(text: str, first: int, last: int, total: int) -> LinesRead | None:
    at = text.find(_CONTENT)
    body = text[at + len(_CONTENT) :] if at >= 0 else text.partition("\n")[2]
    return None if "... [truncated]" in body else _checked(body, first, last, total)


def _checked(text: str, first: int, last: int, total: int) -> LinesRead | None:
    """Return the lines if there are as many as their numbers say; a line feed at the end may be one too many."""
    for body in (text, text.removesuffix("\n")):
        if body.count("\n") == last - first:
            return LinesRead(body, first, total, is_whole=first == 1 and last == total)
    return None


def _of_shell(read: ShellRead, tool: str, text: str) -> LinesRead | None:
    """Return the lines that a command printed.

    Claude Code removes empty lines at both ends, so the number has to fit there.
    """
    output = printed(text)
    if output is None:
        return None
    if read.numbered:
        found = _of_numbers(output, may_be_whole=False)
        return None if found is None or found.first != read.first else LinesRead(found.text, found.first)
    body = output.removesuffix("\n")
    lines = body.count("\n") + 1
    if read.count is None:
        return None if tool == "Bash" else LinesRead(output, is_whole=True)
    return LinesRead(body, read.first) if lines == read.count else None
