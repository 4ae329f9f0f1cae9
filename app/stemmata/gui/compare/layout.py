"""The positions of the visible rows of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from stemmata.gui.core.heights import Heights
from stemmata.gui.transcript.layout import NOTHING, CardInSight, MeasuredCard


class PlacedTurn(NamedTuple):
    """A visible row with the y of its top edge in the viewport."""

    at: int
    y: int
    height: int


@dataclass(slots=True)
class RowsLayout:
    """Lay out the visible rows around an anchor.

    The anchor is a row and an offset into it, so that correcting an estimated height above it moves nothing visible.
    `measure` lays out the part of a row that is in sight.
    """

    heights: Heights
    measure: Callable[[int, CardInSight], MeasuredCard]
    height: int = 0  # height of the viewport
    at: int = 0  # the row at the top edge
    offset: int = 0  # pixels of that row above the edge
    placed: list[PlacedTurn] = field(default_factory=list)

    @property
    def top(self) -> int:
        """The height of everything above the viewport, partly estimated."""
        return self.heights.top(self.at) + self.offset if len(self.heights) else 0

    def go_to_y(self, y: int) -> None:
        """Scroll to this height, which is partly estimated."""
        if len(self.heights):
            self.at = self.heights.at(y)
            self.offset = max(y - self.heights.top(self.at), 0)

    def scroll_by(self, dy: int) -> None:
        """Scroll by pixels, positive for down. Rows that come into view at the top are laid out first."""
        if dy < 0 and len(self.heights):
            self.offset = self._measured(self.at, CardInSight(self.offset + dy, self.offset, self.offset)).keep
        self.offset += dy

    def show(self, at: int) -> None:
        """Scroll a row into view, at least its top edge."""
        if at <= self.at:
            self.at, self.offset = at, 0
            return
        self.arrange()
        found = next((row for row in self.placed if row.at == at), None)
        if found is None or found.y + found.height > self.height:
            height = self._measured(at, CardInSight(0, self.height, 0)).height
            self.at, self.offset = at, min(height - self.height, 0)

    def arrange(self) -> None:
        """Place the visible rows."""
        self.placed = []
        if not len(self.heights):
            self.at = self.offset = 0
            return
        self._settle()
        bottom = self._place()
        if bottom < self.height:  # scrolled beyond the end
            self.scroll_by(bottom - self.height)
            self._settle()
            self._place()

    def _settle(self) -> None:
        """Make the row at the top edge the anchor."""
        while self.offset < 0 and self.at > 0:
            self.at -= 1
            self.offset += self._height_from_below(self.at, -self.offset)
        self.offset = max(self.offset, 0)
        while self.at < len(self.heights) - 1 and self.offset >= (height := self._measured(self.at, NOTHING).height):
            self.offset -= height
            self.at += 1

    def _place(self) -> int:
        self.placed = []
        y = -self.offset
        for at in range(self.at, len(self.heights)):
            if y >= self.height:
                break
            above = max(-y, 0)
            measured = self._measured(at, CardInSight(above, self.height - y, above))
            y += above - measured.keep
            self.placed.append(PlacedTurn(at, y, measured.height))
            y += measured.height
        self.offset = -self.placed[0].y if self.placed else self.offset
        return y

    def _height_from_below(self, at: int, room: int) -> int:
        """Return the height of a row whose lowest `room` pixels are visible."""
        height = self._measured(at, NOTHING).height
        return self._measured(at, CardInSight(height - room, height, height)).height

    def _measured(self, at: int, sight: CardInSight) -> MeasuredCard:
        measured = self.measure(at, sight)
        measured = measured._replace(height=max(measured.height, 1))
        self.heights[at] = measured.height
        return measured
