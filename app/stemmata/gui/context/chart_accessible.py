"""The chart for screen readers: what it shows, and the value at its marker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleValueChangeEvent
from PySide6.QtWidgets import QAccessibleWidget

if TYPE_CHECKING:
    from stemmata.gui.context.chart import ContextChart


class ChartInterface(QAccessibleWidget):
    def __init__(self, chart: ContextChart) -> None:
        super().__init__(chart, QAccessible.Role.Chart)
        self._chart = chart

    def text(self, which: QAccessible.Text) -> str:
        if which is QAccessible.Text.Value:
            return self._chart.spoken
        return super().text(which)


def install(kind: type[ContextChart]) -> None:
    """Teach Qt to make the interface when it is asked for; the chart keeps it alive. Twice does no harm."""

    def interface_of(_name: str, thing: QObject) -> ChartInterface | None:
        if not isinstance(thing, kind):
            return None
        thing.interface = ChartInterface(thing)
        return thing.interface

    QAccessible.installFactory(interface_of)


def announce_value(chart: ContextChart) -> None:
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(chart, chart.spoken))
