"""Single values out of anything."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import UnknownBlock
from stemmata.domain.sources.reading import Blob
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.untrusted import MOST_TOKENS
from stemmata.formats.shared import values
from stemmata.formats.shared.values import (
    count,
    dump,
    exact_json,
    first_records,
    image,
    instant,
    listed,
    mapping,
    millionths,
    seconds,
    text,
    untaken,
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(ANYTHING)
def test_whatever_stands_there_the_wanted_kind_comes_out(value: Any) -> None:
    assert isinstance(text(value), str)
    assert isinstance(mapping(value), dict)
    assert isinstance(dump(value), str)
    assert 0 <= count(value) <= MOST_TOKENS
    assert abs(instant(value)) < 1 << 63
    assert abs(seconds(value)) < 1 << 63
    assert 0 <= (millionths(value) or 0) <= 10**12
    blobs: list[Blob] = []
    found = image(value, value, blobs)
    assert (found is None) == (not blobs)


def test_texts() -> None:
    assert text("a") == "a"
    assert text(None) == ""
    assert text({"a": [1.0, None]}) == '{"a":[1,null]}'


def test_dumps() -> None:
    assert dump(None) == ""
    assert dump({"a": "é"}) == '{"a":"é"}'
    assert dump([1 << 70]) == f"[{1 << 70}]"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(5, 5), (5.9, 5), (-1, 0), (True, 0), ("5", 0), (None, 0), (1e300, MOST_TOKENS), (float("nan"), 0)],
)
def test_counts(value: Any, expected: int) -> None:
    assert count(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, 5_000_000_000),
        (1_784_282_400_000, 1_784_282_400_000_000_000),
        (True, 0),
        ("5", 0),
        (None, 0),
        (1e300, 0),
    ],
)
def test_seconds(value: Any, expected: int) -> None:
    assert seconds(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0174, 17400),
        (0.0000015, 2),
        (1, 1_000_000),
        ("1", None),
        (True, None),
        (1e300, None),
        (-1, None),
        (1 << 70, None),
    ],
)
def test_costs(value: Any, expected: int | None) -> None:
    assert millionths(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1970-01-01T00:00:01.250Z", 1_250_000_000),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:02", 2_000_000_000),
        ("1969-12-31T23:59:59Z", -1_000_000_000),
        (1500, 1_500_000_000),
        (0.5, 500_000),
        ("yesterday", 0),
        ("", 0),
        ("0001-01-01T00:00:00+14:00", 0),
        ("9999-12-31T00:00:00Z", 0),
        (1e40, 0),
        (1.7e302, 0),
        (10**400, 0),
        (float("nan"), 0),
        (-1500, -1_500_000_000),
        (float("inf"), 0),
        (True, 0),
        (None, 0),
    ],
)
def test_instants(value: Any, expected: int) -> None:
    assert instant(value) == expected


@given(st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)))
def test_instants_are_exact_to_the_microsecond(moment: datetime) -> None:
    since = moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    assert instant(moment.isoformat() + "Z") == since // timedelta(microseconds=1) * 1000


def test_images() -> None:
    blobs: list[Blob] = []
    found = image(base64.b64encode(b"png").decode(), "image/png", blobs)
    assert found is not None
    assert (found.media_type, found.size) == ("image/png", 3)
    assert blobs == [Blob(hashlib.sha256(b"png").hexdigest(), b"png")]
    assert found.blob == blobs[0].digest
    unknown = image("AAAA", None, blobs)
    assert unknown is not None
    assert unknown.media_type == "application/octet-stream"


@pytest.mark.parametrize("data", ["", None, 5, "not base64!", "AAA", "é", "AA==\n"])
def test_what_is_no_image(data: Any) -> None:
    blobs: list[Blob] = []
    assert image(data, "image/png", blobs) is None
    assert not blobs


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
@example({"a": ['\x00\x1f\x7f\u2028/\\"é😀', 1, True, None, {}]})
@example(["\ud800"])
@example([1 << 70])
@example([0.5, 1e21])
def test_exact_json_is_that_of_compact_json(value: Any) -> None:
    assert exact_json(value) == compact_json(value)


@pytest.mark.parametrize("value", [{"a": 2**70}, ["\ud800"], {"\ud800": 1}])
def test_what_orjson_refuses_is_printed_as_compact_json(value: Any) -> None:
    assert exact_json(value) == compact_json(value)


@pytest.mark.parametrize(
    ("value", "items"), [([1, ""], [1, ""]), ("a", ["a"]), ({"a": 1}, [{"a": 1}]), ("", []), ({}, []), (None, [])]
)
def test_a_value_in_place_of_a_list_is_its_only_item_unless_it_is_empty(value: Any, items: list[Any]) -> None:
    assert listed(value) == items


@pytest.mark.parametrize(
    ("value", "json"),
    [({"x": 1}, '{"x":1}'), (["a"], '["a"]'), ("a", '"a"'), (7, "7"), ({"a": 0, "x": 1}, ""), ({}, ""), (None, "")],
)
def test_a_value_without_the_keys_is_a_block(value: Any, json: str) -> None:
    assert untaken(value, "a", "b") == ((UnknownBlock("", json),) if json else ())


def test_lines_of_an_indented_document_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = list[bytes]()

    def parse(line: bytes) -> None:
        parsed.append(line)

    monkeypatch.setattr(values, "parse", parse)
    head = b'\xef\xbb\xbf {"a": 1} \r\n{\n  "b": 2,\n  {"c": 3},\n"d"\n5\n[4]\n}\n{"e": [\n{"f": 6'
    assert len(first_records(head)) == len(parsed)
    assert parsed == [b'{"a": 1}', b"[4]"]
