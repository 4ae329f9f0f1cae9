"""Where the words that are searched for stand in a line of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QTextLayout, QTextLine, QTextOption

_WORD = re.compile(r"[^\W_]+")  # as the archive takes texts apart


def words_of(query: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_WORD.findall(query)))


def marks(text: str, words: Sequence[str], font: QFont) -> list[tuple[float, float]]:
    """(left, width) in pixels of what begins with one of the words, in the order of the text."""
    if not words:
        return []
    pattern = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    found = [match.span() for match in re.finditer(rf"(?<![^\W_])(?:{pattern})", text, re.IGNORECASE)]
    if not found:
        return []
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(QFontMetricsF(font).horizontalAdvance(text))  # no wider: other scripts begin at the right
    layout.endLayout()
    ends = [sorted(_x(line, _units(text[:at])) for at in span) for span in found]
    return [(left, right - left) for left, right in ends]


def _x(line: QTextLine, at: int) -> float:
    x, _at = cast("tuple[float, int]", line.cursorToX(at))  # its stub says object
    return x


def _units(text: str) -> int:
    """Length as Qt counts it, in units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
