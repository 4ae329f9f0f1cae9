"""The marks of entries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.entry import Flag

marks = st.sets(st.sampled_from([*Flag]), max_size=4)


@given(marks, marks)
def test_the_marks_that_two_have(one: set[Flag], other: set[Flag]) -> None:
    both = Flag(sum(one)) & Flag(sum(other))
    assert type(both) is Flag
    assert {mark for mark in Flag if mark in both} == one & other
