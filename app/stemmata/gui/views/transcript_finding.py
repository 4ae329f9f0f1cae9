"""Going through the matches of a text in a transcript: unfolded, in sight, the one gone to set off."""

from __future__ import annotations

from collections.abc import Callable

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.finding import FoundSpot
from stemmata.gui.theme import metrics
from stemmata.gui.views.transcript_cards import TranscriptCards
from stemmata.gui.views.transcript_layout import NOTHING, TranscriptLayout


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

    def mark(self, text: str) -> None:
        """Mark a text wherever it stands, "" for none."""
        self._cards.mark(text)
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

    def go(self, at: int, *, last: bool = False) -> int:
        """Show the first (or last) match of the card at this position; returns its number in the card, from 0."""
        self._forget()
        self._at = self.extent(at)[0]
        self._cards.reveal(self._layout.model, self._at)
        card = self._card()
        found = card.spots() if card is not None else []
        self._show(found, len(found) - 1 if last and found else 0)
        return self._number

    def step(self, by: int) -> int | None:
        """Go to the next match of the same card; None, and nothing happens, where there is none."""
        card = self._card() if self._at >= 0 else None
        found = card.spots() if card is not None else []
        if not 0 <= self._number + by < len(found):
            return None
        self._show(found, self._number + by)
        return self._number

    def _forget(self) -> None:
        """Set nothing off any more in the card gone to before."""
        model = self._layout.model
        card = self._cards.get(model.path.key(self._at)) if 0 <= self._at < len(model) else None
        if card is not None:
            for spot in card.spots():
                spot.part.current = None
            card.update()

    def _card(self) -> Card | None:
        """The card gone to, laid out."""
        model = self._layout.model
        if self._at >= len(model):
            return None
        self._layout.measure(model, self._at, NOTHING)
        return self._cards.get(model.path.key(self._at))

    def _show(self, found: list[FoundSpot], number: int) -> None:
        self._number = number
        for spot in found:
            spot.part.current = None
        if found:
            found[number].part.current = found[number].start
        above = round(self._layout.height * metrics.FOUND_PLACE)
        self._layout.go_to(self._at)
        self._layout.scroll_by((found[number].y if found else 0) - above)
        self._arrange()
        card = self._card()
        if card is not None and found:  # parts came into sight above it, and it moved
            self._layout.scroll_by(card.y() + found[number].y - above)
            self._arrange()
            card.update()
