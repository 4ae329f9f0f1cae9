"""How values are formatted for the terminal."""

from __future__ import annotations

import pytest

from stemmata.cli.words import table, terminal_columns

FAMILY = "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"


@pytest.mark.parametrize(
    ("text", "columns"), [("title", 5), ("é “q” —", 7), ("日本語", 6), ("e\u0301", 1), (FAMILY, 2)]
)
def test_the_columns_that_a_terminal_needs(text: str, columns: int) -> None:
    assert terminal_columns(text) == columns


def test_columns_stay_aligned_beside_wide_characters() -> None:
    rows = [("title", "日本", "end"), ("日本語の題", "1", "end"), (FAMILY, "22", "end")]
    assert list(table(rows, frozenset({1}))) == [
        "title       日本  end",
        "日本語の題     1  end",
        f"{FAMILY}            22  end",
    ]
