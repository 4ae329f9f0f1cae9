"""Markdown that is still being written: what of it is complete, and what is still open.

Only the open end is rendered again with each piece that comes, so the work for a piece does not grow with the reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from stemmata.gui.text.markdown import FENCE, between_words

MOST_OPEN = 2_000  # characters that stay open: about 2 ms to render; more is closed at the end of a line


@dataclass(frozen=True, slots=True)
class ClosedText:
    """Markdown without code blocks, complete. `joint` as in `chunks.Chunk`: what stands in front of it."""

    text: str
    joint: str | None = None


@dataclass(frozen=True, slots=True)
class CodeBegan:
    language: str


@dataclass(frozen=True, slots=True)
class CodeGrew:
    """Whole lines, with their ends."""

    text: str


@dataclass(frozen=True, slots=True)
class CodeEnded:
    pass


Step: TypeAlias = ClosedText | CodeBegan | CodeGrew | CodeEnded


class OpenText:
    """Feed it the pieces as they come. A code block inside a list counts as one of its own until the reply ends."""

    def __init__(self) -> None:
        self._block: list[str] = []  # complete lines of the paragraph that is open
        self._size = 0
        self._line = ""  # the last line, not complete
        self._fence = ""
        self._blank = False
        self._joint: str | None = None  # what stands between the text that was closed last and what is open

    @property
    def tail(self) -> str:
        """What is open: Markdown, or while `in_code` the beginning of a line of code."""
        return "".join(self._block) + self._line

    @property
    def in_code(self) -> bool:
        return bool(self._fence)

    def feed(self, text: str) -> list[Step]:
        """What this piece has completed, in order."""
        out: list[Step] = []
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._take(line + "\n", out)
        if len(self._line) + self._size > MOST_OPEN:
            self._relieve(out)
        return out

    def end(self) -> list[Step]:
        """The text is over: everything is complete."""
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
            if (self._blank and line.strip() and not line[0].isspace()) or self._size > MOST_OPEN:
                self._close(out)
            self._block.append(line)
            self._size += len(line)
        self._blank = not line.strip()

    def _relieve(self, out: list[Step]) -> None:
        """Too much is open: what can be closed is closed, at a word's end when it is all one line."""
        if self._fence:
            _add_code(out, self._line)
            self._line = ""
            return
        self._close(out)
        if len(self._line) > MOST_OPEN:
            cut = between_words(self._line, 0, len(self._line))
            out.append(ClosedText(self._line[:cut], self._joint))
            self._joint = " " if self._line[cut - 1] == " " else ""
            self._line = self._line[cut:]

    def _close(self, out: list[Step]) -> None:
        text = "".join(self._block)
        self._block, self._size = [], 0
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
