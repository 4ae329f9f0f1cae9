"""How often a column with a scrolling content is painted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from stemmata.gui.widgets.surface import lay_out_column, set_surface


class Paints(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


@pytest.mark.usefixtures("theme")
def test_a_column_that_waited_for_its_turn_is_painted_once(qtbot: QtBot) -> None:
    """Qt painted an opaque content by itself, and again with its column."""
    window, column, content, text = QWidget(), QWidget(), QWidget(), QLabel("text")
    qtbot.addWidget(window)
    QVBoxLayout(window).addWidget(column)
    set_surface(column, "panel")
    lay_out_column(column, QLabel("head"), content)
    QVBoxLayout(content).addWidget(text)
    window.resize(300, 200)
    window.show()
    qtbot.waitExposed(window)
    QApplication.processEvents()
    paints = Paints(text)
    column.setUpdatesEnabled(False)
    QApplication.processEvents()
    assert paints.count == 0
    content.update()
    column.setUpdatesEnabled(True)
    content.update()
    qtbot.waitUntil(lambda: paints.count > 0)
    assert paints.count == 1
