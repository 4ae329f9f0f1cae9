"""The pieces of a card. They are not widgets, because a page of them must be laid out within a frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QPainter, QPen

from stemmata.domain.search.needle import Needle
from stemmata.gui.cards.content import Action
from stemmata.gui.cards.sideways import Sideways
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics

BELOW_BOX = 5  # least gap between a box and text below it, as a step of `metrics.SPACE`
NEAR, LETTERS = 24, 8  # characters beside a match that are looked at, letters of them that are compared


@dataclass(frozen=True, slots=True)
class Around:
    """The letters and digits before and after a match, which are the same where a text is shown in another form."""

    before: str
    after: str


def around(text: str, needle: Needle) -> list[Around]:
    """Return the letters around each match of a text, in order."""
    return [around_span(text, start, stop) for start, stop in needle.spans(text)]


def around_span(text: str, start: int, stop: int) -> Around:
    """Return the letters around a part of a text."""
    before, after = text[max(start - NEAR, 0) : start], text[stop : stop + NEAR]
    return Around(_letters(before)[-LETTERS:], _letters(after)[:LETTERS])


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


class Piece:
    """A part of a card. `place` sets its rectangle in the card; all other coordinates are relative to that."""

    children: Sequence[Piece] = ()
    names_speaker = False  # whether it is a head, below which text begins without a gap
    is_box = False  # whether it has a border, from which text below keeps more distance
    is_said = False  # whether it is text of a speaker
    # the text between this piece and the one whose text it continues; None when its text begins here
    joint: str | None = None
    sideways: Sideways | None = None  # the position of a block that can be wider than its place
    written = ""  # the part of the card whose text the piece and its children show as it is written; "" for others
    result_key = 0  # store key of the tool result that the piece and its children show; 0 for the card's own entry

    def __init__(self, style: CardStyle, gap: int = 3) -> None:
        """Create a piece; `gap` is the distance to the piece above, as a step of `metrics.SPACE`."""
        self.style = style
        self.gap = style.space(gap)
        self.rect = QRect()

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        """Lay out at a place, append the piece and its children to `out` in painting order, and return the height."""
        out.append(self)
        height = stack(self.children, x, y, width, out)
        self.rect = QRect(x, y, width, height)
        return height

    def paint(self, painter: QPainter, clip: QRect) -> None:
        """Paint with the origin at the rectangle's corner. `clip` has the same coordinates."""

    def paint_over(self, painter: QPainter) -> None:
        """Paint above all pieces while the mouse is over this one."""

    def action_at(self, _point: QPoint) -> Action | None:
        """Return the action of a click at a point; None for none."""
        return None

    @property
    def actions(self) -> Sequence[Action]:
        """All actions that clicks on this piece have, without those of its children."""
        return ()

    def tip_at(self, _point: QPoint) -> str:
        """Return the tooltip at a point; "" for none."""
        return ""

    def text(self) -> str:
        """Return the text for screen readers."""
        return ""


class SinglePiece(Piece, ABC):
    """A piece without children."""

    @abstractmethod
    def measure(self, width: int) -> int:
        """Return the height at a width, in pixels."""

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        height = self.measure(width)
        self.rect = QRect(x, y, width, height)
        out.append(self)
        return height


class MarkedPiece(SinglePiece):
    """A piece in which the matches of the searched text are set off. Positions count from the start of its text."""

    current: int | None = None  # position of the current match

    @abstractmethod
    def found(self) -> list[int]:
        """Return the positions of the painted matches, ascending."""

    @abstractmethod
    def y_of(self, position: int) -> int:
        """Return the upper edge of the line with a position, in pixels below the upper edge of the piece."""

    @abstractmethod
    def around_matches(self) -> list[Around]:
        """Return the letters around each painted match, in the order of `found`."""

    def reveal(self, position: int) -> None:
        """Scroll sideways to a position."""


class FramePiece(Piece):
    """A box around other pieces."""

    is_box = True

    def __init__(
        self,
        style: CardStyle,
        children: Sequence[Piece],
        *,
        fill: str = "panel",
        border: str = "line",
        padding: tuple[int, int] = (0, 5),
        radius: int = metrics.RADIUS_CONTROL,
        gap: int = 3,
        free: int = 0,
    ) -> None:
        """Create a box.

        `padding` is above and beside the children, in steps of `metrics.SPACE`; `free` pixels at the right.
        """
        super().__init__(style, gap)
        self.children = children
        self._fill, self._border = fill, border
        self._padding = style.space(padding[0]), style.space(padding[1])
        self._radius = style.px(radius)
        self._free = free

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        out.append(self)
        above, beside = self._padding
        height = stack(self.children, x + beside, y + above, width - 2 * beside - self._free, out) + 2 * above
        self.rect = QRect(x, y, width, height)
        return height

    def paint(self, painter: QPainter, _clip: QRect) -> None:
        box = QRectF(0.5, 0.5, self.rect.width() - 1, self.rect.height() - 1)
        painter.setPen(QPen(self.style.color(self._border), metrics.BORDER))
        painter.setBrush(self.style.color(self._fill))
        painter.drawRoundedRect(box, self._radius, self._radius)


def stack(pieces: Sequence[Piece], x: int, y: int, width: int, out: list[Piece]) -> int:
    """Place pieces below each other, the first without its gap; returns the total height."""
    start, above = y, None
    for piece in pieces:
        if y != start:
            y += gap_between(above, piece)
        y += piece.place(x, y, max(width, 1), out)
        above = piece
    return y - start


def gap_between(above: Piece | None, piece: Piece) -> int:
    """Return the gap above a piece, in pixels.

    Text directly below a head has none, because lines have leading. That leading is below a line of text, so text
    below a box gets a larger gap than text above one.
    """
    if above is None or not piece.is_said:
        return piece.gap
    if above.names_speaker:
        return min(piece.gap, piece.style.space(1))
    return max(piece.gap, piece.style.space(BELOW_BOX)) if above.is_box else piece.gap


def paint_pieces(painter: QPainter, pieces: Iterable[Piece], exposed: QRect) -> None:
    """Paint the pieces that intersect the exposed rectangle, in order."""
    for piece in pieces:
        visible = piece.rect.intersected(exposed)
        if not visible.isEmpty():
            painter.save()
            painter.translate(piece.rect.topLeft())
            piece.paint(painter, visible.translated(-piece.rect.topLeft()))
            painter.restore()


def pieces_under(pieces: Sequence[Piece], point: QPoint) -> Iterator[Piece]:
    """Yield the placed pieces under a point of the card, topmost first."""
    return (piece for piece in reversed(pieces) if piece.rect.contains(point))


def action_under(pieces: Iterable[Piece], point: QPoint) -> Action | None:
    """Return the action of the first piece that has one at a point of the card; None for none."""
    asked = (piece.action_at(point - piece.rect.topLeft()) for piece in pieces)
    return next((action for action in asked if action is not None), None)
