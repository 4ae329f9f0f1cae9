"""A part of a long text that is rendered only once it comes into sight."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect

from stemmata.gui.cards.piece import Piece, stack
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.theme import metrics


class LongText(Piece):
    """Takes up an estimated height until `realise`; then its parts stand for it."""

    is_said = True

    def __init__(self, style: CardStyle, text: str, build: Callable[[str], Sequence[Piece]], gap: int = 4) -> None:
        super().__init__(style, gap)
        self._text = text
        self._build = build
        self.is_realised = False

    def realise(self) -> None:
        self.children = self._build(self._text)
        self.is_realised = True

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

    def _estimate(self, width: int) -> int:
        size = self.style.font("ui").pixelSize()
        characters = max(width / (size * metrics.CHARACTER), 1)
        lines = sum(1 + len(line) // characters for line in self._text.splitlines())
        return round(lines * size * metrics.LINE_PERCENT / 100)
