"""Compares two branches below their common ancestor, turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import zip_longest
from typing import NamedTuple

from stemmata.domain.compare.turns import Totals, Turn, TurnStep, turns_of
from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.entries.tree import Tree
from stemmata.domain.text.one_line import one_line
from stemmata.domain.text.word_diff import WordDiff, word_diff

NAME = 40  # characters of a prompt that serves as the name of its branch
NO_DIFFERENCE = WordDiff()


class BranchPoint(NamedTuple):
    """Where two branches part, as indices of the tree. The sides begin below the ancestor, None for two roots."""

    ancestor: int | None
    left: Sequence[int]
    right: Sequence[int]


class FileTouch(IntEnum):
    """The use of a file by one branch."""

    NONE = 0
    READ = 1
    MODIFIED = 2


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """A file that at least one side used."""

    path: str
    left: FileTouch
    right: FileTouch


@dataclass(frozen=True, slots=True)
class Side:
    """One branch below the common ancestor. `end` is its last entry, the ancestor for an empty side.

    `label` is the label nearest to its end, "" for none.
    """

    end: int | None
    label: str
    turns: tuple[Turn, ...]
    totals: Totals

    @property
    def name(self) -> str:
        """The label, else the first prompt; "" for a branch without either."""
        return self.label or next((one_line(turn.prompt, NAME) for turn in self.turns if turn.prompt), "")

    @property
    def cut(self) -> int:
        """Number of characters left out of the entries."""
        return sum(turn.cut for turn in self.turns)


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """Two turns side by side, one of which may be None. `prompts` is the difference of their prompts."""

    left: Turn | None
    right: Turn | None
    prompts: WordDiff = NO_DIFFERENCE


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two compared branches. Entries have the keys of the steps; `origin` is the ancestor's text on one line.

    `sizes` are the contexts before and after the compactions of both sides, by the key of the compaction.
    """

    ancestor: int | None
    origin: str
    left: Side
    right: Side
    rows: tuple[AlignedRow, ...]
    files: tuple[ComparedFile, ...]
    sizes: Mapping[int, tuple[Breakdown, Breakdown]] = field(default_factory=dict)


def branch_point_of(tree: Tree, left: int | None, right: int | None) -> BranchPoint:
    """Return the common ancestor of two entries and the paths below it. None means the point before any entry."""
    ancestor = tree.common_ancestor(left, right)
    sides = [tree.path(end) for end in (left, right)]
    start = len(tree.path(ancestor))
    return BranchPoint(ancestor, *(path[start:] for path in sides))


def own_label(tree: Tree, side: Sequence[int]) -> str:
    """Return the label nearest to the end of a side, "" for none."""
    return next((tree.labels[entry] for entry in reversed(side) if entry in tree.labels), "")


def side_of(steps: Iterable[TurnStep], end: int | None, label: str = "") -> Side:
    """Return the side made of the steps of a branch."""
    turns = tuple(turns_of(steps))
    return Side(end, label, turns, sum((turn.totals for turn in turns), Totals()))


def compare(ancestor: int | None, origin: str, left: Side, right: Side) -> Comparison:
    """Return the comparison of two sides. Swapping the sides swaps the result."""
    return Comparison(ancestor, origin, left, right, _aligned(left.turns, right.turns), _files(left, right))


def _aligned(left: Sequence[Turn], right: Sequence[Turn]) -> tuple[AlignedRow, ...]:
    """Return the turns in rows. A turn that the fork splits on only one side is alone in its row."""
    ours, theirs = list(left), list(right)
    head: list[AlignedRow] = []
    if _begins_inside_turn(ours) and theirs and not _begins_inside_turn(theirs):
        head = [AlignedRow(ours.pop(0), None)]
    elif _begins_inside_turn(theirs) and ours and not _begins_inside_turn(ours):
        head = [AlignedRow(None, theirs.pop(0))]
    return (*head, *(_row(one, other) for one, other in zip_longest(ours, theirs)))


def _begins_inside_turn(turns: Sequence[Turn]) -> bool:
    """Return whether the branch begins inside a turn, with replies or calls before the first request."""
    return bool(turns) and turns[0].request is None and bool(turns[0].replies or turns[0].calls)


def _row(left: Turn | None, right: Turn | None) -> AlignedRow:
    if left is None or right is None:
        return AlignedRow(left, right)
    return AlignedRow(left, right, word_diff(left.prompt, right.prompt))


def _files(left: Side, right: Side) -> tuple[ComparedFile, ...]:
    """Return the files of both sides: modified ones first, each group sorted by name."""
    ours, theirs = _touched(left), _touched(right)
    uses = [
        ComparedFile(path, ours.get(path, FileTouch.NONE), theirs.get(path, FileTouch.NONE))
        for path in {**ours, **theirs}
    ]
    return tuple(sorted(uses, key=lambda use: (-max(use.left, use.right), use.path)))


def _touched(side: Side) -> dict[str, FileTouch]:
    out: dict[str, FileTouch] = {}
    for turn in side.turns:
        for paths, touch in ((turn.read, FileTouch.READ), (turn.modified, FileTouch.MODIFIED)):
            for path in paths:
                out[path] = max(touch, out.get(path, FileTouch.NONE))
    return out
