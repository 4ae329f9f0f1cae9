"""A horizontal bar of coloured segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import percent
from stemmata.gui.widgets.labels import show_plain_tip
from stemmata.gui.widgets.readable_value import ReadableValue, install_readable_values


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment: `color` is a theme token, `text` its name and number."""

    value: float
    color: str
    text: str


class StackedBar(QWidget, ReadableValue):
    """The bar: segments in reading order, then free space up to `whole`. Segments larger than `whole` fill the bar.

    `name` is the accessible name.
    """

    def __init__(self, theme: Theme, height: int = metrics.BAR, name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._theme = theme
        self._height = height
        self._segments: tuple[Segment, ...] = ()
        self._whole = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._restyle()
        install_readable_values()

    def set_segments(self, segments: Sequence[Segment], whole: float) -> None:
        """Show segments. With `whole` ≤ 0 the segments fill the bar."""
        self._segments = tuple(segment for segment in segments if segment.value > 0)
        self._whole = max(whole, sum(segment.value for segment in self._segments))
        self.setAccessibleDescription(", ".join(segment.text for segment in self._segments))
        self.update()

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The displayed segments."""
        return self._segments

    @property
    def spoken(self) -> str:
        """The value for screen readers: the share that the segments fill."""
        used = sum(segment.value for segment in self._segments)
        return percent(100 * used / self._whole) if self._whole else ""

    def spans(self) -> list[tuple[float, float]]:
        """Return the left edge and the width of each segment, in pixels."""
        out, left = [], 0.0
        scale = self.width() / self._whole if self._whole else 0.0
        for segment in self._segments:
            out.append((left, segment.value * scale))
            left += segment.value * scale
        return out

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(metrics.SEARCH_FIELD), self._theme.px(self._height))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._theme.px(self._height))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = QPainterPath()
        radius = min(self.height() / 2, self._theme.px(metrics.RADIUS_BAR))
        outline.addRoundedRect(QRectF(self.rect()), radius, radius)
        painter.setClipPath(outline)
        painter.fillRect(self.rect(), self._theme.color("free"))
        painter.setPen(Qt.PenStyle.NoPen)
        for segment, (left, width) in zip(self._segments, self.spans(), strict=True):
            painter.fillRect(QRectF(left, 0, width, self.height()), self._theme.color(segment.color))
        painter.end()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            show_plain_tip(event.globalPos(), self._text_at(event.pos().x()), self)
            return True
        return super().event(event)

    def _text_at(self, x: float) -> str:
        for segment, (left, width) in zip(self._segments, self.spans(), strict=True):
            if left <= x < left + width:
                return segment.text
        return self.tr("Free") if self._segments else ""

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(self._height))
        self.update()
