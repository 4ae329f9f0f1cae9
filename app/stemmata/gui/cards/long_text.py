"""A part of a long text that is rendered only once it comes into sight, and given up when it is far out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QRect

from stemmata.gui.cards.piece import Piece, stack
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics


class LongText(Piece):
    """Takes up an estimated height until `realise`; then its parts stand for it.

    After `retire` it has the height that they had.
    """

    is_said = True

    def __init__(
        self,
        style: CardStyle,
        text: str,
        build: Callable[[str], Sequence[Piece]],
        gap: int = 4,
        *,
        joint: str | None = None,
        font: str = "ui",
    ) -> None:
        """`joint`: what stands between it and the part above, None for a part of its own."""
        super().__init__(style, gap)
        self._text = text
        self._build = build
        self._font = font
        self.joint = joint
        self.is_realised = False
        self._known = (-1, 0)  # width, height

    def realise(self) -> None:
        self.children = self._build(self._text)
        if self.children and self.joint is not None:
            self.children[0].joint = self.joint
        self.is_realised = True

    def retire(self) -> None:
        """Keep the text alone."""
        self._known = (self.rect.width(), self.rect.height())
        self.children = ()
        self.is_realised = False

    def place(self, x: int, y: int, width: int, out: list[Piece]) -> int:
        if self.is_realised:
            height = stack(self.children, x, y, width, out)
        else:
            height = self._estimate(width)
            out.append(self)
        self.rect = QRect(x, y, width, height)
        return height

    def text(self) -> str:
        return "" if self.is_realised else self._text

    def holds(self, needle: str) -> bool:
        """Whether the text is in it, `needle` in lower case."""
        return needle in self._text.lower()

    def _estimate(self, width: int) -> int:
        if self._known[0] != width:
            size = self.style.font(self._font).pixelSize()
            characters = max(width / (size * metrics.CHARACTER), 1)
            lines = self._text.count("\n") + 1 + len(self._text) // characters
            percent = metrics.LINE_PERCENT if self._font == "ui" else metrics.CODE_LINE_PERCENT
            self._known = (width, round(lines * size * percent / 100))
        return self._known[1]


def unrealised(pieces: Sequence[Piece]) -> Iterator[LongText]:
    """Those of placed parts that are not rendered yet."""
    return (piece for piece in pieces if isinstance(piece, LongText) and not piece.is_realised)
