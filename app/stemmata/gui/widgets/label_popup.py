"""A small field beside the entry that is being named."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.popup import Popup

LONGEST = 80  # characters of a label: it has to fit a row


class TextPopup(Popup):
    """One line of text, taken by Enter, dropped by Esc or a click elsewhere."""

    accepted = Signal(str)

    def __init__(self, theme: Theme, host: QWidget, name: str) -> None:
        super().__init__(host, name)
        self._theme = theme
        self.field = QLineEdit(maxLength=LONGEST)
        self.field.returnPressed.connect(self._on_accepted)
        self._take = push_button("", self._on_accepted, look="primary")
        row = QHBoxLayout(self)
        row.setContentsMargins(*[metrics.SPACE[4]] * 4)
        row.setSpacing(metrics.SPACE[4])
        row.addWidget(self.field, 1)
        row.addWidget(self._take)

    def ask(self, at: QPoint, text: str, *, hint: str, take: str) -> None:
        """Open at this global point with the text as it is now."""
        self.field.setMaxLength(LONGEST)
        self.field.setText(text)
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.setAccessibleName(hint)
        self.field.selectAll()
        self._take.setText(take)
        self.resize(self._theme.px(metrics.POPUP), self.sizeHint().height())
        self.open_at(at, self.field, above=self._theme.px(metrics.NAVIGATOR_ROW))

    def _on_accepted(self) -> None:
        self.hide()
        self.accepted.emit(self.field.text().strip())
