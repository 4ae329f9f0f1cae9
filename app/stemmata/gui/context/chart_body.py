"""The static part of the context chart: stacked bands, a grid, the limits, and marks for compactions and prunings."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPixmap, QPolygonF

from stemmata.domain.context.breakdown import Budget
from stemmata.domain.context.context_history import ContextHistory, Drop, Point
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Kind
from stemmata.gui.context import chart_words as words
from stemmata.gui.context.chart_words import tr
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.context_words import COLORS
from stemmata.gui.widgets.figures import tokens_text
from stemmata.services.context.contexts import Timeline

HEADROOM = 1.06  # factor on the highest value, so that it does not touch the edge
LEAST_FILL = 0.3  # a limit is drawn when the context reaches at least this share of it
STEPS = (1, 2, 5, 10)
MOST_LINES = 5
FOOT = metrics.SPACE[3]  # between the plot and the times: as high as the lower half of the marker at zero
LEAST_ACROSS = 12  # positions that the plot has room for at least
NO_PEN = Qt.PenStyle.NoPen


@dataclass(frozen=True, slots=True)
class ChartScale:
    """Converts positions and tokens to pixels and back. `top` is the number of tokens at the upper edge.

    A short history does not fill the plot: a single entry would be a slab as wide as the column.
    """

    plot: QRectF
    count: int
    top: float

    @property
    def across(self) -> int:
        """The number of positions for which the plot has space."""
        return max(LEAST_ACROSS, self.count)

    def x(self, position: float) -> float:
        """Return the left edge of a position, in pixels. A position ends where the next one begins."""
        return self.plot.left() + position * self.plot.width() / self.across

    def y(self, tokens: float) -> float:
        """Return the height of `tokens`, in pixels from the top."""
        return self.plot.bottom() - min(tokens / self.top, 1) * self.plot.height()

    def position(self, x: float) -> int:
        """Return the position at a horizontal pixel; outside the plot, the first or last position."""
        at = int((x - self.plot.left()) * self.across / max(1.0, self.plot.width()))
        return min(max(at, 0), max(0, self.count - 1))

    def tokens(self, y: float) -> float:
        """Return the number of tokens at a vertical pixel."""
        return (self.plot.bottom() - y) * self.top / max(1.0, self.plot.height())


def limits(history: ContextHistory, budget: Budget) -> list[tuple[int, str]]:
    """Return the limits to draw, as (tokens, name)."""
    named = ((budget.window, tr("window")), (budget.trigger, tr("auto-compact")))
    return [(tokens, name) for tokens, name in named if tokens and history.peak >= tokens * LEAST_FILL]


def chart_scale(theme: Theme, timeline: Timeline, size: QSize) -> ChartScale:
    """Return the scale for a widget of `size`, with margins for figures, times and the highest diamonds."""
    history, font = timeline.history, QFontMetricsF(theme.font("small"))
    drawn = limits(history, timeline.budget)
    top = max([history.peak, 1, *(tokens for tokens, _ in drawn)]) * HEADROOM
    gutter = max(font.horizontalAdvance(tokens_text(tokens)) for tokens in [*_grid(top), *(t for t, _ in drawn)])
    edge, half = theme.px(metrics.SPACE[2]), theme.px(metrics.DIAMOND) / 2
    plot = QRectF(edge, half, size.width() - gutter - 3 * edge, size.height() - half - font.height() - theme.px(FOOT))
    return ChartScale(plot, len(history), top)


class ChartBody:
    """Paints the parts of the chart that do not change while the marker moves. `band` is the highlighted category."""

    def __init__(self, theme: Theme, timeline: Timeline, scale: ChartScale, band: Category | None = None) -> None:
        self._theme = theme
        self._timeline = timeline
        self._scale = scale
        self._band = band
        self._lefts = [*(scale.x(point.position) for point in timeline.points), scale.x(scale.count)]
        self._tops = [max(sum(point.bands), point.total) for point in timeline.points]

    def pixmap(self, size: QSize, ratio: float) -> QPixmap:
        """Return the chart as a pixmap. `size` is in device-independent pixels, `ratio` the device pixel ratio."""
        out = QPixmap(size * ratio)
        out.setDevicePixelRatio(ratio)
        out.fill(QColor(Qt.GlobalColor.transparent))
        painter = QPainter(out)
        painter.setFont(self._theme.font("small"))
        self._paint_grid(painter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_bands(painter)
        self._paint_reported(painter)
        self._paint_limits(painter)
        self._paint_times(painter)
        self._paint_drops(painter)
        painter.end()
        return out

    # -- parts ------------------------------------------------------------------------------------------------

    def _paint_grid(self, painter: QPainter) -> None:
        scale = self._scale
        painter.setPen(QPen(self._theme.color("line"), metrics.BORDER))
        for tokens in (0, *_grid(scale.top)):
            painter.drawLine(
                QPointF(scale.plot.left(), scale.y(tokens)), QPointF(scale.plot.right(), scale.y(tokens))
            )
        drawn = limits(self._timeline.history, self._timeline.budget)
        room, taken = QFontMetricsF(painter.font()).height(), [scale.y(tokens) for tokens, _ in drawn]
        for tokens, _ in drawn:
            self._figure(painter, tokens, "dim")
        for tokens in _grid(scale.top):
            if all(abs(scale.y(tokens) - y) >= room for y in taken):
                self._figure(painter, tokens, "faint")

    def _figure(self, painter: QPainter, tokens: int, color: str) -> None:
        """Paint a number of tokens to the right of the plot."""
        plot, height = self._scale.plot, QFontMetricsF(painter.font()).height()
        y = max(self._scale.y(tokens) - height / 2, 0.0)
        left = plot.right() + self._theme.px(metrics.SPACE[2])
        painter.setPen(self._theme.color(color))
        painter.drawText(QRectF(left, y, plot.right(), height), Qt.AlignmentFlag.AlignLeft, tokens_text(tokens))

    def _paint_bands(self, painter: QPainter) -> None:
        """Paint the bands from back to front, each down to the axis, so that no seams show between them."""
        points = self._timeline.points
        stacks = [tuple(accumulate(point.bands)) for point in points]
        painter.setPen(NO_PEN)
        for category in reversed(Category):
            if any(point.bands[category] for point in points):
                color = QColor(self._theme.color(COLORS[category]))
                if self._band not in (None, category):
                    color = _between(color, self._theme.color("panel"), metrics.FADED)
                painter.setBrush(color)
                painter.drawPolygon(self._area([stack[category] for stack in stacks]))

    def _area(self, heights: Sequence[int]) -> QPolygonF:
        """Return the polygon between a line of steps and the axis; equal heights side by side have no corners."""
        plot, lefts = self._scale.plot, self._lefts
        bottom, rise = plot.bottom(), plot.height() / self._scale.top
        out, y = [QPointF(plot.left(), bottom)], bottom
        for at, height in enumerate(heights):
            if not at or height != heights[at - 1]:
                out.append(QPointF(lefts[at], y))
                y = bottom - height * rise
                out.append(QPointF(lefts[at], y))
        return QPolygonF([*out, QPointF(lefts[-1], y), QPointF(lefts[-1], bottom)])

    def _steps(self, heights: Sequence[int]) -> list[QPointF]:
        """Return two corners per point: at its left edge and at the left edge of the next point."""
        bottom, rise = self._scale.plot.bottom(), self._scale.plot.height() / self._scale.top
        out: list[QPointF] = []
        for left, right, height in zip(self._lefts, self._lefts[1:], heights, strict=False):
            y = bottom - height * rise
            out += (QPointF(left, y), QPointF(right, y))
        return out

    def _paint_reported(self, painter: QPainter) -> None:
        """Paint a line along the top where a provider reported the size; without the line the size is estimated."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.color("text"), metrics.BORDER))
        for edge in self._reported_edges():
            painter.drawPolyline(QPolygonF(edge))

    def _reported_edges(self) -> Iterator[list[QPointF]]:
        points = self._timeline.points
        corners = self._steps([point.total for point in points])
        for reported, group in groupby(range(len(points)), lambda at: points[at].is_reported):
            if reported:
                inside = list(group)
                yield corners[2 * inside[0] : 2 * inside[-1] + 2]

    def _paint_limits(self, painter: QPainter) -> None:
        plot, names = self._scale.plot, self.limit_names(QFontMetricsF(painter.font()))
        for tokens, name in limits(self._timeline.history, self._timeline.budget):
            y = self._scale.y(tokens)
            painter.setPen(QPen(self._theme.color("dim"), metrics.BORDER, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            if name in names:
                painter.fillRect(names[name], self._theme.color("panel"))
                painter.setPen(self._theme.color("dim"))
                painter.drawText(names[name], Qt.AlignmentFlag.AlignCenter, name)

    def limit_names(self, font: QFontMetricsF) -> dict[str, QRectF]:
        """Return the rectangle of each limit's name, on its line where no band is drawn.

        A name that does not fit is left out.
        """
        out: dict[str, QRectF] = {}
        drawn = limits(self._timeline.history, self._timeline.budget)
        for tokens, name in drawn:
            lines = [self._scale.y(other) for other, _ in drawn if other != tokens]
            size = QSizeF(font.horizontalAdvance(name) + 2 * self._theme.px(metrics.SPACE[2]), font.height())
            found = self._free_place(size, self._scale.y(tokens), lines, list(out.values()))
            if found is not None:
                out[name] = found
        return out

    def _free_place(self, size: QSizeF, y: float, lines: Sequence[float], taken: Sequence[QRectF]) -> QRectF | None:
        """Return the first rectangle of `size` around height `y` that is free; None when no rectangle is.

        A rectangle is free if no band, no other line of `lines` and no rectangle of `taken` overlaps it.
        """
        plot, step = self._scale.plot, self._theme.px(metrics.SPACE[4])
        place = QRectF(QPointF(plot.left() + step, y - size.height() / 2), size)
        if any(place.top() < line < place.bottom() for line in lines):
            return None
        while place.right() <= plot.right() - step:
            is_free = self._highest(place.left(), place.right()) > place.bottom() + 1
            if is_free and not any(place.intersects(other) for other in taken):
                return place
            place.translate(step, 0)
        return None

    def _highest(self, left: float, right: float) -> float:
        """Return the smallest y that the bands reach between two horizontal pixels."""
        first, last = max(bisect_right(self._lefts, left) - 1, 0), bisect_left(self._lefts, right)
        return self._scale.y(max(self._tops[first:last], default=0))

    def _paint_times(self, painter: QPainter) -> None:
        plot, height = self._scale.plot, QFontMetricsF(painter.font()).height()
        room = QRectF(plot.left(), plot.bottom() + self._theme.px(FOOT), plot.width(), height)
        painter.setPen(self._theme.color("faint"))
        font, gap = QFontMetricsF(painter.font()), self._theme.px(metrics.SPACE[4])
        choices = words.ends(self._timeline.history)
        fitting = (pair for pair in choices if font.horizontalAdvance("".join(pair)) + gap <= plot.width())
        first, last = next(fitting, choices[-1])
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft, first)
        least = font.horizontalAdvance(first + last) + gap
        end = self._scale.x(self._scale.count)  # a short series ends before the plot does
        room.setRight(min(max(end, plot.left() + least), plot.right()))
        if self._scale.count > 1:
            painter.drawText(room, Qt.AlignmentFlag.AlignRight, last)

    def _paint_drops(self, painter: QPainter) -> None:
        """Paint a diamond at the upper edge of each compaction and a small triangle at the foot of each pruning.

        Of several on the same pixel only one is painted, because a long session has thousands.
        """
        painter.setPen(QPen(self._theme.color("panel"), metrics.BORDER))
        scale, summary, tool = self._scale, self._theme.color("summary"), self._theme.color("tool")
        size, foot = self._theme.px(metrics.DIAMOND), self._theme.px(metrics.SPACE[3])
        for drop in painted_drops(scale, self._timeline.history.drops):
            if drop.kind is Kind.COMPACTION:
                painter.setBrush(summary)
                painter.drawPolygon(diamond(diamond_center(scale, drop), size))
            else:
                painter.setBrush(tool)
                painter.drawPolygon(_triangle(QPointF(scale.x(drop.position), scale.plot.bottom()), foot))


def painted_drops(scale: ChartScale, drops: Sequence[Drop]) -> list[Drop]:
    """Return the drops that get a mark, in order: for each pixel of the plot's width, at most one drop of each kind.
    Of several compactions, the largest gets the mark, because its diamond is the highest.
    """
    across = scale.plot.width() / scale.across
    chosen: dict[tuple[int, bool], Drop] = {}
    for drop in drops:
        place = int(drop.position * across), drop.kind is Kind.COMPACTION
        other = chosen.get(place)
        if other is None or (drop.before.value or 0) >= (other.before.value or 0):
            chosen[place] = drop
    return sorted(chosen.values(), key=lambda drop: drop.position)


def diamond_center(scale: ChartScale, drop: Drop) -> QPointF:
    """Return the centre of the diamond that marks a compaction."""
    return QPointF(scale.x(drop.position), scale.y(drop.before.value or 0))


def diamond(center: QPointF, size: float) -> QPolygonF:
    """Return a diamond around `center`; `size` is its width and height."""
    half = size / 2
    corners = ((0, -half), (half, 0), (0, half), (-half, 0))
    return QPolygonF([center + QPointF(x, y) for x, y in corners])


def band_at(scale: ChartScale, point: Point, y: float) -> Category | None:
    """Return the category whose band lies at height `y`; None above the bands."""
    tokens = scale.tokens(y)
    for category, height in zip(Category, accumulate(point.bands), strict=True):
        if 0 <= tokens < height:
            return category
    return None


def _triangle(foot: QPointF, size: float) -> QPolygonF:
    return QPolygonF([foot, foot + QPointF(size / 2, -size), foot + QPointF(-size / 2, -size)])


def _grid(top: float) -> list[int]:
    """Return two to five round numbers of tokens up to `top`."""
    step = 1
    while top / step > STEPS[-1]:
        step *= STEPS[-1]
    step *= next(factor for factor in STEPS if top / (step * factor) <= MOST_LINES or factor == STEPS[-1])
    return list(range(step, int(top) + 1, step))


def _between(color: QColor, other: QColor, share: float) -> QColor:
    """Mix two colours: `share` of `color`, the rest of `other`."""
    return QColor.fromRgbF(
        share * color.redF() + (1 - share) * other.redF(),
        share * color.greenF() + (1 - share) * other.greenF(),
        share * color.blueF() + (1 - share) * other.blueF(),
    )
