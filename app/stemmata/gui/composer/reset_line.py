"""The line above the composer that says that the next message begins a new session."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from stemmata.domain.chat.conversations import ResetReason
from stemmata.gui.theme import metrics
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label


class ResetLine(QWidget):
    """Says why the next message begins a new session; hidden while none is due."""

    declined = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("resetLine")
        self._reason: ResetReason | None = None
        self._text = label("", "small", wrap=True)
        self.decline = push_button(self.tr("Stay in this session"), self.declined.emit, look="link")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, metrics.SPACE[2])
        row.setSpacing(metrics.SPACE[3])
        row.addWidget(self._text, 1)
        row.addWidget(self.decline, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    @property
    def reason(self) -> ResetReason | None:
        """The displayed reason; None while the line is hidden."""
        return self._reason

    def show_reason(self, reason: ResetReason | None) -> None:
        """Show why the next message begins a new session; None hides the line."""
        if reason is self._reason:
            return
        self._reason = reason
        texts = {
            None: "",
            ResetReason.DAILY: self.tr("A new session begins with the next message (daily reset)."),
            ResetReason.IDLE: self.tr("A new session begins with the next message (no messages for a long time)."),
        }
        self._text.setText(texts[reason])
        self.setAccessibleName(texts[reason])
        self.setVisible(reason is not None)
        announce(self, texts[reason])
