"""The button that chooses how much of a session the navigator shows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from stemmata.domain.navigator.outline import Density
from stemmata.gui.branches.words import density_name
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton


class FoldButton(IconButton):
    """Folds all branches but the active one, or unfolds them."""

    def __init__(self, theme: Theme, on_click: Callable[[], object]) -> None:
        super().__init__(theme, "fold", "")
        self.clicked.connect(lambda: on_click())
        self.show_folds(folded=False, can_fold=False)

    def show_folds(self, *, folded: bool, can_fold: bool) -> None:
        words = self.tr("Show all branches") if folded else self.tr("Show the active path alone")
        self.set_icon("unfold" if folded else "fold")
        self.setToolTip(words)
        self.setAccessibleName(words)
        self.setEnabled(folded or can_fold)


class DensityButton(QToolButton):
    chosen = Signal(object)  # Density

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        theme.changed.connect(self._restyle)
        self._restyle()
        self.shorten(on=False)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolTip(self.tr("How much is shown"))
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # its arrow knows no other
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
        self.setAccessibleName(density_name(density))
        self._actions[density].setChecked(True)

    def shorten(self, *, on: bool) -> None:
        """An icon instead of the density's name."""
        styles = Qt.ToolButtonStyle
        self.setToolButtonStyle(styles.ToolButtonIconOnly if on else styles.ToolButtonTextOnly)

    def _restyle(self) -> None:
        side = self._theme.px(metrics.ICON)
        self.setIcon(self._theme.icon("list"))
        self.setIconSize(QSize(side, side))
