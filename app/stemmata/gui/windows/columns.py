"""The four columns: each can be narrowed, hidden and brought back, and is found again as it was left."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.surface import Surface, set_surface
from stemmata.gui.windows.tab_order import neighbour

NAMES = ("sessions", "branches", "transcript", "context")
STRETCH = (1, 2, 4, 1)
WORKBENCH = 1  # place in the last column, behind the context


class Columns(QSplitter):
    """Sessions, branches, transcript and, at the right, context or the workbench.

    Only the sessions are there at once; the others take their places by `put`.
    """

    def __init__(self, theme: Theme, sessions: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setObjectName("columns")
        self.setHandleWidth(metrics.BORDER)
        self.setChildrenCollapsible(False)
        self._theme = theme
        self._wanted = dict.fromkeys(NAMES, True)
        self._before = QByteArray()  # sizes outside the workbench
        self._side = QStackedWidget()
        self._sides = QSplitter(Qt.Orientation.Horizontal)  # the transcript, and a second one while the view is split
        self._sides.setHandleWidth(metrics.BORDER)
        self._sides.setChildrenCollapsible(False)
        set_surface(self._sides, "bg")
        self._columns = [sessions, _place("panel"), self._sides, self._side]
        set_surface(self._side, "panel")
        for at, widget in enumerate(self._columns):
            self.addWidget(widget)
            self._fit(at)
        self.setSizes([theme.px(width) for width in metrics.COLUMNS])
        theme.changed.connect(self._fit_all)

    def put(self, name: str, widget: QWidget) -> None:
        """Give a column its content: branches or transcript."""
        if name == "transcript":
            self._sides.addWidget(widget)
            return
        at = NAMES.index(name)
        before = self.replaceWidget(at, widget)
        self._columns[at] = widget
        self._fit(at)
        if before is not None:
            before.deleteLater()

    def put_other_side(self, widget: QWidget) -> None:
        """A second transcript, beside the first, of the same width; hidden."""
        widget.hide()
        self._sides.addWidget(widget)
        for at in range(self._sides.count()):
            self._sides.setStretchFactor(at, 1)

    def share_sides(self) -> None:
        """Give both transcripts the same room."""
        half = self._sides.width() // 2
        self._sides.setSizes([half, half])

    def put_beside(self, widget: QWidget) -> None:
        """Give the last column its content: first the context, then the workbench."""
        self._side.addWidget(widget)

    def neighbour(self, focused: QWidget | None, *, forward: bool) -> QWidget | None:
        """What Tab goes to; None where Qt knows better."""
        return neighbour(focused, self._columns, forward=forward)

    def _fit_all(self) -> None:
        """Columns grow with the text: what they show must not be cut off."""
        for at in range(len(self._columns)):
            self._fit(at)

    def _fit(self, at: int) -> None:
        minimum = metrics.COLUMN_MINIMUMS[at]
        share = self.screen().availableSize().width() * minimum // sum(metrics.COLUMN_MINIMUMS)
        self._columns[at].setMinimumWidth(max(minimum, min(self._theme.px(minimum), share)))
        self.setStretchFactor(at, STRETCH[at])

    @property
    def in_workbench(self) -> bool:
        return self._side.currentIndex() == WORKBENCH

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
        self._side.setCurrentIndex(WORKBENCH if on else 0)
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


def _place(surface: Surface) -> QWidget:
    out = QWidget()
    set_surface(out, surface)
    return out
