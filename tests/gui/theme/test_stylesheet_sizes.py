"""Sizes of the style sheet at every scale, and sides as the window is read."""

from __future__ import annotations

import re

import pytest

from stemmata.gui.theme.fonts import Fonts
from stemmata.gui.theme.icons import IconSet
from stemmata.gui.theme.theme import LARGEST_SCALE, SMALLEST_SCALE, Stylesheet, _sizes, load


def pixels(text: str) -> int:
    found = re.fullmatch(r"(\d+)px", text)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("scale", range(SMALLEST_SCALE, LARGEST_SCALE + 1, 5))
def test_the_handle_of_a_slider_is_round(scale: int) -> None:
    """Qt draws corners square whose radius is more than half of the side."""
    sizes = {name: pixels(text) for name, text in _sizes(scale).items()}
    side = sizes["size_handle"] + 2 * sizes["size_border"]
    assert side == sizes["size_thin_bar"] + 2 * sizes["space_3"]
    assert side - 1 <= 2 * sizes["radius_handle"] <= side
    assert 2 * sizes["radius_thin_bar"] <= sizes["size_thin_bar"]


@pytest.mark.parametrize(("first", "last"), [("left", "right"), ("right", "left")])
def test_the_outer_corners_of_tabs_are_round(qapp: object, first: str, last: str) -> None:
    sheet = Stylesheet().render(load("dark"), Fonts(), IconSet(), 100, mirrored=first == "right")
    rules = {name: re.search(rf"QTabBar::tab:{name} {{([^}}]*)}}", sheet) for name in ("first", "last")}
    for name, side in (("first", first), ("last", last)):
        rule = rules[name]
        assert rule is not None
        assert re.findall(r"border-(?:top|bottom)-(\w+)-radius", rule[1]) == [side, side]
