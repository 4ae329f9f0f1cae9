"""A list that paints its items itself, for screen readers."""

from __future__ import annotations

from typing import Protocol, cast

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QWindow
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget

NO_INTERFACE = cast("QAccessibleInterface", None)  # what Qt wants where there is none; its stubs do not know


class Item(QAccessibleInterface):
    """The item of this number, whatever it shows at the moment."""

    def __init__(self, items: ItemsInterface, index: int) -> None:
        super().__init__()
        self._items = items
        self.index = index

    def isValid(self) -> bool:
        return self.index < self._items.childCount()

    def object(self) -> QObject | None:  # type: ignore[override]  # an item is no object; the stub knows no None
        return None

    def window(self) -> QWindow:
        return self._items.window()

    def parent(self) -> QAccessibleInterface:
        return self._items

    def child(self, _index: int) -> QAccessibleInterface:
        return NO_INTERFACE

    def childAt(self, _x: int, _y: int) -> QAccessibleInterface:
        return NO_INTERFACE

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, _child: QAccessibleInterface) -> int:
        return -1

    def rect(self) -> QRect:
        return self._items.rect_of(self.index) if self.isValid() else QRect()

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def setText(self, _which: QAccessible.Text, _text: str) -> None:
        """Items are not edited."""

    def state(self) -> QAccessible.State:
        return self._items.state_of(self.index) if self.isValid() else QAccessible.State()

    def text(self, which: QAccessible.Text) -> str:
        return self._items.name_of(self.index) if which is QAccessible.Text.Name and self.isValid() else ""


class Items(Protocol):
    """What a list says of itself."""

    def count(self) -> int: ...

    def current(self) -> int | None:
        """The item the keyboard is on."""
        ...

    def is_selected(self, index: int) -> bool: ...

    def place(self, index: int) -> QRect:
        """Where it stands in the viewport; empty for what is far out of sight."""
        ...

    def at(self, point: QPoint) -> int | None:
        """The item at a point of the viewport."""
        ...

    def name_of(self, index: int) -> str: ...


class ItemsInterface(QAccessibleWidget):
    """Items are made when they are asked for, and kept: whoever asked may hold on to them.

    `many`: whether several can be selected at once.
    """

    def __init__(self, view: QAbstractScrollArea, said: Items, *, many: bool = False) -> None:
        super().__init__(view, QAccessible.Role.List)
        self._area, self._said, self._many = view, said, many
        self._items: dict[int, Item] = {}

    def childCount(self) -> int:
        return self._said.count()

    def child(self, index: int) -> QAccessibleInterface:
        if not 0 <= index < self._said.count():
            return NO_INTERFACE
        return self._items.setdefault(index, Item(self, index))

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        index = self._said.at(self._area.viewport().mapFromGlobal(QPoint(x, y)))
        return NO_INTERFACE if index is None else self.child(index)

    def focusChild(self) -> QAccessibleInterface:
        index = self._said.current()
        return NO_INTERFACE if index is None else self.child(index)

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return child.index if isinstance(child, Item) else -1

    def rect_of(self, index: int) -> QRect:
        place = self._said.place(index)
        return QRect(self._area.viewport().mapToGlobal(place.topLeft()), place.size())

    def state_of(self, index: int) -> QAccessible.State:
        state = QAccessible.State()
        state.selectable = state.focusable = True
        state.multiSelectable = self._many
        state.selected = self._said.is_selected(index)
        state.focused = index == self._said.current() and self._area.hasFocus()
        state.offscreen = not self._area.viewport().rect().intersects(self._said.place(index))
        return state

    def name_of(self, index: int) -> str:
        return self._said.name_of(index)
