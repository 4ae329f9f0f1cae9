"""The line under the message: attach, model, thinking, how full the window is, the queue; Stop and Send."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.views.composer_ring import ContextRing
from stemmata.gui.views.composer_words import level_text
from stemmata.gui.views.context_words import tokens_text
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.labels import label

LONGEST_MODEL = 26  # characters in the chip


@dataclass(frozen=True, slots=True)
class Choice:
    """What the next request goes to. `connected`: there is a connection; `model` may still be none."""

    connected: bool = False
    connection: str = ""
    model: str = ""
    level: str = ""
    thinks: bool = True


class ComposerFoot(QWidget):
    attach_requested = Signal()
    connect_requested = Signal()
    model_requested = Signal()
    level_requested = Signal()
    queue_toggled = Signal()
    stop_requested = Signal()
    send_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.attach = IconButton(theme, "plus", self.tr("Attach files"))
        self.attach.clicked.connect(self.attach_requested)
        self.connect_link = push_button(self.tr("Connect a model to send"), self.connect_requested.emit, look="link")
        self.connect_link.setCursor(Qt.CursorShape.PointingHandCursor)
        self.model = _chip(self.model_requested.emit)
        self.level = _chip(self.level_requested.emit)
        self.ring = ContextRing(theme)
        self.queue = _chip(self.queue_toggled.emit)
        self._typed = label("", "faint")
        self._typed.setToolTip(self.tr("What is being written, estimated"))
        self.stop = push_button(self.tr("Stop"), self.stop_requested.emit)
        self.send = push_button(self.tr("Send"), self.send_requested.emit, look="primary")
        self._lay_out()
        self.show_choice(Choice())
        self.show_queue(0, folded=False)
        self.show_typed(0)
        self.stop.hide()

    def show_choice(self, choice: Choice) -> None:
        self.connect_link.setVisible(not choice.connected)
        self.model.setVisible(choice.connected)
        self.level.setVisible(choice.connected and choice.thinks)
        self.model.setText(f"{_shortened(choice.model) or self.tr('Choose a model')} ▾")
        self.model.setAccessibleName(self.tr("Model: {0}").format(choice.model or "—"))
        self.model.setToolTip(f"{choice.connection}/{choice.model}" if choice.model else "")
        self.level.setText(self.tr("Think: {0} ▾").format(level_text(choice.level).lower()))
        self.level.setAccessibleName(self.tr("Thinking: {0}").format(level_text(choice.level)))

    def show_queue(self, count: int, *, folded: bool) -> None:
        self.queue.setText(self.tr("%Ln queued", None, count))
        self.queue.setToolTip(self.tr("Show the queue") if folded else self.tr("Hide the queue"))
        self.queue.setVisible(count > 0)

    def show_typed(self, tokens: int) -> None:
        """Estimated size of what is being written."""
        self._typed.setText(f"≈ {tokens_text(tokens)}" if tokens else "")
        self._typed.setVisible(bool(tokens))

    @property
    def typed(self) -> str:
        return self._typed.text()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(metrics.SPACE[2], 0, 0, 0)
        row.setSpacing(metrics.SPACE[3])
        left = (self.attach, self.connect_link, self.model, self.level, self.ring, self.queue)
        right: tuple[QWidget, ...] = (self._typed, self.stop, self.send)
        for widget in left:
            row.addWidget(widget)
        row.addStretch(1)
        for item in right:
            row.addWidget(item)


def _chip(act: object) -> QPushButton:
    return push_button("", act, look="chip")  # type: ignore[arg-type] # a signal's emit


def _shortened(model: str) -> str:
    """Without the folder that some servers put before it, and without what does not fit."""
    name = model.rpartition("/")[2]
    return name if len(name) <= LONGEST_MODEL else f"{name[: LONGEST_MODEL - 1]}…"
