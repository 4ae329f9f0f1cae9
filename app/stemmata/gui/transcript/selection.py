"""Selections that span several cards.

Only visible cards exist as widgets, so a selection is stored as entries and positions in them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from stemmata.gui.cards.card import Card
from stemmata.gui.cards.selection import CharacterPosition
from stemmata.gui.transcript.card_pool import TranscriptCards
from stemmata.gui.transcript.layout import TranscriptLayout

TICK_MS = 30
PART = 4  # divisor: one tick scrolls this part of the mouse's distance beyond the edge


class DragScroll(QObject):
    """Scrolls while a selection is dragged beyond an edge. Points are in viewport coordinates.

    `scroll` moves by pixels, `extend` selects up to a point.
    """

    def __init__(self, viewport: QWidget, scroll: Callable[[int], None], extend: Callable[[QPoint], None]) -> None:
        super().__init__(viewport)
        self._viewport, self._scroll, self._extend = viewport, scroll, extend
        self._point = QPoint()
        self._is_held = False
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._on_tick)

    @property
    def is_scrolling(self) -> bool:
        """Whether the drag is beyond an edge."""
        return self._timer.isActive()

    def drag_to(self, point: QPoint) -> None:
        """Continue the drag at a point."""
        self._point, self._is_held = point, True
        self._select()
        if not self._overshoot:
            self._timer.stop()
        elif not self.is_scrolling:
            self._timer.start()

    def scrolled(self) -> None:
        """Extend the selection to the text under the mouse, after the view scrolled for another reason."""
        if self._is_held and not self.is_scrolling:
            self._is_held = bool(QApplication.mouseButtons() & Qt.MouseButton.LeftButton)
            if self._is_held:
                self._select()

    def stop(self) -> None:
        """End the drag."""
        self._is_held = False
        self._timer.stop()

    @property
    def _overshoot(self) -> int:
        """The mouse's distance: negative above the upper edge, positive below the lower one, else 0; in pixels."""
        y = self._point.y()
        return min(y, 0) or max(y - self._viewport.height() + 1, 0)

    def _on_tick(self) -> None:
        if not QApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            self.stop()  # the button was released outside the application
            return
        far = self._overshoot
        step = min(1 + abs(far) // PART, self._viewport.height())
        self._scroll(step if far > 0 else -step)
        self._select()

    def _select(self) -> None:
        """Select up to the visible point nearest to the mouse."""
        y = min(max(self._point.y(), 0), self._viewport.height() - 1)
        self._extend(QPoint(self._point.x(), y))


class SelectionEnd(NamedTuple):
    """An end of the selection: the entry's key and a spot in its card; None selects the whole card."""

    key: int
    spot: CharacterPosition | None


class TranscriptSelection:
    """The selection over several cards. It begins when a drag leaves its card, or with Shift and a click."""

    def __init__(self, cards: TranscriptCards, layout: TranscriptLayout) -> None:
        self._cards, self._layout = cards, layout
        self._anchor: SelectionEnd | None = None
        self._head: SelectionEnd | None = None
        self._texts: dict[int, str] = {}  # selected text of partly selected cards that were in view
        cards.pressed = self._on_pressed

    @property
    def is_wide(self) -> bool:
        """Whether the selection spans several cards, or a card out of view."""
        return self._ends() is not None

    def select_all(self) -> None:
        """Select the whole path."""
        model = self._layout.model
        first, last = model.after(-1), model.before(len(model))
        if first is not None and last is not None:
            self._anchor, self._head = (
                SelectionEnd(model.path.key(first), None),
                SelectionEnd(model.path.key(last), None),
            )
            self.apply()

    def clear(self) -> None:
        """Clear the selection."""
        self._anchor = self._head = None
        self._texts.clear()

    def apply(self) -> None:
        """Show the selection in the visible cards."""
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
        """Return the selected entries in order, as (key, selected text); None instead of a text for a whole entry."""
        ends, model = self._ends(), self._layout.model
        if ends is None:
            return []
        (first, _), (last, _) = ends
        keys = (model.path.key(at) for at in range(first, last + 1) if model.has_card(at))
        return [(key, self._texts.get(key)) for key in keys]

    def _ends(self) -> tuple[tuple[int, CharacterPosition | None], tuple[int, CharacterPosition | None]] | None:
        """Return the positions of the first and last card with their spots; None while only one card selects."""
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
        self._anchor = SelectionEnd(card.key, card.selection.anchor)
        for other in self._cards.live():
            if other is not card:
                other.clear_selection()

    def extend(self, point: QPoint) -> None:
        """Select from the pressed point up to a point, which may lie outside the viewport."""
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
            self._head = SelectionEnd(key, target.selection.spot_at(QPoint(point.x(), y - target.y())))
            self.apply()
