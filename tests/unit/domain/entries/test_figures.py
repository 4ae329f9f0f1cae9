from __future__ import annotations

import pytest

from stemmata.domain.entries.figures import UNKNOWN, Figure, FigureKind, abbreviated_count


def test_a_sum_is_marked_by_its_weakest_part() -> None:
    assert Figure.reported(2) + Figure.estimated(3) == Figure(5, FigureKind.ESTIMATED)
    assert Figure.reported(2) + Figure(3, FigureKind.COUNTED) == Figure(5, FigureKind.COUNTED)
    assert Figure.reported(2) + UNKNOWN == UNKNOWN
    assert UNKNOWN.kind.text == "unknown"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (124_600, "124.6k"), (999_949, "999.9k"), (1_900_000, "1.9M")],
)
def test_short_form(count: int, text: str) -> None:
    assert abbreviated_count(count) == text
