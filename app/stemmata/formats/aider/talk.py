"""Group the lines of a run: the prompts of the person, the messages of Aider, and the replies of the model.

Aider ends each line that it or the person wrote with two blanks; in a reply, headings and quotations look like such
lines, but seldom end with two blanks. In a file whose blanks an editor has removed, only the beginning of the line
decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from stemmata.formats.aider.history import START
from stemmata.formats.shared.lines import Line

_TYPED, _PRINTED = b"####", b">"
_HARD = b"  "  # at the end of a line


class Speaker(Enum):
    """The author of a group of lines."""

    PERSON = "person"
    AIDER = "aider"
    MODEL = "model"


@dataclass(slots=True)
class Group:
    """Lines that belong together. `start` and `end` are the places of the first and behind the last, in the file."""

    speaker: Speaker
    start: int
    end: int
    said: list[str]

    @property
    def text(self) -> str:
        """The text of the lines, without the marks at their beginnings."""
        return "\n".join(self.said).strip("\n")


def groups(lines: Sequence[Line]) -> Iterator[Group]:
    """Yield the groups of a run's lines. The line with which a run begins belongs to none."""
    is_hard = any(_begins(line, _TYPED) and _ends_hard(line) for line in lines)
    has_begun = False  # whether the person has typed something; before, a command line may have several lines
    current: Group | None = None
    is_after_blank = False
    for line in lines:
        data = line.data or b""
        if START.match(data):
            continue
        if line.blank:
            is_after_blank = True
            if current is not None and current.speaker is Speaker.MODEL:
                current.said.append("")
            continue
        speaker = _speaker(line, is_hard=is_hard)
        has_begun |= speaker is Speaker.PERSON
        speaker = speaker if has_begun else Speaker.AIDER
        is_new_prompt = speaker is Speaker.PERSON and is_after_blank
        is_after_blank = False
        if current is None or current.speaker is not speaker or is_new_prompt:
            if current is not None:
                yield current
            current = Group(speaker, line.offset, line.offset, [])
        current.said.append(_said(data, speaker))
        current.end = line.offset + line.size
    if current is not None:
        yield current


def _speaker(line: Line, *, is_hard: bool) -> Speaker:
    if not is_hard or _ends_hard(line):
        if _begins(line, _TYPED):
            return Speaker.PERSON
        if _begins(line, _PRINTED):
            return Speaker.AIDER
    return Speaker.MODEL


def _begins(line: Line, mark: bytes) -> bool:
    data = line.data or b""
    return data.startswith(mark) and data[len(mark) : len(mark) + 1] in (b"", b" ")


def _ends_hard(line: Line) -> bool:
    return (line.data or b"").endswith(_HARD)


def _said(data: bytes, speaker: Speaker) -> str:
    said = data.decode("utf-8", "replace")
    if speaker is Speaker.MODEL:
        return said
    return said.removeprefix(_TYPED.decode()).removeprefix(_PRINTED.decode()).removeprefix(" ").rstrip()


@dataclass(slots=True)
class Printed:
    """The facts in a group of lines that Aider printed.

    `tokens` are those sent, received, read from the cache and written to it. `stopped`: the person stopped the reply.
    `restored`: Aider took up the conversation that the file already contained.
    """

    model: str = ""
    tokens: tuple[int, int, int, int] | None = None
    dollars: float | None = None
    stopped: bool = False
    restored: bool = False


_NUMBER = r"(\d[\d.,]{0,15}[kM]?)"
_MODEL = re.compile(r"(?:Main model|Model): (\S{1,200})")
_TOKENS = re.compile(
    rf"Tokens: {_NUMBER} sent(?:, {_NUMBER} cache write)?(?:, {_NUMBER} cache hit)?, {_NUMBER} received"
)
_COST = re.compile(r"Cost: \$(\d{1,9}(?:\.\d{1,15})?) message")
_UNITS = {"k": 1_000, "M": 1_000_000}


def printed(lines: Iterable[str]) -> Printed:
    """Return the facts in lines that Aider printed."""
    found = Printed()
    for line in lines:
        if model := _MODEL.match(line):
            found.model = model[1].rstrip(",")
        elif tokens := _TOKENS.match(line):
            sent, made, read, received = map(_count, tokens.groups())
            found.tokens = (sent, received, read, made)
        found.stopped |= line.startswith("^C")
        found.restored |= line.startswith("Restored previous conversation history")
        if cost := _COST.search(line):
            found.dollars = float(cost[1])
    return found


def _count(said: str | None) -> int:
    """Return the number that Aider shortened: 2.1k are 2,100."""
    if not said:
        return 0
    unit = _UNITS.get(said[-1], 1)
    try:
        return round(float(said.rstrip("kM").replace(",", "")) * unit)
    except ValueError:
        return 0
