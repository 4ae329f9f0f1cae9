"""Runs of Chinese, Japanese and Korean characters as pairs."""

from __future__ import annotations

import pytest

from stemmata.domain.search.cjk import asked_pairs, has_cjk, pairs


def test_each_character_begins_one_pair() -> None:
    assert pairs("東京都").split() == ["東京", "京都", "都"]
    assert pairs("a東b").split() == ["a", "東", "b"]
    assert pairs("plain") == "plain"


def test_such_characters_are_recognised() -> None:
    assert all(map(has_cjk, ("東", "か", "カ", "ｶ", "한", "ᄀ", "𠀋")))
    assert not any(map(has_cjk, ("", "plain", "é", "😀", "…")))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("東京", ("東京", False)),
        ("東京都", ("東京 京都", False)),
        ("東", ("東", True)),
        ("abc東京", ("abc 東京", False)),
        ("東京abc", (" 東京 京 abc", False)),
        ("plain", ("plain", False)),
    ],
)
def test_a_run_at_the_end_may_go_on(asked: str, expected: tuple[str, bool]) -> None:
    words, prefix = asked_pairs(asked)
    assert (words.split(), prefix) == (expected[0].split(), expected[1])
