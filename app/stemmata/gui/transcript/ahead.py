"""What the transcript prepares before it is needed: the next cards, their colours, the pages and heights around."""

from __future__ import annotations

from stemmata.gui.core.pages import PageCache
from stemmata.gui.transcript.card_pool import TranscriptCards
from stemmata.gui.transcript.idle import Task
from stemmata.gui.transcript.layout import NOTHING, TranscriptLayout
from stemmata.gui.transcript.model import TranscriptModel

READY = 2  # cards on either side that are laid out
AHEAD = 12  # entries on either side whose bodies are read


class Preparations:
    """Tasks for `IdleWork`, each small; they say whether there was something to do."""

    def __init__(self, layout: TranscriptLayout, cards: TranscriptCards, cache: PageCache) -> None:
        self._layout = layout
        self._cards = cards
        self._cache = cache
        self._read: tuple[TranscriptModel, range] | None = None

    @property
    def soon(self) -> tuple[Task, ...]:
        """What the next step of scrolling may need, the most urgent first."""
        return self._lay_out_next, self._color_code, self._read_pages

    def positions(self) -> list[int]:
        """Of the cards next to those in sight."""
        model, placed, out = self._layout.model, self._layout.placed, []
        if placed:
            for start, step in ((placed[-1].at, model.after), (placed[0].at, model.before)):
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
        found = self._cards.next_uncoloured()
        if found is None:
            return False
        card, code = found
        code.color(seconds)
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

    def look_further(self, _seconds: float) -> bool:
        """The heights of entries nobody has come near."""
        return self._layout.model.look_further()
