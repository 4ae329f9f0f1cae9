"""Going through the matches of a text in a transcript: unfolded, in sight, the one gone to set off."""

from __future__ import annotations

from collections.abc import Callable

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.finding import FoundSpot
from stemmata.gui.theme import metrics
from stemmata.gui.transcript.card_pool import TranscriptCards
from stemmata.gui.transcript.layout import NOTHING, TranscriptLayout


class TranscriptFinding:
    """Matches are those that a card paints: it may have fewer than its text where markup is in between.

    `arrange` lays the cards out after the place that is read has changed.
    """

    def __init__(self, layout: TranscriptLayout, cards: TranscriptCards, arrange: Callable[[], None]) -> None:
        self._layout = layout
        self._cards = cards
        self._arrange = arrange
        self._at = -1  # position of the card gone to
        self._number = 0  # of the match in it
        self._spot: FoundSpot | None = None  # where it stands
        self._wanted = (False, 1)  # what of the card was asked for: whether the last of so many

    def mark(self, text: str) -> None:
        """Mark a text wherever it stands, "" for none."""
        self._cards.mark(text)
        self._forget()
        self._at = -1

    def position(self, key: int) -> int | None:
        """Where an entry stands on the path, None when it is not on it."""
        return self._layout.model.path.position(key)

    def extent(self, at: int) -> tuple[int, int]:
        """The positions of the entries that share a card with this one: first, behind the last."""
        model = self._layout.model
        first = model.card_of(at)
        if first is None:
            return at, at + 1
        return first, model.after(first) or len(model)

    def go(self, at: int, *, last: bool = False, count: int = 1) -> int:
        """Show the first (or last) match of the card at this position; returns its number in the card, from 0.

        `count` are the matches of the card, as far as its text tells.
        """
        self._forget()
        self._at, self._wanted = self.extent(at)[0], (last, count)
        self._cards.reveal(self._layout.model, self._at)
        card = self._card()
        self._number = max(count - 1, 0) if last else 0
        self._show(card.next_match(back=last) if card is not None else None)
        return self._number

    def step(self, by: int) -> int | None:
        """Go to the next match of the same card; None, and nothing happens, where there is none."""
        card = self._card() if self._at >= 0 else None
        found = card.next_match(self._spot, back=by < 0) if card is not None and self._spot is not None else None
        if found is None:
            return None
        self._number = max(self._number + by, 0)
        self._show(found)
        return self._number

    def arrived(self, at: int) -> None:
        """More of the entry at this position has been read: the match may be in it."""
        if at == self._at and self._spot is None:
            last, count = self._wanted
            self.go(at, last=last, count=count)

    def _forget(self) -> None:
        """Set nothing off any more."""
        if self._spot is not None:
            self._spot.part.current = None
            self._spot = None

    def _card(self) -> Card | None:
        """The card gone to, laid out."""
        model = self._layout.model
        if self._at >= len(model):
            return None
        self._layout.measure(model, self._at, NOTHING)
        return self._cards.get(model.path.key(self._at))

    def _show(self, found: FoundSpot | None) -> None:
        self._forget()
        self._spot = found
        if found is not None:
            found.part.current = found.start
        above = round(self._layout.height * metrics.FOUND_PLACE)
        self._layout.go_to(self._at)
        self._layout.scroll_by((found.y if found is not None else 0) - above)
        self._arrange()
        card = self._card()
        if card is not None and found is not None:  # parts came into sight above it, and it moved
            self._layout.scroll_by(card.y() + found.y - above)
            self._arrange()
            card.update()
