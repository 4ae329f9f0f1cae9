"""Show pictures of a window's columns while the columns are painted over several turns of the event loop.

A window that keeps its old picture, while its theme, its size or its page changes, shows all of its new look at once
in this way. The columns are painted in strips, as many in a turn as it has time for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import thread_time

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QRegion
from PySide6.QtWidgets import QApplication, QSplitter, QWidget
from shiboken6 import delete, isValid

PAINTS_NOTHING = Qt.WidgetAttribute.WA_UpdatesDisabled
WAITS_FOR_SIZE = Qt.WidgetAttribute.WA_PendingResizeEvent
STRIP = 400  # pixels: a strip of a column takes a few milliseconds at most
MOST_SECONDS = 0.003  # of processor time for one turn, before its last strip


class Covers:
    """Pictures of the columns of windows that paint nothing yet.

    `take` makes the pictures, `show` lets the windows paint again below the pictures, and `remove` replaces each
    picture by its column.
    """

    def __init__(self, windows: Sequence[QWidget]) -> None:
        self._windows = [window for window in windows if isValid(window)]
        self._covers: list[Cover] = []

    def take(self) -> Iterator[None]:
        """Make the pictures of some strips in each step."""
        columns, waiting = _columns(self._windows), _waiting()
        yield
        for column, silent in columns.items():
            strips = _strips(column) if isValid(column) and column.isVisible() else []
            while strips and isValid(column):
                with _attribute_removed(PAINTS_NOTHING, silent), _attribute_removed(WAITS_FOR_SIZE, waiting):
                    until = thread_time() + MOST_SECONDS
                    while strips:
                        self._covers.append(Cover(column, strips.pop(0)))
                        if thread_time() > until:
                            break
                yield

    def show(self) -> None:
        """Let the windows paint again, below the pictures."""
        for cover in self._alive():
            cover.show_over_column()
        for window in filter(isValid, self._windows):
            window.setUpdatesEnabled(True)
            window.repaint()  # Qt does not paint a window by itself that was resized while it painted nothing

    def remove(self) -> Iterator[None]:
        """Remove the picture of one strip in each step, so that its column is painted there."""
        while self._covers:
            self._covers.pop(0).give_way()
            yield

    def close(self) -> None:
        """Remove all pictures that are left, also when the steps were not taken to the end."""
        while self._covers:
            self._covers.pop().give_way()

    def _alive(self) -> Iterator[Cover]:
        """Yield the pictures whose columns are still in their window; a view beside it may have been closed."""
        valid = (cover for cover in self._covers if isValid(cover) and isValid(cover.column))
        return (cover for cover in valid if cover.window().isAncestorOf(cover.column))


class Cover(QWidget):
    """The picture of a strip of a column, shown until the column itself is painted there."""

    def __init__(self, column: QWidget, strip: QRect) -> None:
        super().__init__(column.window())
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # so that Qt paints nothing below
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.column, self._strip = column, strip
        ratio = column.devicePixelRatio()
        self._picture = QPixmap(strip.size() * ratio)
        self._picture.setDevicePixelRatio(ratio)
        column.render(self._picture, QPoint(), QRegion(strip))

    def show_over_column(self) -> None:
        """Show the picture over the column, which Qt does not paint where it is covered."""
        self.setGeometry(self._strip.translated(self.column.mapTo(self.window(), QPoint())))
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
        if isValid(self):
            delete(self)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        painter.end()


def _strips(column: QWidget) -> list[QRect]:
    """Return the strips of a column, from top to bottom."""
    area = column.rect()
    return [QRect(0, top, area.width(), STRIP).intersected(area) for top in range(0, area.height(), STRIP)]


@contextmanager
def _attribute_removed(attribute: Qt.WidgetAttribute, widgets: Iterable[QWidget]) -> Iterator[None]:
    """Remove an attribute from the widgets that have it, until the block ends."""
    taken = [widget for widget in widgets if isValid(widget) and widget.testAttribute(attribute)]
    for widget in taken:
        widget.setAttribute(attribute, on=False)
    try:
        yield
    finally:
        for widget in taken:
            widget.setAttribute(attribute)


@contextmanager
def hidden_widgets_left_alone() -> Iterator[None]:
    """Tell no hidden widget its new size while a widget is painted into a picture, which would lay out all pages."""
    with _attribute_removed(WAITS_FOR_SIZE, _waiting()):
        yield


def _waiting() -> list[QWidget]:
    """Return the hidden widgets that were resized.

    Before Qt paints a widget into a picture, it would tell all of these widgets, and so lay out all hidden pages.
    """
    return [
        widget
        for widget in QApplication.allWidgets()
        if widget.testAttribute(WAITS_FOR_SIZE) and not widget.isVisible()
    ]


def _columns(windows: Sequence[QWidget]) -> dict[QWidget, list[QWidget]]:
    """Return the columns: the parts of the windows' splitters that no other splitter divides.

    Each has the widgets inside it that paint nothing. They are not found by `findChildren`, see decision 9.
    """
    shown = [widget for widget in QApplication.allWidgets() if widget.isVisible() and widget.window() in windows]
    splitters = [widget for widget in shown if isinstance(widget, QSplitter)]
    found = [splitter.widget(at) for splitter in splitters for at in range(splitter.count())]
    parts = [part for part in found if part is not None]
    divided = [part for part in parts if any(part == other or part.isAncestorOf(other) for other in splitters)]
    columns: dict[QWidget, list[QWidget]] = {part: [] for part in parts if part not in divided}
    for widget in shown:
        at: QWidget | None = widget if widget.testAttribute(PAINTS_NOTHING) else None
        while at is not None and at not in columns:
            at = at.parentWidget()
        if at is not None:
            columns[at].append(widget)
    return columns
