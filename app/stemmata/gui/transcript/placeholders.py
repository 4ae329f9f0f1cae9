"""Places of cards that are not built yet: after a jump, cards are built in a part of each frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtWidgets import QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.skeleton import HEAD, LENGTHS


class CardPlaceholders:
    """The rectangles in the viewport that are painted as a head and lines of grey bars."""

    def __init__(self, theme: Theme, viewport: QWidget) -> None:
        self._theme = theme
        self._viewport = viewport
        self.places: Sequence[QRect] = ()

    def show(self, places: Sequence[QRect]) -> None:
        """Show placeholders at these places, and nowhere else."""
        if places or self.places:
            changed = QRegion()
            for place in (*self.places, *places):
                changed += place
            self._viewport.update(changed)
        self.places = places

    def paint(self, painter: QPainter, clip: QRect) -> None:
        """Paint the placeholders over the background."""
        shown = [place for place in self.places if place.intersects(clip)]
        if not shown:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("hover"))
        radius = self._theme.px(metrics.RADIUS_BAR)
        for place in shown:
            for bar in self._bars(place):
                painter.drawRoundedRect(bar, radius, radius)

    def _bars(self, place: QRect) -> Iterator[QRectF]:
        """Yield the bars of a card from the top: its head, then its lines."""
        px = self._theme.px
        room = place.width() - 2 * px(metrics.SPACE[8])
        width = min(room, px(metrics.READING_WIDTH)) - px(metrics.CARD_INDENT)
        left = px(metrics.SPACE[8]) + max(room - px(metrics.READING_WIDTH), 0) // 2 + px(metrics.CARD_INDENT)
        thick, step = px(metrics.SPACE[5]), round(px(metrics.FONT_UI) * metrics.LINE_PERCENT / 100)
        y, number = place.y() + px(metrics.CARD_GAP), 0
        while y + thick <= place.bottom():
            share = HEAD if number == 0 else LENGTHS[(number - 1) % len(LENGTHS)]
            yield QRectF(left, y, width * share, thick)
            y, number = y + step, number + 1
