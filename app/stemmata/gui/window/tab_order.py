"""Where Tab goes: through the columns from left to right, then through the rest of the window.

Qt takes the order in which widgets were made; ours are made when they are first needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget


def neighbour(focused: QWidget | None, columns: Sequence[QWidget], *, forward: bool) -> QWidget | None:
    """What Tab goes to from here; None where Qt's own order is to be taken."""
    if focused is None or QGuiApplication.styleHints().tabFocusBehavior() != Qt.TabFocusBehavior.TabFocusAllControls:
        return None
    stops = sorted(_stops(focused), key=lambda stop: _column(stop, columns))
    if focused not in stops or len(stops) == 1:
        return None
    return stops[(stops.index(focused) + (1 if forward else -1)) % len(stops)]


def first_stop(column: QWidget) -> QWidget | None:
    """Where Tab would arrive in this part of a window."""
    return next((stop for stop in _stops(column) if column.isAncestorOf(stop)), None)


def _stops(inside: QWidget) -> list[QWidget]:
    """All of its window that can be reached, in the order of the tree.

    Not by `nextInFocusChain`: PySide6 6.11 takes what that returns for its own and lets it go with the reference.
    """
    window = inside.window()
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and widget.isVisible()
        and widget.isEnabled()
        and widget.window() is window
    ]


def _column(widget: QWidget, columns: Sequence[QWidget]) -> int:
    """The number of the column it lies in; the rest of the window comes after the last."""
    return next((at for at, column in enumerate(columns) if column.isAncestorOf(widget)), len(columns))
