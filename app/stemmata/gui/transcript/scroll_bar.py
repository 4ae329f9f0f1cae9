"""The transcript's scroll bar: heights that nobody has looked at are guesses, so it follows and never leads."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollBar

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.layout import TranscriptLayout


class TranscriptBar:
    """`is_syncing`: the bar moves because the cards did, nobody has moved it."""

    def __init__(self, bar: QScrollBar, layout: TranscriptLayout, theme: Theme) -> None:
        self._bar, self._layout, self._theme = bar, layout, theme
        self.is_syncing = False

    def sync(self) -> None:
        """Show where the cards stand."""
        bar, height = self._bar, self._layout.height
        self.is_syncing = True
        bar.setRange(0, max(self._layout.total - height, 0))
        bar.setPageStep(height)
        bar.setSingleStep(self._theme.px(metrics.ARROW_STEP))
        bar.setValue(bar.maximum() if self._layout.at_end else self._layout.top)
        self.is_syncing = False

    def sync_at_last(self, _seconds: float) -> bool:
        """Idle work has made heights better known."""
        self.sync()
        return False
