"""Every action is reached without a mouse: by its keys, by the menus, by the palette."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import SIGNAL, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar

from stemmata.bootstrap.window import Application, build
from stemmata.gui.core.actions import ActionSpec, State
from stemmata.gui.palette.rows import ActionRow
from stemmata.gui.window.action_table import TABLE
from stemmata.gui.window.controllers import Controllers
from stemmata.gui.window.main_window import MainWindow
from tests.accessible.scenes import SCENES, shown, until

EVERYTHING = State(sum(State))
SOON = 1000  # ms
WIRED = 1  # receivers of an action that nothing hears: the one that has the controllers made
WITH_KEYS = [spec for spec in TABLE.specs if spec.shortcut and not spec.own_key]
OFFERED = [spec for spec in TABLE.specs if spec.in_palette]


class Keyboard:
    """A window in which every action is enabled, and triggering one is only recorded."""

    def __init__(self, application: Application) -> None:
        self.application, self.window = application, application.window
        self.actions = application.window.actions_table
        self.unheard = [spec.id for spec, action in self.actions if not _is_heard(action)]
        self.reached: list[str] = []
        for spec, action in self.actions:
            action.triggered.disconnect()
            if action.receivers(SIGNAL("toggled(bool)")):
                action.toggled.disconnect()
            action.triggered.connect(lambda *_checked, id=spec.id: self.reached.append(id))
        self.actions["palette"].triggered.connect(lambda *_checked: self.window.palette_box.open())

    def press(self, keys: str) -> None:
        """Send `keys` to the focused widget, with every action enabled.

        The window still answers late work, such as the history of a leaf, which disables undo and redo: so the
        state is set here, where no event is handled before the keys.
        """
        self.actions.set_state(EVERYTHING)
        focused = QApplication.focusWidget() or self.window
        QTest.keySequence(focused, QKeySequence(keys))


def _is_heard(action: QAction) -> bool:
    return action.receivers(SIGNAL("triggered(bool)")) + action.receivers(SIGNAL("toggled(bool)")) > WIRED


@pytest.fixture(scope="module")
def keyboard(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyboard]:
    """One window for all tests, since its actions have no effect."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        application = build(["--profile", str(Path(home) / "profile")], environment={})
        shown(application)
        SCENES["main"](application)
        qapp.setStyleSheet("")  # as each test leaves it (see `_undress`): doing it wakes the transcript
    yield Keyboard(application)
    application.close()


@pytest.fixture(autouse=True)
def _fresh(keyboard: Keyboard) -> Iterator[None]:
    """Reset the window before a test, and wait afterwards until nothing is pending."""
    window = keyboard.window
    keyboard.reached.clear()
    until(lambda: _is_in_front(window))
    yield
    window.palette_box.hide()
    until(lambda: all(_is_quiet(keyboard) for _ in range(3)))


def _is_quiet(keyboard: Keyboard) -> bool:
    """Whether no work is put off after a turn of the event loop, in which the last answers may start some."""
    QApplication.processEvents()
    owners = (keyboard.window, keyboard.application.gui)
    timers = (timer for owner in owners for timer in owner.findChildren(QTimer))
    return not any(timer.isActive() and timer.isSingleShot() and timer.interval() < SOON for timer in timers)


def _is_in_front(window: MainWindow) -> bool:
    """Return whether the window is in front; offscreen, a closed menu may still be active."""
    QApplication.processEvents()
    if QApplication.activeWindow() is not window:
        window.hide()  # what is in front already is not brought there again
        window.show()
        window.activateWindow()
    window.sessions.list.setFocus()
    return window.sessions.list.hasFocus()


def named(spec: ActionSpec[Controllers]) -> str:
    return spec.id


def test_every_action_does_something(keyboard: Keyboard) -> None:
    assert keyboard.unheard == []


@pytest.mark.parametrize("spec", WITH_KEYS, ids=named)
def test_by_its_keys(keyboard: Keyboard, spec: ActionSpec[Controllers]) -> None:
    keyboard.press(spec.shortcut)
    assert keyboard.reached == [spec.id]


@pytest.mark.parametrize("spec", [spec for spec in TABLE.specs if spec.menu], ids=named)
def test_by_the_menu(keyboard: Keyboard, spec: ActionSpec[Controllers]) -> None:
    bar = keyboard.window.findChild(QMenuBar)
    assert bar is not None
    keyboard.press(f"Alt+{spec.menu[0]}")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.title().replace("&", "") == spec.menu
    if spec.inside:
        _go_down(menu, next(item for item in menu.actions() if item.text() == spec.inside))
        QTest.keyClick(menu, Qt.Key.Key_Right)
        submenu = QApplication.activePopupWidget()
        assert isinstance(submenu, QMenu)
        assert submenu is not menu
        menu = submenu
    _go_down(menu, keyboard.actions[spec.id])
    QTest.keyClick(menu, Qt.Key.Key_Return)
    until(lambda: QApplication.activePopupWidget() is None)
    assert keyboard.reached == [spec.id]


def _go_down(menu: QMenu, item: QAction) -> None:
    """Press Down until an item is current."""
    for _ in menu.actions():
        if menu.activeAction() is item:
            return
        QTest.keyClick(menu, Qt.Key.Key_Down)


@pytest.mark.parametrize("spec", OFFERED, ids=named)
def test_by_the_palette(keyboard: Keyboard, spec: ActionSpec[Controllers]) -> None:
    keyboard.press("Ctrl+K")
    palette = keyboard.window.palette_box
    name = keyboard.actions[spec.id].text().partition("\t")[0]
    text = max(re.split(r"[^ -~]", name), key=len)  # no key types the others
    QTest.keyClicks(palette.field, text)
    until(lambda: any(_is_offer(row, spec.id) for row in palette.rows))
    for _ in palette.rows:
        if _is_offer(palette.rows[palette.list.currentIndex().row()], spec.id):
            break
        QTest.keyClick(palette.field, Qt.Key.Key_Down)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert keyboard.reached == ["palette", spec.id]
    assert not palette.isVisible()


def _is_offer(row: object, id: str) -> bool:
    return isinstance(row, ActionRow) and row.id == id
