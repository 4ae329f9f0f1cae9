"""Lines of plain text that stand apart."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from stemmata.gui.importing.welcome import Paragraph
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

TEXT = "With a key, which stays in your keyring, or a server on this machine. Not needed to browse."


def paragraph(qtbot: QtBot, theme: Theme, text: str = TEXT) -> Paragraph:
    made = Paragraph(text)
    qtbot.addWidget(made)
    made.setFont(theme.font("ui"))
    return made


def rows_of(image: QImage) -> list[int]:
    ground = image.pixelColor(image.width() - 1, image.height() - 1)
    return [y for y in range(image.height()) if any(image.pixelColor(x, y) != ground for x in range(image.width()))]


@pytest.mark.parametrize("scale", [100, 200])
def test_every_line_adds_one_distance(qtbot: QtBot, theme: Theme, scale: int) -> None:
    theme.set_scale(scale)
    made = paragraph(qtbot, theme)
    distance = round(theme.font("ui").pixelSize() * metrics.LINE_PERCENT / 100)
    heights = [made.heightForWidth(width) for width in (2000, 400, 200, 1)]
    assert heights[0] == distance
    assert all(height % distance == 0 for height in heights)
    assert heights == sorted(heights)
    made.setMargin(5)
    assert made.heightForWidth(2000) == distance + 10


def test_all_lines_are_painted(qtbot: QtBot, theme: Theme) -> None:
    made = paragraph(qtbot, theme)
    made.resize(200, made.heightForWidth(200))
    rows = rows_of(made.grab().toImage())
    distance = made.heightForWidth(2000)
    assert rows[0] < distance
    assert rows[-1] > made.height() - distance
    assert len(rows) < made.height(), "there is air between the lines"


def test_lines_are_where_they_were_asked_for(qtbot: QtBot, theme: Theme) -> None:
    made = paragraph(qtbot, theme, "Short")
    made.resize(200, 200)
    middle = rows_of(made.grab().toImage())
    assert abs((middle[0] + middle[-1]) / 2 - 100) < 6
    made.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
    image = made.grab().toImage()
    assert rows_of(image)[-1] < 25
    left = image.copy(0, 0, 100, 200)
    assert rows_of(left) == []


def test_an_empty_one_has_the_height_of_a_line(qtbot: QtBot, theme: Theme) -> None:
    made = paragraph(qtbot, theme, "")
    assert made.heightForWidth(100) == made.minimumSizeHint().height() == made.sizeHint().height()
    made.grab()
