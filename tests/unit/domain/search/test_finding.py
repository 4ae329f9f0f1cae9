"""Counting the occurrences of a text in an entry."""

from __future__ import annotations

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.session_facts import Body
from stemmata.domain.entries.tree import Tree
from stemmata.domain.search.finding import entries_off_path, occurrences


def test_all_readable_text_is_searched() -> None:
    blocks = (
        Text("Needle and needles"),
        Thinking("a NEEDLE"),
        ToolCall("c", "bash", '{"command":"grep \\"needle\\""}'),
        UnknownBlock("x", '{"needle":1}'),
        Image("image/png", "needle"),
    )
    assert occurrences(Body(1, blocks), "needle") == 5
    assert occurrences(Body(1, blocks), 'grep "needle"') == 1
    assert occurrences(Body(1, ()), "needle") == 0


def test_entries_off_the_path() -> None:
    tree = Tree.from_entries([Entry(id="a"), Entry(id="b", parent="a"), Entry(id="c", parent="a")])
    assert entries_off_path(tree, tree.path(2)) == [1]
