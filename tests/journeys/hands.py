"""The two ways of doing a thing in the window: by mouse alone (but for typing), and by keyboard alone."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTabBar, QWidget

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Request
from stemmata.gui.transcript.cut import CutLine
from tests.journeys.person import Person

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
CONTROL, SHIFT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)
MOST_TABS = 80
A_CARD = 120  # pixels that the cut is dragged up


class Hands(Protocol):
    """Runs actions without waiting for their effects."""

    def find(self, text: str) -> None: ...
    def choose(self, key: int) -> None: ...
    def compare(self) -> None: ...
    def leave_comparison(self) -> None: ...
    def go_on(self) -> None: ...
    def just_go(self) -> None: ...
    def label(self, text: str) -> None: ...
    def pin(self, key: int) -> None: ...
    def open_workbench(self) -> None: ...
    def move_cut(self) -> None: ...
    def rewrite(self, text: str) -> None: ...
    def accept(self) -> None: ...
    def undo(self) -> None: ...
    def redo(self) -> None: ...


class Mouse:
    """Uses the mouse; types only where text is required."""

    def __init__(self, person: Person) -> None:
        self._person, self._window = person, person.window
        self._list = person.window.branches.list

    def find(self, text: str) -> None:
        click(self._window.branches.search_button)
        QTest.keyClicks(self._window.branches.search.field, text)

    def choose(self, key: int) -> None:
        QTest.mouseClick(self._list.viewport(), LEFT, NONE, self._place(key))

    def compare(self) -> None:
        self._pick("Compare with active branch")

    def leave_comparison(self) -> None:
        page = self._person.gui.controllers.compare.view
        close = next(b for b in page.findChildren(QWidget) if b.accessibleName() == "Close comparison")
        click(close)

    def go_on(self) -> None:
        key = self._list.selected
        assert key is not None
        QTest.mouseDClick(self._list.viewport(), LEFT, NONE, self._place(key))

    def just_go(self) -> None:
        click(self._person.leave_popup.go)

    def label(self, text: str) -> None:
        self._pick("Label…")
        popup = self._window.label_popup
        QTest.keyClicks(popup.field, text)
        click(popup.take_button)

    def pin(self, key: int) -> None:
        view = self._window.transcript.view
        view.scroll_to(key)
        card = next(card for card in view.findChildren(Card) if card.key == key and card.isVisible())
        middle = QPointF(card.rect().center())
        QApplication.sendEvent(card, QEnterEvent(middle, middle, middle))
        card.grab()
        QTest.mouseClick(card, LEFT, NONE, _place_of(card, Request.PIN))

    def open_workbench(self) -> None:
        click(self._window.context.preview.compact)

    def move_cut(self) -> None:
        line = next(part for part in self._window.transcript.view.findChildren(CutLine) if part.isVisible())
        handle = QPoint(line.width() // 2, line.height() // 2)
        there = handle - QPoint(0, min(line.y() // 2, A_CARD))
        QTest.mousePress(line, LEFT, NONE, handle)
        QTest.mouseMove(line, there)
        QTest.mouseRelease(line, LEFT, NONE, there)

    def rewrite(self, text: str) -> None:
        editor = self._window.workbench.editor
        _click_tab(editor.switch, 1)
        editor.source.selectAll()
        QTest.keyClicks(editor.source, text)
        _click_tab(editor.switch, 0)

    def accept(self) -> None:
        click(self._window.workbench.accept)

    def undo(self) -> None:
        self.from_menu("undo")

    def redo(self) -> None:
        self.from_menu("redo")

    def _place(self, key: int) -> QPoint:
        row = self._list.model.row_of(key)
        assert row is not None
        self._list.show_row(row)
        return self._list.row_rect(row).center()

    def _pick(self, words: str) -> None:
        """Choose an action from the context menu of the selected row."""
        key = self._list.selected
        assert key is not None
        at = self._place(key)
        reason = QContextMenuEvent.Reason.Mouse
        there = self._list.viewport().mapToGlobal(at)
        QApplication.sendEvent(self._list.viewport(), QContextMenuEvent(reason, at, there))
        menus = [menu for menu in self._window.branches.findChildren(QMenu) if menu.isVisible()]
        action = next(a for menu in menus for a in menu.actions() if a.text().partition("\t")[0] == words)
        _click_in_menu(action, menus[-1])

    def from_menu(self, id: str) -> None:
        action = self._window.actions_table[id]
        bar = self._window.top_bar.menus
        menu = next(m for m in bar.findChildren(QMenu) if action in m.actions())
        QTest.mouseClick(bar, LEFT, NONE, bar.actionGeometry(menu.menuAction()).center())
        self._person.until(menu.isVisible)
        _click_in_menu(action, menu)


class Keyboard:
    """Uses only the keyboard."""

    def __init__(self, person: Person) -> None:
        self._person, self._window = person, person.window
        self._list = person.window.branches.list

    def find(self, text: str) -> None:
        self.move_to(self._list)
        self._press(Key.Key_Slash)
        QTest.keyClicks(self._window.branches.search.field, text)
        self._press(Key.Key_Return)

    def choose(self, key: int) -> None:
        self.move_to(self._list)
        wanted = self._list.model.row_of(key)
        assert wanted is not None
        for _ in range(len(self._list.model)):
            row = self._list.selected_row
            if row == wanted:
                return
            self._press(Key.Key_J if row is None or row < wanted else Key.Key_K)

    def compare(self) -> None:
        QTest.keyClick(self._window, Key.Key_M, CONTROL | SHIFT)

    def leave_comparison(self) -> None:
        self._press(Key.Key_Escape)

    def go_on(self) -> None:
        self.move_to(self._list)
        self._press(Key.Key_Return)

    def just_go(self) -> None:
        self._person.just_go()

    def label(self, text: str) -> None:
        self.move_to(self._list)
        self._press(Key.Key_L)
        QTest.keyClicks(self._window.label_popup.field, text)
        QTest.keyClick(self._window.label_popup.field, Key.Key_Return)

    def pin(self, key: int) -> None:
        """Pin an entry in the navigator; an open workbench is closed for that and opened again."""
        self._press(Key.Key_Escape)
        self.choose(key)
        self._press(Key.Key_P)
        self._person.until(lambda: self._person.tree.index(key) in self._person.tree.pins)
        self.open_workbench()

    def open_workbench(self) -> None:
        QTest.keyClick(self._window, Key.Key_K, CONTROL | SHIFT)

    def move_cut(self) -> None:
        self.move_to(next(part for part in self._window.transcript.view.findChildren(CutLine) if part.isVisible()))
        self._press(Key.Key_Up)

    def rewrite(self, text: str) -> None:
        QTest.keyClick(self._window, Key.Key_E, CONTROL | SHIFT)
        self._press(Key.Key_A, CONTROL)
        focused = self._window.focusWidget()
        assert focused is not None
        QTest.keyClicks(focused, text)
        QTest.keyClick(self._window, Key.Key_E, CONTROL | SHIFT)

    def accept(self) -> None:
        QTest.keyClick(self._window, Key.Key_Return, CONTROL)

    def undo(self) -> None:
        self.move_to(self._list)
        QTest.keyClick(self._window, Key.Key_Z, CONTROL)

    def redo(self) -> None:
        QTest.keyClick(self._window, Key.Key_Z, CONTROL | SHIFT)

    def _press(self, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
        focused = self._window.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key, held)

    def move_to(self, widget: QWidget) -> None:
        """Press Tab until the widget has the focus."""
        for _ in range(MOST_TABS):
            if self._window.focusWidget() is widget:
                return
            QTest.keyClick(self._window, Key.Key_Tab)
        raise AssertionError(f"Tab never reached {widget.accessibleName()}")


def click(widget: QWidget) -> None:
    assert widget.isVisible(), widget.accessibleName()
    assert widget.isEnabled(), widget.accessibleName()
    QTest.mouseClick(widget, LEFT, NONE, widget.rect().center())


def _click_tab(tabs: QTabBar, index: int) -> None:
    QTest.mouseClick(tabs, LEFT, NONE, tabs.tabRect(index).center())


def _click_in_menu(action: QAction, menu: QMenu) -> None:
    """Click a menu item; directly when the offscreen platform sends menus no mouse events any more."""
    assert action.isEnabled(), action.text()
    heard: list[bool] = []
    action.triggered.connect(lambda: heard.append(True))
    place = menu.actionGeometry(action).center()
    QTest.mouseMove(menu, place)
    QTest.mouseClick(menu, LEFT, NONE, place)
    if not heard:
        menu.close()
        action.trigger()


def _place_of(card: Card, wanted: Request) -> QPoint:
    for y in range(0, card.height(), 3):
        for x in range(card.width() - 1, -1, -3):
            action = card.action_at(QPoint(x, y))
            if action is not None and action.request is wanted:
                return QPoint(x, y)
    raise AssertionError(f"no {wanted} on the card")
