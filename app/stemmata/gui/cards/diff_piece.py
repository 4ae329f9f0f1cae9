"""A difference: added lines on green, removed ones on red."""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextBlockFormat, QTextCharFormat, QTextCursor

from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import TextPiece
from stemmata.gui.cards.words import tr
from stemmata.gui.theme import metrics

COLORS = {"+": ("good", "good_bg"), "-": ("bad", "bad_bg"), "@": ("dim", "")}


class DiffPiece(TextPiece):
    """`diff`: lines that start with + or -, anything else is context."""

    def __init__(self, style: CardStyle, diff: str, gap: int = 3) -> None:
        lines = diff.splitlines()
        shown = lines[: metrics.MOST_DIFF_LINES]
        if len(shown) < len(lines):
            shown.append(tr("… %Ln more lines", None, len(lines) - len(shown)))
        document = style.code("\n".join(shown))
        super().__init__(style, document, color="dim", gap=gap)
        cursor = QTextCursor(document)
        for number, line in enumerate(shown):
            if line[:1] in COLORS:
                text, ground = COLORS[line[:1]]
                cursor.setPosition(document.findBlockByNumber(number).position())
                _paint_line(cursor, style.color(text), style.color(ground) if ground else None)


def _paint_line(cursor: QTextCursor, text: QColor, ground: QColor | None) -> None:
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    style = QTextCharFormat()
    style.setForeground(text)
    cursor.mergeCharFormat(style)
    if ground is not None:
        block = QTextBlockFormat()
        block.setBackground(ground)
        cursor.mergeBlockFormat(block)
