"""The line at the top of a column: its title, and what can be done with it."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.surface import set_surface


class ColumnHeader(QWidget):
    """`add` puts actions at the right, in order; `set_chip` shows a small mark behind the title."""

    def __init__(self, theme: Theme, title: str, surface: Literal["bg", "panel"] = "panel") -> None:
        super().__init__()
        self._theme = theme
        set_surface(self, surface, "bottom")
        self._title = ElidedLabel(title, "title")
        self._chip = label("", "chip")
        self._chip.hide()
        self._mark = label("", "changed")
        self._mark.hide()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(metrics.SPACE[6], 0, metrics.SPACE[5], 0)
        self._row.setSpacing(metrics.SPACE[4])
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._row.addWidget(self._title, 1000)
        self._row.addWidget(self._chip, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addStretch(1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def add(self, widget: QWidget) -> None:
        self._row.addWidget(widget)

    def set_title(self, text: str) -> None:
        self._title.setText(text)
        self._title.setToolTip(_plain(text))

    @property
    def title(self) -> str:
        return self._title.text()

    def set_chip(self, text: str) -> None:
        self._chip.setText(text)
        self._chip.setVisible(bool(text))

    def set_mark(self, text: str) -> None:
        """What mode the column is in, in the colour of a change."""
        self._mark.setText(text)
        self._mark.setVisible(bool(text))

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.HEADER))


def _plain(text: str) -> str:
    """A tooltip that shows the text as it is, whatever it looks like."""
    from html import escape

    return f"<qt>{escape(text)}</qt>" if text else ""
