"""A searched text is read in slices, and only as far as its first match."""

from __future__ import annotations

from typing import Any

import pytest

from stemmata.domain.search.needle import CHECKED as SLICE
from stemmata.domain.search.needle import TextNeedle


class Watched(str):
    """A text that records the furthest character that was read."""

    furthest = 0

    def __getitem__(self, at: Any) -> str:
        Watched.furthest = max(Watched.furthest, min(at.stop, len(self)))
        return super().__getitem__(at)

    def lower(self) -> str:
        raise AssertionError("the whole text is copied")


def test_a_text_is_read_to_its_first_match_only() -> None:
    text = Watched("x" * 1_000 + "NEEDLE" + "x" * 20 * SLICE)
    assert TextNeedle("needle").is_in(text)
    assert Watched.furthest < 2 * SLICE


@pytest.mark.parametrize("at", [0, SLICE - 6, SLICE - 5, SLICE - 3, SLICE - 1, SLICE, 2 * SLICE + 7, 3 * SLICE - 6])
def test_a_match_is_found_wherever_the_slices_end(at: int) -> None:
    text = "İ" * at + "Needle" + "x" * (3 * SLICE - 6 - at)
    assert TextNeedle("needle").is_in(text)
    assert TextNeedle("needle").is_in(text, at)
    assert not TextNeedle("needle").is_in(text, at + 1)
    assert not TextNeedle("needles").is_in(text)


def test_the_end_of_a_slice_is_not_the_end_of_a_word() -> None:
    """A sigma has another small letter at the end of a word."""
    assert TextNeedle("σα").is_in("Α" * (SLICE - 1) + "ΣΑ")
    assert not TextNeedle("a").is_in("")
