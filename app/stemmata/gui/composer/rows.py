"""A list of rows above the message: grows up to MOST_ROWS rows, then scrolls."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

MOST_ROWS = 4


class RowsArea(QScrollArea):
    """The list, hidden while it is empty. It owns its rows and deletes those that are replaced."""

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
        content.setAutoFillBackground(False)  # setWidget switched it on
        self.viewport().setAutoFillBackground(False)
        theme.changed.connect(self.fit)
        self.hide()

    @property
    def shown(self) -> Sequence[QWidget]:
        """The widgets of the rows, from top to bottom."""
        return tuple(self._rows)

    def show_rows(self, rows: Sequence[QWidget]) -> None:
        """Replace the rows."""
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
        """Adapt the height to the rows."""
        heights = [max(row.sizeHint().height(), row.minimumHeight()) for row in self._rows]
        shown = heights[:MOST_ROWS]
        self.setFixedHeight(sum(shown) + metrics.SPACE[1] * max(0, len(shown) - 1))
