"""A text document that loads nothing: no remote and no local resource, whatever its markup asks for."""

from __future__ import annotations

from math import ceil
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QFont, QTextBlock, QTextCursor, QTextDocument, QTextFormat, QTextOption


class TextDocument(QTextDocument):
    """Laid out by its owner; keeps no undo history."""

    def __init__(self, font: QFont, *, anywhere: bool = False) -> None:
        """`anywhere`: long lines break between any two characters, else where a word ends if one does."""
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(font)
        option = QTextOption()
        mode = QTextOption.WrapMode
        option.setWrapMode(mode.WrapAnywhere if anywhere else mode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)

    def loadResource(self, _type: int, _name: QUrl | str) -> Any:
        return None

    def height(self, width: int) -> int:
        """Lay out at this width; an empty line at the end does not count."""
        if self.textWidth() != width:  # Qt lays out anew for the same width, too
            self.setTextWidth(width)
        height = self.size().height()
        last = self.lastBlock()
        if last.length() == 1 and self.blockCount() > 1 and not self._has_end(last):
            height -= self.documentLayout().blockBoundingRect(last).height()
        return ceil(height)

    def _has_end(self, last: QTextBlock) -> bool:
        """Whether an empty last block is a rule, or stands beside the last row of a table as Qt lays it out."""
        ruler = QTextFormat.Property.BlockTrailingHorizontalRulerWidth
        before = QTextCursor(last.previous()).currentTable()
        return last.blockFormat().hasProperty(ruler) or before is not None
