"""The cut of a compaction being previewed: where its line stands, and where it is dragged to."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from stemmata.gui.core.shown_path import Place
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.layout import TranscriptLayout
from stemmata.gui.transcript.preview import CutPreview
from stemmata.gui.widgets.categories import tokens_text
from stemmata.gui.widgets.cut_line import CutLine


class TranscriptCut(QObject):
    """Moves nothing itself: `moved` says which entry would be the first one kept."""

    moved = Signal(int)
    scroll_requested = Signal(int)  # pixels: the line is dragged near an edge

    def __init__(self, theme: Theme, viewport: QWidget, layout: TranscriptLayout) -> None:
        super().__init__(viewport)
        self._theme = theme
        self._viewport = viewport
        self._layout = layout
        self._preview: CutPreview | None = None
        self._line = CutLine(theme, viewport)
        self._line.dragged.connect(self._on_dragged)
        self._line.stepped.connect(self._on_stepped)

    def show(self, preview: CutPreview | None) -> None:
        """Take on a preview; `place` then puts the line where it belongs."""
        self._preview = preview
        if preview is not None:
            words = self.tr("⇕ everything above is summarised · {0} · ≈ {1}")
            entries = self.tr("%Ln entries", None, preview.entries)
            size = tokens_text(preview.replaced)
            self._line.show_text(words.format(entries, size), f"⇕ {entries} · ≈ {size}")

    def place(self) -> None:
        """Put the line above the first kept card; out of sight when that is not in sight."""
        card = self._card()
        placed = next((placed for placed in self._layout.placed if placed.at == card), None)
        if placed is None:
            self._line.hide()
            return
        begins = self._layout.model.place(placed.at) == Place.CARD  # else the same speaker goes on, closer
        middle = self._theme.px((metrics.CARD_GAP if begins else metrics.SPACE[3]) + metrics.CUT_SPACE) // 2
        self._line.put(placed.y + middle, self._viewport.width())

    def _card(self) -> int | None:
        """Position of the first kept card."""
        return self._layout.model.card_of(self._preview.cut) if self._preview is not None else None

    def _on_dragged(self, y: int) -> None:
        edge, height = self._theme.px(metrics.EDGE), self._viewport.height()
        if y < edge or y > height - edge:
            self.scroll_requested.emit(-edge if y < edge else edge)
        if self._layout.placed:
            self._ask(min(self._layout.placed, key=lambda placed: abs(placed.y - y)).at)

    def _on_stepped(self, step: int) -> None:
        card, model = self._card(), self._layout.model
        if card is not None:
            at = model.after(card) if step > 0 else model.before(card)
            if at is not None:
                self._ask(at)

    def _ask(self, at: int) -> None:
        if self._preview is not None and at != self._card():
            self.moved.emit(self._layout.model.path.key(at))
