"""The icon in the frame of a window."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from stemmata.gui.theme.icons import SIZES, application_icon


def test_the_icon_is_drawn_at_every_size(qapp: QApplication) -> None:
    icon = application_icon()
    assert sorted(size.width() for size in icon.availableSizes()) == list(SIZES)
    for side in SIZES:
        picture = icon.pixmap(side, side).toImage()
        assert picture.pixelColor(0, 0).alpha() == 0  # round corners
        colors = {picture.pixelColor(x, y).name() for x in range(side) for y in range(side)}
        assert len(colors) > 3
