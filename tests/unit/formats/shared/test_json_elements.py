"""Elements of an array while it streams: any cut of the stream, strings with brackets, damage, a limit."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.formats.shared import json_elements
from stemmata.formats.shared.json_elements import Element, element_keys, elements, nested_objects, places

TRICKY = [{"a": '}]"\\', "b": [1, {"c": "[{"}]}, [], {"d": "\\\\"}, {"é": "ü\u2028"}]


def in_pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def values(data: bytes, size: int) -> list[object]:
    return [json.loads(element.data or b"") for element in elements(in_pieces(data, size)) if element.whole]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
@pytest.mark.parametrize("indent", [None, 1])
def test_elements_are_the_values_of_the_array_however_it_is_cut(size: int, indent: int | None) -> None:
    assert values(json.dumps(TRICKY, indent=indent).encode(), size) == TRICKY
    assert values(json.dumps(TRICKY, ensure_ascii=False).encode(), size) == TRICKY


def test_objects_that_stand_alone_are_elements_too() -> None:
    assert values(b'{"a": 1}', 3) == [{"a": 1}]
    assert values(b'{"a": 1}\n{"b": [2]}\n', 3) == [{"a": 1}, {"b": [2]}]


WORDS = st.text(max_size=6)  # short: what matters are brackets, quotes and backslashes, and where they are cut
JSON = st.recursive(
    st.none() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(WORDS, JSON, max_size=3), max_size=4), st.integers(1, 40))
def test_any_array_in_any_pieces(found: list[object], size: int) -> None:
    assert values(json.dumps(found).encode(), size) == found


def test_what_is_no_object_and_no_array_is_no_element() -> None:
    assert list(elements([b'[1, "two", null]', b"]]", b" }"])) == []


def test_a_bad_element_costs_itself() -> None:
    found = list(elements([b'[{"a": 1}, {"b": nonsense}, {"c": 3}]']))
    assert [element.data for element in found] == [b'{"a": 1}', b'{"b": nonsense}', b'{"c": 3}']
    assert [element.number for element in found] == [1, 2, 3]


@pytest.mark.parametrize("cut", [b'[{"a": 1}, {"b": [2', b'[{"a": 1}, {"b": "x', b'[{"a": 1}, {"b": "x\\'])
def test_an_element_that_is_cut_off_is_not_whole(cut: bytes) -> None:
    first, last = elements(in_pieces(cut, 4))
    assert first == Element(1, b'{"a": 1}')
    assert last == Element(2, cut[11:], whole=False)


def test_an_element_above_the_limit_keeps_no_bytes_and_the_next_one_comes() -> None:
    found = list(elements(in_pieces(b'[{"a": "' + b"x" * 100 + b'"}, {"b": 2}]', 16), limit=50))
    assert found == [Element(1, None), Element(2, b'{"b": 2}')]


def test_keys_are_those_of_the_elements_and_of_nothing_inside_them() -> None:
    assert element_keys(b'[{"a": {"x": 1}, "b": ["y", {"z": 1}]}, {"c": "text", "d": 1', "abcxyz") == set("abc")
    assert element_keys(b'[{"a": {"x": 1}, "b": ["y", {"z": 1}]}, {"c": "text", "d', "ad") == {"a"}
    assert element_keys(b'{"a": "b", "c": {"b" : [2]}}', "bc") == {"c"}
    assert element_keys(b'{"a": 1}\n{"b" : 2}', ("a", "b")) == {"a", "b"}
    assert element_keys(b'"a": 1 }} [ "b": 1', "ab") == set()


def test_a_document_without_the_keys_is_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_elements, "_OUTSIDE", None)
    assert element_keys(b'[{"other": "a"}]', ("a.", "b")) == set()


def test_a_damaged_key_counts_as_empty() -> None:
    assert places(b'{"a": {"\\x": {}}}', "a") == {"": (13, 2)}


def test_places_of_the_values_of_an_object() -> None:
    data = b'{"m": 0, "map": {"a": {"b": {}}, "c" : null, "d": {"e": "}"}, "f": [{}]}, "x": {"y": {}}}'
    found = places(data, "map")
    assert {key: data[at : at + size] for key, (at, size) in found.items()} == {"a": b'{"b": {}}', "d": b'{"e": "}"}'}


def test_places_of_the_objects_of_an_array() -> None:
    data = b'{"x": [{}], "list": [{"a": [1]}, 5, "b", [{}], {"c": {}}], "y": "list"}'
    found = places(data, "list")
    assert {key: data[at : at + size] for key, (at, size) in found.items()} == {0: b'{"a": [1]}', 1: b'{"c": {}}'}


# -- trees of objects ------------------------------------------------------------------------------------------------


def tree_of(data: bytes) -> tuple[bytes, list[tuple[int | None, bytes]]]:
    outline, found = nested_objects(data, {"top"}, {"below"})
    return outline, [(one.parent, one.own(data)) for one in found]


def test_objects_of_a_tree() -> None:
    data = b'{"a":{"top":[{}]},"top":[{"id":1,"below":[{"id":2},[{}],7],"x":{"below":[{}]}},{"id":3}],"b":"]{"}'
    assert tree_of(data) == (
        b'{"a":{"top":[{}]},"top":[],"b":"]{"}',
        [(None, b'{"id":1,"below":[],"x":{"below":[{}]}}'), (0, b'{"id":2}'), (0, b"{}"), (None, b'{"id":3}')],
    )
    _, found = nested_objects(data, {"top"}, {"below"})
    assert data[found[0].start : found[0].head] == b'{"id":1,"below":'
    assert data[found[1].start : found[1].head] == b'{"id":2}'


def test_an_object_in_place_of_a_list() -> None:
    assert tree_of(b'{"top":{"below":{"n":1}}}') == (b'{"top":[]}', [(None, b'{"below":[]}'), (0, b'{"n":1}')])


@pytest.mark.parametrize(
    "data", [b"", b"]}", b"[1]", b'{"top":[{"below":[', b'{"top":[{}]}]', b'"top"', b'{"top":1}']
)
def test_what_is_no_tree(data: bytes) -> None:
    outline, _ = tree_of(data)
    assert isinstance(outline, bytes)
