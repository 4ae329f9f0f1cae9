"""A growing column of pieces. Finished pieces are laid out only when they are visible."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from time import thread_time

from stemmata.gui.cards.long_text import LongText, unrealised
from stemmata.gui.cards.piece import Piece, gap_between
from stemmata.gui.cards.sideways_bar import SidewaysBar

MOST_SECONDS = 0.006  # seconds of layout at a time


class Flow:
    """A column of pieces at `left`, `top` with `width`, in pixels of the card."""

    def __init__(self) -> None:
        self._settled: list[Piece] = []
        self._open: list[Piece] = []
        self._placed: list[Sequence[Piece]] = []  # each finished piece with its children, in the order of painting
        # (left, top, width) of the finished pieces when they were laid out
        self._places: list[tuple[int, int, int]] = []
        self._open_placed: list[Piece] = []
        self._box = (0, 0, 1)  # left, top, width
        self._gaps: list[int] = []  # gaps above the finished pieces
        self._ends: list[int] = []  # height of the column down to each finished piece's lower edge
        self._height = 0
        self.is_late = False  # whether a visible piece is not laid out yet

    @property
    def height(self) -> int:
        """The height of all pieces, in pixels."""
        return self._height

    @property
    def placed(self) -> Sequence[Piece]:
        """All laid-out pieces, in order."""
        return [*chain.from_iterable(self._placed), *self._open_placed]

    def between(self, top: int, bottom: int) -> Iterator[Piece]:
        """Yield the pieces between `top` and `bottom`. The cost does not depend on the number of pieces."""
        for at in self._visible_range(top, bottom):
            if self._is_in_place(at):
                yield from self._placed[at]
        yield from self._open_placed

    def last(self) -> Piece | None:
        """The last finished piece; None when there is none."""
        return self._settled[-1] if self._settled else None

    def end(self) -> Piece | None:
        """The lowest piece; None when there is none."""
        placed = self._open_placed or (self._placed[-1] if self._placed else ())
        return next((piece for piece in reversed(placed) if not isinstance(piece, SidewaysBar)), None)

    def settle(self, pieces: Iterable[Piece]) -> None:
        """Append finished pieces, above the open ones. Each is laid out before the next one is asked for.

        Call `show_open` afterwards.
        """
        for piece in pieces:
            gap = gap_between(self.last(), piece) if self._ends else 0
            self._settled.append(piece)
            self._gaps.append(gap)
            self._placed.append(())
            self._places.append((0, 0, 0))
            self._ends.append(self._start(len(self._settled) - 1))
            self._place(len(self._settled) - 1)

    def show_open(self, pieces: Sequence[Piece]) -> None:
        """Replace the open pieces, or lay out the same pieces again."""
        self._open = list(pieces)
        self._place_open()

    def move(self, left: int, top: int, width: int) -> None:
        """Change place and width; `fit` lays out the visible pieces again."""
        if (left, top, width) != self._box:
            self._box = (left, top, width)
            self._place_open()

    def fit(self, top: int, bottom: int, until: float | None = None) -> bool:
        """Lay out the pieces between `top` and `bottom`; returns whether the height changed.

        It stops when this thread's processor time reaches `until` seconds; `is_late` then says that pieces remain.
        """
        before, end = self._height, thread_time() + MOST_SECONDS if until is None else until
        self.is_late = False
        at = next(iter(self._visible_range(top, bottom)), len(self._settled))
        while at < len(self._settled) and self._box[1] + self._start(at) < bottom:
            if thread_time() > end:
                self.is_late = True
                break
            if not self._is_in_place(at):
                self._place(at)
            while unseen := self._unseen(at, top, bottom):
                unseen.realise()
                self._place(at)
                if thread_time() > end:
                    self.is_late = True
                    break
            at += 1
        self._place_open()
        return self._height != before

    def clear(self) -> None:
        """Drop all pieces."""
        self._settled, self._open = [], []
        self._placed, self._places, self._gaps, self._ends = [], [], [], []
        self._place_open()

    def _visible_range(self, top: int, bottom: int) -> range:
        above = self._box[1]
        first = bisect_right(self._ends, top - above)
        return range(first, min(bisect_right(self._ends, bottom - above) + 1, len(self._settled)))

    def _unseen(self, at: int, top: int, bottom: int) -> LongText | None:
        """Return the first visible long text of a piece that is not rendered; None when there is none."""
        found = unrealised(self._placed[at])
        return next((part for part in found if part.rect.y() < bottom and part.rect.bottom() >= top), None)

    def _start(self, at: int) -> int:
        """Return the height of the column down to a finished piece."""
        return (self._ends[at - 1] if at else 0) + self._gaps[at]

    def _place_of(self, at: int) -> tuple[int, int, int]:
        left, top, width = self._box
        return left, top + self._start(at), width

    def _is_in_place(self, at: int) -> bool:
        return self._places[at] == self._place_of(at)

    def _place(self, at: int) -> None:
        """Lay out a finished piece, and move the pieces below when its height changed."""
        out: list[Piece] = []
        left, top, width = self._places[at] = self._place_of(at)
        end = self._start(at) + self._settled[at].place(left, top, max(width, 1), out)
        self._placed[at] = out
        by = end - self._ends[at]
        if by:
            self._ends[at:] = [height + by for height in self._ends[at:]]

    def _place_open(self) -> None:
        self._open_placed = []
        self._height = self._ends[-1] if self._ends else 0
        before = self.last()
        for piece in self._open:
            self._height = self._put(piece, before, self._height, self._open_placed)
            before = piece

    def _put(self, piece: Piece, before: Piece | None, height: int, out: list[Piece]) -> int:
        """Place a piece below `before`, at `height` pixels; returns the new height."""
        left, top, width = self._box
        above = height + gap_between(before, piece) if height else 0
        return above + piece.place(left, top + above, max(width, 1), out)
