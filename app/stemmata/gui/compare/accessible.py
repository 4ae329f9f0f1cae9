"""A comparison for screen readers: a list of turns, those of one row one after the other, left and right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible

from stemmata.gui.branches.accessible import announce_focus
from stemmata.gui.compare.row import SideOf
from stemmata.gui.widgets.items_accessible import ItemsInterface

if TYPE_CHECKING:
    from stemmata.gui.compare.list_view import CompareList

SIDES = len(SideOf)


class CompareItems:
    def __init__(self, view: CompareList) -> None:
        self._view = view

    def count(self) -> int:
        return SIDES * self._view.row_count

    def current(self) -> int | None:
        return index_of(self._view) if self._view.row_count else None

    def is_selected(self, index: int) -> bool:
        return index == self.current()

    def place(self, index: int) -> QRect:
        return self._view.place_of(*_row(index))

    def at(self, point: QPoint) -> int | None:
        found = self._view.turn_at(point)
        return None if found is None else SIDES * found[0] + found[1]

    def name_of(self, index: int) -> str:
        return self._view.spoken(*_row(index))


def _row(index: int) -> tuple[int, SideOf]:
    return index // SIDES, SideOf(index % SIDES)


def index_of(view: CompareList) -> int:
    """The number of the selected turn."""
    return SIDES * view.row + view.side


def make_accessible(view: CompareList) -> None:
    """Teach Qt to make the interface when it is asked for; the list keeps it alive. Twice does no harm."""
    kind = type(view)
    view.selection_changed.connect(lambda: announce_focus(view, index_of(view)) if view.row_count else None)

    def interface_of(_name: str, thing: QObject) -> ItemsInterface | None:
        if not isinstance(thing, kind):
            return None
        thing.interface = ItemsInterface(thing, CompareItems(thing))
        return thing.interface

    QAccessible.installFactory(interface_of)
