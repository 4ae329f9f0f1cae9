"""The binding itself: a call of a Qt function that returns nothing must not use up references to None."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

CALLS = 2000


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on")
def test_void_calls_keep_the_references_to_none(qapp: QApplication) -> None:
    image = QImage(8, 8, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        painter.setOpacity(0.5)
    lost = before - sys.getrefcount(None)
    painter.end()
    assert lost < CALLS // 10
