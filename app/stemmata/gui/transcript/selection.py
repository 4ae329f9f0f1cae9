"""Selecting over several cards. Only those in sight exist: what is selected is kept by entry and place in it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPoint

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.selection import Spot
from stemmata.gui.transcript.card_pool import TranscriptCards
from stemmata.gui.transcript.layout import TranscriptLayout


class End(NamedTuple):
    """An end of what is selected: key of the entry, and where in its card; None for all of that card."""

    key: int
    spot: Spot | None


class TranscriptSelection:
    """A card selects within itself; this begins where the mouse leaves it, or with Shift and a click."""

    def __init__(self, cards: TranscriptCards, layout: TranscriptLayout) -> None:
        self._cards, self._layout = cards, layout
        self._anchor: End | None = None
        self._head: End | None = None
        self._texts: dict[int, str] = {}  # of the cards that are selected in part, as far as they were seen
        cards.pressed = self._on_pressed

    @property
    def is_wide(self) -> bool:
        """Whether more than one card is selected, or one that is not in sight."""
        return self._ends() is not None

    def select_all(self) -> None:
        """The whole path, however long."""
        model = self._layout.model
        first, last = model.after(-1), model.before(len(model))
        if first is not None and last is not None:
            self._anchor, self._head = End(model.path.key(first), None), End(model.path.key(last), None)
            self.apply()

    def clear(self) -> None:
        self._anchor = self._head = None
        self._texts.clear()

    def apply(self) -> None:
        """Show in the cards in sight what of them is selected."""
        ends = self._ends()
        if ends is None:
            return
        (first, start), (last, stop) = ends
        for card in self._cards.live():
            at = self._layout.model.path.position(card.key)
            if at is None or not first <= at <= last:
                card.clear_selection()
                continue
            card.selection.select(start if at == first else None, stop if at == last else None)
            if (at == first and start is not None) or (at == last and stop is not None):
                self._texts[card.key] = card.selection.text()
            card.update()

    def parts(self) -> list[tuple[int, str | None]]:
        """The selected entries in order: key, and the text of those selected in part, None for whole ones."""
        ends, model = self._ends(), self._layout.model
        if ends is None:
            return []
        (first, _), (last, _) = ends
        keys = (model.path.key(at) for at in range(first, last + 1) if model.has_card(at))
        return [(key, self._texts.get(key)) for key in keys]

    def _ends(self) -> tuple[tuple[int, Spot | None], tuple[int, Spot | None]] | None:
        """Positions of the first and the last card, each with its boundary; None while a single card selects."""
        if self._anchor is None or self._head is None:
            return None
        path = self._layout.model.path
        one, other = path.position(self._anchor.key), path.position(self._head.key)
        if one is None or other is None:
            return None
        ends = (one, self._anchor.spot), (other, self._head.spot)
        return ends if one <= other else (ends[1], ends[0])

    def _on_pressed(self, card: Card) -> None:
        self.clear()
        self._anchor = End(card.key, card.selection.anchor)
        for other in self._cards.live():
            if other is not card:
                other.clear_selection()

    def extend(self, point: QPoint) -> None:
        """Select from where the mouse was pressed up to a point of the viewport, which may lie outside."""
        placed, y = self._layout.placed, point.y()
        at = self._layout.under(y)
        if at is None and placed:
            at = placed[0].at if y < placed[0].y else placed[-1].at
        key = -1 if at is None else self._layout.model.path.key(at)
        target = self._cards.get(key)
        if target is None or self._anchor is None:
            return
        was_wide, self._texts = self.is_wide, {}
        if key == self._anchor.key:
            self._head = None
            target.selection.select(self._anchor.spot, target.selection.spot_at(QPoint(point.x(), y - target.y())))
            if was_wide:
                for other in self._cards.live():
                    if other is not target:
                        other.clear_selection()
        else:
            self._head = End(key, target.selection.spot_at(QPoint(point.x(), y - target.y())))
            self.apply()
