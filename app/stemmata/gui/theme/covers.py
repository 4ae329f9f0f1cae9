"""Show pictures of a window's columns while the columns are painted in one turn of the event loop each.

A window that paints nothing, while its theme or its size changes, shows all of its new look at once in this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QApplication, QSplitter, QWidget
from shiboken6 import delete, isValid

PAINTS_NOTHING = Qt.WidgetAttribute.WA_UpdatesDisabled


class Covers:
    """Pictures of the columns of windows whose updates are disabled.

    `take` makes the pictures, `show` lets the windows paint again below the pictures, and `remove` replaces each
    picture by its column.
    """

    def __init__(self, windows: Sequence[QWidget]) -> None:
        self._windows = [window for window in windows if isValid(window)]
        self._covers: list[Cover] = []

    def take(self) -> Iterator[None]:
        """Make the picture of one column in each step."""
        columns, waiting = _columns(self._windows), _waiting()
        yield
        for column, inside in columns.items():
            if isValid(column) and column.isVisible():
                silent = [(widget, PAINTS_NOTHING) for widget in inside]
                with _without([*silent, *waiting]):
                    self._covers.append(Cover(column))
                yield

    def show(self) -> None:
        """Let the windows paint again, below the pictures."""
        for cover in self._alive():
            cover.show_over_column()
        for window in filter(isValid, self._windows):
            window.setUpdatesEnabled(True)
            window.repaint()  # Qt does not paint a window by itself that was resized while it painted nothing

    def remove(self) -> Iterator[None]:
        """Remove one picture in each step, so that its column is painted."""
        while self._covers:
            self._covers.pop(0).give_way()
            yield

    def close(self) -> None:
        """Remove all pictures that are left, also when the steps were not taken to the end."""
        while self._covers:
            self._covers.pop().give_way()

    def _alive(self) -> Iterator[Cover]:
        return (cover for cover in self._covers if isValid(cover) and isValid(cover.column))


class Cover(QWidget):
    """The picture of a column, shown until the column itself is painted."""

    def __init__(self, column: QWidget) -> None:
        super().__init__(column.window())
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.column = column
        ratio = column.devicePixelRatio()
        self._picture = QPixmap(column.size() * ratio)
        self._picture.setDevicePixelRatio(ratio)
        column.render(self._picture)

    def show_over_column(self) -> None:
        """Show the picture over the column, and stop the column from painting until `give_way`."""
        self.setGeometry(self.column.rect().translated(self.column.mapTo(self.window(), QPoint())))
        self.column.setUpdatesEnabled(False)
        self.show()
        self._stack()

    def _stack(self) -> None:
        """Place the picture above the column, but below messages and other widgets that lie over the window."""
        below, above = self.column, self.column.parentWidget()
        while above is not None and above is not self.window():
            below, above = above, above.parentWidget()
        self.lower()
        below.stackUnder(self)

    def give_way(self) -> None:
        """Let the column paint itself again."""
        if isValid(self.column):
            self.column.setUpdatesEnabled(True)
        if isValid(self):
            delete(self)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        painter.end()


@contextmanager
def _without(attributes: Iterable[tuple[QWidget, Qt.WidgetAttribute]]) -> Iterator[None]:
    """Remove these attributes from the widgets that have them, until the block ends."""
    taken = [(widget, of) for widget, of in attributes if isValid(widget) and widget.testAttribute(of)]
    for widget, attribute in taken:
        widget.setAttribute(attribute, on=False)
    try:
        yield
    finally:
        for widget, attribute in taken:
            widget.setAttribute(attribute)


def _waiting() -> list[tuple[QWidget, Qt.WidgetAttribute]]:
    """Return the hidden widgets that were moved or resized, each with the attribute by which Qt notes this.

    Before Qt paints a column into a picture, it would tell all of these widgets, and so lay out all hidden pages.
    """
    hidden = [widget for widget in QApplication.allWidgets() if not widget.isVisible()]
    kinds = Qt.WidgetAttribute.WA_PendingResizeEvent, Qt.WidgetAttribute.WA_PendingMoveEvent
    return [(widget, kind) for widget in hidden for kind in kinds if widget.testAttribute(kind)]


def _columns(windows: Sequence[QWidget]) -> dict[QWidget, list[QWidget]]:
    """Return the columns: the parts of the windows' splitters that no other splitter divides.

    Each has the visible widgets inside it. They are not found by `findChildren`, see decision 9.
    """
    shown = [widget for widget in QApplication.allWidgets() if widget.isVisible() and widget.window() in windows]
    splitters = [widget for widget in shown if isinstance(widget, QSplitter)]
    found = [splitter.widget(at) for splitter in splitters for at in range(splitter.count())]
    parts = [part for part in found if part is not None]
    divided = [part for part in parts if any(part == other or part.isAncestorOf(other) for other in splitters)]
    columns: dict[QWidget, list[QWidget]] = {part: [] for part in parts if part not in divided}
    for widget in shown:
        at: QWidget | None = widget
        while at is not None and at not in columns:
            at = at.parentWidget()
        if at is not None:
            columns[at].append(widget)
    return columns
