"""Where the cards in sight stand.

The place being read is an entry and an offset into its card, never a number of pixels: heights above are estimates
until somebody looks at them, and correcting one must not move what is being read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from stemmata.gui.transcript.model import TranscriptModel


class Sight(NamedTuple):
    """The part of a card that must be laid out in full, and the y whose content must not move by that."""

    top: int
    bottom: int
    keep: int


NOTHING = Sight(0, 0, 0)


class Measured(NamedTuple):
    """Height of a card, and where the content now stands that was to be kept."""

    height: int
    keep: int


class Placed(NamedTuple):
    """A card and the y of its upper edge in the viewport."""

    at: int
    y: int
    height: int


Measure = Callable[[TranscriptModel, int, Sight], Measured]


@dataclass(slots=True)
class TranscriptLayout:
    """`height` is the viewport's; `end_space` is kept free at the end, below the last card and what follows it.

    What follows it are replies that are streaming, `tail` pixels high.
    """

    model: TranscriptModel
    measure: Measure
    height: int = 0
    end_space: int = 0
    tail: int = 0
    at: int = 0  # position of the card at the upper edge
    offset: int = 0  # how much of it is above the edge
    at_end: bool = True
    placed: list[Placed] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Height of everything, partly estimated."""
        return self.model.heights.total + self.below

    @property
    def below(self) -> int:
        """Pixels below the last card."""
        return self.tail + self.end_space

    @property
    def bottom(self) -> int | None:
        """The y where the last card ends; None while it is not placed."""
        if not self.placed or self.model.after(self.placed[-1].at) is not None:
            return None
        return self.placed[-1].y + self.placed[-1].height

    @property
    def top(self) -> int:
        """Height of everything above the viewport, partly estimated."""
        return self.model.heights.top(self.at) + self.offset if len(self.model) else 0

    def under(self, y: int) -> int | None:
        """Position of the card in sight at this height of the viewport."""
        return next((placed.at for placed in self.placed if 0 <= y - placed.y < placed.height), None)

    def go_to(self, at: int, offset: int = 0) -> None:
        """Put the card at or before this position at the upper edge."""
        card = self.model.card_of(at)
        self.at, self.offset = (card, offset) if card is not None else (0, 0)

    def go_to_y(self, y: int) -> None:
        """Put what lies at this height, as far as is known, at the upper edge."""
        if len(self.model):
            self.model.place(self.model.heights.at(y))  # a part seen for the first time gets better heights
            at = self.model.heights.at(y)
            inside, guess = max(y - self.model.heights.top(at), 0), self.model.heights[at]
            height = self.measure(self.model, at, NOTHING).height
            self.go_to(at, inside * height // guess if guess else 0)

    def go_to_end(self) -> None:
        if len(self.model):
            self.go_to(len(self.model) - 1)
            height = self.measure(self.model, self.at, NOTHING).height
            self.offset = max(height + self.below - self.height, 0)

    def scroll_by(self, dy: int) -> None:
        """Move by pixels; what comes into sight above is measured first."""
        if dy < 0 and len(self.model):
            sight = Sight(self.offset + dy, self.offset, self.offset)
            self.offset = self.measure(self.model, self.at, sight).keep
        self.offset += dy
        while self.offset < 0 and len(self.model):
            before = self.model.before(self.at)
            if before is None:
                self.offset = 0
                return
            self.at = before
            self.offset += self._height_from_below(before, -self.offset)

    def arrange(self) -> None:
        """Place the cards in sight."""
        self.placed = []
        if not len(self.model) or self.model.card_of(self.at) is None:
            self.at = self.offset = 0
            self.at_end = True
            return
        if not self.model.has_card(self.at):
            self.go_to(self.at)
        if self._downward() < self.height:
            self._upward()
        self._settle()

    def _downward(self) -> int:
        """Place from the anchor on; returns the lower edge of the last card, with the space below the end."""
        at: int | None = self.at
        y = -self.offset
        while at is not None and y < self.height:
            above = max(-y, 0)
            measured = self.measure(self.model, at, Sight(above, self.height - y, above))
            y += above - measured.keep
            self.placed.append(Placed(at, y, measured.height))
            y += measured.height
            at = self.model.after(at)
        return y + self.below if at is None else self.height

    def _upward(self) -> None:
        """The end is in sight: place from the end on, or from the start where that does not fill the view."""
        self.placed = []
        at = self.model.card_of(len(self.model) - 1)
        y = self.height - self.below
        while at is not None and (y > 0 or not self.placed):
            card = self._height_from_below(at, y)
            y -= card
            self.placed.append(Placed(at, y, card))
            at = self.model.before(at)
        self.placed.reverse()
        if y > 0:
            self.placed = [card._replace(y=card.y - y) for card in self.placed]

    def _height_from_below(self, at: int, room: int) -> int:
        """Height of a card of which the lowest `room` pixels are in sight."""
        height = self.measure(self.model, at, NOTHING).height
        return self.measure(self.model, at, Sight(height - room, height, height)).height

    def _settle(self) -> None:
        """The first card in sight becomes the anchor."""
        if not self.placed:
            return  # a view that has no height yet: what is to be read stays the anchor
        last = self.placed[-1]
        self.at_end = self.model.after(last.at) is None and last.y + last.height + self.tail <= self.height
        self.placed = [card for card in self.placed if card.y + card.height > 0 and card.y < self.height] or [last]
        self.at, self.offset = self.placed[0].at, -self.placed[0].y
