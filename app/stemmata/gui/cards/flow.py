"""Parts under each other that keep coming: those that are settled are laid out once, only the open ones again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from stemmata.gui.cards.piece import Piece, gap_between


class Flow:
    """Parts in a column from `left`, of `width`, down from `top`; pixels of the card."""

    def __init__(self) -> None:
        self._settled: list[Piece] = []
        self._open: list[Piece] = []
        self._placed: list[Piece] = []  # the settled ones with their children, in the order of painting
        self._open_placed: list[Piece] = []
        self._box = (0, 0, 1)  # left, top, width
        self._ends: list[int] = []  # of the settled parts: height of the flow down to their lower edge
        self._counts: list[int] = []  # of the settled parts: how many are placed with them and before them
        self._settled_height = self._height = 0

    @property
    def height(self) -> int:
        return self._height

    @property
    def placed(self) -> Sequence[Piece]:
        """Everything to be painted, in order."""
        return [*self._placed, *self._open_placed]

    def between(self, top: int, bottom: int) -> Iterator[Piece]:
        """What is to be painted of the card from `top` to `bottom`; costs the same however much there is."""
        above = self._box[1]
        first = bisect_right(self._ends, top - above)
        last = bisect_right(self._ends, bottom - above)
        start = self._counts[first - 1] if first else 0
        yield from self._placed[start : self._counts[min(last, len(self._counts) - 1)] if self._counts else 0]
        yield from self._open_placed

    def last(self) -> Piece | None:
        """The settled part that came last."""
        return self._settled[-1] if self._settled else None

    def end(self) -> Piece | None:
        """The part that stands lowest."""
        placed = self._open_placed or self._placed
        return placed[-1] if placed else None

    def settle(self, pieces: Sequence[Piece]) -> None:
        """Add parts that will not change any more, in front of the open ones."""
        for piece in pieces:
            self._settle(piece)
        self._place_open()

    def show_open(self, pieces: Sequence[Piece]) -> None:
        """Put these in place of the open parts, or lay the same ones out again."""
        self._open = list(pieces)
        self._place_open()

    def move(self, left: int, top: int, width: int) -> None:
        """Lay everything out anew when the place is another one."""
        if (left, top, width) != self._box:
            self._box = (left, top, width)
            self.lay_out()

    def lay_out(self) -> None:
        """Lay out all parts."""
        self._placed, self._ends, self._counts = [], [], []
        self._settled_height = 0
        settled, self._settled = self._settled, []
        for piece in settled:
            self._settle(piece)
        self._place_open()

    def clear(self) -> None:
        self._settled, self._open = [], []
        self.lay_out()

    def _settle(self, piece: Piece) -> None:
        self._settled_height = self._put(piece, self.last(), self._settled_height, self._placed)
        self._settled.append(piece)
        self._ends.append(self._settled_height)
        self._counts.append(len(self._placed))

    def _place_open(self) -> None:
        self._open_placed = []
        self._height = self._settled_height
        before = self.last()
        for piece in self._open:
            self._height = self._put(piece, before, self._height, self._open_placed)
            before = piece

    def _put(self, piece: Piece, before: Piece | None, height: int, out: list[Piece]) -> int:
        """Place a part under what is `height` pixels high and ends with `before`; the new height."""
        left, top, width = self._box
        above = height + gap_between(before, piece) if height else 0
        return above + piece.place(left, top + above, max(width, 1), out)
