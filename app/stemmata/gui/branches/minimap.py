"""The navigator's scroll bar: an overview of the whole session, with a frame around the visible part."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import groupby

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QScrollBar

from stemmata.domain.navigator.outline import EMPTY, Overview, overview_of
from stemmata.gui.branches.finder import Compute
from stemmata.gui.branches.graph import COLOURS, BranchGraph, mixed
from stemmata.gui.branches.model import BranchesModel
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

LANES = 3  # columns; further lanes share the last column
WIDTH = metrics.SPACE[6]
INSET = metrics.SPACE[1]  # margin left of the first lane, so that it does not look like the column's edge
GROUND = "panel"  # background colour
LEAST_FRAME = metrics.SPACE[5]  # minimum height of the frame
FRAME_OPACITY = 0.12
EDGE_OPACITY = 0.25
LANE_OPACITY = 0.45  # fainter than the marks, which matter more
AT_ONCE = 1000  # maximum number of forks and labels for which the overview takes only a few milliseconds


class Minimap(QScrollBar):
    """A scroll bar that shows an overview of all rows. A click or a drag scrolls the list."""

    resized = Signal()

    def __init__(self, theme: Theme, model: BranchesModel, graph: BranchGraph) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.setAccessibleName(self.tr("Overview of the session"))
        self.setAccessibleDescription(
            self.tr("Scrolls the branches, and marks labels, compactions and the matches of a search.")
        )
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._theme, self._model, self._graph = theme, model, graph
        self._overview: Overview | None = None
        self._picture: QPixmap | None = None  # the painted overview, without the frame
        self._held: float | None = None  # y within the frame at which the mouse drags it

    @property
    def overview(self) -> Overview | None:
        """The overview that is shown, None for none."""
        return self._overview

    def show_overview(self, overview: Overview | None) -> None:
        """Show an overview, None for none."""
        self._overview = overview
        self.restyle()

    def show_matches(self) -> None:
        """Repaint the marks after the matches of a search have changed."""
        self.restyle()

    def restyle(self) -> None:
        """Repaint after a change of the theme or the overview."""
        self._picture = None
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(WIDTH), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    # -- painting ---------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._picture is None or self._picture.devicePixelRatio() != self.devicePixelRatioF():
            self._picture = self._new_picture()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPixmap(self.rect(), self._picture)
        frame = self.frame.adjusted(1 / 2, 1 / 2, -1 / 2, -1 / 2)
        painter.setPen(QPen(self._veil(EDGE_OPACITY), metrics.BORDER))
        painter.setBrush(self._veil(FRAME_OPACITY))
        radius = self._theme.px(metrics.RADIUS_BAR) / 2
        painter.drawRoundedRect(frame, radius, radius)
        reading = self._model.reading_row
        if reading is not None and self._overview is not None and self._overview.lines:
            y = self._overview.line(reading) * self.height() // self._overview.lines
            painter.fillRect(self._tick(y), self._theme.color("accent"))
        painter.end()

    def _tick(self, y: int) -> QRect:
        thick = self._theme.px(metrics.LANE_LINE)
        return QRect(0, y - thick // 2, self.width(), thick)

    @property
    def frame(self) -> QRectF:
        """The rectangle of the visible part."""
        whole, height = max(1, self.maximum() + self.pageStep()), self.height()
        least = min(height, self._theme.px(LEAST_FRAME))
        tall = max(least, self.pageStep() * height / whole)
        share = self.value() / self.maximum() if self.maximum() else 0
        return QRectF(0, (height - tall) * share, self.width(), tall)

    def _veil(self, opacity: float) -> QColor:
        out = QColor(self._theme.color("text"))
        out.setAlphaF(opacity)
        return out

    def _new_picture(self) -> QPixmap:
        ratio, theme, overview = self.devicePixelRatioF(), self._theme, self._overview
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(theme.color(GROUND))
        if overview is None or not overview.lines:
            return picture
        painter = QPainter(picture)
        # scale an overview of another height until its update arrives
        painter.scale(1, self.height() / overview.lines)
        thick, width = theme.px(metrics.LANE_LINE), self.width()
        for lane, cells in enumerate(overview.columns):
            self._paint_lane(painter, self._column_x(lane), thick, cells)
        for viewed, top, height in self._viewed_lines(overview):
            painter.fillRect(QRect(self._column_x(viewed), top, thick, height), theme.color("lane_1"))
        ticks = (
            (overview.labels, "tool", width - 2 * thick),
            (overview.compactions, "summary", 0),
            ({overview.line(row) for row in self._model.match_rows}, "text", width // 2),
        )
        for lines, color, left in ticks:
            for line in lines:
                painter.fillRect(QRect(left, line - thick // 2, width - left, thick), theme.color(color))
        painter.end()
        return picture

    def _column_x(self, lane: int) -> int:
        """Return the x of a column, in pixels."""
        thick = self._theme.px(metrics.LANE_LINE)
        return self._theme.px(INSET) + lane * (thick + thick // 2)

    def _viewed_lines(self, overview: Overview) -> Iterator[tuple[int, int, int]]:
        """Yield column, top and height of the lines of the path that the transcript shows."""
        places = self._model.places
        for part in self._model.viewed:
            first, last = bisect_left(places, part.first), bisect_right(places, part.last)
            top, bottom = first * overview.lines // overview.rows, -(-last * overview.lines // overview.rows)
            yield min(part.lane, LANES - 1), top, max(bottom - top, 1)

    def _paint_lane(self, painter: QPainter, left: int, thick: int, cells: bytes) -> None:
        top = 0
        for cell, run in groupby(cells):
            height = len(list(run))
            if cell != EMPTY:
                colour = mixed(self._graph.tint(cell - 1), self._theme.color(GROUND), LANE_OPACITY)
                painter.fillRect(QRect(left, top, thick, height), colour)
            top += height

    # -- mouse ------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start a drag; a click outside the frame first centres the frame on the mouse."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        y, frame = event.position().y(), self.frame
        self._held = y - frame.top() if frame.top() <= y <= frame.bottom() else frame.height() / 2
        self._drag_to(y)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._drag_to(event.position().y())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._held = None

    def _drag_to(self, y: float) -> None:
        room = self.height() - self.frame.height()
        if room > 0 and self._held is not None:
            self.setValue(round((y - self._held) / room * self.maximum()))


class MinimapFeed(QObject):
    """Keeps the minimap's overview up to date; computes it in the background when it is large."""

    def __init__(self, minimap: Minimap, model: BranchesModel, compute: Compute) -> None:
        super().__init__(minimap)
        self._minimap, self._model, self._compute = minimap, model, compute
        self._run = 0
        minimap.resized.connect(self.refresh)

    def refresh(self) -> None:
        """Update the overview after a change of the rows or the height."""
        self._run += 1
        run, outline, places, lines = self._run, self._model.outline, self._model.places, self._minimap.height()
        if outline is None:
            self._minimap.show_overview(None)
        elif not self._minimap.maximum():
            return  # the scroll bar is hidden, since all rows are visible
        elif len(outline.breaks) + len(outline.labels) <= AT_ONCE:
            self._minimap.show_overview(overview_of(outline, places, lines, LANES, COLOURS))
        else:
            self._compute(
                lambda: overview_of(outline, places, lines, LANES, COLOURS), lambda value: self._take(run, value)
            )

    def _take(self, run: int, overview: Overview) -> None:
        if run == self._run:
            self._minimap.show_overview(overview)
