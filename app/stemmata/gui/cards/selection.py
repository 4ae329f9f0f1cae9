"""Selecting text over all the text parts of one card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint

from stemmata.gui.cards.text_piece import TextPiece


class Spot(NamedTuple):
    """A character boundary: which of the text parts, and where in it."""

    part: int
    position: int


class TextSelection:
    """From an anchor to the place the mouse is at; in card coordinates."""

    def __init__(self, parts: Sequence[TextPiece]) -> None:
        self._parts = parts
        self._anchor: Spot | None = None
        self._end: Spot | None = None

    @property
    def is_empty(self) -> bool:
        return self._anchor is None or self._anchor == self._end

    def start(self, point: QPoint) -> None:
        self._anchor = self._end = self._spot(point)
        self._show()

    def extend(self, point: QPoint) -> None:
        if self._anchor is not None:
            self._end = self._spot(point)
            self._show()

    @property
    def anchor(self) -> Spot | None:
        """Where it began."""
        return self._anchor

    def spot_at(self, point: QPoint) -> Spot | None:
        """The boundary nearest to a point of the card."""
        return self._spot(point)

    def select(self, start: Spot | None, stop: Spot | None) -> None:
        """From one boundary to another; None for the start, or the end, of the card."""
        self.select_all()
        if self._anchor is not None:
            last = len(self._parts) - 1
            self._anchor, self._end = (
                old if new is None or new.part > last else new
                for new, old in ((start, self._anchor), (stop, self._end))
            )
            self._show()

    def select_all(self) -> None:
        if self._parts:
            self._anchor = Spot(0, 0)
            self._end = Spot(len(self._parts) - 1, self._parts[-1].length())
            self._show()

    def clear(self) -> None:
        self._anchor = self._end = None
        self._show()

    def text(self) -> str:
        """What is selected, a line break between parts, but for those that are only shown apart."""
        out: list[str] = []
        for part in self._parts:
            if part.selection is not None:
                joint = "\n" if part.joint is None else part.joint
                out += [joint, part.between(*part.selection)] if out else [part.between(*part.selection)]
        return "".join(out)

    def _spot(self, point: QPoint) -> Spot | None:
        """The boundary nearest to a point: in the part it is over, else in the last one that begins above it."""
        chosen = None
        for at, part in enumerate(self._parts):
            if chosen is None or part.rect.top() <= point.y():
                chosen = at
        if chosen is None:
            return None
        part = self._parts[chosen]
        return Spot(chosen, part.position_at(point - part.rect.topLeft()))

    def _show(self) -> None:
        for part in self._parts:
            part.selection = None
        if self._anchor is None or self._end is None:
            return
        first, last = sorted((self._anchor, self._end))
        for at in range(first.part, last.part + 1):
            part = self._parts[at]
            start = first.position if at == first.part else 0
            part.selection = (start, last.position if at == last.part else part.length())
