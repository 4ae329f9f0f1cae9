"""Presses a key as a person does, in whatever window has the focus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from shiboken6 import delete, isValid

from tests.monkey.choices import NONE, Facts
from tests.monkey.scene import Scene


def press(scene: Scene, facts: Facts) -> None:
    """What the key does may close the window that heard it: another one hears it go up.

    Qt's tests press what is held as keys of its own, to the same window; Alt closes a menu. Between these keys they
    handle all events, so that a window that is deleted there is still used afterwards: deletions wait.
    """
    key, held = Qt.Key(facts["key"]), Qt.KeyboardModifier(facts["held"])
    if QApplication.activePopupWidget() is not None:
        held = NONE
    for send in (QTest.keyPress, QTest.keyRelease):
        if (focus := scene.focus()) is not None:
            with _waiting_deletions():
                send(focus, key, held)


def type_text(scene: Scene, text: str) -> None:
    """Type a text, each character into the widget that has the focus by then."""
    for character in text:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            focus = QApplication.focusWidget()
            if focus is not None:
                with scene.guard(f"“{character}” for {type(focus).__name__}"):
                    QApplication.sendEvent(focus, QKeyEvent(kind, 0, NONE, character))


class _Deletions(QObject):
    """Keeps the objects that are to be deleted."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[QObject] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.DeferredDelete:
            return False
        self.kept.append(watched)
        return True


@contextmanager
def _waiting_deletions() -> Iterator[None]:
    deletions, application = _Deletions(), QApplication.instance()
    assert application is not None
    application.installEventFilter(deletions)
    try:
        yield
    finally:
        application.removeEventFilter(deletions)
        for one in filter(isValid, deletions.kept):  # an object is deleted with its parent
            delete(one)  # Qt has noted that it was to be deleted, and would not do it when it is asked again
