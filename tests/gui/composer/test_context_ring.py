"""The ring beside the message: what is used stands out from what is free in every theme."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.gui.theme.theme import Scheme, Theme
from stemmata.gui.widgets.ring import ContextRing, NextRequest
from tests.gui.theme.contrast import contrast


def strongest(image: QImage, ground: QColor, *, right: bool) -> float:
    """The greatest contrast to the ground in one half."""
    half = image.width() // 2
    columns = range(half + 1, image.width()) if right else range(half - 1)
    return max(contrast(image.pixelColor(x, y).name(), ground.name()) for x in columns for y in range(image.height()))


@pytest.mark.parametrize("scheme", ["dark", "light", "high-contrast"])
def test_a_ring_that_is_half_full_looks_so(theme: Theme, qtbot: QtBot, scheme: Scheme) -> None:
    theme.set_scheme(scheme)
    ring = ContextRing(theme)
    qtbot.addWidget(ring)
    ring.show_request(NextRequest("100k", 100_000, 200_000, 160_000))
    ring.show()
    circle, ground = ring._ring, theme.color("raised")
    image = QImage(circle.size(), QImage.Format.Format_RGB32)
    image.fill(ground)
    circle.render(image, renderFlags=circle.RenderFlag.DrawChildren)
    used, free = (strongest(image, ground, right=right) for right in (True, False))
    assert used >= 3
    assert 1.2 < free < used * 2 / 3


def test_a_click_on_the_ring_asks_to_compact(theme: Theme, qtbot: QtBot) -> None:
    ring = ContextRing(theme)
    qtbot.addWidget(ring)
    ring.show_request(NextRequest("100k", 100_000, 200_000, 160_000, "Window: 200k"))
    ring.show()
    assert ring.toolTip() == "Window: 200k\nClick to compact…"
    with qtbot.waitSignal(ring.clicked):
        QTest.mouseClick(ring, Qt.MouseButton.LeftButton)
    with qtbot.assertNotEmitted(ring.clicked):
        QTest.mouseClick(ring, Qt.MouseButton.RightButton)
