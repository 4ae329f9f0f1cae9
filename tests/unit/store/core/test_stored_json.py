"""Values as JSON text: large texts are read in pieces, with the same result."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.store.core.stored_json import from_json, from_large_json, to_json

TEXTS = st.text(st.sampled_from('ab"\\\n\t\0é中😀/u0d8') | st.characters(), max_size=80)
BODIES = st.fixed_dictionaries(
    {"b": st.lists(st.tuples(st.just("t"), TEXTS, st.integers(0, 9)).map(list), max_size=4), "d": TEXTS},
    optional={"cut": st.integers(0, 10**6)},
)


@given(BODIES, st.integers(7, 30))
def test_a_large_text_read_in_pieces_is_the_same(body: dict[str, Any], piece: int) -> None:
    text = to_json(body)
    assert from_large_json(text, piece) == from_json(text) == body


@pytest.mark.parametrize("end", ["", "\\", '"', '\\"', "\n", "😀", "\ud83d", "\\ud83d"])
def test_an_escape_may_stand_at_the_end_of_any_piece(end: str) -> None:
    for length in range(12):
        body = {"b": [["t", "x" * length + end], ["t", ("y" * length + end) * 5]], "d": ""}
        assert from_large_json(to_json(body), 7) == body


@pytest.mark.parametrize("size", range(7, 16))
def test_an_escape_may_stand_at_the_end_of_the_text(size: int) -> None:
    """There a piece is shorter than the others, and was cut to nothing, again and again."""
    for length in range(24):
        body = {"b": [], "d": "x" * length + "\n"}
        assert from_large_json(to_json(body), size) == body
        assert from_large_json(to_json("x" * length + "\0"), size) == "x" * length + "\0"


def test_no_piece_is_longer_than_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 0
    load = orjson.loads

    def noted(text: str) -> Any:
        nonlocal longest
        longest = max(longest, len(text))
        return load(text)

    monkeypatch.setattr(orjson, "loads", noted)
    body = {"b": [["t", 'a line\n"quoted"\n' * 10_000]], "d": ""}
    assert from_large_json(to_json(body), 1_000) == body
    assert 0 < longest <= 1_002
