"""The time machine: a chart of the context's size along a branch.

Clicking, dragging or the arrow keys move a marker along the chart.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleValueChangeEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAccessibleWidget, QApplication, QSizePolicy, QToolTip, QWidget

from stemmata.domain.context.context_history import Drop
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind
from stemmata.gui.context import chart_words as words
from stemmata.gui.context.chart_body import ChartBody, ChartScale, band_at, chart_scale, diamond_center
from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import ArrowButton
from stemmata.gui.widgets.labels import set_plain_tip
from stemmata.gui.widgets.surface import TitledSection
from stemmata.services.context.contexts import Timeline


@dataclass(frozen=True, slots=True)
class ChartMarker:
    """Paints the marker, the hover line and the focus ring on top of the finished chart."""

    theme: Theme
    scale: ChartScale

    def paint(self, painter: QPainter, position: int, tokens: int, hover: int | None) -> None:
        """Paint the marker at `position`, at the height of `tokens`, and dim the part of the chart to its right.

        `hover` is the position under the mouse, or None.
        """
        theme, scale, plot = self.theme, self.scale, self.scale.plot
        if position < scale.count - 1:
            painter.setOpacity(1 - metrics.DIMMED)
            after = QRectF(QPointF(scale.x(position + 1), 0), QPointF(plot.right() + 1, plot.bottom()))
            painter.fillRect(after, theme.color("panel"))
            painter.setOpacity(1)
        if hover is not None:
            painter.setPen(QPen(theme.color("dim"), metrics.BORDER))
            self._line(painter, scale.x(hover + 0.5))
        at = scale.x(position + 0.5)
        painter.setPen(QPen(theme.color("accent"), metrics.FOCUS_BORDER))
        self._line(painter, at)
        painter.setPen(QPen(theme.color("panel"), metrics.FOCUS_BORDER))
        painter.setBrush(theme.color("accent"))
        radius = theme.px(metrics.LANE_DOT) / 2
        painter.drawEllipse(QPointF(at, scale.y(tokens)), radius, radius)

    def paint_focus(self, painter: QPainter, place: QRect) -> None:
        """Paint the focus ring inside `place`."""
        painter.setPen(QPen(self.theme.color("accent"), metrics.BORDER))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        half, radius = metrics.BORDER / 2, self.theme.px(metrics.RADIUS_BAR)
        painter.drawRoundedRect(QRectF(place).adjusted(half, half, -half, -half), radius, radius)

    def _line(self, painter: QPainter, x: float) -> None:
        painter.drawLine(QPointF(x, self.scale.plot.top()), QPointF(x, self.scale.plot.bottom()))


class ChartInterface(QAccessibleWidget):
    """The accessible interface of the chart; its value is the sentence for the marker's position."""

    def __init__(self, chart: ContextChart) -> None:
        super().__init__(chart, QAccessible.Role.Chart)
        self._chart = chart

    def text(self, which: QAccessible.Text) -> str:
        if which is QAccessible.Text.Value:
            return self._chart.spoken
        return super().text(which)


def install(kind: type[ContextChart]) -> None:
    """Register the factory that creates accessible interfaces for charts. Calling it twice is harmless.

    The chart keeps a reference to its interface, because Qt does not.
    """

    def interface_of(_name: str, thing: QObject) -> ChartInterface | None:
        if not isinstance(thing, kind):
            return None
        thing.interface = ChartInterface(thing)
        return thing.interface

    QAccessible.installFactory(interface_of)


