"""Exchange the style sheet of a running application in parts of a few milliseconds.

`QApplication.setStyleSheet` styles all widgets in one call, which takes longer than a frame. Qt leaves out a widget
that was never styled (without the attribute `STYLED`) and one that has its own style (with `HAS_OWN`). So all widgets
get these marks before the sheet is exchanged, and lose them afterwards. Then each widget is styled in a step of its
own, a parent before its children.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import thread_time

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

MOST_SECONDS = 0.004  # of processor time for one turn
STYLED = Qt.WidgetAttribute.WA_WState_Polished
HAS_OWN = Qt.WidgetAttribute.WA_SetStyle


def restyle(application: QApplication, palette: QPalette, font: QFont, sheet: str) -> Iterator[None]:
    """Set palette, font and style sheet of the application in many short steps, which `in_turns` takes."""
    all_styled = [widget for widget in application.allWidgets() if widget.testAttribute(STYLED)]
    styled = [widget for widget in all_styled if not widget.testAttribute(HAS_OWN)]
    yield
    try:
        yield from _mark(styled, left_out=True)
        _exchange(application, palette, font, sheet)
        yield
    finally:  # also when another change takes the place of this one
        for _ in _mark(styled, left_out=False):
            pass
    yield
    for widget in _parents_first(styled):
        if isValid(widget):
            application.style().polish(widget)
            QCoreApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
            widget.update()
            yield


def in_turns(steps: Iterator[object], seconds: float = MOST_SECONDS) -> Iterator[None]:
    """Take steps for `seconds` of processor time, at least one, and yield at the end of the turn; repeat until all
    are taken."""
    until = thread_time() + seconds
    for _ in steps:
        if thread_time() > until:
            yield
            until = thread_time() + seconds


def _exchange(application: QApplication, palette: QPalette, font: QFont, sheet: str) -> None:
    memory = QWidget()  # Qt forgets the widgets' own palettes and fonts once no style sheet is left
    memory.setStyleSheet("QWidget {}")
    application.setStyleSheet("")  # Qt needs longer to replace a sheet
    application.setPalette(palette)
    application.setFont(font)
    application.setStyleSheet(sheet)


def _mark(widgets: Iterable[QWidget], *, left_out: bool) -> Iterator[None]:
    """Set or remove the mark with which Qt passes over a widget when a style sheet is set, a widget in each step."""
    for widget in widgets:
        if isValid(widget):
            widget.setAttribute(STYLED, not left_out)
            widget.setAttribute(HAS_OWN, left_out)
            yield


def _parents_first(widgets: list[QWidget]) -> list[QWidget]:
    """Return the widgets that still exist, in an order in which none follows a widget inside it."""
    depths: dict[QWidget, int] = {}
    alive = list(filter(isValid, widgets))
    for widget in alive:
        above: list[QWidget] = []
        at: QWidget | None = widget
        while at is not None and at not in depths:
            above.append(at)
            at = at.parentWidget()
        depth = -1 if at is None else depths[at]
        for inner in reversed(above):
            depth += 1
            depths[inner] = depth
    return sorted(alive, key=depths.__getitem__)
