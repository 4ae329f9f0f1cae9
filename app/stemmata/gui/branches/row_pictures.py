"""Pictures of the navigator's rows: a row is painted once, and copied whenever the list shows it again.

Painting all rows takes as long as a frame, and the list shows them again with each step of the transcript.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

LEAST_KEPT = 48  # rows
SCREENS = 2  # screens of rows whose pictures are kept


class RowState(NamedTuple):
    """The state of a row that changes its picture."""

    row: int
    selected: bool
    hovered: bool


class _Picture(NamedTuple):
    """A row's part of the picture of neighbouring rows that were painted together."""

    state: RowState
    rows: QPixmap
    part: QRectF  # in device pixels


class RowPictures:
    """The pictures by row. `paint` paints neighbouring rows, whose coordinates are those of the viewport."""

    def __init__(self, paint: Callable[[QPainter, Sequence[RowState]], None]) -> None:
        self._paint = paint
        self._kept: OrderedDict[int, _Picture] = OrderedDict()
        self._narrower: dict[int, _Picture] = {}  # the pictures of another width, until there are new ones
        self._size, self._ratio = QSize(), 1.0
        self._looks: Sequence[Any] = ()
        self._most = LEAST_KEPT

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget all pictures: the theme has changed."""
        self._kept.clear()
        self._narrower.clear()

    def fit(self, size: QSize, ratio: float, height: int, looks: Sequence[Any]) -> bool:
        """Use this size of a row and this pixel ratio, in a list of `height` pixels.

        `looks` are the objects that the rows are painted from; with others, all rows are painted again. Return False,
        and keep no pictures, when the height of a row is not a whole number of device pixels, since there would be
        gaps between the pictures.
        """
        is_same = len(looks) == len(self._looks) and all(map(_is, looks, self._looks))
        if not is_same or (size, ratio) != (self._size, self._ratio):
            old = self._narrower | self._kept
            self.clear()
            if is_same and (size.height(), ratio) == (self._size.height(), self._ratio):
                self._narrower = old
            self._size, self._ratio, self._looks = QSize(size), ratio, looks
        self._most = max(LEAST_KEPT, SCREENS * (height // max(size.height(), 1) + 1))
        return not size.isEmpty() and (size.height() * ratio).is_integer()

    def missing(self, states: Sequence[RowState]) -> list[RowState]:
        """Return the rows that have no picture in this state."""
        return [state for state in states if (kept := self._kept.get(state.row)) is None or kept.state != state]

    def has_old(self, state: RowState) -> bool:
        """Whether a row has a picture of another width, which can be shown until there is a new one."""
        return state.row in self._narrower

    def forget_old(self) -> None:
        """Forget the pictures of another width, when all rows in view have new pictures."""
        self._narrower.clear()

    def add(self, states: Sequence[RowState], top: Callable[[int], int], ground: QColor) -> None:
        """Paint pictures of rows; `top` returns the upper edge of a row in the viewport."""
        for run in _runs(states):
            height = self._size.height() * self._ratio
            rows = QPixmap(round(self._size.width() * self._ratio), round(height * len(run)))
            rows.setDevicePixelRatio(self._ratio)
            rows.fill(ground)
            painter = QPainter(rows)
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            painter.translate(0, -top(run[0].row))
            self._paint(painter, run)
            painter.end()
            for at, state in enumerate(run):
                self._kept[state.row] = _Picture(state, rows, QRectF(0, at * height, rows.width(), height))
                self._kept.move_to_end(state.row)
                self._narrower.pop(state.row, None)

    def draw(self, painter: QPainter, states: Sequence[RowState], top: Callable[[int], int]) -> None:
        """Draw the pictures of rows, and forget those that were drawn longest ago."""
        for state in states:
            kept = self._kept.get(state.row)
            if kept is None:
                kept = self._narrower[state.row]
            else:
                self._kept.move_to_end(state.row)
            painter.drawPixmap(QPointF(0, top(state.row)), kept.rows, kept.part)
        while len(self._kept) > max(self._most, len(states)):
            self._kept.popitem(last=False)


def _is(one: object, other: object) -> bool:
    return one is other or (isinstance(one, int | str) and one == other)


def _runs(states: Sequence[RowState]) -> Iterator[list[RowState]]:
    """Divide rows into runs of neighbours."""
    run: list[RowState] = []
    for state in states:
        if run and state.row != run[-1].row + 1:
            yield run
            run = []
        run.append(state)
    if run:
        yield run
