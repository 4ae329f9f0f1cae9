"""From bytes to values: as tolerant as JavaScript, bounded, and safe to store."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.formats.openclaw.reader import parse_json5
from stemmata.formats.shared.values import MAX_DEPTH, BadLineError, first_records, parse, parse_object

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_what_json_can_say_is_read(value: Any) -> None:
    expected = json.loads(json.dumps(value), parse_int=lambda text: int(text) if len(text) < 19 else float(text))
    found = parse(json.dumps(value).encode())
    assert found == json.loads(json.dumps(value)) or json.loads(json.dumps(found)) == expected


@given(st.binary())
def test_any_bytes_give_a_value_or_a_reason(data: bytes) -> None:
    try:
        value = parse(data)
    except BadLineError as error:
        assert str(error)  # noqa: PT017 - both outcomes are fine
    else:
        json.dumps(value, ensure_ascii=False).encode()


@pytest.mark.parametrize("data", [b"NaN", b"[Infinity]", b"[-Infinity]", b"", b"{", b"{'a':1}", b'"\x00"', b'"a\tb"'])
def test_what_javascript_refuses_is_refused(data: bytes) -> None:
    with pytest.raises(BadLineError, match="not valid JSON"):
        parse(data)


def test_lone_surrogates_and_bad_bytes_are_replaced() -> None:
    assert parse(b'{"a":"x\\ud800y"}') == {"a": "x\N{REPLACEMENT CHARACTER}y"}
    assert parse(b'"\\ude00\\ud83d"') == "\N{REPLACEMENT CHARACTER}" * 2
    assert parse(b'["\\ud83d\\ude00","\\udfff"]') == ["😀", "\N{REPLACEMENT CHARACTER}"]
    assert parse(b'"a\xffb"') == "a\N{REPLACEMENT CHARACTER}b"


def test_numbers_beyond_all_bounds_are_numbers() -> None:
    assert parse(b"1e999") == float("inf")
    assert parse(b"9" * 30) == 1e30


def test_a_number_python_refuses_to_read_is_a_bad_line() -> None:
    with pytest.raises(BadLineError):
        parse(b'["\\ud800",' + b"9" * 5000 + b"]")


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 5000, 200_000])
@pytest.mark.parametrize("brackets", [(b"[", b"]"), (b'{"a":', b"}")])
def test_nesting_is_capped(depth: int, brackets: tuple[bytes, bytes]) -> None:
    opening, closing = brackets
    with pytest.raises(BadLineError, match=r"nested more than|not valid JSON"):
        parse(opening * depth + b"0" + closing * depth)


def test_much_that_is_not_deep_is_fine() -> None:
    deep = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert parse(b"[" * (MAX_DEPTH - 1) + b"0" + b"]" * (MAX_DEPTH - 1))
    assert parse(deep)
    assert parse(json.dumps("[" * 1000).encode()) == "[" * 1000
    assert len(parse(b"[" + b"{}," * 999 + b"{}]")) == 1000


def test_a_record_is_an_object() -> None:
    assert parse_object(b'{"a":1}') == {"a": 1}
    with pytest.raises(BadLineError, match="not a JSON object"):
        parse_object(b"[1]")
    with pytest.raises(BadLineError, match="exceeds the line length limit"):
        parse_object(None)


def test_the_first_records_are_those_that_parse() -> None:
    assert first_records(b'\xef\xbb\xbfbad\n{"a":1}\r\n\n[2]\n{"cut') == [{"a": 1}, [2]]
    assert first_records(b"[1]\n2\n{}\n[3]", limit=2) == [[1], {}]  # a number is no record


# -- JSON5 -----------------------------------------------------------------------------------------------------------


def test_json_as_people_write_it() -> None:
    text = b"""\xef\xbb\xbf// sessions
    {
      main: { sessionId: 'it\\'s "one"', $a_1: [1, 2, /* three */ ], },  // trailing
      "key // no comment": "a, ]",
    }"""
    assert parse_json5(text) == {
        "main": {"sessionId": 'it\'s "one"', "$a_1": [1, 2]},
        "key // no comment": "a, ]",
    }


@given(st.binary() | st.text(alphabet="{}[]:,'\"/*\\ a1\n").map(str.encode))
def test_any_text_gives_a_value_or_a_reason(data: bytes) -> None:
    try:
        parse_json5(data)
    except BadLineError as error:
        assert str(error)  # noqa: PT017 - both outcomes are fine
