"""The entries that take most of a context, and what else is known of the next request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from stemmata.gui.theme import metrics
from stemmata.gui.widgets.context_words import tokens_text
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

    def __init__(self) -> None:
        super().__init__()
        self.key = 0
        self.setProperty("row", True)
        self.setFlat(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._who, self._what, self._size = label(), ElidedLabel("", "dim"), label("", "dim")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self._who)
        row.addWidget(self._what, 1)
        row.addWidget(self._size)

    def show_item(self, item: LargeItem) -> None:
        self.key = item.key
        size = f"≈ {tokens_text(item.tokens)}"
        self._who.setText(item.who)
        self._what.setText(item.what)
        self._size.setText(size)
        self.setAccessibleName(f"{item.who} {item.what} {size}")
        self.setMinimumHeight(self.fontMetrics().height() + metrics.SPACE[3])


class LargestSection(Section):
    """The lines stay and take other texts: making them anew would cost a frame at every step through time."""

    entry_chosen = Signal(int)  # store key

    def __init__(self) -> None:
        super().__init__("", rule=True)
        self.body.setSpacing(metrics.SPACE[1])
        self._buttons = [_ItemButton() for _ in range(SHOWN)]
        for button in self._buttons:
            button.clicked.connect(partial(self._on_clicked, button))
            self.body.addWidget(button)
        self.show_items(())

    def show_items(self, items: Sequence[LargeItem], title: str = "") -> None:
        """`title`: what they are instead of the largest of all."""
        self.title.setText(title or self.tr("Largest in context"))
        for button, item in zip_longest(self._buttons, items[:SHOWN]):
            button.setVisible(item is not None)
            if item is not None:
                button.show_item(item)
        self.setVisible(bool(items))

    @property
    def buttons(self) -> list[_ItemButton]:
        """Those that show an entry."""
        return [button for button in self._buttons if not button.isHidden()]

    def _on_clicked(self, button: _ItemButton) -> None:
        self.entry_chosen.emit(button.key)
