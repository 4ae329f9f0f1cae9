"""Sizes of files, as the command line tells them."""

from __future__ import annotations

import pytest

from stemmata.cli import words


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0.0 kB"), (17_400, "17.4 kB"), (999_999, "1000.0 kB"), (2_100_000, "2.1 MB"), (3_000_000_000, "3.0 GB")],
)
def test_a_size(count: int, text: str) -> None:
    assert words.size(count) == text
