"""Widgets that paint a value themselves, for screen readers: what they are, and the value in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAccessible, QAccessibleValueChangeEvent
from PySide6.QtWidgets import QAccessibleWidget, QWidget

INSTALLED = "tells values"  # a property of the application: Qt keeps what makes interfaces as long as the process


class Told:
    """What a widget adds to be told. Its name and description are those of any widget."""

    interface: QAccessibleWidget | None = None  # kept alive here: Qt does not

    @property
    def spoken(self) -> str:
        """The value in words; nothing while there is none."""
        return ""

    def told_as(self) -> QAccessible.Role:
        """A value between two ends that is only looked at."""
        return QAccessible.Role.ProgressBar

    def told_actions(self) -> Mapping[str, Callable[[], object]]:
        """What can be done with it, by the name that screen readers know."""
        return {}


class ToldInterface(QAccessibleWidget):
    def __init__(self, widget: QWidget, told: Told) -> None:
        super().__init__(widget, told.told_as())
        self._told = told

    def text(self, which: QAccessible.Text) -> str:
        return self._told.spoken if which is QAccessible.Text.Value else super().text(which)

    def childCount(self) -> int:
        return 0  # what is inside is told by the value

    def actionNames(self) -> list[str]:
        return [*self._told.told_actions(), *super().actionNames()]

    def doAction(self, name: str) -> None:
        action = self._told.told_actions().get(name)
        if action is None:
            super().doAction(name)
        else:
            action()


def tell_values() -> None:
    """Teach Qt to make the interfaces when they are asked for. Once for all widgets of the process."""
    application = QCoreApplication.instance()
    if application is not None and not application.property(INSTALLED):
        application.setProperty(INSTALLED, True)
        QAccessible.installFactory(_interface_of)


def announce_value(widget: QWidget, told: Told) -> None:
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(widget, told.spoken))


def _interface_of(_name: str, thing: QObject) -> ToldInterface | None:
    if not isinstance(thing, QWidget) or not isinstance(thing, Told):
        return None
    thing.interface = ToldInterface(thing, thing)
    return thing.interface
