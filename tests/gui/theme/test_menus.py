"""The items of a menu are as high as each other and begin at one place, with an icon or without."""

from __future__ import annotations

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from stemmata.gui.theme.theme import Theme

BEHIND_THE_ICON = 28  # pixels


def test_items_with_and_without_icons_are_aligned(qtbot: QtBot, theme: Theme) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    menu.addAction(theme.icon("copy"), "Here")
    menu.addAction("Here")
    menu.addMenu("Here")
    ticked = menu.addAction("Here")
    ticked.setCheckable(True)
    ticked.setChecked(True)
    menu.popup(menu.pos())
    picture: QImage = menu.grab().toImage()
    places = [menu.actionGeometry(action) for action in menu.actions()]
    text = theme.color("text").lightness()
    starts = [
        next(
            x
            for x in range(BEHIND_THE_ICON, place.right())
            if any(abs(picture.pixelColor(x, y).lightness() - text) < 60 for y in range(place.top(), place.bottom()))
        )
        for place in places
    ]
    menu.close()
    assert len({place.height() for place in places}) == 1
    assert len(set(starts)) == 1
