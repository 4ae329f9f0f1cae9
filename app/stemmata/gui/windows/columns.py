"""The four columns: each can be narrowed, hidden and brought back, and is found again as it was left."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

NAMES = ("sessions", "branches", "transcript", "context")
STRETCH = (1, 2, 4, 1)


class Columns(QSplitter):
    """Sessions, branches, transcript and, at the right, context or the workbench."""

    def __init__(self, theme: Theme, columns: Sequence[QWidget], workbench: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setObjectName("columns")
        self.setHandleWidth(metrics.BORDER)
        self.setChildrenCollapsible(False)
        self._theme = theme
        self._workbench = workbench
        self._wanted = dict.fromkeys(NAMES, True)
        self._before = QByteArray()  # sizes outside the workbench
        self._side = QStackedWidget()
        self._side.addWidget(columns[3])
        self._side.addWidget(workbench)
        self._columns = (*columns[:3], self._side)
        for widget, name, stretch, least in zip(self._columns, NAMES, STRETCH, metrics.COLUMN_MINIMUMS, strict=True):
            widget.setMinimumWidth(theme.px(least))
            self.addWidget(widget)
            self.setStretchFactor(NAMES.index(name), stretch)
        self.setSizes([theme.px(width) for width in metrics.COLUMNS])

    @property
    def in_workbench(self) -> bool:
        return self._side.currentWidget() is self._workbench

    def is_shown(self, name: str) -> bool:
        return self._wanted[name]

    def set_shown(self, name: str, *, on: bool) -> None:
        """Show or hide a column; the last one stays."""
        if not on and sum(self._wanted.values()) == 1:
            return
        self._wanted[name] = on
        self._apply()

    def set_workbench(self, *, on: bool) -> None:
        """Give the previewed transcript and the workbench all the room, or go back to the columns."""
        if on == self.in_workbench:
            return
        if on:
            self._before = self.saveState()
        self._side.setCurrentIndex(1 if on else 0)
        self._side.setMinimumWidth(self._theme.px(metrics.COLUMN_MINIMUMS[3]))
        self._apply()
        if on:
            side = min(self._theme.px(metrics.WORKBENCH), self.width() // 2)
            self.setSizes([0, 0, self.width() - side, side])
        else:
            self.restoreState(self._before)

    def save(self, settings: QSettings) -> None:
        settings.setValue("columns/sizes", self._before if self.in_workbench else self.saveState())
        settings.setValue("columns/shown", " ".join(name for name in NAMES if self._wanted[name]))

    def restore(self, settings: QSettings) -> None:
        """Take up what was saved; anything unusable is passed over."""
        sizes, shown = settings.value("columns/sizes"), settings.value("columns/shown")
        if isinstance(sizes, QByteArray):
            self.restoreState(sizes)
            self.setHandleWidth(metrics.BORDER)
        names = set(shown.split()) & set(NAMES) if isinstance(shown, str) else set()
        if names:
            self._wanted = {name: name in names for name in NAMES}
        self._apply()

    def _apply(self) -> None:
        for name, widget in zip(NAMES, self._columns, strict=True):
            in_workbench = name in ("transcript", "context")
            widget.setVisible(in_workbench if self.in_workbench else self._wanted[name])
