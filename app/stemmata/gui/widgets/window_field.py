"""A line of text of a column or page, such as the filter of the sessions, which leaves the window its own keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit

# Qt takes them under X11, to go to the end of the line and to delete it; `End` does the first everywhere.
TAKEN = (Qt.Key.Key_E, Qt.Key.Key_U)


class WindowField(QLineEdit):
    """A line of text that leaves undo and redo to the window when it has nothing to undo or redo.

    `Ctrl+E` and `Ctrl+U` are always left to the window.
    """

    def event(self, event: QEvent) -> bool:
        """Ignore the override of a shortcut of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._leaves(event):
            event.ignore()
            return True
        return super().event(event)

    def _leaves(self, event: QKeyEvent) -> bool:
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() in TAKEN:
            return True
        if event.matches(QKeySequence.StandardKey.Undo):
            return not self.isUndoAvailable()
        return event.matches(QKeySequence.StandardKey.Redo) and not self.isRedoAvailable()
