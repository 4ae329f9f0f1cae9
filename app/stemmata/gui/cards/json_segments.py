"""Divides long JSON into segments that are parsed, folded and coloured when they come into view.

A segment is a run of whole items of one object or list. An item that is too long for a segment is divided itself. The
text is read from its start in steps, since reading a megabyte takes longer than a frame.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import orjson

from stemmata.gui.cards.json_folds import Fold, FoldedJson, print_folded

SEGMENT = 4_000  # characters of items at which a segment ends
STEP = 48_000  # characters that are divided at once, some milliseconds
WINDOW = 4 * SEGMENT  # characters in which an object or a list is looked for as a whole
MOST_TOKENS = 10_000  # in a segment
TOKEN = 16  # characters that are read in the time that one text, comma or bracket takes
MOST_DEEP = 60  # objects and lists within each other that are divided
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_OTHER = r'[^{}\[\]"]++'
_FLAT = rf"(?:\{{(?:{_OTHER}|{_STRING})*+\}}|\[(?:{_OTHER}|{_STRING})*+\])"
_SMALL = rf"(?:\{{(?:{_OTHER}|{_STRING}|{_FLAT})*+\}}|\[(?:{_OTHER}|{_STRING}|{_FLAT})*+\])"
_ITEM = rf"(?:\{{(?:{_OTHER}|{_STRING}|{_SMALL})*+\}}|\[(?:{_OTHER}|{_STRING}|{_SMALL})*+\])"
# objects and lists with few levels are found whole, which is ten times as fast; a quote alone begins a long text
_TOKEN = re.compile(rf'{_STRING}|{_ITEM}|[\[\]{{}},"]', re.DOTALL)
_RUN = re.compile(rf'(?:(?:[^{{}}\[\]",]++|{_STRING}|{_ITEM})*+,)++', re.DOTALL)  # items with their commas
_ONE_VALUE = json.JSONDecoder(strict=False)  # finds the end of a long text four times as fast as a pattern
_BEGINNING = re.compile(r'\s*(?:\{\s*"|\[\s*["\[{\d-])')


@dataclass(frozen=True, slots=True)
class Items:
    """A run of whole items: its range in the text, and the number of objects and lists around it."""

    start: int
    stop: int
    depth: int
    is_object: bool
    is_last: bool = False  # whether nothing follows in the object or list


@dataclass(slots=True)
class Segment:
    """A part of the text. `lines` are lines that begin or end an object or a list, and runs of items."""

    start: int
    stop: int
    lines: list[str | Items] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Place:
    """The place in a JSON text from which on it is still to be divided, and the brackets that are open there."""

    at: int
    brackets: str


def may_be_json(text: str) -> bool:
    """Return whether a long text begins as JSON does, with an object or a list."""
    return _BEGINNING.match(text) is not None


def divided(text: str, place: Place | None = None, most: int = STEP) -> tuple[list[Segment], Place | None]:
    """Return the next segments of a text, and the place where the rest begins; None at the end of the text.

    Without a `place`, the text is read from its start. About `most` characters are read. No segments and a place mean
    that the rest is not valid JSON.
    """
    return _Division(text, place, most).run()


class _Division:
    def __init__(self, text: str, place: Place | None, most: int) -> None:
        self._text = text
        self._at = place.at if place is not None else 0
        self._brackets = place.brackets if place is not None else ""
        self._end = min(self._at + most, len(text))
        self._most, self._read = most, 0  # characters that may be read and were read
        self._out: list[Segment] = []
        self._segment = Segment(self._at, self._at)

    def run(self) -> tuple[list[Segment], Place | None]:
        while self._at < self._end and self._read < self._most:
            if not self._brackets:
                if not self._begin():
                    break
            elif not self._read_items():
                break
        self._finish()
        is_done = not self._brackets and self._at >= len(self._text)
        return self._out, None if is_done else Place(self._at, self._brackets)

    def _begin(self) -> bool:
        """Begin the object or list that is the whole text; return False at the end of it, and when there is none."""
        found = re.compile(r"\s*([\[{])").match(self._text) if not self._at else None
        if found is None:
            rest = self._text[self._at :].lstrip()
            self._at = len(self._text) if not rest else self._at
            return False
        self._open("", found[1], found.end())
        return True

    def _read_items(self) -> bool:
        """Read items of the innermost object or list, up to the end of a segment.

        Return False when that is not possible, because they are too deep or are no JSON.
        """
        start = self._at
        run = _RUN.match(self._text, start, start + SEGMENT)
        item = start if run is None else run.end()
        depth, opening = 0, -1
        for number, (at, end) in enumerate(islice(self._tokens(item), MOST_TOKENS)):
            sign = self._text[at]
            is_open = sign in "[{" and end == at + 1
            opening = at if not depth and sign in "[{" else opening
            if (depth or end - at > 1) and end - item > 2 * SEGMENT and opening >= item:
                self._read += number * TOKEN
                return self._divide(start, item, opening)
            if is_open:
                depth += 1
            elif sign in "]}" and depth:
                depth -= 1
            elif sign in "]}":
                self._add(start, at, is_last=True)
                self._close(sign, end)
                return True
            elif sign == "," and not depth:
                item = end
                if at - start >= SEGMENT // 2:
                    self._add(start, at)
                    self._at = item
                    self._finish()
                    return True
        return False

    def _tokens(self, at: int) -> Iterator[tuple[int, int]]:
        """Yield start and end of each text, comma and bracket, and of whole small objects and lists."""
        while at < len(self._text):
            found = _TOKEN.search(self._text, at, at + WINDOW)
            if found is None:
                return
            start, at = found.span()
            if found[0] == '"':
                try:
                    at = _ONE_VALUE.raw_decode(self._text, start)[1]
                except ValueError:
                    return  # a text that never ends, or has an escape that JSON does not know
            yield start, at

    def _divide(self, start: int, item: int, opening: int) -> bool:
        """Add the items before a long one, and begin to divide the long one; return False when it is too deep."""
        if len(self._brackets) >= MOST_DEEP:
            return False
        self._add(start, item)
        self._read += 4 * SEGMENT
        self._open(self._text[item:opening].strip(), self._text[opening], opening + 1)
        return True

    def _open(self, name: str, bracket: str, at: int) -> None:
        space = " " if name else ""
        self._segment.lines.append(f"{self._indent}{name}{space}{bracket}")
        self._brackets += bracket
        self._at = at

    def _close(self, bracket: str, at: int) -> None:
        self._brackets = self._brackets[:-1]
        rest = re.compile(r"\s*,").match(self._text, at) if self._brackets else None
        self._segment.lines.append(f"{self._indent}{bracket}{',' if rest is not None else ''}")
        self._at = at if rest is None else rest.end()

    def _add(self, start: int, stop: int, *, is_last: bool = False) -> None:
        items = self._text[start:stop].strip()
        if items and items != ",":
            stop -= self._text[:stop].endswith(",") if items.endswith(",") else 0
            self._segment.lines.append(Items(start, stop, len(self._brackets), self._brackets[-1] == "{", is_last))

    def _finish(self) -> None:
        if self._segment.lines:
            self._segment.stop = self._at
            self._out.append(self._segment)
        self._segment = Segment(self._at, self._at)

    @property
    def _indent(self) -> str:
        return "  " * len(self._brackets)


def printed(text: str, segment: Segment, place: str, parts: frozenset[str]) -> FoldedJson:
    """Return a segment of a text as indented lines with folds. Raises ValueError when it is not valid JSON.

    `place` names the text in the card, and `parts` are the names of the card's unfolded parts.
    """
    lines, folds, is_cut = list[str](), dict[int, Fold](), False
    for line in segment.lines:
        if isinstance(line, str):
            lines.append(line)
            continue
        folded = print_folded(_value(text, line), f"{place}@{line.start}", parts, is_small=True)
        indent = "  " * (line.depth - 1)
        inner = [indent + one for one in folded.text.split("\n")[1:-1]]
        if inner and not line.is_last:
            inner[-1] += ","
        folds |= {len(lines) + at - 1: fold for at, fold in folded.folds.items() if 0 < at <= len(inner)}
        lines += inner
        is_cut |= folded.is_cut
    return FoldedJson("\n".join(lines), folds, is_cut)


def check(text: str, segment: Segment) -> None:
    """Raise ValueError when a segment of a text is no JSON."""
    for line in segment.lines:
        if isinstance(line, Items):
            _value(text, line)


def _value(text: str, items: Items) -> Any:
    before, behind = "{}" if items.is_object else "[]"
    return orjson.loads(f"{before}{text[items.start : items.stop]}{behind}")


def line_count(text: str, segment: Segment, most: int) -> int:
    """Return about how many lines a segment has when it is printed."""
    items = [line for line in segment.lines if isinstance(line, Items)]
    inside = (text.count(",", one.start, one.stop) + 1 for one in items)
    return len(segment.lines) - len(items) + min(sum(inside), most)


def all_segments(text: str) -> Iterator[Segment]:
    """Yield all segments of a text."""
    place: Place | None = None
    while True:
        before = place
        found, place = divided(text, place)
        yield from found
        if place is None or place == before:
            return
