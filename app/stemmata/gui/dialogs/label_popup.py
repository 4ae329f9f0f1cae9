"""A small field beside the entry that is being named."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button

LONGEST = 80  # characters of a label: it has to fit a row


class TextPopup(QFrame):
    """One line of text, taken by Enter, dropped by Esc or a click elsewhere."""

    accepted = Signal(str)

    def __init__(self, theme: Theme, host: QWidget, name: str) -> None:
        super().__init__(host, Qt.WindowType.Popup)
        self.setObjectName(name)
        self.setProperty("overlay", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self._host = host
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
        self.field.selectAll()
        self._take.setText(take)
        self.resize(self._theme.px(metrics.POPUP), self.sizeHint().height())
        self.move(at)
        self.show()
        self.field.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            return
        super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._host.activateWindow()  # not every platform gives the window its keys back
        super().hideEvent(event)

    def _on_accepted(self) -> None:
        self.hide()
        self.accepted.emit(self.field.text().strip())
