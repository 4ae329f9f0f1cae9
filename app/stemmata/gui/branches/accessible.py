"""The navigator for screen readers: a list whose items say what the graph shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QAbstractScrollArea

from stemmata.gui.branches.model import BranchesModel
from stemmata.gui.widgets.items_accessible import ItemsInterface

if TYPE_CHECKING:
    from stemmata.gui.branches.list_view import BranchesList


class BranchesItems:
    def __init__(self, view: BranchesList, model: BranchesModel) -> None:
        self._view = view
        self._model = model

    def count(self) -> int:
        return len(self._model)

    def current(self) -> int | None:
        return self._view.selected_row

    def is_selected(self, index: int) -> bool:
        return index in self._view.selection

    def place(self, index: int) -> QRect:
        return self._view.row_rect(index)

    def at(self, point: QPoint) -> int | None:
        return self._view.row_at(point.y())

    def name_of(self, index: int) -> str:
        return self._model.accessible_name(index)


def install(kind: type[BranchesList]) -> None:
    """Teach Qt to make the interface when it is asked for; the list keeps it alive. Twice does no harm."""

    def interface_of(_name: str, thing: QObject) -> ItemsInterface | None:
        if not isinstance(thing, kind):
            return None
        thing.interface = ItemsInterface(thing, BranchesItems(thing, thing.model), many=True)
        return thing.interface

    QAccessible.installFactory(interface_of)


def announce_focus(view: QAbstractScrollArea, row: int) -> None:
    """Tell screen readers which row the keyboard is on."""
    if QAccessible.isActive():
        event = QAccessibleEvent(view, QAccessible.Event.Focus)
        event.setChild(row)
        QAccessible.updateAccessibility(event)
