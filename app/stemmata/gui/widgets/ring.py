"""The context ring: how full the next request makes the model's window."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import label, set_plain_tip, set_property
from stemmata.gui.widgets.readable_value import ReadableValue, install_readable_values

NEAR = 0.75  # share of the trigger from which on the ring warns
CIRCLE = 5760  # a full circle in sixteenths of a degree, Qt's unit
TOP = 1440
REST = 0.3  # opacity of the free part; in every theme weaker than the used part


@dataclass(frozen=True, slots=True)
class NextRequest:
    """Figures of the next request, in tokens: its size, and its model's window and trigger; None when unknown.

    `text` is the displayed text, `tip` the tooltip.
    """

    text: str = ""
    tokens: int | None = None
    window: int | None = None
    trigger: int | None = None
    tip: str = ""

    @property
    def share(self) -> float | None:
        """The share of the window that the request fills, 0 to 1; None when the size or the window is unknown."""
        if not self.window or self.tokens is None:
            return None
        return min(1.0, self.tokens / self.window)

    @property
    def color(self) -> str:
        """The colour token of the ring: calm, near the trigger, or beyond it."""
        if self.trigger is None or self.tokens is None:
            return "faint"
        if self.tokens > self.trigger:
            return "bad"
        return "warning" if self.tokens > NEAR * self.trigger else "accent"


class _Ring(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.request = NextRequest()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(metrics.SPACE[6]), self._theme.px(metrics.SPACE[6]))

    def paintEvent(self, _event: QPaintEvent) -> None:
        line = self._theme.px(metrics.LANE_LINE)
        place = QRectF(self.rect()).adjusted(line, line, -line, -line)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rest = QColor(self._theme.color("dim"))
        rest.setAlphaF(REST)
        painter.setPen(QPen(rest, line))
        painter.drawEllipse(place)
        share = self.request.share
        if share:
            pen = QPen(self._theme.color(self.request.color), line)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            painter.drawArc(place, TOP, -round(share * CIRCLE))
        painter.end()


class ContextRing(QWidget, ReadableValue):
    """A ring with its text, `◔ 124.6k · 62%`; the tooltip shows the figures. A click asks to compact the context."""

    clicked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("contextRing")
        self._ring = _Ring(theme)
        self._text = label("", "small")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(metrics.SPACE[2])
        row.addWidget(self._ring)
        row.addWidget(self._text)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()
        self.setAccessibleName(self.tr("Next request"))
        install_readable_values()

    def show_request(self, request: NextRequest) -> None:
        """Show the figures of the next request."""
        self._ring.request = request
        self._ring.setVisible(request.share is not None)
        self._ring.update()
        self._text.setText(request.text)
        set_plain_tip(self, "\n".join(filter(None, (request.tip, self.tr("Click to compact…")))))
        self.setVisible(bool(request.text))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Accept the press, so that Qt sends its release to the ring too."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ask to compact the context when the ring was clicked."""
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def enterEvent(self, _event: QEnterEvent) -> None:
        """Underline the text, since the mouse is over the ring, which can be clicked."""
        set_property(self._text, "role", "pointed")

    def leaveEvent(self, _event: QEvent) -> None:
        """Show the text without its underline, since the mouse has left the ring."""
        set_property(self._text, "role", "small")

    @property
    def spoken(self) -> str:
        """The value for screen readers."""
        return self.request.text

    def set_terse(self, *, on: bool) -> None:
        """Show the ring without its text, when space is short."""
        shown = not on or self._ring.request.share is None
        if self._text.isHidden() == shown:
            self._text.setVisible(shown)

    @property
    def full_width(self) -> int:
        """The width with the text, in pixels; 0 while the ring is hidden."""
        ring = 0 if self._ring.request.share is None else self._ring.sizeHint().width() + metrics.SPACE[2]
        return 0 if self.isHidden() else ring + self._text.sizeHint().width()

    @property
    def terse_width(self) -> int:
        """The width without the text, in pixels."""
        has_ring = self._ring.request.share is not None and not self.isHidden()
        return self._ring.sizeHint().width() if has_ring else self.full_width

    @property
    def request(self) -> NextRequest:
        """The displayed figures."""
        return self._ring.request
