"""The title of another session on the page of files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.files.title_button import TitleButton

TITLE = "R&D plan & budget of the long year"


@pytest.fixture
def button(qtbot: QtBot) -> Iterator[TitleButton]:
    window = QWidget()
    qtbot.addWidget(window)
    button = TitleButton(TITLE)
    button.setParent(window)
    window.resize(1000, 100)
    button.resize(button.sizeHint())
    window.show()
    yield button
    window.close()


def width_of_text(button: TitleButton) -> int:
    return button.fontMetrics().horizontalAdvance(button.text().replace("&&", "&"))


def test_an_ampersand_is_shown_and_is_no_shortcut(button: TitleButton) -> None:
    assert button.text() == TITLE.replace("&", "&&")
    assert button.shortcut() == QKeySequence()
    button.resize(button.width() // 2, button.height())
    assert button.text().startswith("R&&D")
    assert button.text().endswith("…")
    assert button.shortcut() == QKeySequence()


def test_ampersands_do_not_change_the_width_beside_the_title(button: TitleButton) -> None:
    plain = TitleButton("a" * 40)
    ampersands = TitleButton("a" * 40 + "&" * 40)
    for other in (plain, ampersands):
        other.setParent(button.parentWidget())
    wider = ampersands.sizeHint().width() - plain.sizeHint().width()
    assert wider == pytest.approx(ampersands.fontMetrics().horizontalAdvance("&" * 40), abs=2)


@pytest.mark.parametrize("way", ["font", "style"])
def test_a_new_text_size_elides_the_title_again(button: TitleButton, way: str) -> None:
    assert not button.text().endswith("…")
    if way == "font":
        font = button.font()
        font.setPointSizeF(font.pointSizeF() * 2)
        button.setFont(font)
    else:
        button.setStyleSheet("padding: 0 60px")
    assert button.text().endswith("…")
    assert width_of_text(button) <= button.width()
