"""Hold mouse clicks back while a window shows an old picture, and deliver them to the widgets in that picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QMouseEvent, QWindow
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget
from shiboken6 import isValid

CLICKS = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease, QEvent.Type.MouseButtonDblClick)

Areas = dict[QWidget, QRect]  # where the picture of a window shows each of its widgets
Scrolled = tuple[int, int]  # how far a view is scrolled


class _Click(NamedTuple):
    """A click, the window that received it, the clicked widget, and the widget's area in the picture.

    For the rows of a view, `scrolled` is how far the picture shows them scrolled.
    """

    window: QWindow
    event: QMouseEvent
    target: QWidget
    area: QRect
    scrolled: Scrolled | None


class HeldClicks(QObject):
    """Holds the clicks into windows from `hold` to `deliver`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._held: dict[QWindow, tuple[QWidget, Areas]] = {}
        self._scrolled: dict[QWidget, Scrolled] = {}
        self._clicks: list[_Click] = []

    def hold(self, windows: Iterable[QWidget]) -> None:
        """Hold the clicks into these windows from now on, and note where their widgets are in the picture."""
        shown = [w for w in windows if isValid(w) and w.windowHandle() not in (None, *self._held)]
        for window, areas in _areas(shown).items():
            handle = window.windowHandle()
            self._held[handle] = window, areas
            self._scrolled.update((widget, at) for widget in areas if (at := _scrolled(widget)) is not None)
            handle.installEventFilter(self)

    def deliver(self, *, moved: bool, same_rows: bool = False) -> None:
        """Deliver the held clicks, at the places where their widgets are now.

        `moved` says that views were laid out again, so that a click into a view could act on another row: such clicks
        are dropped, unless rows are as high as before (`same_rows`) and the view was not scrolled.
        """
        for click in self._release():
            if isValid(click.window):
                event = _placed(click, same_rows=same_rows) if moved else click.event
                if event is not None:
                    QCoreApplication.postEvent(click.window, event)

    def _release(self) -> list[_Click]:
        """Hold no more clicks, and return those that were held."""
        clicks, self._clicks = self._clicks, []
        for handle in filter(isValid, self._held):
            handle.removeEventFilter(self)
        self._held.clear()
        self._scrolled.clear()
        return clicks

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hold a click back; everything else passes."""
        if isinstance(event, QMouseEvent) and event.type() in CLICKS and isinstance(watched, QWindow):
            window, areas = self._held[watched]
            target = _target(window, areas, event.position().toPoint())
            area, scrolled = areas.get(target, window.rect()), self._scrolled.get(target)
            self._clicks.append(_Click(watched, event.clone(), target, area, scrolled))
            return True
        return False


def _areas(windows: Iterable[QWidget]) -> dict[QWidget, Areas]:
    """Return the areas of the visible widgets of each window."""
    out: dict[QWidget, Areas] = {window: {} for window in windows}
    for widget in QApplication.allWidgets():
        if widget.isVisible() and (areas := out.get(widget.window())) is not None:
            areas[widget] = QRect(widget.mapTo(widget.window(), QPoint()), widget.size())
    return out


def _target(window: QWidget, areas: Areas, at: QPoint) -> QWidget:
    """Return the innermost widget that the picture of a window shows at a point."""
    hit = [widget for widget, area in areas.items() if area.contains(at) and isValid(widget)]
    hit = [widget for widget in hit if not widget.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)]
    found = window
    while inner := [widget for widget in hit if widget.parentWidget() == found]:
        found = min(inner, key=lambda widget: areas[widget].width() * areas[widget].height())  # what lies on top
    return found


def _placed(click: _Click, *, same_rows: bool) -> QMouseEvent | None:
    """Return the click at the place where its widget is now; None when it could act on something else."""
    widget, area = click.target, click.area
    if not isValid(widget) or not widget.isVisible():
        return None
    inside = click.event.position() - QPointF(area.topLeft())
    if click.scrolled is None:
        across, down = widget.width() / max(area.width(), 1), widget.height() / max(area.height(), 1)
        new = QPointF(inside.x() * across, inside.y() * down)
    elif same_rows and click.scrolled == _scrolled(widget) and widget.rect().contains(inside.toPoint()):
        new = inside
    else:
        return None
    position = new + QPointF(widget.mapTo(widget.window(), QPoint()))
    shift = position - click.event.position()
    old = click.event
    return QMouseEvent(
        old.type(), position, old.scenePosition() + shift, old.globalPosition() + shift, old.button(), old.buttons(),
        old.modifiers(),
    )  # fmt: skip


def _scrolled(widget: QWidget) -> Scrolled | None:
    """Return how far a view is scrolled if the widget is the area in which it paints its rows; else None."""
    view = widget.parentWidget()
    if isinstance(view, QAbstractScrollArea) and view.viewport() is widget:
        return view.horizontalScrollBar().value(), view.verticalScrollBar().value()
    return None
