"""How columns share a width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stemmata.gui.window.columns import shared

WANTED, LEAST, STRETCH = (248, 330, 550, 312), (168, 260, 440, 292), (1, 2, 4, 1)


def test_what_is_over_goes_by_stretch() -> None:
    assert shared(1440, WANTED, LEAST, STRETCH) == list(WANTED)
    assert shared(1440 + 80, WANTED, LEAST, STRETCH) == [258, 350, 590, 322]


def test_who_has_more_to_spare_gives_more() -> None:
    assert shared(1440 - 28, WANTED, LEAST, STRETCH) == [240, 323, 539, 310]


def test_without_room_for_the_least_all_give_way() -> None:
    assert shared(580, WANTED, LEAST, STRETCH) == [84, 130, 220, 146]


@given(st.integers(1, 5000))
def test_the_room_is_used_to_the_pixel(room: int) -> None:
    widths = shared(room, WANTED, LEAST, STRETCH)
    assert sum(widths) == room
    if room >= sum(LEAST):
        assert all(width >= least for width, least in zip(widths, LEAST, strict=True))
