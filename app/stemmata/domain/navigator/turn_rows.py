"""Turns: what a user says and what an assistant does until it is done, tool steps folded in."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.lanes import parents_first
from stemmata.domain.entries.tree import ROOT, Tree
from stemmata.domain.entries.visible import natures, table_of


class _Part(IntEnum):
    """What an entry does to the turns."""

    NOTHING = 0
    ROW = 1  # has a row of its own
    ASSISTANT = 2  # goes on with the assistant's turn, or begins one
    RESULT = 3  # belongs to the turn of the call it answers


@dataclass(frozen=True, slots=True)
class Turns:
    """One row a turn. `entry` is the first of its entries, `last` the last, `spoken` the last one that is heard."""

    entry: array[int]
    last: array[int]
    spoken: array[int]
    tools: array[int]  # tool results folded into the row
    above: array[int]  # by entry: the row that is it or stands nearest above it, -1 for none


def turns_of(tree: Tree) -> Turns:
    """The turns of the whole tree. A fork inside an assistant's turn ends it: each branch begins a row of its own."""
    columns = tree.columns
    parents, texts, flags, hidden = columns.parent, columns.text, columns.flags, int(Flag.HIDDEN)
    parts, split = _parts(tree), _split(tree)
    above = [-1] * (len(tree) + 1)  # one more: above the roots, at index -1
    open_ = bytearray(len(tree) + 1)  # whether an assistant message below would go on with the same turn
    entry: list[int] = []
    last: list[int] = []
    spoken: list[int] = []
    tools: list[int] = []
    for at in parents_first(parents):
        part, parent = parts[at], parents[at]
        row = above[parent]
        goes_on = open_[parent] and not split[at]
        if part == 1 or (part == 2 and not goes_on):
            row = len(entry)
            entry.append(at)
            last.append(at)
            spoken.append(at)
            tools.append(0)
            open_[at] = part == 2
        elif part == 2:
            last[row] = at
            if texts[at] and not flags[at] & hidden:
                spoken[row] = at
            open_[at] = 1
        else:
            open_[at] = goes_on
            if part == 3 and open_[parent]:
                tools[row] += 1
                last[row] = at
        above[at] = row
    above.pop()
    return Turns(array("i", entry), array("i", last), array("i", spoken), array("i", tools), array("i", above))


def _parts(tree: Tree) -> bytearray:
    parts = bytearray(natures(tree).translate(_PARTS))
    flags, quiet = tree.columns.flags, int(Flag.INJECTED | Flag.HIDDEN)
    for at, flag in enumerate(flags):
        if flag & quiet and parts[at] == _Part.ROW:
            parts[at] = _Part.NOTHING
    return parts


def _part(kind: Kind, role: Role) -> _Part:
    if kind in (Kind.COMPACTION, Kind.BRANCH_SUMMARY, Kind.CUSTOM_MESSAGE):
        return _Part.ROW
    if kind is not Kind.MESSAGE:
        return _Part.NOTHING
    return {
        Role.USER: _Part.ROW,
        Role.BASH_EXECUTION: _Part.ROW,
        Role.CUSTOM: _Part.ROW,
        Role.ASSISTANT: _Part.ASSISTANT,
        Role.TOOL_RESULT: _Part.RESULT,
    }.get(role, _Part.NOTHING)


_PARTS = table_of(_part)


def _split(tree: Tree) -> bytearray:
    """1 for entries at which a branch begins or is left: one of several children that are more than tool results.

    Results of one message's calls may hang side by side; that is no fork.
    """
    roles, result = tree.columns.role, int(Role.TOOL_RESULT)
    out = bytearray(len(tree))
    for kids in forks(tree):
        others = sum(roles[kid] != result for kid in kids)
        for kid in kids:
            out[kid] = others > (roles[kid] != result)
    return out


def forks(tree: Tree) -> Iterator[list[int]]:
    """The children of every entry that has more than one, annotations left out; so the roots."""
    for parent, count in Counter(tree.parents).items():
        if count > 1:
            kids = tree.roots if parent == ROOT else tree.children(parent)
            real = [kid for kid in kids if not tree.is_annotation(kid)]
            if len(real) > 1:
                yield real
