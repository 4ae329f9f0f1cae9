"""Where Tab goes, and that it comes out of everything again."""

from __future__ import annotations

from itertools import groupby

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from stemmata.bootstrap.window import Application
from tests.accessible.scenes import SCENES, until

MOST = 200  # steps


def walk(start: QWidget, key: Qt.Key = Qt.Key.Key_Tab) -> list[QWidget]:
    """Return the widgets that Tab focuses one after the other, until the first one again."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    until(start.hasFocus)
    found = [start]
    for _ in range(MOST):
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key)
        now = QApplication.focusWidget()
        assert now is not None, f"the focus is lost after {focused!r}"
        if now is start:
            return found
        found.append(now)
    pytest.fail(f"Tab does not come back: {found[-5:]}")


def columns(application: Application, widgets: list[QWidget]) -> list[str]:
    """The columns that the widgets lie in, one after the other."""
    window = application.window
    places = {
        "sessions": window.sessions, "branches": window.branches, "transcript": window.transcript.view,
        "composer": window.transcript.composer, "header": window.transcript, "context": window.context,
    }  # fmt: skip

    def place(widget: QWidget) -> str:
        return next((name for name, part in places.items() if part is widget or part.isAncestorOf(widget)), "bar")

    return [name for name, _group in groupby(map(place, widgets))]


def test_tab_walks_the_columns_from_left_to_right(reading: Application) -> None:
    found = walk(reading.window.sessions.list)
    order = [name for name in columns(reading, found) if name not in ("header", "bar")]
    assert order[:5] == ["sessions", "branches", "transcript", "composer", "context"]


def test_back_tab_walks_the_same_way_backwards(reading: Application) -> None:
    start = reading.window.sessions.list
    forward, backward = walk(start), walk(start, Qt.Key.Key_Backtab)
    assert set(backward) == set(forward)


@pytest.mark.parametrize("name", ["welcome", "workbench", "settings"])
def test_no_screen_keeps_the_focus(application: Application, name: str) -> None:
    widget = SCENES[name](application)
    start = next(child for child in widget.findChildren(QWidget) if _takes_tab(child))
    found = walk(start)
    assert len(found) == len(set(found)) > 1
    assert all(item.isVisible() for item in found)


def _takes_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isVisible() and widget.isEnabled()
