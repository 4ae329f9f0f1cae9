"""A text document that loads neither remote nor local resources, even if its markup names some."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from math import ceil
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import QFont, QTextBlock, QTextCursor, QTextDocument, QTextFormat, QTextOption, QTextTable


class Wrap(Enum):
    """The places at which a long line may be wrapped."""

    WORDS = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere  # after words, and within very long ones
    WHOLE_WORDS = QTextOption.WrapMode.WordWrap  # only after words
    ANYWHERE = QTextOption.WrapMode.WrapAnywhere
    NEVER = QTextOption.WrapMode.NoWrap


class TextDocument(QTextDocument):
    """A document without resources and undo history; its owner lays it out."""

    def __init__(self, font: QFont, wrap: Wrap = Wrap.WORDS, *, tab: float = 0) -> None:
        """Create an empty document.

        `tab` is the width of a tab in pixels, 0 for that of Qt.
        """
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(font)
        option = QTextOption()
        option.setWrapMode(wrap.value)
        if wrap in (
            Wrap.NEVER,
            Wrap.WHOLE_WORDS,
        ):  # text that is scrolled sideways begins at the left in every language
            option.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
        if tab:
            option.setTabStopDistance(tab)
        self.setDefaultTextOption(option)
        self.quote_indent = 0  # pixels by which a quote is indented; 0 while the document has no quotes
        self._shaped = -1  # revision whose blocks keep their glyphs

    def loadResource(self, _type: int, _name: QUrl | str) -> Any:
        return None

    def height(self, width: int) -> int:
        """Lay the document out at this width and return its height, in pixels, without an empty last line."""
        if self._shaped != self.revision():
            self._keep_shapes()
        if self.textWidth() != width:  # Qt repeats the layout even for the same width
            self.setTextWidth(width)
        height = self.size().height()
        last = self.lastBlock()
        if last.length() == 1 and self.blockCount() > 1 and not self._has_end(last):
            height -= self.documentLayout().blockBoundingRect(last).height()
        return ceil(height)

    def quotes(self, top: float, bottom: float) -> Iterator[QRectF]:
        """Yield the margin at the left of each quote in a range of y. Quotes in a quote have their own margins.

        A quote that goes on above or below the range is cut there.
        """
        if not self.quote_indent:
            return
        layout = self.documentLayout()
        block = self.findBlock(max(layout.hitTest(QPointF(0, top), Qt.HitTestAccuracy.FuzzyHit), 0)).previous()
        if (table := _table_of(block)) is not None:
            block = table.firstCursorPosition().block().previous()
        block = block if block.isValid() else self.firstBlock()
        opened: list[QRectF] = []
        while block.isValid():
            shape, area = block.blockFormat(), layout.blockBoundingRect(block)
            depth = round(shape.leftMargin() / self.quote_indent)
            if (table := _table_of(block)) is not None:
                # a block precedes a table in a quote; the margin of a table also has the indents of its lists
                depth = min(round(table.format().leftMargin() / self.quote_indent), len(opened))
            elif not block.text() and _table_of(block.previous()) is not None:
                depth = len(opened)  # the empty block that Qt puts behind a table ends where the table does
            while len(opened) > depth:
                yield opened.pop()
            for margin in opened:
                margin.setBottom(area.bottom())
            left = shape.indent() * self.indentWidth() if block.textList() is None else 0
            size = QSizeF(self.quote_indent, area.height())
            opened += [
                QRectF(QPointF(left + level * self.quote_indent, area.top()), size)
                for level in range(len(opened), depth)
            ]
            if area.top() > bottom:
                break
            block = block.next()
        yield from opened

    def _keep_shapes(self) -> None:
        """Keep the glyphs of each block. Otherwise Qt shapes text for the layout, and again whenever it paints."""
        self._shaped = self.revision()
        block = self.firstBlock()
        for _ in range(self.blockCount()):
            block.layout().setCacheEnabled(True)
            block = block.next()

    def _has_end(self, last: QTextBlock) -> bool:
        """Return whether an empty last block takes no line of its own: it is a rule, or follows a table."""
        ruler = QTextFormat.Property.BlockTrailingHorizontalRulerWidth
        return last.blockFormat().hasProperty(ruler) or _table_of(last.previous()) is not None


def _table_of(block: QTextBlock) -> QTextTable | None:
    """Return the table that a block is in."""
    return QTextCursor(block).currentTable()
