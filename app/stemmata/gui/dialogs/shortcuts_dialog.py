"""Every action with its shortcut, menu by menu."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from stemmata.gui.actions import CONTEXT, Actions
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import label


class ShortcutsDialog(QDialog):
    def __init__(self, theme: Theme, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        content = QWidget()
        grid = QGridLayout(content)
        grid.setColumnStretch(0, 1)
        grid.setVerticalSpacing(metrics.SPACE[2])
        menu = ""
        for spec, action in actions:
            keys = actions.keys(spec.id)
            if spec.menu != menu:
                menu = spec.menu
                grid.addWidget(label(QCoreApplication.translate(CONTEXT, menu), "section"), grid.rowCount(), 0)
            if keys:
                row = grid.rowCount()
                where = self.tr(" in Branches") if spec.own_key else ""
                grid.addWidget(label(action.text().partition("\t")[0]), row, 0)
                grid.addWidget(label(keys + where, "dim"), row, 1)
        grid.setRowStretch(grid.rowCount(), 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(content)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[6]] * 4)
        column.addWidget(scroll)

    def sizeHint(self) -> QSize:
        return QSize(*map(self._theme.px, metrics.DIALOG))
