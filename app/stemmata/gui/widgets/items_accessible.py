"""Accessible interfaces for lists that paint their items themselves."""

from __future__ import annotations

from typing import Protocol, cast

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QWindow
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget

NO_INTERFACE = cast("QAccessibleInterface", None)  # Qt expects a null interface here; its stubs do not allow None
NO_OBJECT = cast("QObject", None)  # stands for None where the stub asks for an object


class AccessibleItem(QAccessibleInterface):
    """The accessible interface of the item that is at an index at the moment."""

    def __init__(self, items: ItemsInterface, index: int) -> None:
        super().__init__()
        self._items = items
        self.index = index

    def isValid(self) -> bool:
        return self.index < self._items.childCount()

    def object(self) -> QObject:
        """Items have no QObject."""
        return NO_OBJECT

    def window(self) -> QWindow:
        """Return the window of the list."""
        return self._items.window()

    def parent(self) -> QAccessibleInterface:
        """Return the interface of the list."""
        return self._items

    def child(self, _index: int) -> QAccessibleInterface:
        """Items have no children."""
        return NO_INTERFACE

    def childAt(self, _x: int, _y: int) -> QAccessibleInterface:
        return NO_INTERFACE

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, _child: QAccessibleInterface) -> int:
        return -1

    def rect(self) -> QRect:
        """Return the item's rectangle on the screen."""
        return self._items.rect_of(self.index) if self.isValid() else QRect()

    def role(self) -> QAccessible.Role:
        """Items are list items."""
        return QAccessible.Role.ListItem

    def setText(self, _which: QAccessible.Text, _text: str) -> None:
        """Ignore the text: items are read-only."""

    def state(self) -> QAccessible.State:
        """Return whether the item is selected, focused or out of view."""
        return self._items.state_of(self.index) if self.isValid() else QAccessible.State()

    def text(self, which: QAccessible.Text) -> str:
        """Return the item's name."""
        return self._items.name_of(self.index) if which is QAccessible.Text.Name and self.isValid() else ""


class AccessibleItems(Protocol):
    """The interface that a list implements so that screen readers can read its items."""

    def count(self) -> int:
        """The number of items."""

    def current(self) -> int | None:
        """The index of the current item; None when there is none."""
        ...

    def is_selected(self, index: int) -> bool:
        """Whether an item is selected."""

    def place(self, index: int) -> QRect:
        """The item's rectangle in the viewport; empty when the item is far outside."""
        ...

    def at(self, point: QPoint) -> int | None:
        """The index of the item at a point of the viewport; None when there is none."""
        ...

    def name_of(self, index: int) -> str:
        """The accessible name of an item."""


class ItemsInterface(QAccessibleWidget):
    """The accessible interface of the list.

    It creates items on request and keeps them, because Qt may hold on to them.

    `many` says whether several items can be selected at once.
    """

    def __init__(self, view: QAbstractScrollArea, said: AccessibleItems, *, many: bool = False) -> None:
        super().__init__(view, QAccessible.Role.List)
        self._area, self._said, self._many = view, said, many
        self._items: dict[int, AccessibleItem] = {}

    def childCount(self) -> int:
        return self._said.count()

    def child(self, index: int) -> QAccessibleInterface:
        """Return the interface of an item."""
        if not 0 <= index < self._said.count():
            return NO_INTERFACE
        return self._items.setdefault(index, AccessibleItem(self, index))

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        index = self._said.at(self._area.viewport().mapFromGlobal(QPoint(x, y)))
        return NO_INTERFACE if index is None else self.child(index)

    def focusChild(self) -> QAccessibleInterface:
        index = self._said.current()
        return NO_INTERFACE if index is None else self.child(index)

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return child.index if isinstance(child, AccessibleItem) else -1

    def rect_of(self, index: int) -> QRect:
        """Return an item's rectangle on the screen."""
        place = self._said.place(index)
        return QRect(self._area.viewport().mapToGlobal(place.topLeft()), place.size())

    def state_of(self, index: int) -> QAccessible.State:
        """Return the state of an item."""
        state = QAccessible.State()
        state.selectable = state.focusable = True
        state.multiSelectable = self._many
        state.selected = self._said.is_selected(index)
        state.focused = index == self._said.current() and self._area.hasFocus()
        state.offscreen = not self._area.viewport().rect().intersects(self._said.place(index))
        return state

    def name_of(self, index: int) -> str:
        """Return the accessible name of an item."""
        return self._said.name_of(index)
