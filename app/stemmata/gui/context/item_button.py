"""A line of a list of entries as a button: speaker, text and size of the entry."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from stemmata.gui.theme import metrics
from stemmata.gui.widgets.figures import tokens_text
from stemmata.gui.widgets.labels import ElidedLabel, label, set_plain_tip


@dataclass(frozen=True, slots=True)
class LargeItem:
    """A line of the list: the entry's store key, a short name such as bash or You, and foreign text."""

    key: int
    who: str
    what: str
    tokens: int


class ItemButton(QPushButton):
    """A line of the list as a button, so that it can be clicked and reached with Tab."""

    def __init__(self) -> None:
        super().__init__()
        self.key = 0
        self.setProperty("row", True)
        self.setFlat(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._who, self._what, self._size = label(), ElidedLabel("", "dim"), label("", "dim")
        for part in (self._who, self._what, self._size):  # the mouse is on the button, which shows it
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self._who)
        row.addWidget(self._what, 1)
        row.addWidget(self._size)

    def show_item(self, item: LargeItem) -> None:
        """Show an item."""
        self.key = item.key
        size = f"≈ {tokens_text(item.tokens)}"
        self._who.setText(item.who)
        self._what.setText(item.what)
        self._size.setText(size)
        self.setAccessibleName(f"{item.who} {item.what} {size}")
        self.setMinimumHeight(self.fontMetrics().height() + metrics.SPACE[3])

    def enterEvent(self, event: QEnterEvent) -> None:
        """Set the tooltip when the mouse enters: the whole text if the button shows only a part of it."""
        super().enterEvent(event)
        set_plain_tip(self, "" if self._what.is_whole else self._what.text())
