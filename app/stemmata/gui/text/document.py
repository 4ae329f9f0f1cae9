"""A text document that loads nothing: no remote and no local resource, whatever its markup asks for."""

from __future__ import annotations

from math import ceil
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QFont, QTextDocument, QTextOption


class TextDocument(QTextDocument):
    """Laid out by its owner; keeps no undo history."""

    def __init__(self, font: QFont, *, anywhere: bool = False) -> None:
        """`anywhere`: long lines break between any two characters where no word ends."""
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
        """Lay out at this width; the empty paragraph that Qt puts behind a table does not count."""
        self.setTextWidth(width)
        height = self.size().height()
        last = self.lastBlock()
        if last.length() == 1 and self.blockCount() > 1:
            height -= self.documentLayout().blockBoundingRect(last).height()
        return ceil(height)
