"""The lane graph of the navigator: lines, curves at forks, and a mark for each row."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from stemmata.domain.entries.lanes import ACTIVE_COLOUR, Lanes
from stemmata.domain.navigator.outline import Shape
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

COLOURS = 8  # lane_1 … lane_8; the first is the active path's
MOST_LANES = 6  # lanes at full distance; more are drawn closer together
SIDE_OPACITY = 0.62  # of what is not on the active path
FAINT_OPACITY = 0.45  # of what a search does not find
HALO_OPACITY = 0.28
REACH = 0.32  # how far a fork's curve reaches out of its row, in rows

Passing = tuple[tuple[int, int], ...]  # (lane, colour) of the lanes that pass a row


class BranchGraph:
    """Geometry and colours of one outline. Coordinates are the viewport's."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._lanes: Lanes | None = None
        self._deepest = 0
        self._passing: dict[int, Passing] = {}  # by the first row of a line
        self._pens: dict[int, QPen] = {}
        self.restyle()

    def restyle(self) -> None:
        px = self._theme.px
        self._row = px(metrics.NAVIGATOR_ROW)
        self._first = px(metrics.LANE)
        self._radius = px(metrics.LANE_DOT) / 2
        self._line = px(metrics.LANE_LINE)
        self._pens.clear()

    def set_lanes(self, lanes: Lanes | None, deepest: int) -> None:
        self._lanes, self._deepest = lanes, deepest
        self._passing.clear()

    @property
    def width(self) -> int:
        """From the edge to where the text begins."""
        return round(self.x(self._deepest) + self._first)

    def x(self, lane: int) -> float:
        """The middle of a lane. Beyond `MOST_LANES` lanes stand closer, the whole no wider."""
        most = MOST_LANES - 1
        distance = self._theme.px(metrics.LANE)
        if self._deepest > most:
            return self._first + distance * most * lane / self._deepest
        return self._first + distance * lane

    def colour(self, number: int) -> QColor:
        """The colour of a branch; the active path's is its own."""
        at = 1 if number == ACTIVE_COLOUR else 2 + (number - 1) % (COLOURS - 1)
        return self._theme.color(f"lane_{at}")

    # -- lines ------------------------------------------------------------------------------------------------

    def paint_lines(self, painter: QPainter, place: int, top: float, *, folded: bool) -> None:
        """The lines of one row: those that pass it, and its own above and below its mark."""
        lanes = self._lanes
        assert lanes is not None
        bottom, middle = top + self._row, top + self._row / 2
        for lane, colour in self._passes(lanes.head[place]):
            self._draw(painter, colour, self.x(lane), top, bottom)
        x, colour = self.x(lanes.lane[place]), lanes.colour[place]
        if lanes.source(place) >= 0:
            self._curve(painter, self.x(lanes.source(place)), x, top, colour)
        elif lanes.parent[place] >= 0:
            self._draw(painter, colour, x, top, middle)
        if folded:
            self._draw_stub(painter, colour, x, middle + self._radius, bottom)
        elif lanes.below[place] >= 0:
            self._draw(painter, lanes.colour[lanes.below[place]], x, middle, bottom)

    def _passes(self, head: int) -> Passing:
        """Lanes left of a line, found once per line; of those that stand too close one is enough."""
        lanes = self._lanes
        assert lanes is not None
        chain: list[int] = []
        while head not in self._passing and lanes.parent[head] >= 0:
            chain.append(head)
            head = lanes.head[lanes.parent[head]]
        passing = self._passing.get(head, ())
        step = max(1, self._deepest // (MOST_LANES * self._theme.px(metrics.LANE)))
        for line in reversed(chain):
            fork = lanes.parent[line]
            if lanes.lane[fork] % step == 0:
                passing = (*passing, (lanes.lane[fork], lanes.colour[lanes.below[fork]]))
            self._passing[line] = passing
        return passing

    def _draw(self, painter: QPainter, colour: int, x: float, top: float, bottom: float) -> None:
        painter.setPen(self._pen(colour))
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))

    def _draw_stub(self, painter: QPainter, colour: int, x: float, top: float, bottom: float) -> None:
        """Something goes on here that is folded away."""
        pen = QPen(self._pen(colour))
        pen.setDashPattern((1, 1))
        painter.setPen(pen)
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))

    def _curve(self, painter: QPainter, source: float, x: float, top: float, colour: int) -> None:
        """From the source lane, above the row's upper edge, over to the row's own lane."""
        reach = self._row * REACH
        path = QPainterPath(QPointF(source, top - reach))
        path.cubicTo(QPointF(source, top + reach / 2), QPointF(x, top - reach / 2), QPointF(x, top + reach))
        path.lineTo(x, top + self._row / 2)
        painter.setPen(self._pen(colour))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)

    def _pen(self, number: int) -> QPen:
        pen = self._pens.get(number)
        if pen is None:
            pen = QPen(self.tint(number), self._line, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
            self._pens[number] = pen
        return pen

    def tint(self, number: int) -> QColor:
        """The branch's colour as it is drawn: on the ground of the list, so that nothing shines through."""
        colour = self.colour(number)
        return colour if number == ACTIVE_COLOUR else mixed(colour, self._theme.color("bg"), SIDE_OPACITY)

    # -- marks ------------------------------------------------------------------------------------------------

    def paint_mark(
        self, painter: QPainter, place: int, top: float, shape: Shape, ground: QColor, *, leaf: bool, faint: bool
    ) -> None:
        """The row's mark: dot, ring, diamond or square, on the colour of the row's band."""
        lanes = self._lanes
        assert lanes is not None
        centre = QPointF(self.x(lanes.lane[place]), top + self._row / 2)
        colour = self.tint(lanes.colour[place])
        if shape is Shape.COMPACTION:
            colour = self._theme.color("summary")
            if not lanes.is_active(place):
                colour = mixed(colour, ground, SIDE_OPACITY)
        if faint:
            colour = mixed(colour, ground, FAINT_OPACITY)
        if leaf:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(mixed(colour, ground, HALO_OPACITY))
            painter.drawEllipse(centre, self._radius * 2, self._radius * 2)
        painter.setPen(QPen(colour, self._line))
        self._draw_mark(painter, centre, shape, colour, ground)

    def paint_ring(self, painter: QPainter, place: int, top: float) -> None:
        """Around the mark: something is being written here."""
        lanes = self._lanes
        assert lanes is not None
        painter.setPen(QPen(self._theme.color("accent"), self._line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(
            QPointF(self.x(lanes.lane[place]), top + self._row / 2), self._radius * 2, self._radius * 2
        )

    def _draw_mark(self, painter: QPainter, at: QPointF, shape: Shape, colour: QColor, ground: QColor) -> None:
        radius = self._radius
        outlined = radius - self._line / 2 + 1 / 2  # as large to the eye as a filled one
        match shape:
            case Shape.USER:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                painter.drawEllipse(at, radius, radius)
            case Shape.ASSISTANT:
                painter.setBrush(ground)
                painter.drawEllipse(at, outlined, outlined)
            case Shape.COMPACTION:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                painter.drawPolygon(_diamond(at, radius * 3 / 2))
            case Shape.BRANCH_SUMMARY:
                painter.setBrush(ground)
                side = 2 * outlined - 1
                painter.drawRect(QRectF(at.x() - side / 2, at.y() - side / 2, side, side))
            case Shape.SETTING:
                painter.setBrush(ground)
                painter.drawPolygon(_diamond(at, outlined))
            case Shape.TOOL | Shape.NOTE:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                painter.drawEllipse(at, radius / 2, radius / 2)


def mixed(colour: QColor, ground: QColor, share: float) -> QColor:
    """`share` of the colour over the ground."""
    rest = 1 - share
    return QColor.fromRgbF(
        colour.redF() * share + ground.redF() * rest,
        colour.greenF() * share + ground.greenF() * rest,
        colour.blueF() * share + ground.blueF() * rest,
    )


def _diamond(at: QPointF, reach: float) -> QPolygonF:
    return QPolygonF(
        [
            QPointF(at.x(), at.y() - reach),
            QPointF(at.x() + reach, at.y()),
            QPointF(at.x(), at.y() + reach),
            QPointF(at.x() - reach, at.y()),
        ]
    )