def announce_value(chart: ContextChart) -> None:
    """Tell screen readers that the chart's value changed."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(chart, chart.spoken))


FRAME_MS = 16
LEFT = Qt.MouseButton.LeftButton
KEYS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End)


class ContextChart(QWidget):
    """The chart widget. Moving the marker repaints only the marker; the rest is a cached pixmap.

    Signals carry store keys of entries.
    """

    position_requested = Signal(int)  # store key; at most once per frame, and the last position is always sent
    band_requested = Signal(int, object)  # store key, Category

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # time runs from left to right in every language
        install(ContextChart)
        self.interface: ChartInterface | None = None  # keeps the interface alive
        self._theme = theme
        self._timeline: Timeline | None = None
        self.scale: ChartScale | None = None
        self._body: QPixmap | None = None
        self._stretched: QPixmap | None = None  # the picture of another size or time line, until there is a new one
        self._waits = False  # whether nothing is painted until there is a first picture
        self._sharp = SpareTurn(self, TurnClock(self), self._paint_new_picture)
        self._band: Category | None = None
        self._position = 0
        self._told = -1  # the position sent with the last `position_requested`
        self._hover: int | None = None
        self._pressed: QPoint | None = None
        self._dragged = False
        self._by_keys = False  # the focus ring is shown only when the keyboard gave the focus
        self._frame = QTimer(self, singleShot=True, interval=FRAME_MS)
        self._frame.timeout.connect(self._tell)
        self.setAccessibleName(self.tr("Context over time"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._restyle()

    # -- display ----------------------------------------------------------------------------------------------

    @property
    def timeline(self) -> Timeline | None:
        """The displayed timeline; None when the chart is empty."""
        return self._timeline

    @property
    def position(self) -> int:
        """Position of the marker: an index into the timeline's entries."""
        return self._position

    @property
    def band(self) -> Category | None:
        """The highlighted category, or None."""
        return self._band

    @property
    def spoken(self) -> str:
        """The sentence that screen readers say for the marker's position; "" when the chart is empty."""
        return "" if self._timeline is None else words.spoken(self._timeline, self._position)

    def show_timeline(self, timeline: Timeline | None, position: int = 0) -> None:
        """Show `timeline` with the marker at `position`. None or an empty timeline clears the chart.

        A drag that is under way continues if the new timeline has the same entry at the marker.
        """
        marked = self._marked
        self._timeline = timeline if timeline is not None and len(timeline.history) else None
        self._band, self._hover, self._told = None, None, -1
        if self._timeline is None or self._marked != marked:
            self._pressed = None
            self._frame.stop()
        self.setAccessibleDescription("" if self._timeline is None else words.outlined(self._timeline))
        self._relayout_later()
        self.set_position(position)

    def set_position(self, position: int) -> None:
        """Move the marker without emitting `position_requested`. Ignored while the user drags the marker."""
        is_waiting = self._frame.isActive() and self._position != self._told
        if self._pressed is None and not is_waiting:
            if position != self._position:
                self._move_marker(position)
                self.set_band(None)
            self._told = self._position

    def set_band(self, band: Category | None) -> None:
        """Highlight one category; None highlights none."""
        if band != self._band:
            self._band, self._body = band, None
            self.update()

    def key_at(self, position: int) -> int:
        """Return the store key of the entry at a position."""
        assert self._timeline is not None
        line = self._timeline.history.path_totals
        return line.tree.key(line.path[position])

    @property
    def _marked(self) -> int | None:
        """Store key of the entry at the marker; None where the timeline has no entry."""
        has_entry = self._timeline is not None and self._position < len(self._timeline.history)
        return self.key_at(self._position) if has_entry else None

    def tooltip_at(self, place: QPointF) -> str:
        """Return the tooltip (rich text) for a point of the widget; "" when the chart is empty."""
        if self._timeline is None or self.scale is None:
            return ""
        drop = self._drop_near(place)
        return words.tooltip(self._theme, self._timeline, self._position_at(place), drop)

    # -- mouse ------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == LEFT and self._timeline is not None:
            self._pressed, self._dragged, self._by_keys = event.position().toPoint(), False, False
            self._go_to(self._position_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._timeline is None:
            return
        place = event.position()
        self._hover = self._position_at(place)
        if self._pressed is not None:
            far = (place.toPoint() - self._pressed).manhattanLength() >= QApplication.startDragDistance()
            self._dragged = self._dragged or far
            if self._dragged:
                self._go_to(self._hover)
        QToolTip.showText(event.globalPosition().toPoint(), self.tooltip_at(place), self)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != LEFT or self._pressed is None:
            return
        self._pressed = None
        self._tell()
        if not self._dragged and self._timeline is not None and self.scale is not None:
            point = self._timeline.history.point(self._position)
            band = band_at(self.scale, point, event.position().y())
            if band is not None:
                self.set_band(band)
                self.band_requested.emit(self.key_at(self._position), band)

    def leaveEvent(self, _event: QEvent) -> None:
        self._hover = None
        self.update()

    # -- keys -------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        target = self._target(event)
        if target is None:
            super().keyPressEvent(event)
        else:
            self._by_keys = True
            self._go_to(target)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_keys = event.reason() != Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)

    def _target(self, event: QKeyEvent) -> int | None:
        """Return the position that a key moves the marker to; None for keys that the chart does not handle."""
        if self._timeline is None or event.key() not in KEYS:
            return None
        history, at = self._timeline.history, self._position
        by_turn = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        cliffs = [drop.position for drop in history.drops if drop.kind is Kind.COMPACTION]
        match event.key():
            case Qt.Key.Key_Left:
                return _before(history.turns, at) if by_turn else at - 1
            case Qt.Key.Key_Right:
                return _after(history.turns, at, len(history) - 1) if by_turn else at + 1
            case Qt.Key.Key_PageUp:
                return _before(cliffs, at)
            case Qt.Key.Key_PageDown:
                return _after(cliffs, at, len(history) - 1)
            case Qt.Key.Key_Home:
                return 0
        return len(history) - 1

    # -- moving -----------------------------------------------------------------------------------------------

    def _go_to(self, position: int) -> None:
        """Move the marker and emit `position_requested`: now, or at the end of the current frame."""
        self._move_marker(position)
        self.set_band(None)
        if not self._frame.isActive():
            self._tell()

    def _tell(self) -> None:
        if self._timeline is not None and self._position != self._told:
            self._told = self._position
            self.position_requested.emit(self.key_at(self._position))
            self._frame.start()  # restarted here, because the receivers may have taken longer than a frame

    def _move_marker(self, position: int) -> None:
        count = 0 if self._timeline is None else len(self._timeline.history)
        position = min(max(position, 0), max(0, count - 1))
        if position != self._position:
            self._position = position
            announce_value(self)
        self.update()

    def _position_at(self, place: QPointF) -> int:
        """Return the position at a point; on a diamond, the position of its compaction."""
        assert self.scale is not None
        drop = self._drop_near(place)
        if drop is not None and abs(place.y() - diamond_center(self.scale, drop).y()) <= self._theme.px(
            metrics.DIAMOND
        ):
            return drop.position
        return self.scale.position(place.x())

    def _drop_near(self, place: QPointF) -> Drop | None:
        """Return the compaction or pruning nearest to a point; None when none is within half a diamond."""
        assert self._timeline is not None
        assert self.scale is not None
        scale, drops = self.scale, self._timeline.history.drops
        reach = self._theme.px(metrics.DIAMOND) / 2
        near = [drop for drop in drops if abs(scale.x(drop.position) - place.x()) <= reach]
        return min(near, key=lambda drop: abs(scale.x(drop.position) - place.x()), default=None)

    # -- painting ---------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(metrics.COLUMN_MINIMUMS[3]), self._theme.px(metrics.CHART))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._theme.px(metrics.CHART))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._relayout_later()
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        if self._stretched is not None or self._waits:
            self._sharp.start()
        super().showEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._timeline is None or self.scale is None or self._waits:
            return
        ratio = self.devicePixelRatioF()
        if self._stretched is None and (self._body is None or self._body.devicePixelRatio() != ratio):
            self._body = self._painted(self._timeline, self.scale)
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # a painter takes the application's direction by default
        shown = self._body if self._stretched is None else self._stretched
        assert shown is not None
        painter.drawPixmap(self.rect(), shown)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        marker, hover = ChartMarker(self._theme, self.scale), self._hover if self._pressed is None else None
        marker.paint(painter, self._position, self._timeline.history.totals[self._position], hover)
        if self.hasFocus() and self._by_keys:
            marker.paint_focus(painter, self.rect())
        painter.end()

    def _relayout(self) -> None:
        timeline = self._timeline
        self.scale = None if timeline is None else chart_scale(self._theme, timeline, self.size())
        self._body, self._stretched, self._waits = None, None, False
        self.update()

    def _relayout_later(self) -> None:
        """Show the old picture until a turn has time to paint a new one, because this turn also paints the other
        columns. Without an old picture the chart is empty until then, if the window changes in turns.
        """
        before = self._body or self._stretched
        self._relayout()
        if self._timeline is not None and (before is not None or self._theme.takes_turns):
            self._stretched, self._waits = before, before is None
            self._sharp.start()

    def _paint_new_picture(self) -> None:
        """Paint a new picture in place of the old one; a hidden chart does it when it is shown."""
        if self.isVisible() and self._timeline is not None and self.scale is not None:
            self._stretched, self._body, self._waits = None, self._painted(self._timeline, self.scale), False
            self.update()

    def _painted(self, timeline: Timeline, scale: ChartScale) -> QPixmap:
        body = ChartBody(self._theme, timeline, scale, self._band)
        return body.pixmap(self.size(), self.devicePixelRatioF())

    def _restyle(self) -> None:
        self.setFixedHeight(self._theme.px(metrics.CHART))
        self._relayout()


