"""Paints the lane graph of the navigator: lines, curves at forks, and a mark for each row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from stemmata.domain.entries.lanes import ACTIVE_COLOUR, Lanes
from stemmata.domain.navigator.outline import Shape, Stretch
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

COLOURS = 8  # lane_1 … lane_8; the first is the active path's
MOST_LANES = 6  # lanes at full distance; more are drawn closer together
SIDE_OPACITY = 0.62  # opacity of rows that are not on the active path
FAINT_OPACITY = 0.45  # opacity of rows that do not match a search
HALO_OPACITY = 0.28
REACH = 0.32  # vertical extent of a fork's curve above its row, in rows

Passing = tuple[tuple[int, int], ...]  # (lane, colour) of the lanes that pass a row


class BranchGraph:
    """The geometry and the colours of an outline's lanes. Coordinates are those of the viewport."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._lanes: Lanes | None = None
        self._deepest = 0
        self._passing: dict[int, Passing] = {}  # passing lanes, by the place of a line's first row
        self._pens: dict[tuple[int, bool], QPen] = {}
        self._viewed: Sequence[Stretch] = ()  # the lines of the path that the transcript shows
        self.restyle()

    def restyle(self) -> None:
        """Read the sizes and the colours of the theme again."""
        px = self._theme.px
        self._row = px(metrics.NAVIGATOR_ROW)
        self._first = px(metrics.LANE)
        self._radius = px(metrics.LANE_DOT) / 2
        self._line = px(metrics.LANE_LINE)
        self._pens.clear()

    def set_lanes(self, lanes: Lanes | None, deepest: int) -> None:
        """Set the lanes to paint; `deepest` is the index of the rightmost lane."""
        self._lanes, self._deepest = lanes, deepest
        self._passing.clear()

    def set_viewed(self, lines: Sequence[Stretch]) -> None:
        """Set the lines that are painted stronger: those of the path that the transcript shows."""
        self._viewed = lines

    def _is_viewed(self, lane: int, place: int) -> bool:
        return any(part.lane == lane and part.first <= place <= part.last for part in self._viewed)

    @property
    def width(self) -> int:
        """The width of the graph, in pixels: the text begins there."""
        return round(self.x(self._deepest) + self._first)

    def x(self, lane: int) -> float:
        """Return the x of a lane's centre. More than `MOST_LANES` lanes are drawn closer, within the same width."""
        most = MOST_LANES - 1
        distance = self._theme.px(metrics.LANE)
        if self._deepest > most:
            return self._first + distance * most * lane / self._deepest
        return self._first + distance * lane

    def colour(self, number: int) -> QColor:
        """Return the colour of a branch by its number; the active path has its own colour."""
        at = 1 if number == ACTIVE_COLOUR else 2 + (number - 1) % (COLOURS - 1)
        return self._theme.color(f"lane_{at}")

    # -- lines ------------------------------------------------------------------------------------------------

    def paint_lines(self, painter: QPainter, place: int, top: float, *, folded: bool) -> None:
        """Paint the lines of a row: those of passing lanes, and its own lines above and below its mark."""
        lanes = self._lanes
        assert lanes is not None
        bottom, middle = top + self._row, top + self._row / 2
        for lane, colour in self._passes(lanes.head[place]):
            self._draw(painter, self._pen(colour, viewed=self._is_viewed(lane, place)), self.x(lane), top, bottom)
        own = lanes.lane[place]
        x, pen = self.x(own), self._pen(lanes.colour[place], viewed=self._is_viewed(own, place))
        if lanes.source(place) >= 0:
            self._curve(painter, self.x(lanes.source(place)), x, top, pen)
        elif lanes.parent[place] >= 0:
            self._draw(painter, pen, x, top, middle)
        below = lanes.below[place]
        if folded:
            self._draw_stub(painter, pen, x, middle + self._radius, bottom)
        elif below >= 0:
            pen = self._pen(lanes.colour[below], viewed=self._is_viewed(own, below))
            self._draw(painter, pen, x, middle, bottom)

    def _passes(self, head: int) -> Passing:
        """Return the lanes that pass left of a line, cached per line, without lanes too close to tell apart."""
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

    def _draw(self, painter: QPainter, pen: QPen, x: float, top: float, bottom: float) -> None:
        painter.setPen(pen)
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))

    def _draw_stub(self, painter: QPainter, pen: QPen, x: float, top: float, bottom: float) -> None:
        """Paint a dashed line, which shows that the rows below are folded."""
        pen = QPen(pen)
        pen.setDashPattern((1, 1))
        painter.setPen(pen)
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))

    def _curve(self, painter: QPainter, source: float, x: float, top: float, pen: QPen) -> None:
        """Paint a fork's curve from the source lane, above the row's top edge, to the row's own lane."""
        reach = self._row * REACH
        path = QPainterPath(QPointF(source, top - reach))
        path.cubicTo(QPointF(source, top + reach / 2), QPointF(x, top - reach / 2), QPointF(x, top + reach))
        path.lineTo(x, top + self._row / 2)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)

    def _pen(self, number: int, *, viewed: bool) -> QPen:
        pen = self._pens.get((number, viewed))
        if pen is None:
            colour = self.colour(number) if viewed else self.tint(number)
            width = self._theme.px(metrics.VIEWED_LINE) if viewed else self._line
            pen = QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
            self._pens[number, viewed] = pen
        return pen

    def tint(self, number: int) -> QColor:
        """Return the opaque colour of a branch's lines, mixed with the list's background."""
        colour = self.colour(number)
        return colour if number == ACTIVE_COLOUR else mixed(colour, self._theme.color("bg"), SIDE_OPACITY)

    # -- marks ------------------------------------------------------------------------------------------------

    def paint_mark(
        self, painter: QPainter, place: int, top: float, shape: Shape, ground: QColor, *, leaf: bool, faint: bool
    ) -> None:
        """Paint the row's mark: a dot, ring, diamond or square. `ground` is the background colour of the row."""
        lanes = self._lanes
        assert lanes is not None
        centre = QPointF(self.x(lanes.lane[place]), top + self._row / 2)
        viewed = self._is_viewed(lanes.lane[place], place)
        colour = self.colour(lanes.colour[place]) if viewed else self.tint(lanes.colour[place])
        if shape is Shape.COMPACTION:
            colour = self._theme.color("summary")
            if not lanes.is_active(place) and not viewed:
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
        """Paint a ring around the mark of a row whose reply is streaming."""
        lanes = self._lanes
        assert lanes is not None
        painter.setPen(QPen(self._theme.color("accent"), self._line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(
            QPointF(self.x(lanes.lane[place]), top + self._row / 2), self._radius * 2, self._radius * 2
        )

    def _draw_mark(self, painter: QPainter, at: QPointF, shape: Shape, colour: QColor, ground: QColor) -> None:
        radius = self._radius
        outlined = radius - self._line / 2 + 1 / 2  # optically as large as a filled mark
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
    """Return the opaque mix of `share` of the colour and the rest of the ground."""
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
