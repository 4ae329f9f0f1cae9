"""What a monkey has before it: windows and what can be hit in them, and names by which that is found again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from PySide6.QtCore import QEventLoop, QPoint, QRect, Qt
from PySide6.QtGui import QAction, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget
from shiboken6 import isValid

from stemmata.bootstrap.window import Application
from stemmata.gui.window.main_window import MainWindow
from tests.fakes.anthropic_server import AnthropicServer

_SEEN = Qt.WindowType.ToolTip


class Scene:
    """`again` closes the program and builds it anew; `guard` measures what is done inside it."""

    def __init__(
        self,
        application: Application,
        server: AnthropicServer,
        files: list[str],
        again: Callable[[Application], Application],
        guard: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self.application, self.server, self.files = application, server, files
        self._again, self.guard = again, guard
        self._hit: QWidget | None = None

    def restart(self) -> None:
        self.application = self._again(self.application)

    # -- windows ----------------------------------------------------------------------------------------------------

    @property
    def main_windows(self) -> list[MainWindow]:
        shown = [workspace.window for workspace in self.application.gui.workspaces]
        return [window for window in shown if window.isVisible()]

    def window(self, facts: Mapping[str, Any]) -> MainWindow:
        """Return the window that a move chose, or the last one when it has been closed since."""
        windows = self.main_windows
        return windows[min(int(facts["window"]), len(windows) - 1)]

    def tops(self) -> list[QWidget]:
        """The windows that take the mouse: a menu that is open, a dialog that must be answered, else all."""
        popup, modal = QApplication.activePopupWidget(), QApplication.activeModalWidget()
        if popup is not None or modal is not None:
            return [widget for widget in (popup or modal,) if widget is not None]
        tops = [top for top in QApplication.topLevelWidgets() if top.isVisible() and top.windowType() != _SEEN]
        return sorted(tops, key=lambda top: (label_of(top), top.x()))

    def focus(self) -> QWindow | None:
        """Return the widget that receives the keys."""
        popup = QApplication.activePopupWidget()
        active = popup or QApplication.activeWindow()
        if active is None and self.main_windows:
            active = self.main_windows[0]
            active.activateWindow()
        return None if active is None else self.handle_of(active)

    def handle_of(self, top: QWidget) -> QWindow | None:
        self._hit = top  # PySide gives up the window with its widget
        handle: QWindow | None = top.windowHandle()
        return handle if handle is not None and isValid(handle) else None

    def menu_actions(self) -> list[QAction]:
        popup = QApplication.activePopupWidget()
        return [action for action in popup.actions() if action.isEnabled()] if isinstance(popup, QMenu) else []

    def close_file_dialogs(self) -> None:
        """Close file dialogs, which show real folders of this machine."""
        for top in QApplication.topLevelWidgets():
            if isinstance(top, QFileDialog) and top.isVisible():
                top.reject()

    # -- widgets ----------------------------------------------------------------------------------------------------

    def widgets(self) -> Iterator[tuple[str, QWidget]]:
        """Return the widgets that can be clicked, by name.

        Not by `findChildren`: PySide makes what it returns children of the window, also a menu that Qt has made and
        deletes, and then the program ends when the window is deleted.
        """
        counts: dict[str, int] = {}
        shown = [widget for widget in QApplication.allWidgets() if widget.isVisible()]
        for top in self.tops():
            found = [widget for widget in shown if widget is not top and widget.window() is top]
            for widget in [top, *sorted(found, key=partial(_place_on, top))]:
                if not widget.visibleRegion().isEmpty():
                    name = f"{label_of(top)} > {label_of(widget)}" if widget is not top else label_of(top)
                    counts[name] = counts.get(name, -1) + 1
                    yield f"{name} #{counts[name]}", widget

    def find(self, name: str) -> QWidget | None:
        return next((widget for known, widget in self.widgets() if known == name), None)

    # -- time -------------------------------------------------------------------------------------------------------

    def process(self, rounds: int = 3, wait: int = 0) -> None:
        """Run a number of turns of the event loop, each waiting at most `wait` ms for an event."""
        for _ in range(rounds):
            with self.guard("events"):
                if wait:
                    QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, wait)
                else:
                    QApplication.processEvents()

    def until(self, holds: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not (held := holds()) and time.monotonic() < end:
            self.process(1)
            time.sleep(0.002)
        return held


def escape() -> None:
    """Out of something that waits in an event loop of its own, such as the menu of a spin box, or a drag."""
    popup = QApplication.activePopupWidget()
    window = QApplication.focusWindow()
    if popup is not None:
        popup.close()
    elif window is not None:
        QTest.keyClick(window, Qt.Key.Key_Escape)


def label_of(widget: QWidget) -> str:
    """Return the class of a widget with a name that distinguishes it, if it has one."""
    name = widget.objectName() or widget.accessibleName() or widget.windowTitle()
    return f"{type(widget).__name__}:{name[:40]}" if name else type(widget).__name__


def _place_on(top: QWidget, widget: QWidget) -> tuple[int, int, int, int, str]:
    """Return what widgets are sorted by, since Qt returns them in any order."""
    place = widget.mapTo(top, QPoint())
    return place.y(), place.x(), -widget.width(), -widget.height(), label_of(widget)


def place_in(widget: QWidget, x: float, y: float) -> QPoint:
    """Return a visible point of the widget in the window's coordinates; `x`, `y` from 0 to 1."""
    seen: QRect = widget.visibleRegion().boundingRect()
    inside = QPoint(seen.left() + int(x * (seen.width() - 1)), seen.top() + int(y * (seen.height() - 1)))
    return widget.mapTo(widget.window(), inside)
