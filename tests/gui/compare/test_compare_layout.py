from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stemmata.gui.compare.layout import RowsLayout
from stemmata.gui.core.heights import Heights
from stemmata.gui.transcript.layout import MeasuredCard

HEIGHT = 100


def layout(heights: list[int], guess: int = 30) -> RowsLayout:
    out = RowsLayout(Heights(len(heights), guess), lambda at, sight: MeasuredCard(heights[at], sight.keep), HEIGHT)
    out.arrange()
    return out


def test_nothing_to_place() -> None:
    empty = layout([])
    assert (empty.placed, empty.top) == ([], 0)
    empty.go_to_y(50)
    assert empty.at == 0


def test_the_last_row_stays_at_the_lower_edge() -> None:
    rows = layout([60] * 5)
    rows.scroll_by(10_000)
    rows.arrange()
    assert rows.placed[-1].y + 60 == HEIGHT


def test_few_rows_start_at_the_top() -> None:
    rows = layout([20, 20])
    rows.scroll_by(500)
    rows.arrange()
    assert [(row.at, row.y) for row in rows.placed] == [(0, 0), (1, 20)]


def test_a_row_is_brought_into_sight() -> None:
    rows = layout([60] * 10)
    rows.show(7)
    rows.arrange()
    assert (rows.placed[-1].at, rows.placed[-1].y) == (7, 40)
    rows.show(2)
    rows.arrange()
    assert (rows.placed[0].at, rows.placed[0].y) == (2, 0)
    before = list(rows.placed)
    rows.show(2)
    rows.arrange()
    assert rows.placed == before


def test_a_row_higher_than_the_view_shows_its_beginning() -> None:
    rows = layout([20, 500, 20])
    rows.show(1)
    rows.arrange()
    assert (rows.placed[0].at, rows.placed[0].y) == (1, 0)


SIZES = st.lists(st.integers(1, 250), min_size=1, max_size=40)
STEPS = st.lists(st.one_of(st.integers(-300, 300), st.tuples(st.integers(0, 5000))), max_size=20)


@given(SIZES, STEPS)
def test_rows_cover_the_view_without_gaps(sizes: list[int], steps: list[int | tuple[int]]) -> None:
    rows = layout(sizes)
    for step in steps:
        if isinstance(step, tuple):
            rows.go_to_y(step[0])
        else:
            rows.scroll_by(step)
        rows.arrange()
        first, last = rows.placed[0], rows.placed[-1]
        assert all(one.y + one.height == next_.y for one, next_ in zip(rows.placed, rows.placed[1:], strict=False))
        assert first.y <= 0
        assert first.y == 0 or first.y + first.height > 0
        assert last.y + last.height >= min(HEIGHT, sum(sizes))
        assert rows.top >= 0
