"""The navigator's scroll bar: the whole session at a glance, with the part that is in sight framed."""

from __future__ import annotations

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

LANES = 3  # columns; lanes further right share the last
WIDTH = metrics.SPACE[6]
INSET = metrics.SPACE[1]  # before the first lane, which else looks like the column's edge
GROUND = "panel"  # a gutter beside the rows
LEAST_FRAME = metrics.SPACE[5]  # of a view that is nothing beside the whole
FRAME_OPACITY = 0.12
EDGE_OPACITY = 0.25
LANE_OPACITY = 0.45  # less than of marks, which are what one looks for
AT_ONCE = 1000  # forks and labels that are gone through within a few milliseconds


class Minimap(QScrollBar):
    """Shown, as scroll bars are, while the list is longer than the view. A click or a drag scrolls there."""

    resized = Signal()

    def __init__(self, theme: Theme, model: BranchesModel, graph: BranchGraph) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.setAccessibleName(self.tr("Overview of the session"))
        self.setAccessibleDescription(
            self.tr("Scrolls the branches. Marks where labels, compactions and matches of a search are.")
        )
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._theme, self._model, self._graph = theme, model, graph
        self._overview: Overview | None = None
        self._picture: QPixmap | None = None  # without the frame
        self._held: float | None = None  # where in the frame the mouse holds it

    @property
    def overview(self) -> Overview | None:
        return self._overview

    def show_overview(self, overview: Overview | None) -> None:
        self._overview = overview
        self.restyle()

    def show_matches(self) -> None:
        """Other rows match a search, or none does."""
        self.restyle()

    def restyle(self) -> None:
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
        painter.end()

    @property
    def frame(self) -> QRectF:
        """The part in sight."""
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
        painter.scale(1, self.height() / overview.lines)  # what was made for another height is right in a moment
        thick, width = theme.px(metrics.LANE_LINE), self.width()
        for lane, cells in enumerate(overview.columns):
            self._paint_lane(painter, theme.px(INSET) + lane * (thick + thick // 2), thick, cells)
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
        """Beside the frame its middle comes to the mouse."""
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
    """Keeps the minimap true: at once where that is quick, away from this thread where it is not."""

    def __init__(self, minimap: Minimap, model: BranchesModel, compute: Compute) -> None:
        super().__init__(minimap)
        self._minimap, self._model, self._compute = minimap, model, compute
        self._run = 0
        minimap.resized.connect(self.refresh)

    def refresh(self) -> None:
        """Other rows, or another height."""
        self._run += 1
        run, outline, places, lines = self._run, self._model.outline, self._model.places, self._minimap.height()
        if outline is None:
            self._minimap.show_overview(None)
        elif not self._minimap.maximum():
            return  # not shown: all is in sight
        elif len(outline.breaks) + len(outline.labels) <= AT_ONCE:
            self._minimap.show_overview(overview_of(outline, places, lines, LANES, COLOURS))
        else:
            self._compute(
                lambda: overview_of(outline, places, lines, LANES, COLOURS), lambda value: self._take(run, value)
            )

    def _take(self, run: int, overview: Overview) -> None:
        if run == self._run:
            self._minimap.show_overview(overview)
