"""A settings page with a list that can be extended, used for tool servers and models."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics


def list_page(told: QLabel, add: QPushButton, *parts: QLayout | QWidget) -> QScrollArea:
    """Build the page: a description, a button for adding, and the list with further parts."""
    content = QWidget()
    column = QVBoxLayout(content)
    column.setContentsMargins(*[metrics.SPACE[7]] * 4)
    column.setSpacing(metrics.SPACE[5])
    column.addWidget(told)
    column.addWidget(add, 0, Qt.AlignmentFlag.AlignLeft)
    for part in parts:
        if isinstance(part, QWidget):
            column.addWidget(part)
        else:
            column.addLayout(part)
    column.addStretch(1)
    page = QScrollArea(widgetResizable=True)
    page.setFrameShape(QFrame.Shape.NoFrame)
    page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    page.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to the widget that gets the focus
    page.setWidget(content)
    return page


def clear(layout: QLayout) -> None:
    """Remove and delete all items of a layout."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
