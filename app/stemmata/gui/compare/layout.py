"""Where the rows of a comparison in sight stand: heights are guessed until somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from stemmata.gui.core.heights import Heights


class Placed(NamedTuple):
    """A row and the y of its upper edge in the viewport."""

    at: int
    y: int
    height: int


@dataclass(slots=True)
class RowsLayout:
    """The place being read is a row and an offset into it: correcting a guess above moves nothing in sight."""

    heights: Heights
    measure: Callable[[int], int]
    height: int = 0  # of the viewport
    at: int = 0  # the row at the upper edge
    offset: int = 0  # how much of it is above the edge
    placed: list[Placed] = field(default_factory=list)

    @property
    def top(self) -> int:
        """Height of everything above the viewport, partly guessed."""
        return self.heights.top(self.at) + self.offset if len(self.heights) else 0

    def go_to_y(self, y: int) -> None:
        """Put what lies at this height, as far as is known, at the upper edge."""
        if len(self.heights):
            self.at = self.heights.at(y)
            self.offset = max(y - self.heights.top(self.at), 0)

    def show(self, at: int) -> None:
        """Bring a row into sight, its upper edge at least."""
        if at <= self.at:
            self.at, self.offset = at, 0
            return
        self.arrange()
        found = next((row for row in self.placed if row.at == at), None)
        if found is None or found.y + found.height > self.height:
            height = self._measured(at)
            self.at, self.offset = at, min(height - self.height, 0)

    def arrange(self) -> None:
        """Place the rows in sight."""
        self.placed = []
        if not len(self.heights):
            self.at = self.offset = 0
            return
        self._settle()
        bottom = self._place()
        if bottom < self.height:  # behind the end
            self.offset -= self.height - bottom
            self._settle()
            self._place()

    def _settle(self) -> None:
        """The anchor becomes the row that covers the upper edge."""
        while self.offset < 0 and self.at > 0:
            self.at -= 1
            self.offset += self._measured(self.at)
        self.offset = max(self.offset, 0)
        while self.at < len(self.heights) - 1 and self.offset >= (height := self._measured(self.at)):
            self.offset -= height
            self.at += 1

    def _place(self) -> int:
        self.placed = []
        y = -self.offset
        for at in range(self.at, len(self.heights)):
            if y >= self.height:
                break
            height = self._measured(at)
            self.placed.append(Placed(at, y, height))
            y += height
        return y

    def _measured(self, at: int) -> int:
        height = max(self.measure(at), 1)
        self.heights[at] = height
        return height
