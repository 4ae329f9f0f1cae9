"""The text selection inside one card, over all its text pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint

from stemmata.gui.cards.text_piece import TextPiece


class CharacterPosition(NamedTuple):
    """A character boundary: the index of a text piece, and a position in it."""

    part: int
    position: int


class TextSelection:
    """A selection from an anchor to the mouse, in card coordinates."""

    def __init__(self, parts: Sequence[TextPiece]) -> None:
        self._parts = parts
        self._anchor: CharacterPosition | None = None
        self._end: CharacterPosition | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is selected."""
        return self._anchor is None or self._anchor == self._end

    def start(self, point: QPoint) -> None:
        """Begin a selection at a point."""
        self._anchor = self._end = self._spot(point)
        self._show()

    def extend(self, point: QPoint) -> None:
        """Extend the selection to a point."""
        if self._anchor is not None:
            self._end = self._spot(point)
            self._show()

    @property
    def anchor(self) -> CharacterPosition | None:
        """The boundary where the selection began; None without a selection."""
        return self._anchor

    def spot_at(self, point: QPoint) -> CharacterPosition | None:
        """Return the boundary nearest to a point of the card."""
        return self._spot(point)

    def select(self, start: CharacterPosition | None, stop: CharacterPosition | None) -> None:
        """Select between two boundaries; None is the start or the end of the card."""
        self.select_all()
        if self._anchor is not None:
            last = len(self._parts) - 1
            self._anchor, self._end = (
                old if new is None or new.part > last else new
                for new, old in ((start, self._anchor), (stop, self._end))
            )
            self._show()

    def select_all(self) -> None:
        """Select the whole card."""
        if self._parts:
            self._anchor = CharacterPosition(0, 0)
            self._end = CharacterPosition(len(self._parts) - 1, self._parts[-1].length())
            self._show()

    def clear(self) -> None:
        """Clear the selection."""
        self._anchor = self._end = None
        self._show()

    def text(self) -> str:
        """Return the selected text. Pieces are separated by a line break, unless one continues the other."""
        out: list[str] = []
        for part in self._parts:
            if part.selection is not None:
                joint = "\n" if part.joint is None else part.joint
                out += [joint, part.between(*part.selection)] if out else [part.between(*part.selection)]
        return "".join(out)

    def _spot(self, point: QPoint) -> CharacterPosition | None:
        """Return the boundary nearest to a point: in the piece under it, else in the last piece above."""
        chosen = None
        for at, part in enumerate(self._parts):
            if chosen is None or part.rect.top() <= point.y():
                chosen = at
        if chosen is None:
            return None
        part = self._parts[chosen]
        return CharacterPosition(chosen, part.position_at(point - part.rect.topLeft()))

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
