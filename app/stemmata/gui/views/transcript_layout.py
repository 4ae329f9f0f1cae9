"""Where the cards in sight stand.

The place being read is an entry and an offset into its card, never a number of pixels: heights above are estimates
until somebody looks at them, and correcting one must not move what is being read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from stemmata.gui.models.transcript import TranscriptModel

Measure = Callable[[TranscriptModel, int], int]


class Placed(NamedTuple):
    """A card and the y of its upper edge in the viewport."""

    at: int
    y: int
    height: int


@dataclass(slots=True)
class TranscriptLayout:
    """`measure` lays a card out and gives its height. `end_space` is kept free below the last card."""

    model: TranscriptModel
    measure: Measure
    end_space: int = 0
    at: int = 0  # position of the card at the upper edge
    offset: int = 0  # how much of it is above the edge
    at_end: bool = True
    placed: list[Placed] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Height of everything, partly estimated."""
        return self.model.heights.total + self.end_space

    @property
    def top(self) -> int:
        """Height of everything above the viewport, partly estimated."""
        return self.model.heights.top(self.at) + self.offset if len(self.model) else 0

    def go_to(self, at: int, offset: int = 0) -> None:
        """Put the card at or before this position at the upper edge."""
        card = self.model.card_of(at)
        self.at, self.offset = (card, offset) if card is not None else (0, 0)

    def go_to_y(self, y: int) -> None:
        """Put what lies at this height, as far as is known, at the upper edge."""
        if len(self.model):
            at = self.model.heights.at(y)
            self.model.place(at)  # a block seen for the first time gets better heights
            at = self.model.heights.at(y)
            self.go_to(at, max(y - self.model.heights.top(at), 0))

    def go_to_end(self) -> None:
        if len(self.model):
            self.go_to(len(self.model) - 1)
            self.offset = self.measure(self.model, self.at) + self.end_space

    def scroll_by(self, dy: int) -> None:
        """Move by pixels; cards that come into sight above are measured first."""
        self.offset += dy
        while self.offset < 0 and len(self.model):
            before = self.model.before(self.at)
            if before is None:
                self.offset = 0
                return
            self.at = before
            self.offset += self.measure(self.model, before)

    def arrange(self, height: int) -> None:
        """Place the cards that a viewport of this height shows."""
        self.placed = []
        if not len(self.model) or self.model.card_of(self.at) is None:
            self.at = self.offset = 0
            self.at_end = True
            return
        if not self.model.has_card(self.at):
            self.go_to(self.at)
        bottom = self._downward(height)
        if bottom < height:
            self._upward(height - bottom)
        self._settle(height)

    def _downward(self, height: int) -> int:
        """Place from the anchor on; returns the lower edge of the last card, with the space below the end."""
        at: int | None = self.at
        y = -self.offset
        while at is not None and y < height:
            card = self.measure(self.model, at)
            self.placed.append(Placed(at, y, card))
            y += card
            at = self.model.after(at)
        return y + self.end_space if at is None else y

    def _upward(self, blank: int) -> None:
        """The end is in sight with blank space below it: move everything down, or as far as there are cards."""
        top = self.placed[0].y + blank
        self.placed = [card._replace(y=card.y + blank) for card in self.placed]
        at = self.model.before(self.placed[0].at)
        while top > 0 and at is not None:
            card = self.measure(self.model, at)
            top -= card
            self.placed.insert(0, Placed(at, top, card))
            at = self.model.before(at)
        if top > 0:
            self.placed = [card._replace(y=card.y - top) for card in self.placed]

    def _settle(self, height: int) -> None:
        """The first card in sight becomes the anchor."""
        last = self.placed[-1]
        self.at_end = self.model.after(last.at) is None and last.y + last.height <= height
        self.placed = [card for card in self.placed if card.y + card.height > 0 and card.y < height] or [last]
        self.at, self.offset = self.placed[0].at, -self.placed[0].y