def _before(positions: Sequence[int], at: int) -> int:
    """Return the last of the sorted `positions` before `at`; 0 when there is none."""
    index = bisect_left(positions, at)
    return positions[index - 1] if index else 0


def _after(positions: Sequence[int], at: int, end: int) -> int:
    """Return the first of the sorted `positions` after `at`; `end` when there is none."""
    index = bisect_right(positions, at)
    return positions[index] if index < len(positions) else end


class OverTimeSection(TitledSection):
    """The section "Over time": the chart and a note on the marker's position.

    It is shown together with the figures above it. So the sections below it move once, also when its timeline comes
    later.
    """

    unfolded = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__("", rule=True)
        self.title.setText(self.tr("Over time"))
        self.chart = ContextChart(theme)
        self.fold = ArrowButton(theme, "chevron-down", self.tr("Fold the chart"))
        self.fold.setCheckable(True)
        self.fold.toggled.connect(self._on_folded)
        self.head.addWidget(self.fold)
        self._theme = theme
        theme.changed.connect(self._restyle)
        self._restyle()
        self.body.addWidget(self.chart)
        self.chart.position_requested.connect(self._show_note)
        self.show_timeline(None)

    @property
    def is_folded(self) -> bool:
        """Whether the user folded the chart away."""
        return self.fold.isChecked()

    def show_timeline(self, timeline: Timeline | None, position: int = 0) -> None:
        """Show a timeline with the marker at `position`. None empties the chart and hides the section."""
        self.chart.show_timeline(timeline, position)
        if timeline is None:
            self.hide()
        self._show_note()

    def set_position(self, position: int) -> None:
        """Move the marker without emitting a signal."""
        self.chart.set_position(position)
        self._show_note()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_note()

    def _show_note(self) -> None:
        timeline = self.chart.timeline
        if timeline is None:
            self.note.setText("")
            return
        full, short = words.notes(timeline.history, self.chart.position)
        margins, gaps = self.body.contentsMargins(), 2 * self.head.spacing()
        taken = margins.left() + margins.right() + gaps + self.title.sizeHint().width() + self.fold.sizeHint().width()
        fits = self.note.fontMetrics().horizontalAdvance(full) <= self.width() - taken
        self.note.setText(full if fits else short)

    def _restyle(self) -> None:
        """Size the fold button so that the heading is as high as headings without a button."""
        side = self._theme.px(metrics.SMALL_LINE)
        self.fold.setFixedSize(side, side)

    def _on_folded(self) -> None:
        folded = self.fold.isChecked()
        self.chart.setVisible(not folded)
        name = self.tr("Unfold the chart") if folded else self.tr("Fold the chart")
        self.fold.set_icon("chevron-right" if folded else "chevron-down")
        self.fold.setAccessibleName(name)
        set_plain_tip(self.fold, name)
        if not folded:
            self.unfolded.emit()
