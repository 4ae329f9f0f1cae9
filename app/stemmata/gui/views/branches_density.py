"""The button that chooses how much of a session the navigator shows."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from stemmata.domain.outline import Density
from stemmata.gui.models.branches_words import density_name


class DensityButton(QToolButton):
    chosen = Signal(object)  # Density

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolTip(self.tr("How much is shown"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu, group = QMenu(self), QActionGroup(self)
        self.setMenu(menu)
        self._actions: dict[Density, QAction] = {}
        for density in Density:
            action = menu.addAction(f"{density_name(density)}\t{density.value}")
            action.setCheckable(True)
            action.triggered.connect(lambda _on=False, density=density: self.chosen.emit(density))
            group.addAction(action)
            self._actions[density] = action

    def show_density(self, density: Density) -> None:
        self.setText(density_name(density))
        self._actions[density].setChecked(True)
