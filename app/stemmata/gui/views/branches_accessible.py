"""The navigator for screen readers: a list whose items say what the graph shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface, QWindow
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget

from stemmata.gui.models.branches import BranchesModel

if TYPE_CHECKING:
    from stemmata.gui.views.branches_list import BranchesList


class BranchItem(QAccessibleInterface):
    """The row of this number, whatever it shows at the moment."""

    def __init__(self, rows: BranchesInterface, row: int) -> None:
        super().__init__()
        self._rows = rows
        self.row = row

    def isValid(self) -> bool:
        return self.row < self._rows.childCount()

    def object(self) -> QObject | None:  # type: ignore[override]  # a row is no object; the stub knows no None
        return None

    def window(self) -> QWindow:
        return self._rows.window()

    def parent(self) -> QAccessibleInterface:
        return self._rows

    def child(self, _index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # as above
        return None

    def childAt(self, _x: int, _y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # as above
        return None

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, _child: QAccessibleInterface) -> int:
        return -1

    def rect(self) -> QRect:
        return self._rows.rect_of(self.row)

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def setText(self, _which: QAccessible.Text, _text: str) -> None:
        """Rows are not edited."""

    def state(self) -> QAccessible.State:
        return self._rows.state_of(self.row)

    def text(self, which: QAccessible.Text) -> str:
        return self._rows.name_of(self.row) if which is QAccessible.Text.Name and self.isValid() else ""


class BranchesInterface(QAccessibleWidget):
    """Items are made when they are asked for, and kept: whoever asked may hold on to them."""

    def __init__(self, view: BranchesList, model: BranchesModel) -> None:
        super().__init__(view, QAccessible.Role.List)
        self._view = view
        self._model = model
        self._items: dict[int, BranchItem] = {}

    def childCount(self) -> int:
        return len(self._model)

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # the stub knows no None
        if not 0 <= index < len(self._model):
            return None
        return self._items.setdefault(index, BranchItem(self, index))

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # as above
        row = self._view.row_at(self._view.viewport().mapFromGlobal(QPoint(x, y)).y())
        return None if row is None else self.child(row)

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]  # as above
        row = self._view.selected_row
        return None if row is None else self.child(row)

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return child.row if isinstance(child, BranchItem) else -1

    def rect_of(self, row: int) -> QRect:
        viewport, rect = self._view.viewport(), self._view.row_rect(row)
        return QRect(viewport.mapToGlobal(rect.topLeft()), rect.size())

    def name_of(self, row: int) -> str:
        return self._model.accessible_name(row)

    def state_of(self, row: int) -> QAccessible.State:
        state = QAccessible.State()
        state.selectable = state.focusable = state.multiSelectable = True
        state.selected = row in self._view.selection
        state.focused = row == self._view.selected_row and self._view.hasFocus()
        state.offscreen = not self._view.viewport().rect().intersects(self._view.row_rect(row))
        return state


def install(kind: type[BranchesList]) -> None:
    """Teach Qt to make the interface when it is asked for; the list keeps it alive. Twice does no harm."""

    def interface_of(_name: str, thing: QObject) -> BranchesInterface | None:
        if not isinstance(thing, kind):
            return None
        thing.interface = BranchesInterface(thing, thing.model)
        return thing.interface

    QAccessible.installFactory(interface_of)


def announce_focus(view: QAbstractScrollArea, row: int) -> None:
    """Tell screen readers which row the keyboard is on."""
    if QAccessible.isActive():
        event = QAccessibleEvent(view, QAccessible.Event.Focus)
        event.setChild(row)
        QAccessible.updateAccessibility(event)
