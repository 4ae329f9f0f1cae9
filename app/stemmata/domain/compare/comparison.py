"""Two branches beside each other, from their common ancestor on, aligned by turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import zip_longest
from typing import NamedTuple

from stemmata.domain.compare.turns import Step, Totals, Turn, turns_of
from stemmata.domain.entries.preview import one_line
from stemmata.domain.entries.tree import Tree
from stemmata.domain.text.word_diff import WordDiff, word_diff

NAME = 40  # characters of a prompt that stands for the name of its branch
ALIKE = WordDiff()


class Place(NamedTuple):
    """Where two branches part. Indices of the tree; the sides are without the ancestor (None for two roots)."""

    ancestor: int | None
    left: Sequence[int]
    right: Sequence[int]


class Touch(IntEnum):
    """What a branch did to a file."""

    NONE = 0
    READ = 1
    MODIFIED = 2


@dataclass(frozen=True, slots=True)
class FileUse:
    """A file that at least one side touched."""

    path: str
    left: Touch
    right: Touch


@dataclass(frozen=True, slots=True)
class Side:
    """One branch below the common ancestor. `end` is its last entry, the ancestor itself for an empty side.

    `label` is its own label, the one nearest to its end.
    """

    end: int | None
    label: str
    turns: tuple[Turn, ...]
    totals: Totals

    @property
    def name(self) -> str:
        """Its label, else the first thing asked in it; "" for a branch without either."""
        return self.label or next((one_line(turn.prompt, NAME) for turn in self.turns if turn.prompt), "")

    @property
    def cut(self) -> int:
        """Characters that were left out of its entries."""
        return sum(turn.cut for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Row:
    """Turns that stand beside each other; at least one is there. `prompts` tells how what was asked differs."""

    left: Turn | None
    right: Turn | None
    prompts: WordDiff = ALIKE


@dataclass(frozen=True, slots=True)
class Comparison:
    """Entries go by the keys that the steps have. `origin` is what the common ancestor says, on one line."""

    ancestor: int | None
    origin: str
    left: Side
    right: Side
    rows: tuple[Row, ...]
    files: tuple[FileUse, ...]


def parting(tree: Tree, left: int | None, right: int | None) -> Place:
    """The common ancestor of two entries (None: before any entry), and what lies below it on each side."""
    ancestor = tree.common_ancestor(left, right)
    sides = [tree.path(end) for end in (left, right)]
    starts = [0 if ancestor is None else path.index(ancestor) + 1 for path in sides]
    return Place(ancestor, *(path[start:] for path, start in zip(sides, starts, strict=True)))


def own_label(tree: Tree, side: Sequence[int]) -> str:
    """The label of a side's entries that is nearest to its end, "" for none."""
    return next((tree.labels[entry] for entry in reversed(side) if entry in tree.labels), "")


def side_of(steps: Iterable[Step], end: int | None, label: str = "") -> Side:
    turns = tuple(turns_of(steps))
    return Side(end, label, turns, sum((turn.totals for turn in turns), Totals()))


def compare(ancestor: int | None, origin: str, left: Side, right: Side) -> Comparison:
    """Swapping the sides swaps the answer."""
    return Comparison(ancestor, origin, left, right, _aligned(left.turns, right.turns), _files(left, right))


def _aligned(left: Sequence[Turn], right: Sequence[Turn]) -> tuple[Row, ...]:
    """In order, each turn in one row. Where only one side goes on with the turn it left, that stands alone."""
    ours, theirs = list(left), list(right)
    head: list[Row] = []
    if _goes_on(ours) and theirs and not _goes_on(theirs):
        head = [Row(ours.pop(0), None)]
    elif _goes_on(theirs) and ours and not _goes_on(ours):
        head = [Row(None, theirs.pop(0))]
    return (*head, *(_row(one, other) for one, other in zip_longest(ours, theirs)))


def _goes_on(turns: Sequence[Turn]) -> bool:
    """Whether something is answered before anything is asked."""
    return bool(turns) and turns[0].request is None and bool(turns[0].replies or turns[0].calls)


def _row(left: Turn | None, right: Turn | None) -> Row:
    if left is None or right is None:
        return Row(left, right)
    return Row(left, right, word_diff(left.prompt, right.prompt))


def _files(left: Side, right: Side) -> tuple[FileUse, ...]:
    """Modified files first, each group by name."""
    ours, theirs = _touched(left), _touched(right)
    uses = [FileUse(path, ours.get(path, Touch.NONE), theirs.get(path, Touch.NONE)) for path in {**ours, **theirs}]
    return tuple(sorted(uses, key=lambda use: (-max(use.left, use.right), use.path)))


def _touched(side: Side) -> dict[str, Touch]:
    out: dict[str, Touch] = {}
    for turn in side.turns:
        for paths, touch in ((turn.read, Touch.READ), (turn.modified, Touch.MODIFIED)):
            for path in paths:
                out[path] = max(touch, out.get(path, Touch.NONE))
    return out
