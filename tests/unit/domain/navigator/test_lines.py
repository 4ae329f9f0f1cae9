"""Sessions without forks are laid out without a loop over their entries; the outline is that of any session."""

from __future__ import annotations

from random import Random

import pytest

from stemmata.domain.entries import lanes as lanes_module
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.lanes import Lanes, lay_out, parents_first
from stemmata.domain.entries.tree import Tree
from stemmata.domain.navigator import outline as outline_module
from stemmata.domain.navigator.outline import Density, outline_of, turns_of

ROLES = (Role.USER, Role.ASSISTANT, Role.ASSISTANT, Role.TOOL_RESULT, Role.TOOL_RESULT, Role.BASH_EXECUTION)
FLAGS = (Flag(0), Flag(0), Flag.HIDDEN, Flag.INJECTED)


def line_of(seed: int, count: int = 40) -> Tree:
    """Return a tree of one line: prompts, replies with and without text, results, settings and marks."""
    random = Random(seed)
    flags = FLAGS if seed % 2 else FLAGS[:1]
    entries = []
    for at in range(count):
        parent = str(at - 1) if at else None
        if random.random() < 0.2:
            kind = random.choice((Kind.MODEL_CHANGE, Kind.COMPACTION, Kind.LABEL, Kind.CUSTOM))
            entries.append(Entry(id=str(at), parent=parent, kind=kind, time=at, target="0", name="x"))
            continue
        blocks = random.choice(((), (Text("word"),), (ToolCall("c", "bash", "{}"),)))
        role, flag = random.choice(ROLES), random.choice(flags)
        entries.append(Entry(id=str(at), parent=parent, role=role, time=at, flags=flag, blocks=blocks))
    return Tree.from_entries(entries)


@pytest.mark.parametrize("seed", range(60))
def test_the_turns_of_a_line_are_those_of_any_tree(seed: int) -> None:
    tree = line_of(seed)
    assert tree.is_straight(0)
    parts, split = outline_module._parts(tree), outline_module._split(tree)
    assert turns_of(tree) == outline_module._turns(tree, parents_first(tree.parents), parts, split)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("density", Density)
def test_the_outline_of_a_line_is_that_of_any_tree(
    seed: int, density: Density, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = line_of(seed)
    fast = outline_of(tree, density, 20)
    monkeypatch.setattr(Tree, "is_straight", lambda _tree, _entry: False)
    monkeypatch.setattr(lanes_module, "_is_line", lambda _parents: False)
    assert fast.lanes == outline_of(tree, density, 20).lanes
    assert fast.shapes == outline_of(tree, density, 20).shapes


@pytest.mark.parametrize("active", [-1, 0, 2, 4])
@pytest.mark.parametrize("branches", [None, [0, 0, 3, 3, 3]])
def test_rows_of_one_line_are_laid_out_as_any_rows(
    active: int, branches: list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def laid_out() -> Lanes:
        return lay_out(range(-1, 4), [5, 4, 3, 2, 1], active, branches)

    fast = laid_out()
    monkeypatch.setattr(lanes_module, "_is_line", lambda _parents: False)
    assert fast == laid_out()
