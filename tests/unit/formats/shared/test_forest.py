"""Messages in their places: parents before children, siblings in order, circles cut, orphans kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from stemmata.formats.shared.forest import placed

Found = list[tuple[str, str | None, bool]]


def found(parents: Mapping[str, str | None], children: Mapping[str, Sequence[str]]) -> Found:
    return [(one.id, one.parent, bool(one.repair)) for one in placed(parents, children)]


def test_siblings_come_in_the_order_of_the_parents_list() -> None:
    parents = {"c": "a", "b": "a", "a": None, "d": "b"}
    assert found(parents, {"a": ["b", "c"]}) == [
        ("a", None, False), ("b", "a", False), ("d", "b", False), ("c", "a", False),
    ]  # fmt: skip
    assert [id for id, _, _ in found(parents, {})] == ["a", "c", "b", "d"]


def test_a_message_without_a_parent_belongs_to_the_one_that_lists_it() -> None:
    assert found({"a": None, "b": None}, {"a": ["b", "b", "gone"]}) == [("a", None, False), ("b", "a", False)]
    assert found({"a": None, "b": None}, {"gone": ["b"]}) == [("a", None, False), ("b", None, False)]


def test_the_named_parent_comes_before_the_one_that_lists_it() -> None:
    assert found({"a": None, "b": None, "c": "b"}, {"a": ["c"]})[-1] == ("c", "b", False)


def test_a_message_whose_parent_is_missing_is_a_root() -> None:
    assert found({"a": "gone", "b": "a"}, {}) == [("a", None, True), ("b", "a", False)]


def test_a_circle_is_cut_at_its_first_message() -> None:
    assert found({"a": "b", "b": "c", "c": "a", "d": "b"}, {}) == [
        ("a", None, True), ("c", "a", False), ("b", "c", False), ("d", "b", False),
    ]  # fmt: skip
    assert found({"a": "a"}, {}) == [("a", None, True)]


IDS = st.sampled_from("abcdef")


@given(st.dictionaries(IDS, st.none() | IDS), st.dictionaries(IDS, st.lists(IDS)))
def test_every_message_comes_once_and_after_its_parent(
    parents: dict[str, str | None], children: dict[str, list[str]]
) -> None:
    seen: set[str | None] = {None}
    for one in placed(parents, children):
        assert one.id not in seen
        assert one.parent in seen
        seen.add(one.id)
    assert seen - {None} == parents.keys()
