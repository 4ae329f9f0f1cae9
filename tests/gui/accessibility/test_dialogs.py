"""Dialogs by keyboard and for screen readers: names, where the focus begins and goes, Enter and Escape."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from stemmata.gui.theme.theme import Theme
from tests.accessible.dialogs import DIALOGS, classes
from tests.accessible.scenes import until
from tests.accessible.tree import interfaces, told

MOST = 400  # steps of Tab
NAME = QAccessible.Text.Name
Key = Qt.Key

# What has the keys at first, by its accessible name; what Enter presses there, "" for nothing.
FIRST = {
    "import": ("Import 2 files", "Import 2 files"),
    "importing": ("Pause", "Pause"),  # Enter ends nothing
    "imported": ("Import report", "Close"),
    "hand-off": ("Claude Code", ""),
    "summary": ("Summary source", ""),
    "raw": ("Raw entry", ""),
    "image": ("Image", ""),
    "connect": ("Connections", "Save"),
    "servers": ("Sections", ""),
    "server": ("Name", ""),
    "models": ("Sections", ""),
    "model": ("Window", ""),
    "settings": ("Sections", ""),
    "shortcuts": ("Filter actions", ""),
    "keys": ("Keys of the branches", ""),
    "about": ("Close", "Close"),
    "trouble": ("Try again", "Try again"),
    "text": ("Label (empty removes it)", ""),
    "tags": ("Add a tag", ""),
    "leave": ("Leave without a summary", "Leave without a summary"),
    "pick": ("Filter models", ""),
    "consent": ("Allow once", "Allow once"),
    "palette": ("Search or run a command", ""),
}

FORMS = {"server", "model"}  # in place of a list, which Escape goes back to


@pytest.fixture
def host(qtbot: QtBot) -> QWidget:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1000, 700)
    host.show()
    host.activateWindow()
    return host


@pytest.fixture
def opened(theme: Theme, host: QWidget, qtbot: QtBot) -> Iterator[Callable[[str], QWidget]]:
    """Open a dialog and return it when it is in front."""

    def open_(name: str) -> QWidget:
        dialog = DIALOGS[name][1](theme, host)
        if dialog.parent() is None:
            qtbot.addWidget(dialog)
        until(dialog.isVisible)
        until(lambda: QApplication.focusWidget() is not None)
        return dialog

    yield open_
    host.close()


def name_of(item: QAccessibleInterface) -> str:
    """Return a widget's accessible name, or that of the label beside it."""
    labels = (other for other, relation in item.relations() if relation & QAccessible.RelationFlag.Label)
    return item.text(NAME) or next((other.text(NAME) for other in labels), "")


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def test_none_is_forgotten() -> None:
    assert {kind for kind, _open in DIALOGS.values()} == classes()
    assert set(FIRST) == set(DIALOGS)


@pytest.mark.parametrize("name", DIALOGS)
def test_every_control_has_a_name(opened: Callable[[str], QWidget], name: str) -> None:
    dialog = opened(name)
    assert told(dialog).text(NAME) or dialog.windowTitle()
    nameless = [
        item.object()
        for item, _depth in interfaces(told(dialog))
        if item.state().focusable and not name_of(item) and item.object() is not dialog
    ]
    assert nameless == []


@pytest.mark.parametrize("name", DIALOGS)
def test_the_keys_begin_where_they_are_needed(opened: Callable[[str], QWidget], name: str) -> None:
    opened(name)
    assert name_of(told(focused())) == FIRST[name][0]


@pytest.mark.parametrize("name", DIALOGS)
def test_tab_walks_through_all_of_it_and_back(opened: Callable[[str], QWidget], name: str) -> None:
    dialog = opened(name)
    start = focused()
    wanted = {child for child in dialog.findChildren(QWidget) if _takes_tab(child)}
    found = [start]
    for _ in range(MOST):
        QTest.keyClick(focused(), Key.Key_Tab)
        if focused() is start:
            break
        found.append(focused())
    inside = [widget for widget in found if dialog.isAncestorOf(widget)]
    assert wanted <= set(inside), wanted - set(inside)
    assert len(inside) == len(set(inside))
    assert all(widget.isVisible() for widget in inside)


@pytest.mark.parametrize("name", DIALOGS)
def test_escape_closes_it(opened: Callable[[str], QWidget], name: str) -> None:
    dialog = opened(name)
    for _ in range(2 if name in FORMS else 1):
        QTest.keyClick(focused(), Key.Key_Escape)
    until(lambda: not isValid(dialog) or not dialog.isVisible())


@pytest.mark.parametrize("name", DIALOGS)
def test_enter_presses_what_it_says_and_nothing_else(opened: Callable[[str], QWidget], name: str) -> None:
    dialog = opened(name)
    pressed = list[str]()
    for button in dialog.findChildren(QAbstractButton):
        said = name_of(told(button))
        button.clicked.connect(lambda _on, said=said: pressed.append(said))
    QTest.keyClick(focused(), Key.Key_Return)
    assert pressed == ([FIRST[name][1]] if FIRST[name][1] else [])


@pytest.mark.parametrize("name", [name for name in DIALOGS if name != "trouble"])
def test_it_has_room_over_its_window_with_large_text(
    theme: Theme, host: QWidget, opened: Callable[[str], QWidget], name: str
) -> None:
    theme.set_scale(200)
    dialog = opened(name)
    assert dialog.width() <= host.width()
    assert dialog.height() <= host.height()


def _takes_tab(widget: QWidget) -> bool:
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.focusProxy() is None
        and widget.isVisible()
        and widget.isEnabled()
    )
