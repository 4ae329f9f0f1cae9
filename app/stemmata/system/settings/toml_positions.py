"""Find the line and column of keys in a settings file, for error messages.

No TOML library reports positions. This module reads only headers and keys, and only files that `tomllib` has parsed;
it finds no positions inside one-line lists and tables.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

Path = tuple[str | int, ...]  # keys, and an item number for each list of tables

_STRING = r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_PART = re.compile(r"[A-Za-z0-9_-]+|" + _STRING, re.DOTALL)
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_VALUE = re.compile(_STRING + r"|#[^\n]*|[\[{]|[\]}]|\n|[^\"'#\[\]{}\n]+", re.DOTALL)


class Problem(NamedTuple):
    """A problem in words, and the path of the key it concerns. `is_ignored`: the value has no effect."""

    path: Path
    text: str
    is_ignored: bool = True


class TextPosition(NamedTuple):
    """Line and column, both from 1; a column is one character."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


def with_positions(text: str, problems: list[Problem]) -> str:
    """Return the problems in file order as one text, each with its position."""
    offsets = key_offsets(text)
    found = sorted((_offset_of(offsets, problem.path), problem.text) for problem in problems)
    return "; ".join(f"{position_of(text, offset)}: {problem}" for offset, problem in found)


def position_of(text: str, offset: int) -> TextPosition:
    """Return the line and column of a character offset."""
    return TextPosition(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def key_offsets(text: str) -> dict[Path, int]:
    """Return the offset at which each key and header first occurs."""
    return dict(_offsets(text))


def _offset_of(offsets: dict[Path, int], path: Path) -> int:
    """Return the offset of the path, else of the innermost table around it."""
    while path and path not in offsets:
        path = path[:-1]
    return offsets.get(path, 0)


def _offsets(text: str) -> Iterator[tuple[Path, int]]:
    lists: dict[Path, int] = {}  # number of the last item, by path of the list
    seen: set[Path] = set()
    section: Path = ()
    at = _after(_BLANK, text, 0)
    while at < len(text):
        begin, opening = at, len(text[at : at + 2]) - len(text[at : at + 2].lstrip("["))
        keys, at = _keys(text, _after(_SPACE, text, at + opening))
        if opening:
            section = _in_lists(keys if opening == 1 else keys[:-1], lists)
            if opening > 1:
                named = (*section, keys[-1])
                lists[named] = lists.get(named, -1) + 1
                section = (*named, lists[named])
            path = section
        else:
            path = (*section, *keys)
        for above in (path[:end] for end in range(1, len(path) + 1)):
            if above not in seen:
                seen.add(above)
                yield above, begin
        at = _after(_BLANK, text, _behind_value(text, at))


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _keys(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """Return the parts of a dotted key, and the offset after it."""
    keys = []
    while found := _PART.match(text, at):
        part, at = found.group(), found.end()
        keys.append(str(tomllib.loads(f"key = {part}")["key"]) if part[0] in "\"'" else part)
        dot = _DOT.match(text, at)
        if not dot:
            break
        at = dot.end()
    return tuple(keys), at


def _in_lists(keys: tuple[str, ...], lists: dict[Path, int]) -> Path:
    """Return the path of these keys, including the number of the current item of each list."""
    path: Path = ()
    for key in keys:
        path = (*path, key)
        if path in lists:
            path = (*path, lists[path])
    return path


def _behind_value(text: str, at: int) -> int:
    """Return the offset of the end of the line in which a value or header ends."""
    depth = 0
    for token in _VALUE.finditer(text, at):
        first = token.group()[0]
        if first == "\n" and depth <= 0:
            return token.start()
        depth += (first in "[{") - (first in "]}")
    return len(text)
