"""The time line of a file: a dot for each step, those of other branches below the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from stemmata.domain.files.log import FileStep
from stemmata.gui.files.words import caption_text
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.readable_value import ReadableValue, announce_value, install_readable_values
from stemmata.gui.widgets.surface import set_surface


@dataclass(frozen=True, slots=True)
class Dot:
    """A step on the time line. `branch` is the name of another branch, "" for a step of the shown one.

    `place` numbers the changes of the shown branch, of which there are `count`; it is 0 for other steps.
    """

    told: FileStep
    branch: str
    color: str
    place: int = 0
    count: int = 0

    @property
    def is_here(self) -> bool:
        """Whether the step is on the shown branch."""
        return not self.branch

    @property
    def caption(self) -> str:
        """The words above the dot while it is selected."""
        return caption_text(self.told, self.branch, self.place, self.count)


class FileTimeline(QWidget, ReadableValue):
    """The steps of a file from left to right. A click, the arrow keys, Home and End choose a step."""

    step_chosen = Signal(int)  # position of the dot

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        install_readable_values()
        set_surface(self, "bg", "bottom")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # time goes to the right, as in the chart
        self.setAccessibleName(self.tr("Time line of the file"))
        self._theme = theme
        self._dots: tuple[Dot, ...] = ()
        self._at = -1
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_dots(self, dots: Sequence[Dot], at: int) -> None:
        """Show the steps; `at` is the selected one, -1 for none."""
        self._dots, self._at = tuple(dots), at
        self.update()
        announce_value(self, self)

    @property
    def at(self) -> int:
        """The position of the selected dot, -1 for none."""
        return self._at

    @property
    def spoken(self) -> str:
        """The selected step in words."""
        return self._dots[self._at].caption if 0 <= self._at < len(self._dots) else ""

    def accessible_role(self) -> QAccessible.Role:
        return QAccessible.Role.Slider

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(metrics.POPUP), self.height())

    def x_of(self, at: int) -> float:
        """Return the place of a dot, in pixels from the left."""
        margin = self._theme.px(metrics.SPACE[8])
        room = max(self.width() - 2 * margin, 1)
        return margin + (room / 2 if len(self._dots) < 2 else room * at / (len(self._dots) - 1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self._dots) - 1
        steps = {
            Qt.Key.Key_Left: self._at - 1,
            Qt.Key.Key_Right: self._at + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        wanted = steps.get(Qt.Key(event.key()))
        if wanted is None:
            super().keyPressEvent(event)
        elif 0 <= wanted <= last and wanted != self._at:
            self.step_chosen.emit(wanted)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._dots and event.button() == Qt.MouseButton.LeftButton:
            x = event.position().x()
            first, last = self.x_of(0), self.x_of(len(self._dots) - 1)
            share = 0.0 if last <= first else (x - first) / (last - first)
            self.step_chosen.emit(min(max(round(share * (len(self._dots) - 1)), 0), len(self._dots) - 1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._theme.color("bg"))
        painter.setPen(self._theme.color("line"))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        middle, margin = self._middle(), self._theme.px(metrics.SPACE[6])
        painter.setPen(QPen(self._theme.color("line"), metrics.LANE_LINE))
        painter.drawLine(QPointF(margin, middle), QPointF(self.width() - margin, middle))
        last = -1
        for at, dot in enumerate(self._dots):
            x = round(self.x_of(at))
            if x != last or at == self._at or not dot.is_here:  # of thousands of dots, paint only the visible ones
                self._paint_dot(painter, at, dot)
            last = x
        if 0 <= self._at < len(self._dots):
            self._paint_dot(painter, self._at, self._dots[self._at])
            self._paint_caption(painter)
        painter.end()

    def _middle(self) -> float:
        return self.height() / 2

    def _paint_dot(self, painter: QPainter, at: int, dot: Dot) -> None:
        drop = 0 if dot.is_here else self._theme.px(metrics.SPACE[6])
        center, radius = QPointF(self.x_of(at), self._middle() + drop), self._theme.px(metrics.LANE_DOT) / 2
        painter.setPen(Qt.PenStyle.NoPen)
        if at == self._at:
            ring = QColor(self._theme.color(dot.color))
            ring.setAlphaF(metrics.FADED)
            painter.setBrush(self._theme.color("bg"))
            painter.drawEllipse(center, radius * 1.6, radius * 1.6)
            painter.setBrush(ring)
            painter.drawEllipse(center, radius * 1.6, radius * 1.6)
        painter.setBrush(self._theme.color(dot.color))
        painter.drawEllipse(center, radius, radius)
        if at == self._at and self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("accent"), metrics.FOCUS_BORDER))
            painter.drawEllipse(center, radius * 2, radius * 2)

    def _paint_caption(self, painter: QPainter) -> None:
        dot = self._dots[self._at]
        painter.setFont(self._theme.font("small"))
        painter.setPen(self._theme.color(dot.color if dot.color != "faint" else "dim"))
        width = painter.fontMetrics().horizontalAdvance(dot.caption) + 2
        room = self._middle() - self._theme.px(metrics.LANE_DOT)
        place = QRectF(self.caption_left(width), 0, width, room)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, dot.caption)

    def caption_left(self, width: float) -> float:
        """Return where a caption of this width begins: above its dot, and as far from the edges as the line is."""
        margin = self._theme.px(metrics.SPACE[6])
        return max(
            min(self.x_of(self._at) - width / 2, self.width() - margin - width), min(margin, self.width() - width)
        )

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.SESSION_ROW + metrics.SPACE[6]))
        self.update()
