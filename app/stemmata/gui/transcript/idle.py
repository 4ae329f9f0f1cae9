"""The transcript's work in idle time: first colours and pages near the visible cards, then heights of far ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter, thread_time

from PySide6.QtCore import QObject, QTimer

from stemmata.gui.core.pages import PageCache
from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.gui.transcript.card_pool import TranscriptCards
from stemmata.gui.transcript.layout import NOTHING, TranscriptLayout
from stemmata.gui.transcript.model import TranscriptModel

BUDGET = 0.002  # seconds a slice: with a frame of scrolling beside it still a frame
REST_MS = 120  # without a wake, the user does not scroll: wheels and touchpads send the next step much earlier
REST_BUDGET = 0.001  # seconds a slice of these jobs: other views may be scrolled meanwhile
REST_EVERY_MS = 8

Task = Callable[[float], bool]  # gets seconds; returns whether it did something


class IdleWork(QObject):
    """Runs tasks in time slices until all are finished; each slice goes to the first task that is not."""

    def __init__(self, parent: QObject, soon: Sequence[Task], later: Sequence[Task]) -> None:
        """Set the tasks: `soon` run between the frames of scrolling, `later` wait until the scrolling ends."""
        super().__init__(parent)
        self._soon, self._later = tuple(soon), tuple(later)
        clock = TurnClock(self)
        self._turn = SpareTurn(self, clock, self._on_turn)
        self._rested = SpareTurn(self, clock, self._on_rest)
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._rested.start)

    @property
    def is_active(self) -> bool:
        """Whether a task is left that runs while the user scrolls."""
        return self._turn.is_active

    @property
    def is_resting(self) -> bool:
        """Whether tasks wait until the scrolling has ended, or run because it has ended."""
        return self._rest.isActive() or self._rested.is_active

    def wake(self) -> None:
        """Continue the tasks in the next turn of the event loop."""
        self._turn.start()
        self._rest.start(REST_MS)

    def run(self, seconds: float) -> bool:
        """Run all tasks now, for about this many seconds; return False when all are finished."""
        return _work((*self._soon, *self._later), seconds)

    def _on_turn(self) -> None:
        if _work(self._soon, BUDGET):
            self._turn.start()

    def _on_rest(self) -> None:
        if _work(self._later, REST_BUDGET):
            self._rest.start(REST_EVERY_MS)
        self._turn.start()  # for urgent work: the rest may have made way for it, or have loaded what it needs


def _work(tasks: Sequence[Task], seconds: float) -> bool:
    end = perf_counter() + seconds
    while any(task(max(end - perf_counter(), 0)) for task in tasks):
        if perf_counter() >= end:
            return True
    return False


LAYING_OUT = 0.005  # seconds a turn: painting and the rest of the window have the other part of a frame
TURN = 0.008  # seconds of a turn, spent on any work, after which it lays out no more
LEAST = 0.001  # seconds for laying out in every turn, so that it comes to an end


class LayoutAllowance(QObject):
    """Limits the processor time for laying out cards in one turn of the event loop, for all callers together.

    A turn that has spent much time on painting gets less time for laying out.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._turn = TurnClock(self)
        self._until, self._begun = 0.0, -1.0  # the end for the turn that began then

    def until(self) -> float:
        """Return the `thread_time` at which the layout has to stop; the next turn continues it."""
        begun = self._turn.begun
        if self._begun != begun:
            now = thread_time()
            self._until = max(min(now + LAYING_OUT, begun + TURN), now + LEAST)
            self._begun = begun
        return self._until


READY = 2  # cards on either side that are laid out
AT_ONCE = 24  # entries read at once for a jump
AHEAD = 12  # entries on either side whose bodies are read


class IdlePreparations:
    """The tasks of `IdleWork`: each does a small step and returns whether there was one to do."""

    def __init__(self, layout: TranscriptLayout, cards: TranscriptCards, cache: PageCache) -> None:
        self._layout = layout
        self._cards = cards
        self._cache = cache
        self.direction = 1  # of the last step of scrolling: below 0 for up
        self._read: tuple[TranscriptModel, range] | None = None

    @property
    def soon(self) -> tuple[Task, ...]:
        """The tasks that prepare the next step of scrolling, the most urgent first."""
        return self._lay_out_next, self._color_code, self._read_pages

    @property
    def later(self) -> tuple[Task, ...]:
        """The tasks that wait until the user has stopped scrolling for a while."""
        return self.load_lexer, self.search_further

    def positions(self) -> list[int]:
        """Return the positions of the cards next to the visible ones, first those that come into view next."""
        model, placed, out = self._layout.model, self._layout.placed, []
        if placed:
            ways = ((placed[-1].at, model.after), (placed[0].at, model.before))
            for start, step in ways if self.direction >= 0 else reversed(ways):
                at: int | None = start
                for _ in range(READY):
                    at = step(at) if at is not None else None
                    if at is not None:
                        out.append(at)
        return out

    def _lay_out_next(self, _seconds: float) -> bool:
        model = self._layout.model
        for at in self.positions():
            if self._cards.get(model.path.key(at)) is None:
                self._layout.measure(model, at, NOTHING)
                return self._cards.get(model.path.key(at)) is not None
        return False

    def _color_code(self, seconds: float) -> bool:
        return self._color(seconds, has_lexer=True)

    def load_lexer(self, seconds: float) -> bool:
        """Load a lexer for code in view. The loading thread slows down the GUI thread, so this waits for a rest."""
        return self._color(seconds, has_lexer=False)

    def _color(self, seconds: float, *, has_lexer: bool) -> bool:
        found = self._cards.next_uncoloured(has_lexer=has_lexer)
        if found is None:
            return False
        card, code = found
        code.highlighting.work(seconds)
        card.update()
        return True

    def _read_pages(self, _seconds: float) -> bool:
        model, placed = self._layout.model, self._layout.placed
        if not placed:
            return False
        around = range(max(placed[0].at - AHEAD, 0), min(placed[-1].at + AHEAD, len(model)))
        if (model, around) == self._read:
            return False  # once for each place: some may be gone, or too large to be kept
        self._read = (model, around)
        return self._cache.load(model.path.key(at) for at in around)

    def read_from(self, y: int) -> None:
        """Read the entries that are probably in view at a height of the whole transcript.

        Reading them together takes a third of the time of reading them one by one.
        """
        model = self._layout.model
        if len(model):
            first, last = (model.heights.at(at) for at in (y, y + self._layout.height))
            self._cache.load(map(model.path.key, range(first, min(last + 1, first + AT_ONCE, len(model)))))

    def search_further(self, _seconds: float) -> bool:
        """Improve the estimated heights of entries far from the visible ones, one block per call."""
        return self._layout.model.search_further()
