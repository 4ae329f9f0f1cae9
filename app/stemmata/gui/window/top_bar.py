"""The bar at the top of the window: its menus and its search field."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenuBar, QPushButton, QSizePolicy, QWidget

from stemmata.gui.core.actions import Actions
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.labels import label, shortened
from stemmata.gui.widgets.surface import set_surface


class SearchButton(QPushButton):
    """A button that looks like a search field. Its words are elided to fit; the shortcut is not."""

    def __init__(self) -> None:
        super().__init__()
        self._words = self._keys = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # the text does not set the width

    def set_words(self, words: str, keys: str) -> None:
        """Set the text and the shortcut that the button shows."""
        self._words, self._keys = words, keys
        self.setAccessibleName(words)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        figures, keys = self.fontMetrics(), f"  {self._keys}" if self._keys else ""
        room = self.width() - 2 * metrics.SPACE[6] - figures.horizontalAdvance(keys)
        text = figures.elidedText(shortened(self._words), Qt.TextElideMode.ElideRight, max(room, 0)) + keys
        if text != self.text():
            self.setText(text)


class Menus(QMenuBar):
    """The menu bar, with a size hint that is also right in right-to-left layouts."""

    def sizeHint(self) -> QSize:
        """Return the width that the menus need: in right-to-left layouts Qt returns the whole width instead."""
        hint = super().sizeHint()
        places = [self.actionGeometry(action) for action in self.actions()]
        if self.isRightToLeft() and places:
            needed = max(place.right() for place in places) - min(place.left() for place in places)
            hint.setWidth(needed + self.fontMetrics().horizontalAdvance("MM"))  # and their margins
        return hint


class TopBar(QWidget):
    """The bar at the top: title, menus, search field, and the button that switches the theme."""

    search_requested = Signal()

    def __init__(self, theme: Theme, actions: Actions) -> None:
        super().__init__()
        self.setObjectName("topBar")
        set_surface(self, "panel", "bottom")
        self._theme = theme
        self.menus = Menus()
        self.menus.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        actions.fill(self.menus)
        self._palette = actions["palette"]
        self.search = SearchButton()
        self._palette.changed.connect(self._show_keys)
        self._show_keys()
        self.search.setProperty("search", True)
        self.search.setObjectName("searchField")
        self.search.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.search.clicked.connect(self.search_requested)
        scheme = IconButton(theme, "half-circle", self.tr("Switch light or dark theme"))
        scheme.clicked.connect(actions["scheme"].trigger)
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[6], 0, metrics.SPACE[4], 0)
        row.setSpacing(metrics.SPACE[2])
        row.addWidget(label("Stemmata", "title"))
        row.addWidget(self.menus, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addStretch(1)
        row.addWidget(self.search, 4)
        row.addStretch(1)
        row.addWidget(scheme)
        theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.TOP_BAR))
        self.search.setMaximumWidth(self._theme.px(metrics.SEARCH_FIELD))
        self.search.setMinimumWidth(self._theme.px(metrics.SEARCH_FIELD) // 2)

    def _show_keys(self) -> None:
        keys = self._palette.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.search.set_words(self.tr("Search or run a command"), keys)
