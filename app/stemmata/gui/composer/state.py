"""One calm line above the message: what the run is doing, and what may be done about it."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from stemmata.domain.chat.run import Phase, RunState
from stemmata.gui.composer.words import offer_text, offers_of, run_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label, set_property

SECOND_MS = 1000
_ALARMING = frozenset({Phase.INTERRUPTED, Phase.FAILED})


class RunLine(QWidget):
    """Hidden while there is nothing to say. Counts down by itself."""

    offer_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("runLine")
        self._theme = theme
        self._state = RunState(session=0)
        self._text = label("", "small", wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.offers: dict[str, QPushButton] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(metrics.SPACE[5], 0, metrics.SPACE[5], metrics.SPACE[2])
        self._row.setSpacing(metrics.SPACE[3])
        self._row.addWidget(self._text, 1)
        self._tick = QTimer(self, interval=SECOND_MS)
        self._tick.timeout.connect(self._tell)
        self.hide()

    def show_state(self, state: RunState) -> None:
        before, self._state = self._state, state
        if offers_of(state) != tuple(self.offers):
            self._show_offers(offers_of(state))
        self._tell()
        if (before.session, before.phase) != (state.session, state.phase):
            ended = self.tr("The reply has ended.") if before.is_busy and before.session == state.session else ""
            announce(self, self.text or ended)
        if state.phase is Phase.RETRYING:
            self._tick.start()
        else:
            self._tick.stop()

    @property
    def text(self) -> str:
        return self._text.text()

    def _tell(self) -> None:
        text = run_text(self._state, time.time_ns())
        set_property(self._text, "role", "warning" if self._state.phase in _ALARMING else "small")
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def _show_offers(self, offers: tuple[str, ...]) -> None:
        had_focus = any(button.hasFocus() for button in self.offers.values())
        for button in self.offers.values():
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.offers = {offer: self._offer(offer) for offer in offers}
        for button in self.offers.values():
            self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        if had_focus and self.offers:
            next(iter(self.offers.values())).setFocus()

    def _offer(self, offer: str) -> QPushButton:
        return push_button(offer_text(offer), partial(self.offer_chosen.emit, offer), look="link")
