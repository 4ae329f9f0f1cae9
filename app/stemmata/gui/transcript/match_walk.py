"""Steps through the matches of a searched text: unfolds the part with the match, scrolls to it and highlights it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from time import thread_time

from stemmata.domain.search.needle import Needle
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.finding import FoundSpot
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.match_stops import MatchStops
from stemmata.gui.cards.written_text import part_name
from stemmata.gui.core.shown_path import EntryAppearance
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.theme import metrics
from stemmata.gui.transcript.card_pool import TranscriptCards
from stemmata.gui.transcript.layout import NOTHING, TranscriptLayout

MOST_TRIED = 16  # texts of a card that are rendered to find a match with a number
MOST_AT_ONCE = 50_000  # characters of a card that is unfolded, built and searched in one turn of the event loop
SECONDS = 0.002  # of processor time in a turn of going to a match in a longer card, before its last step
_Approach = Generator[None, None, int]  # goes to a match in steps, each of which fits into a turn


class TranscriptFinding:
    """Moves through the matches of a search in a transcript, and highlights the current one.

    The stops of a walk are the matches of the texts of a card, in the order of `match_stops`: first the matches that
    the card paints, then the matches in words that it does not show, such as the address of a link. Going to a match
    of the second kind shows the text as it is written, below its place in the card.

    Going to a match takes these steps: unfold what hides it, build the card, read its texts, render the long text
    that has the match, scroll. In a card that is longer than `MOST_AT_ONCE` they are spread over several turns.

    `arrange` lays out the cards after the scroll position changed. `turns` runs work that takes too long for one
    turn.
    """

    def __init__(
        self, layout: TranscriptLayout, cards: TranscriptCards, arrange: Callable[[], None], turns: TurnSteps
    ) -> None:
        self._layout = layout
        self._cards = cards
        self._arrange = arrange
        self._turns = turns
        self._at = -1  # position of the current match's card
        self._number = 0  # number of the match in its card, or in the entry `first`
        self.first = -1  # position of the entry from which the numbers of the matches count
        self._is_alone = False  # whether the next match is looked for only in the entry's own text
        self._is_long = False  # whether the card of the match takes longer than a turn
        self._is_waiting = False  # whether a long text of the card is being read
        self._spot: FoundSpot | None = None  # rectangle of the match
        self._wanted = False, 1, False  # arguments of the last `go`: last, count, exact
        self._entry = -1  # position of the entry with the match

    def mark(self, needle: Needle) -> None:
        """Highlight a needle everywhere; an empty one removes the highlights."""
        self._turns.stop()
        self._cards.mark(needle)
        self._forget()
        self._at = -1

    def position(self, key: int) -> int | None:
        """Return the position of an entry on the path; None when it is not on the path."""
        return self._layout.model.path.position(key)

    def is_displayed(self, at: int) -> bool:
        """Return whether the transcript shows the entry at a position; it hides notes and records of the tool."""
        return self._layout.model.appearance(at) != EntryAppearance.HIDDEN

    def extent(self, at: int) -> tuple[int, int]:
        """Return the range of positions that share a card with the entry at a position, as (first, end).

        The results of parallel calls may come after the card of another call; then the range is only the entry.
        """
        model = self._layout.model
        first = self._cards.card_with(model, at)
        if first is None or not self._cards.shows_only_its_own(model, first):
            return at, at + 1
        return first, model.after(first) or len(model)

    def go(self, at: int, *, last: bool = False, count: int = 1, exact: bool = False) -> int:
        """Go to the first or last match of the card at a position; returns its number in the card, from 0.

        `count` is the number of matches in the card's text. `exact` asks for the first match of the entry at the
        position, even when other entries of the card have matches before it; numbers then count from this match.
        When the card leaves out the words that match, the text that has them is shown below the card.
        """
        numbers = list[int]()
        self.go_in_turns(at, numbers.append, last=last, count=count, exact=exact)
        self.finish()
        return numbers[0]

    def go_in_turns(
        self, at: int, then: Callable[[int], None], *, last: bool = False, count: int = 1, exact: bool = False
    ) -> None:
        """Go to a match as `go` does, in a long card over several turns of the event loop.

        `then` gets the number of the match.
        """
        self._turns.stop()
        self._go_on(self._approach(at, last=last, count=count, exact=exact), then)

    def _go_on(self, approach: _Approach, then: Callable[[int], None]) -> None:
        end = thread_time() + SECONDS
        while True:
            try:
                next(approach)
            except StopIteration as done:
                then(done.value)
                return
            if self._is_long and thread_time() >= end:
                self._turns.start(partial(self._go_on, approach, then))
                return

    def finish(self) -> None:
        """Finish in this turn the step that goes to a match in several turns."""
        self._turns.finish()

    @property
    def is_going(self) -> bool:
        """Whether a step that goes to a match in a long card is not finished."""
        return self._turns.is_active

    def stop(self) -> None:
        """Cancel the step that goes to a match."""
        self._turns.stop()

    def _approach(self, at: int, *, last: bool, count: int, exact: bool) -> _Approach:
        """Go to a match, and return its number."""
        model = self._layout.model
        self._forget()
        self._is_waiting = False
        first, end = self.extent(at)
        self._is_alone = end - first == 1
        card = self._cards.card_with(model, at)
        exact = exact or self._is_alone
        self._at, self._entry, self._wanted = first if card is None else card, at, (last, count, exact)
        key = model.path.key(at)
        self._is_long = self._cards.length(model, self._at) > MOST_AT_ONCE
        yield  # the card was read
        self._is_waiting = self._cards.reveal(model, self._at, key if exact else None)
        yield  # it was unfolded
        yield from self._reading()
        stops = self._stops()
        yield  # it was built and read
        self.first = first
        if last and len(stops) < count:
            self._is_waiting |= self._cards.show_rest(model, self._at)
        if self._is_waiting:
            self._number = max(count - 1, 0) if last else 0
            self._show(None)
            return self._number
        if self._is_long and stops:
            stops = self._stops()  # the card may have been built anew since
        if stops:
            yield  # they were determined
            self._number = len(stops) - 1 if last else (stops.first_of(key) or 0) if exact else 0
            return (yield from self._showing(self._number))
        found = yield from self._looking(key, exact=exact)
        self._number = max(count - 1, 0) if last else 0
        self._show(found)
        return self._number

    def _looking(self, key: int, *, exact: bool) -> Generator[None, None, FoundSpot | None]:
        """Return the painted wanted match; if the card does not show its text, show the text first."""
        found = yield from self._find()
        if found is None:
            yield  # the card was searched
            if self._cards.show_left_out(self._layout.model, self._at, key):
                self._card()
                yield  # it was built again
                found = yield from self._find()
        if found is None and exact and (shown := self._card()) is not None:
            found = yield from shown.looking()
        return found

    def _reading(self) -> Iterator[None]:
        """Read the texts of the card in steps, after it was built."""
        self._card()
        yield  # a card of a megabyte takes most of a turn, and so does its text
        card = self._card()
        if card is not None:
            yield from card.reading(self._keys(card))

    def _stops(self) -> MatchStops:
        """Return the matches of the card in the order of steps; none without a card."""
        card = self._card()
        return MatchStops(()) if card is None else card.stops(self._keys(card))

    def _keys(self, card: Card) -> set[int]:
        """Return the keys of the entries whose matches are the stops."""
        if self._is_alone or card.content is None:
            return {self._layout.model.path.key(self._entry)}
        return {card.key, *(answer.row.key for answer in card.content.answers)}

    def _spot_at(self, number: int) -> Generator[None, None, FoundSpot | None]:
        """Return where the match with a number is painted; first show its text if the card leaves it out.

        None when the match is painted nowhere. Each step renders one text. After it the card is asked for again: it
        may have been scrolled out of view, and what was rendered may paint fewer matches than it has.
        """
        for _ in range(MOST_TRIED):
            stops, card = self._stops(), self._card()
            if card is None or number >= len(stops):
                return None
            stop = stops[number]
            if stop.piece is None and self._cards.show_left_out(
                self._layout.model, self._at, stop.source, stop.block
            ):
                yield
                continue
            found = card.spot_of(stop, part_name(stop.source, stop.block))
            if not isinstance(found, LongText):
                return found
            card.render_text(found)
            yield
        return None

    def _find(self) -> Generator[None, None, FoundSpot | None]:
        """Return the painted match that the last `go` asked for; None when none is painted."""
        last, _count, exact = self._wanted
        card = self._card()
        if card is None:
            return None
        return (yield from card.looking(back=last, source=self._source(card) if exact else None))

    def _source(self, card: Card) -> int:
        """Return the key of the tool result that has the match; 0 when the card's own entry has it."""
        key = self._layout.model.path.key(self._entry)
        return 0 if key == card.key else key

    @property
    def is_marked(self) -> bool:
        """Whether the current match is painted, or may be painted after a long text is read."""
        return self._spot is not None or self._is_waiting

    def step(self, by: int, count: int = 0) -> int | None:
        """Go to the next match of the same card and return its number; None when the card has no further match.

        In a long card, the match is shown over several turns of the event loop.
        `count` is the number of matches in the card's text, of which the last ones may not be read yet.
        """
        card = self._card() if self._at >= 0 else None
        if card is None:
            return None
        stops, number = self._stops(), self._number + by
        if len(stops) <= number < count:
            self._is_waiting = self._cards.show_rest(self._layout.model, self._at)
        elif not 0 <= number < len(stops):
            return None
        self._number = number
        if self._is_waiting:
            self._forget()
        else:
            self._go_on(self._showing(number), lambda _number: None)
        return number

    def _showing(self, number: int) -> _Approach:
        """Show the match with a number, and return the number."""
        self._show((yield from self._spot_at(number)))
        yield from self._reading()  # what was rendered: the next `step` looks at the matches at once
        return number

    def _showing_arrived(self, number: int) -> _Approach:
        """Read the texts that arrived, and show the match with a number."""
        yield from self._reading()
        self._stops()
        yield  # they were determined
        return (yield from self._showing(number))

    def arrived(self, at: int) -> None:
        """Try again to show the match, after more of the entry at a position was read."""
        if at != self._at or self._spot is not None:
            return
        if self._is_waiting and self._number:
            self._is_waiting = False
            self._is_long = self._cards.length(self._layout.model, self._at) > MOST_AT_ONCE
            self._turns.stop()
            showing = partial(self._go_on, self._showing_arrived(self._number), lambda _number: None)
            if self._is_long:
                self._turns.start(showing)  # this turn lays out the card with what was read
            else:
                showing()
        else:
            last, count, exact = self._wanted
            self.go_in_turns(self._entry, lambda _number: None, last=last, count=count, exact=exact)

    def _forget(self) -> None:
        """Forget the current match."""
        if self._spot is not None:
            self._spot.part.current = None
            self._spot = None

    def _card(self) -> Card | None:
        """Return the laid-out card of the current match."""
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
            found.part.reveal(found.start)
        above = round(self._layout.height * metrics.FOUND_PLACE)
        self._layout.go_to(self._at)
        self._layout.scroll_by((found.y if found is not None else 0) - above)
        self._arrange()
        card = self._card()
        if card is not None and found is not None:  # unfolded parts above it moved the match
            self._layout.scroll_by(card.y() + found.y - above)
            self._arrange()
            card.update()
