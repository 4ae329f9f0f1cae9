"""Vectors are stored at length 1, and rankings are merged."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.search.embedding import fused, packed


def values(vector: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(vector) // 2}e", vector))


def test_a_vector_is_stored_at_length_one() -> None:
    assert values(packed([3.0, 4.0])) == pytest.approx([0.6, 0.8], abs=1e-3)


@pytest.mark.parametrize("vector", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [1e300, 1e300]])
def test_a_vector_without_a_direction_is_stored_as_zeros(vector: list[float]) -> None:
    assert values(packed(vector)) == [0.0, 0.0]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_every_stored_vector_has_length_one_or_zero(vector: list[float]) -> None:
    length = math.hypot(*values(packed(vector)))
    assert length == pytest.approx(1, abs=2e-3) or length == 0


def test_an_item_of_two_rankings_comes_before_the_items_of_one() -> None:
    assert fused([[1, 2, 3], [3, 4]]) == [3, 1, 2, 4]


def test_a_repeated_item_counts_at_its_first_rank() -> None:
    assert fused([[1, 1, 2], [2]]) == [2, 1]


def test_ties_keep_the_order_of_the_first_ranking() -> None:
    assert fused([[5], [6]]) == [5, 6]
    assert fused([]) == []
