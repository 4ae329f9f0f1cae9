"""The marks of entries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.entry import Flag

marks = st.lists(st.sampled_from(Flag), max_size=4)


@given(marks, marks)
def test_the_marks_that_two_have(one: list[Flag], other: list[Flag]) -> None:
    left, right = (sum(dict.fromkeys(each), Flag.NONE) for each in (one, other))
    both = Flag(left) & Flag(right)
    assert type(both) is Flag
    assert {mark for mark in Flag if mark in both} == {*one} & {*other} - {Flag.NONE}
