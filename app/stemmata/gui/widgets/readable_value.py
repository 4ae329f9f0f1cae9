"""Accessible interfaces for widgets that paint a value themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAccessible, QAccessibleValueChangeEvent
from PySide6.QtWidgets import QAccessibleWidget, QWidget

INSTALLED = "tells values"  # an application property; Qt keeps interface factories until the process ends


class ReadableValue:
    """A mixin for widgets whose value screen readers can read. Name and description are the widget's own."""

    interface: QAccessibleWidget | None = None  # keeps the interface alive; Qt does not

    @property
    def spoken(self) -> str:
        """The value as text; "" while there is none."""
        return ""

    def accessible_role(self) -> QAccessible.Role:
        """The accessible role; by default a read-only value between two ends."""
        return QAccessible.Role.ProgressBar

    def accessible_actions(self) -> Mapping[str, Callable[[], object]]:
        """The actions of the widget, by the names that screen readers know."""
        return {}


class ReadableValueInterface(QAccessibleWidget):
    """The accessible interface of a ReadableValue widget."""

    def __init__(self, widget: QWidget, told: ReadableValue) -> None:
        super().__init__(widget, told.accessible_role())
        self._told = told

    def text(self, which: QAccessible.Text) -> str:
        return self._told.spoken if which is QAccessible.Text.Value else super().text(which)

    def childCount(self) -> int:
        return 0  # the value already describes the children

    def actionNames(self) -> list[str]:
        return [*self._told.accessible_actions(), *super().actionNames()]

    def doAction(self, name: str) -> None:
        action = self._told.accessible_actions().get(name)
        if action is None:
            super().doAction(name)
        else:
            action()


def install_readable_values() -> None:
    """Register the factory of the interfaces for ReadableValue widgets, once per process."""
    application = QCoreApplication.instance()
    if application is not None and not application.property(INSTALLED):
        application.setProperty(INSTALLED, True)
        QAccessible.installFactory(_interface_of)


def announce_value(widget: QWidget, told: ReadableValue) -> None:
    """Tell screen readers that the widget's value changed."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(widget, told.spoken))


def _interface_of(_name: str, thing: QObject) -> ReadableValueInterface | None:
    if not isinstance(thing, QWidget) or not isinstance(thing, ReadableValue):
        return None
    thing.interface = ReadableValueInterface(thing, thing)
    return thing.interface
