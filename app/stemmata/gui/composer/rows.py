"""Rows above the message: as high as they are many, up to a few; then they scroll."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

MOST_ROWS = 4


class RowsArea(QScrollArea):
    """Hidden while there are none. Rows are owned by it, and gone when others are shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: list[QWidget] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(metrics.SPACE[1])
        self._column.addStretch(1)
        self.setWidget(content)
        content.setAutoFillBackground(False)  # setting it has switched it on
        self.viewport().setAutoFillBackground(False)
        theme.changed.connect(self.fit)
        self.hide()

    @property
    def shown(self) -> Sequence[QWidget]:
        return tuple(self._rows)

    def show_rows(self, rows: Sequence[QWidget]) -> None:
        for row in self._rows:
            if row not in rows:
                row.hide()
                self._column.removeWidget(row)
                row.deleteLater()
        self._rows = list(rows)
        for at, row in enumerate(self._rows):
            self._column.insertWidget(at, row)
            row.show()
        self.setVisible(bool(self._rows))
        self.fit()

    def fit(self) -> None:
        heights = [max(row.sizeHint().height(), row.minimumHeight()) for row in self._rows]
        shown = heights[:MOST_ROWS]
        self.setFixedHeight(sum(shown) + metrics.SPACE[1] * max(0, len(shown) - 1))
