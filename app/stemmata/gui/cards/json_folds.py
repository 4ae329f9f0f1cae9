"""Prints JSON with folded objects and lists, and tells which part of the card each of its lines folds."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import orjson

SHORT_JSON, MOST_JSON = 5_000, 300_000  # characters; of longer ones the first is read slowly but exactly
LONG_NUMBER = re.compile(r"\d{15}")
ALL = "json"  # the part that unfolds all JSON of a card
MOST_OPENED = 60  # lines of a value that is shown at first
MOST_LINES = 2_500  # lines when everything is unfolded: printing them takes less than a frame
MOST_ITEMS = 1_000  # shown items of one object or list
_ENDS = {"\u2029": "\\u2029", "\ufdd0": "\\ufdd0", "\ufdd1": "\\ufdd1"}  # at which a document of Qt begins a line


@dataclass(frozen=True, slots=True)
class Fold:
    """The object or list that begins in a line. A click toggles `part` of the card."""

    part: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class FoldedJson:
    """Printed JSON. `folds` are its foldable lines by number.

    With `is_cut` items of a long list are missing; with `is_limited` there were too many to open all.
    """

    text: str
    folds: Mapping[int, Fold]
    is_cut: bool
    is_limited: bool = False

    @property
    def has_closed(self) -> bool:
        """Whether an object or a list is folded."""
        return not all(fold.is_open for fold in self.folds.values())


def value_of(text: str) -> Any:
    """Return the value of a JSON text. Raises ValueError for invalid or very long JSON, and for very long numbers."""
    if len(text) <= SHORT_JSON:
        return json.loads(text)
    if len(text) > MOST_JSON or LONG_NUMBER.search(text):
        raise ValueError
    return orjson.loads(text)


def print_folded(value: object, place: str, parts: frozenset[str], *, is_small: bool = False) -> FoldedJson:
    """Return the lines of a JSON value, and which of its objects and lists are folded.

    Objects and lists are open as far as they fit into a page, and those in `parts` are open or closed by the user.
    `place` distinguishes the value from others in the card. Of a small one all is printed, however many lines it has.
    """
    opens_all, most = ALL in parts, SHORT_JSON * 4 if is_small else MOST_ITEMS
    opened, is_limited = _open_at_first(value, (most if is_small else MOST_LINES) if opens_all else MOST_OPENED, most)
    folded = _Printing(place, parts, opened, most).run(value)
    return replace(folded, is_limited=opens_all and (is_limited or folded.is_cut))


def _open_at_first(value: object, most: int, most_items: int) -> tuple[set[str], bool]:
    """Return the paths of the outer objects and lists whose lines fit into a number of lines.

    The second value is true when there are further objects or lists.
    """
    out, lines, is_limited = set[str](), 0, False
    waiting = deque([("", value)])
    while waiting:
        path, found = waiting.popleft()
        count = min(len(found), most_items) if isinstance(found, dict | list) else 0
        if count and (not path or lines + count <= most):
            out.add(path)
            lines += count
            waiting += [(f"{path}/{at}", item) for at, (_, item) in enumerate(_items(found, most_items))]
        else:
            is_limited |= count > 0
    return out, is_limited


def _items(value: Any, most: int) -> Iterator[tuple[str | None, Any]]:
    """Yield the first items of an object or a list, with their names in an object."""
    found = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    return islice(found, most)


@dataclass
class _Level:
    """An object or list that is being printed."""

    path: str
    value: Any
    items: Iterator[tuple[str | None, Any]]
    at: int = 0


class _Printing:
    """Prints one value, without recursion."""

    def __init__(self, place: str, parts: frozenset[str], opened: set[str], most_items: int) -> None:
        self._most_items = most_items
        self._place, self._parts, self._opened = place, parts, opened
        self._lines: list[str] = []
        self._folds: dict[int, Fold] = {}
        self._levels: list[_Level] = []
        self._is_cut = False

    def run(self, value: object) -> FoldedJson:
        """Return the value as printed lines with the places that fold."""
        self._put("", "", value, "")
        while self._levels:
            level = self._levels[-1]
            count = len(level.value)
            found = next(level.items, None)
            if found is None:
                self._end(level, count)
                continue
            name, item = found
            level.at += 1
            before = "" if name is None else f"{_printed(name)}: "
            self._put(f"{level.path}/{level.at - 1}", before, item, "," if level.at < count else "")
        return FoldedJson("\n".join(self._lines), self._folds, self._is_cut)

    def _end(self, level: _Level, count: int) -> None:
        if level.at < count:
            self._lines.append(f"{self._indent}…")
            self._is_cut = True
        self._levels.pop()
        closing = "}" if isinstance(level.value, dict) else "]"
        self._lines.append(f"{self._indent}{closing}{self._comma}")

    @property
    def _comma(self) -> str:
        """The comma after an object or list that ends, "" after the last one."""
        above = self._levels[-1] if self._levels else None
        return "," if above is not None and above.at < len(above.value) else ""

    @property
    def _indent(self) -> str:
        return "  " * len(self._levels)

    def _put(self, path: str, before: str, value: Any, after: str) -> None:
        signs = "{}" if isinstance(value, dict) else "[]"
        if not isinstance(value, dict | list):
            self._lines.append(f"{self._indent}{before}{_printed(value)}{after}")
        elif not value:
            self._lines.append(f"{self._indent}{before}{signs}{after}")
        elif not self._is_open(path):
            self._lines.append(f"{self._indent}{before}{signs[0]}… {len(value)}{signs[1]}{after}")
        else:
            self._lines.append(f"{self._indent}{before}{signs[0]}")
            self._levels.append(_Level(path, value, _items(value, self._most_items)))

    def _is_open(self, path: str) -> bool:
        """Return whether an object or list is open, and note how a click on its line changes that."""
        place = f"{self._place}{path}"
        closing, opening = f"{ALL}-{place}", f"{ALL}+{place}"
        is_open = closing not in self._parts and (path in self._opened or opening in self._parts)
        part = closing if closing in self._parts or path in self._opened else opening
        self._folds[len(self._lines)] = Fold(part, is_open)
        return is_open


def _printed(value: object) -> str:
    """Return a text, a number or a word of JSON on one line."""
    if isinstance(value, str) and len(value) > SHORT_JSON:
        out = orjson.dumps(value).decode()  # in a tenth of the time; it has read texts of this length as well
    else:
        out = json.dumps(value, ensure_ascii=False)
    if not out.isascii():
        for sign, escaped in _ENDS.items():
            out = out.replace(sign, escaped)
    return out
