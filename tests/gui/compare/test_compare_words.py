from __future__ import annotations

import pytest

from stemmata.domain.compare.turns import Totals
from stemmata.domain.entries.figures import UNKNOWN, Figure
from stemmata.gui.compare.pieces import SECOND, cost_text, table, time_text, turn_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (840, "14 min"), (3599, "60 min"), (3600, "1 h"), (7500, "2 h 5 min")],
)
def test_durations(seconds: int, text: str) -> None:
    assert time_text(Figure.reported(seconds * SECOND)) == text


@pytest.mark.parametrize(
    ("cost", "text"), [(0, "$0.00"), (9_999, "<$0.01"), (310_000, "$0.31"), (1_234_560_000, "$1,234.56")]
)
def test_costs(cost: int, text: str) -> None:
    assert cost_text(Figure.reported(cost)) == text


def test_what_is_not_known_is_a_dash_and_estimates_are_marked() -> None:
    assert (time_text(UNKNOWN), cost_text(UNKNOWN)) == ("—", "—")
    assert cost_text(Figure.estimated(20_000)) == "≈ $0.02"


def test_a_turn_leaves_out_what_is_not_known() -> None:
    assert (
        turn_text(Totals(1, 2, 0, Figure.estimated(14_100), Figure.reported(60_000))) == "2 tools · ≈ 14.1k · $0.06"
    )
    assert turn_text(Totals(1, 1, 0, cost=UNKNOWN)) == "1 tool"
    assert turn_text(Totals(1)) == ""


def test_the_table_has_both_sides() -> None:
    left, right = (
        Totals(6, 20, 0, Figure.reported(61_200)),
        Totals(3, 9, 2, Figure.estimated(31_700), UNKNOWN, UNKNOWN),
    )
    assert [row[1:] for row in table(left, right)] == [
        ("6", "3"), ("20", "9"), ("0", "2"), ("61.2k", "≈ 31.7k"), ("$0.00", "—"), ("0 s", "—"),
    ]  # fmt: skip
