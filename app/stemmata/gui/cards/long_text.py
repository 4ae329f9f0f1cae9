"""A part of a long text that is rendered when it becomes visible and released when it is far out of view.

Positions of rendered parts are cached, because scrolling places a card with hundreds of parts many times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QRect

from stemmata.domain.search.needle import Needle
from stemmata.domain.text.terminal_text import readable
from stemmata.gui.cards.piece import Around, Piece, around, stack
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics

SAMPLE = 8_192  # characters whose line ends are counted to estimate a height: 10 MB take 5 ms


Span = tuple[int, int, int]
Heights = Mapping[Span, tuple[int, int]]  # width and height of each part that was laid out


class LongText(Piece):
    """A part with an estimated height until `realise` renders its pieces.

    After `retire` it keeps their height. After `set_aside` it counts as not rendered, but its pieces are kept for the
    next `realise`.
    """

    is_said = True
    heights: Heights = MappingProxyType({})  # those that the parts of the card had before it was built again

    def __init__(
        self,
        style: CardStyle,
        text: str,
        build: Callable[[str], Sequence[Piece]],
        gap: int = 4,
        *,
        joint: str | None = None,
        font: str = "ui",
        span: tuple[int, int] | None = None,
        wraps: bool = True,
    ) -> None:
        """Create the part; `joint` is the text between it and the part above, None when they are separate.

        Without `wraps`, each line of the text takes one line, however long it is.

        `span` is the start and end of the part in `text`, None for all of it. The part is cut out when it is needed:
        the copies of all parts of 10 MB take longer than a frame.
        """
        super().__init__(style, gap)
        self._whole, (self._start, self._stop) = text, span or (0, len(text))
        self._build = build
        self._font = font
        self._wraps = wraps
        self.joint = joint
        self.is_realised = False
        self._kept: Sequence[Piece] = ()
        self._known = (-1, 0)  # width, height
        self._line_ends = -1  # their estimated number; -1 before they are counted
        self._within: LongText | None = None  # the long text that contains this one
        self._inner: list[LongText] = []  # the long texts inside this one
        self._placed: list[Piece] | None = None  # the result of `place`; None when it must be placed again

    def expect_lines(self, lines: int) -> None:
        """Set the estimated number of lines, for a form whose lines are not those of the text."""
        self._line_ends = lines - 1

    def realise(self) -> None:
        """Render the pieces."""
        if self._kept:
            self.children, self._kept = self._kept, ()
        else:
            self.children = self._build(self.whole_text)
            if self.children and self.joint is not None:
                self.children[0].joint = self.joint
            self._inner = list(long_texts(self.children))
            for inner in self._inner:
                inner._within, inner.heights = self, self.heights
        self.is_realised = True
        self._forget_places()

    def retire(self) -> None:
        """Release the pieces and keep only the text and the height."""
        self._known = (self.rect.width(), self.rect.height())
        for inner in self._inner:
            inner.retire()
        self.children, self._kept, self._inner = (), (), []
        self.is_realised = False
        self._forget_places()

    def set_aside(self) -> None:
        """Hide the pieces until `realise`, because they must be laid out again."""
        if self.is_realised:
            self._kept, self.children = self.children, ()
            self.is_realised = False
            self._forget_places()

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        if not self.is_realised:
            height = self._estimate(width)
            out.append(self)
            self.rect = QRect(x, y, width, height)
            return height
        if self._placed is not None and self.rect.x() == x and self.rect.width() == width:
            self._move(y - self.rect.y())
        else:
            self._placed = []
            height = stack(self.children, x, y, width, self._placed)
            self.rect = QRect(x, y, width, height)
        out += self._placed
        return self.rect.height()

    def lay_out(self) -> None:
        """Lay out the pieces at the placed position."""
        self.place(self.rect.x(), self.rect.y(), self.rect.width(), [])

    def _move(self, by: int) -> None:
        """Move the placed pieces down by pixels."""
        if not by or self._placed is None:
            return
        for piece in self._placed:
            piece.rect = piece.rect.translated(0, by)
        waiting = [self]
        while waiting:  # rendered long texts are not in the list themselves
            part = waiting.pop()
            part.rect = part.rect.translated(0, by)
            waiting += [inner for inner in part._inner if inner.is_realised]

    def _forget_places(self) -> None:
        part: LongText | None = self
        while part is not None:
            part._placed = None
            part = part._within

    @property
    def is_made(self) -> bool:
        """Whether the pieces exist, visible or not."""
        return self.is_realised or bool(self._kept)

    def text(self) -> str:
        return "" if self.is_realised else self.whole_text

    @property
    def whole_text(self) -> str:
        """The text of the part, also while it is rendered."""
        return self._whole[self._start : self._stop]

    def holds(self, needle: Needle) -> bool:
        """Whether the text contains a match."""
        return needle.is_in(readable(self.whole_text))

    def around_matches(self, needle: Needle) -> list[Around]:
        """Return the letters around each match, while it is not rendered."""
        return around(readable(self.text()), needle)

    @property
    def span(self) -> Span:
        """The start and the end of the part in its text, and the length of the text, in characters."""
        return self._start, self._stop, len(self._whole)

    @property
    def is_known(self) -> bool:
        """Whether it is not rendered, but was laid out in this width before the card was built again."""
        return not self.is_realised and self.heights.get(self.span, (-1, 0))[0] == self.rect.width()

    def _estimate(self, width: int) -> int:
        if self._known[0] != width:
            self._known = self.heights.get(self.span, self._known)
        if self._known[0] != width:
            size = self.style.font(self._font).pixelSize()
            characters = max(width / (size * metrics.CHARACTER), 1)
            length = self._stop - self._start
            if self._line_ends < 0:
                sample = min(length, SAMPLE)
                ends = self._whole.count("\n", self._start, self._start + sample)
                self._line_ends = ends * length // max(sample, 1)
            lines = self._line_ends + 1 + (length // characters if self._wraps else 0)
            percent = metrics.LINE_PERCENT if self._font == "ui" else metrics.CODE_LINE_PERCENT
            self._known = (width, round(lines * size * percent / 100))
        return self._known[1]


def long_texts(pieces: Sequence[Piece]) -> Iterator[LongText]:
    """Yield the long texts among pieces and their children."""
    waiting = list(pieces)
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, LongText):
            yield piece
        else:
            waiting += piece.children


def unrealised(pieces: Sequence[Piece]) -> Iterator[LongText]:
    """Yield the placed long texts that are not rendered."""
    return (piece for piece in pieces if isinstance(piece, LongText) and not piece.is_realised)
