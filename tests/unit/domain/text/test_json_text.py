"""JSON of any depth."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.text.json_text import RawJson, _is_json, _pieces, compact_json, indented_json, parse_json

DEPTHS = [100, 900, 1000, 1500, 20_000]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 60), 1 << 60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def nested(depth: int, *, opening: str = '{"a":', closing: str = "}") -> str:
    return opening * depth + "1" + closing * depth


def deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": [value]}
    return value


@given(VALUES)
def test_printing_without_recursion_gives_the_same_text(value: Any) -> None:
    assert "".join(_pieces(value)) == compact_json(value)


@given(VALUES)
def test_valid_json_is_recognised_without_recursion(value: Any) -> None:
    text = json.dumps(value, indent=1)
    assert _is_json(text)
    assert not _is_json(text + ",")


@given(
    st.text(alphabet='{}[]:,"\\1-.eu \nat') | st.sampled_from(["", "{]", '{"a"}', '{"a":}', "[1,]", "{1:2}", "[1 2]"])
)
def test_invalid_json_is_recognised(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        assert not _is_json(text)
    else:
        assert _is_json(text)


@pytest.mark.parametrize("depth", DEPTHS)
def test_json_that_nests_too_deep_is_kept_as_text(depth: int) -> None:
    for opening, closing in (('{"a":', "}"), ("[", "]")):
        text = nested(depth, opening=opening, closing=closing)
        assert compact_json({"x": parse_json(text), "y": [None]}) == f'{{"x":{text},"y":[null]}}'


@pytest.mark.parametrize(
    "text", ["[" * 20_000 + "x", nested(20_000)[:-1], nested(20_000) + "}", "[" * 20_000, nested(20_000, closing="]")]
)
def test_deep_text_that_is_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="JSON"):
        parse_json(text)


@pytest.mark.parametrize("depth", DEPTHS)
def test_values_of_any_depth_are_printed(depth: int) -> None:
    assert compact_json(deep(depth)) == '{"a":[' * depth + "1" + "]}" * depth
    assert indented_json(deep(depth)).replace("\n", "").replace(" ", "") == compact_json(deep(depth))


def test_a_value_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="JSON cannot hold a value of type set"):
        compact_json({"a": set()})
    assert compact_json([RawJson("{}"), 1.0]) == "[{},1]"


@pytest.mark.parametrize("value", ["\0number:1e400", {"\0number:7": 1e21}, ["\0number:7", 1e21]])
def test_a_text_that_looks_like_a_marked_number_stays_a_text(value: Any) -> None:
    assert json.loads(compact_json(value)) == value
