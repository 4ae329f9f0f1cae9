"""The positions of the visible cards.

The scroll position is an entry and an offset into its card, not a number of pixels: heights above are estimates
until their cards are laid out, and correcting an estimate must not move the text that is being read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from stemmata.gui.transcript.model import TranscriptModel


class CardInSight(NamedTuple):
    """The part of a card to lay out in full, and the y whose content must not move by that."""

    top: int
    bottom: int
    keep: int


NOTHING = CardInSight(0, 0, 0)


class MeasuredCard(NamedTuple):
    """The height of a laid-out card, and the new y of the content that must not move."""

    height: int
    keep: int


class PlacedCard(NamedTuple):
    """The position of a card on the path, and the y of its upper edge in the viewport."""

    at: int
    y: int
    height: int


Measure = Callable[[TranscriptModel, int, CardInSight], MeasuredCard]


@dataclass(slots=True)
class TranscriptLayout:
    """Places the cards in a viewport of `height` pixels. `end_space` is the free space at the very end.

    Streaming replies follow the last card; they are `tail` pixels high.
    """

    model: TranscriptModel
    measure: Measure
    height: int = 0
    end_space: int = 0
    tail: int = 0
    at: int = 0  # position on the path of the card at the upper edge
    offset: int = 0  # pixels of that card above the edge
    at_end: bool = True
    placed: list[PlacedCard] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The height of the whole transcript in pixels, partly estimated."""
        return self.model.heights.total + self.below

    @property
    def below(self) -> int:
        """The space below the last card, in pixels."""
        return self.tail + self.end_space

    @property
    def bottom(self) -> int | None:
        """The y of the last card's lower edge; None while that card is not placed."""
        if not self.placed or self.model.after(self.placed[-1].at) is not None:
            return None
        return self.placed[-1].y + self.placed[-1].height

    @property
    def top(self) -> int:
        """The height of everything above the viewport in pixels, partly estimated."""
        return self.model.heights.top(self.at) + self.offset if len(self.model) else 0

    def under(self, y: int) -> int | None:
        """Return the position of the visible card at `y` of the viewport; None when there is none."""
        return next((placed.at for placed in self.placed if 0 <= y - placed.y < placed.height), None)

    def go_to(self, at: int, offset: int = 0) -> None:
        """Scroll the card at a position, or the nearest card before it, to the upper edge."""
        card = self.model.card_of(at)
        self.at, self.offset = (card, offset) if card is not None else (0, 0)

    def go_to_y(self, y: int) -> None:
        """Scroll to a height of the whole transcript, in pixels."""
        if len(self.model):
            self.model.appearance(self.model.heights.at(y))  # improves the estimates around that height
            at = self.model.heights.at(y)
            inside, guess = max(y - self.model.heights.top(at), 0), self.model.heights[at]
            height = self.measure(self.model, at, NOTHING).height
            self.go_to(at, inside * height // guess if guess else 0)

    def go_to_end(self) -> None:
        """Scroll to the end."""
        if len(self.model):
            self.go_to(len(self.model) - 1)
            height = self.measure(self.model, self.at, NOTHING).height
            self.offset = max(height + self.below - self.height, 0)

    def scroll_by(self, dy: int) -> None:
        """Scroll by pixels. Cards that come into view at the top are laid out first."""
        if dy < 0 and len(self.model):
            sight = CardInSight(self.offset + dy, self.offset, self.offset)
            self.offset = self.measure(self.model, self.at, sight).keep
        self.offset += dy
        self._reach_edge()

    def hold(self, is_built: Callable[[int], bool]) -> None:
        """Keep the first visible built card at its place when the heights above it change. `is_built` returns whether
        the card at a position is built.
        """
        kept = next((card for card in self.placed if is_built(card.at)), None)
        if kept is not None:
            self.at, self.offset = kept.at, -kept.y
            self._reach_edge()

    def _reach_edge(self) -> None:
        """Make the card at the upper edge the anchor when the anchor is below the edge."""
        while self.offset < 0 and len(self.model):
            before = self.model.before(self.at)
            if before is None:
                self.offset = 0
                return
            self.at = before
            self.offset += self._height_from_below(before, -self.offset)

    def arrange(self) -> None:
        """Place the visible cards."""
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
        """Place cards downwards from the anchor; returns the y of the last one's end, with the space below."""
        at: int | None = self.at
        y = -self.offset
        while at is not None and y < self.height:
            above = max(-y, 0)
            measured = self.measure(self.model, at, CardInSight(above, self.height - y, above))
            y += above - measured.keep
            self.placed.append(PlacedCard(at, y, measured.height))
            y += measured.height
            at = self.model.after(at)
        return y + self.below if at is None else self.height

    def _upward(self) -> None:
        """Place cards upwards from the end; a path shorter than the viewport is placed from its start."""
        self.placed = []
        at = self.model.card_of(len(self.model) - 1)
        y = self.height - self.below
        while at is not None and (y > 0 or not self.placed):
            card = self._height_from_below(at, y)
            y -= card
            self.placed.append(PlacedCard(at, y, card))
            at = self.model.before(at)
        self.placed.reverse()
        if y > 0:
            self.placed = [card._replace(y=card.y - y) for card in self.placed]

    def _height_from_below(self, at: int, room: int) -> int:
        """Return the height of a card whose lowest `room` pixels are visible."""
        height = self.measure(self.model, at, NOTHING).height
        return self.measure(self.model, at, CardInSight(height - room, height, height)).height

    def _settle(self) -> None:
        """Make the first visible card the anchor."""
        if not self.placed:
            return  # a view without height keeps its anchor
        last = self.placed[-1]
        self.at_end = self.model.after(last.at) is None and last.y + last.height + self.tail <= self.height
        self.placed = [card for card in self.placed if card.y + card.height > 0 and card.y < self.height] or [last]
        self.at, self.offset = self.placed[0].at, -self.placed[0].y
