"""The position of lines and tables that are wider than the card and are scrolled sideways."""

from __future__ import annotations


class Sideways:
    """The scroll position of a block (a table, lines of code) that is wider than its card.

    The parts of the block share one object, so they scroll together.
    """

    def __init__(self) -> None:
        self._offset = 0
        self._content = self._room = 0
        self.is_held = False  # whether the handle of its bar is dragged

    @property
    def most(self) -> int:
        """The largest offset, in pixels; 0 when the whole block fits into the card."""
        return max(self._content - self._room, 0)

    @property
    def offset(self) -> int:
        """The number of pixels by which the block is scrolled to the right."""
        return min(self._offset, self.most)

    @property
    def share(self) -> tuple[float, float]:
        """The start and the end of the visible part, as shares of the whole width."""
        whole = max(self._content, 1)
        return self.offset / whole, min((self.offset + self._room) / whole, 1.0)

    def fit(self, content: int, room: int) -> None:
        """Set the width of a part and the width that is visible, in pixels."""
        self._content, self._room = max(self._content, content), room

    def move_to(self, offset: int) -> bool:
        """Scroll to an offset; returns whether anything moved."""
        before, self._offset = self.offset, max(offset, 0)
        self._offset = self.offset
        return self._offset != before

    def reveal(self, left: int, right: int) -> None:
        """Scroll until a part of the block is visible, in pixels from the block's left edge."""
        if left < self.offset:
            self.move_to(left)
        elif right > self.offset + self._room:
            self.move_to(right - self._room)
