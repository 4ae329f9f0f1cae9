"""The entries that take most of a context, and what else is known of the next request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from stemmata.gui.theme import metrics
from stemmata.gui.views.context_words import tokens_text
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.section import Section

SHOWN = 6


@dataclass(frozen=True, slots=True)
class LargeItem:
    """`key` is the entry's store key; `who` is short (bash, read, You), `what` may be any text."""

    key: int
    who: str
    what: str
    tokens: int


class _ItemButton(QPushButton):
    """One line that can be clicked and reached by Tab."""

    def __init__(self, item: LargeItem) -> None:
        super().__init__()
        self.setProperty("row", True)
        self.setFlat(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        size = f"≈ {tokens_text(item.tokens)}"
        self.setAccessibleName(f"{item.who} {item.what} {size}")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(label(item.who))
        row.addWidget(ElidedLabel(item.what, "dim"), 1)
        row.addWidget(label(size, "dim"))
        self.setMinimumHeight(self.fontMetrics().height() + metrics.SPACE[3])


class LargestSection(Section):
    entry_chosen = Signal(int)  # store key

    def __init__(self) -> None:
        super().__init__("", rule=True)
        self.title.setText(self.tr("Largest in context"))
        self.body.setSpacing(metrics.SPACE[1])
        self._buttons: list[_ItemButton] = []

    def show_items(self, items: Sequence[LargeItem], title: str = "") -> None:
        items = items[:SHOWN]
        self.title.setText(title or self.tr("Largest in context"))
        for button in self._buttons:
            self.body.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = [_ItemButton(item) for item in items]
        for button, item in zip(self._buttons, items, strict=True):
            button.clicked.connect(partial(self.entry_chosen.emit, item.key))
            self.body.addWidget(button)
        self.setVisible(bool(items))

    @property
    def buttons(self) -> list[_ItemButton]:
        return self._buttons
