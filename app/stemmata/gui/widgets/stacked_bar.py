"""A bar of coloured parts beside each other, to the scale of a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import percent
from stemmata.gui.widgets.told import Told, tell_values


@dataclass(frozen=True, slots=True)
class Segment:
    """`color` is a token of the theme, `text` what the part is called with its number."""

    value: float
    color: str
    text: str


class StackedBar(QWidget, Told):
    """Parts in order, from where lines begin; what is left of `whole` shows as free. Larger parts than it fill it.

    `name` is for those who cannot see it, and can be changed.
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
        tell_values()

    def set_segments(self, segments: Sequence[Segment], whole: float) -> None:
        """`whole` ≤ 0: the parts themselves are the whole."""
        self._segments = tuple(segment for segment in segments if segment.value > 0)
        self._whole = max(whole, sum(segment.value for segment in self._segments))
        self.setAccessibleDescription(", ".join(segment.text for segment in self._segments))
        self.update()

    @property
    def segments(self) -> tuple[Segment, ...]:
        return self._segments

    @property
    def spoken(self) -> str:
        """How much of the whole the parts are."""
        used = sum(segment.value for segment in self._segments)
        return percent(100 * used / self._whole) if self._whole else ""

    def spans(self) -> list[tuple[float, float]]:
        """Left edge and width of each part, in pixels."""
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
            QToolTip.showText(event.globalPos(), self._text_at(event.pos().x()), self)
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
