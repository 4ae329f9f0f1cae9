"""The field of the search, which colours its filters."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QTextCharFormat
from PySide6.QtWidgets import QApplication

from stemmata.domain.search.query import filter_words
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.window_field import WindowField

MOST_TYPED = 500  # characters of a query


class QueryField(WindowField):
    """A line of text whose filters have the accent colour. Down and Page down leave it for the results."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._is_composing = False  # with an input method, whose own colours must stay
        self.setMaxLength(MOST_TYPED)
        self.setClearButtonEnabled(True)
        self.textChanged.connect(self._color)
        theme.changed.connect(self._color)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def _color(self) -> None:
        """Colour the filters: a line of text takes formats only as an input method gives them."""
        if self._is_composing:
            return
        attributes = []
        for word in filter_words(self.text()):
            look = QTextCharFormat()
            look.setForeground(self._theme.color("accent"))
            start = word.start - self.cursorPosition()
            kind = QInputMethodEvent.AttributeType.TextFormat
            attributes.append(QInputMethodEvent.Attribute(kind, start, word.end - word.start, look))
        QApplication.sendEvent(self, QInputMethodEvent("", attributes))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pass the keys that move through the results to the view."""
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            event.ignore()
            return
        super().keyPressEvent(event)
