"""Splits streaming Markdown into complete parts and an open end.

Only the open end is rendered again for each new piece, so the time for a piece does not grow with the reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from stemmata.gui.text.markdown import FENCE, between_words, open_head

MOST_OPEN = 2_000  # maximum characters of the open end, which take about 2 ms to render
MOST_BARS = 120  # maximum "|" of an open table, whose rows take longer than other text
LEAST_LINES = 4  # lines of a table that are rendered together, however many columns it has


@dataclass(frozen=True, slots=True)
class ClosedText:
    """Complete Markdown without code blocks. `joint` is the separator before it, as in `markdown.Chunk`."""

    text: str
    joint: str | None = None


@dataclass(frozen=True, slots=True)
class CodeBegan:
    """A code block has begun."""

    language: str


@dataclass(frozen=True, slots=True)
class CodeGrew:
    """Complete lines of a code block, including line ends; a very long line may come in pieces."""

    text: str


@dataclass(frozen=True, slots=True)
class CodeEnded:
    """The code block has ended."""


Step: TypeAlias = ClosedText | CodeBegan | CodeGrew | CodeEnded


class OpenText:
    """Splits streaming Markdown. A code block inside a list is treated as a top-level one until the reply ends."""

    def __init__(self) -> None:
        self._block: list[str] = []  # complete lines of the open paragraph
        self._size = 0
        self._bars = 0  # number of "|" in the open paragraph
        self._line = ""  # the incomplete last line
        self._fence = ""
        self._blank = False
        self._joint: str | None = None  # separator between the last closed text and the open end

    @property
    def tail(self) -> str:
        """The open end: Markdown, or while `in_code` the beginning of a code line."""
        return "".join(self._block) + self._line

    @property
    def in_code(self) -> bool:
        """Whether a code block is open."""
        return bool(self._fence)

    def feed(self, text: str) -> list[Step]:
        """Add a piece; return the parts that it completes, in order."""
        out: list[Step] = []
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._take(line + "\n", out)
        if len(self._line) + self._size > MOST_OPEN:
            self._split_open_end(out)
        return out

    def end(self) -> list[Step]:
        """Close the open end after the last piece; return the parts that this completes."""
        out: list[Step] = []
        if self._line:
            line, self._line = self._line, ""
            self._take(line, out)
        if self._fence:
            self._fence = ""
            out.append(CodeEnded())
        self._close(out)
        return out

    def _take(self, line: str, out: list[Step]) -> None:
        if self._fence:
            if _closes(self._fence, line):
                self._fence = ""
                out.append(CodeEnded())
            else:
                _add_code(out, line)
        elif found := FENCE.match(line):
            self._close(out)
            self._fence = found[1]
            words = line[found.end() :].split()
            out.append(CodeBegan(words[0].lower() if words else ""))
        else:
            if self._blank and line.strip() and not line[0].isspace():
                self._close(out)
            elif self._size > MOST_OPEN or self._is_long_table():
                self._divide(out)
            self._add(line)
        self._blank = not line.strip()

    def _add(self, line: str) -> None:
        self._block.append(line)
        self._size += len(line)
        self._bars += line.count("|")

    def _is_long_table(self) -> bool:
        is_long = self._bars > MOST_BARS and len(self._block) > LEAST_LINES
        return is_long and open_head("".join(self._block)) != ""

    def _divide(self, out: list[Step]) -> None:
        """Close a too long paragraph; a table continues below, with its head again."""
        text = "".join(self._block)
        head = open_head(text)
        if text == head:
            return  # no row yet
        if head:
            self._block.append("\n")
        self._close(out)
        if head:
            self._add(head)

    def _split_open_end(self, out: list[Step]) -> None:
        """Close as much of a too long open end as possible; a long line is split after a word."""
        if self._fence:
            _add_code(out, self._line)
            self._line = ""
            return
        if len(self._line) <= MOST_OPEN:
            self._divide(out)
        else:
            self._close(out)
            cut = between_words(self._line, 0, len(self._line))
            out.append(ClosedText(self._line[:cut], self._joint))
            self._joint = " " if self._line[cut - 1] == " " else ""
            self._line = self._line[cut:]

    def _close(self, out: list[Step]) -> None:
        text = "".join(self._block)
        self._block, self._size, self._bars = [], 0, 0
        if text.strip():
            out.append(ClosedText(text, self._joint))
        self._joint = None


def _closes(fence: str, line: str) -> bool:
    found = FENCE.match(line)
    return found is not None and found[1].startswith(fence) and not line[found.end() :].strip()


def _add_code(out: list[Step], text: str) -> None:
    if out and isinstance(out[-1], CodeGrew):
        out[-1] = CodeGrew(out[-1].text + text)
    else:
        out.append(CodeGrew(text))
