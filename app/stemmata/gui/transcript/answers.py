"""Which results stand in a card: those of its calls, wherever in the same run of replies they came.

An agent that calls several tools at once may write each call as an entry of its own, and the results behind them all.
"""

from __future__ import annotations

from collections.abc import Iterator

from stemmata.domain.entries.blocks import ToolCall
from stemmata.gui.core.pages import Loaded, PageCache
from stemmata.gui.core.shown_path import Place
from stemmata.gui.transcript.model import TranscriptModel

NEAR = 32  # positions between a call and a result that is looked for


def answers_of(model: TranscriptModel, at: int, cache: PageCache) -> list[Loaded]:
    """The results that the card at this position shows; others are read only where one is missing or too many."""
    own = model.answers(at)
    cache.load(map(model.path.key, (at, *own)))
    entry = cache.get(model.path.key(at))
    found = _loaded(model, own, cache)
    if entry is None or _calls(entry) == {answer.row.call for answer in found}:
        return found
    return _sorted_out(model, at, len(own), cache)


def results_near(model: TranscriptModel, at: int) -> int:
    """How many results there are among which those of this card are looked for: another number, another card."""
    places = (model.place(item) for item in _ahead(model, at, NEAR))
    return max(sum(place == Place.FOLDED for place in places), len(model.answers(at)))


def _sorted_out(model: TranscriptModel, at: int, own: int, cache: PageCache) -> list[Loaded]:
    """Each result goes to the last card near it that called for it and has no answer yet, else it stays."""
    positions = [*reversed(list(_back(model, at))), at, *_ahead(model, at, max(own, NEAR))]
    cache.load(map(model.path.key, positions))
    waiting: dict[str, int] = {}
    out: list[Loaded] = []
    card = at
    for position in positions:
        loaded = cache.get(model.path.key(position))
        if loaded is None:
            continue
        if model.place(position) == Place.FOLDED:
            caller = waiting.pop(loaded.row.call, card)
            if (caller if position - caller <= NEAR else card) == at:
                out.append(loaded)
        elif model.has_card(position):
            card = position
            waiting.update(dict.fromkeys(_calls(loaded), card))
    return out


def _back(model: TranscriptModel, at: int) -> Iterator[int]:
    """Positions before a card, down to where its speaker began."""
    for position in range(at, max(at - NEAR, 0), -1):
        if model.place(position) == Place.CARD:
            return
        yield position - 1


def _ahead(model: TranscriptModel, at: int, most: int) -> Iterator[int]:
    """Positions behind a card, up to where another speaker begins."""
    for position in range(at + 1, min(at + 1 + most, len(model))):
        if model.place(position) == Place.CARD:
            return
        yield position


def _loaded(model: TranscriptModel, positions: list[int], cache: PageCache) -> list[Loaded]:
    found = (cache.get(model.path.key(position)) for position in positions)
    return [loaded for loaded in found if loaded is not None]


def _calls(loaded: Loaded) -> set[str]:
    return {block.id for block in loaded.body.blocks if isinstance(block, ToolCall)}
