from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.text.untrusted import (
    MOST_TOKENS,
    escape_controls,
    non_negative_int,
    number_within,
    parse_json,
    printable,
    with_visible_controls,
)

NO_NUMBERS: tuple[object, ...] = (None, True, False, "12", [], {}, math.nan)


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
def test_values_that_are_no_number_count_as_zero(value: object) -> None:
    assert non_negative_int(value) == 0
    assert number_within(value, -5, 5) is None


@pytest.mark.parametrize(
    ("value", "count"),
    [(-1, 0), (-math.inf, 0), (0, 0), (0.5, 0), (7.9, 7), (12, 12), (10**30, MOST_TOKENS), (math.inf, MOST_TOKENS)],
)
def test_a_count_lies_within_its_bounds(value: float, count: int) -> None:
    assert non_negative_int(value) == count
    assert type(non_negative_int(value)) is int


def test_a_number_out_of_bounds_gives_none() -> None:
    assert number_within(10**30, 0, 2**63) is None
    assert number_within(math.inf, 0, 2**63) is None
    assert number_within(2**63, 0, 2**63) == 2**63
    assert number_within(-2.5, -3, 3) == -2


@given(st.recursive(st.integers() | st.floats() | st.booleans() | st.text() | st.none(), st.lists))
def test_any_value_gives_a_storable_number(value: Any) -> None:
    assert 0 <= non_negative_int(value) <= MOST_TOKENS


def test_json_with_very_long_numbers_is_read() -> None:
    """Python refuses integers of more than 4,300 digits, and so the whole document."""
    text = f'{{"a": {"9" * 5000}, "b": -{"9" * 5000}, "c": 12, "d": {"9" * 30}}}'
    with pytest.raises(ValueError, match="4300"):
        json.loads(text)
    assert parse_json(text) == {"a": math.inf, "b": -math.inf, "c": 12, "d": 10**30 - 1}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, naïve, 日本, \tand\nlines", "plain, naïve, 日本, \tand\nlines"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b2Jwiped", "wiped"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://evil\x1b\\a link\x1b]8;;\x1b\\", "a link"),
        ("\x9d52;c;aGk=\x9ctext", "text"),
        ("\x1bP1$r0m\x1b\\text", "text"),
        ("\x1bcreset \x1b(0drawn", "reset drawn"),
        ("an open end \x1b]0;goes on", "an open end 0;goes on"),
        ("\x1b", ""),
        ("a\x00b\x07c\x08d\re\x7ff\x85g", "abcdefg"),
        ("user\u202etxt.exe\u2066 \u2069", "usertxt.exe "),
        ("half \ud83d of one", "half \ufffd of one"),
    ],
)
def test_characters_that_control_a_terminal_are_removed(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(st.characters(max_codepoint=0xA0) | st.sampled_from("\x1b[]\\;\x07\x9c\x9d\u202e\ud800m")))
def test_harmless_text_is_unchanged(text: str) -> None:
    shown = printable(text)
    assert printable(shown) == shown
    assert "\x1b" not in shown
    shown.encode()


def test_a_terminal_shows_controls_as_escapes() -> None:
    assert with_visible_controls("plain\ttext\n") == "plain\ttext\n"
    assert with_visible_controls("a\r\n\x1b[31mb\u202e\ud800") == "a\n\\x1b[31mb\\u202e\\ud800"


def test_a_document_without_controls_is_the_same_document() -> None:
    document = '{"text": "\x9b\u202e plain"}'
    assert escape_controls(document) == '{"text": "\\u009b\\u202e plain"}'
    assert json.loads(escape_controls(document)) == json.loads(document)
