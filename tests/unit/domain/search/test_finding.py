"""Counting the occurrences of a text in an entry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.entries.tree import Tree
from stemmata.domain.search.finding import entries_off_path, occurrences, unescaped
from stemmata.domain.search.needle import count_of, text_needle


def test_all_readable_text_is_searched() -> None:
    blocks = (
        Text("Needle and needles"),
        Thinking("a NEEDLE"),
        ToolCall("c", "bash", '{"command":"grep \\"needle\\""}'),
        UnknownBlock("x", '{"needle":1}'),
        Image("image/png", "needle"),
    )
    assert occurrences(Body(1, blocks), "", text_needle("needle")) == 5
    assert occurrences(Body(1, blocks), "a needle", text_needle("needle")) == 6
    assert occurrences(Body(1, blocks), "", text_needle('grep "needle"')) == 1
    assert occurrences(Body(1, ()), "", text_needle("needle")) == 0


@pytest.mark.parametrize(
    ("json", "text"),
    [
        ('{"a":"one"}', '{"a":"one"}'),
        (r'{"a":"one\ntwo\tthree\rfour"}', '{"a":"one\ntwo\tthree\nfour"}'),
        (r'{"a":"C:\\new \"x\""}', '{"a":"C:\\new "x""}'),
    ],
)
def test_arguments_are_read_without_escapes(json: str, text: str) -> None:
    assert unescaped(json) == text


def test_the_name_of_a_tool_counts() -> None:
    assert occurrences(Body(1, (ToolCall("c", "grep", '{"grep":1}'),)), "", text_needle("grep")) == 2


def test_entries_off_the_path() -> None:
    tree = Tree.from_entries([Entry(id="a"), Entry(id="b", parent="a"), Entry(id="c", parent="a")])
    assert entries_off_path(tree, tree.path(2)) == [1]


TEXTS = st.text(st.sampled_from("abAΣσςİıx \n"), max_size=60)


@given(TEXTS, TEXTS.filter(bool), st.integers(1, 12))
def test_slices_have_as_many_as_the_whole_text(text: str, needle: str, size: int) -> None:
    assert count_of(text, needle[:4].lower(), size) == text.lower().count(needle[:4].lower())


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize("needle", ["ab", "a", "abc", "aba", "xyz", "i\u0307"])
def test_a_match_may_cross_any_border(size: int, needle: str) -> None:
    text = "ABCabİxabcABabA" * 3
    assert count_of(text, needle, size) == text.lower().count(needle)
    assert count_of(f"{text}Σ", needle, size) == text.lower().count(needle)
