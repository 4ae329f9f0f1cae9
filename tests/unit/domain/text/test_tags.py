from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.sessions.session import MAX_TAG_LENGTH, normalized_tag


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("bug", "bug"),
        (" #bug ", "bug"),
        ("To do", "To-do"),
        ("a#b", "a-b"),
        ("", ""),
        (" # ", ""),
        ("é\n日本", "é-日本"),
    ],
)
def test_a_tag_is_one_word(text: str, tag: str) -> None:
    assert normalized_tag(text) == tag


@given(st.text())
def test_any_text_gives_a_tag_that_can_be_typed(text: str) -> None:
    tag = normalized_tag(text)
    assert len(tag) <= MAX_TAG_LENGTH
    assert "#" not in tag
    assert tag.split() == ([tag] if tag else [])
    assert normalized_tag(tag) == tag
