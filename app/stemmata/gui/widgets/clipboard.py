"""Copies text to the clipboard; a long text only when another program, or the window itself, asks for it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QMetaType, QMimeData
from PySide6.QtGui import QGuiApplication

LONG = 500_000  # characters: Qt takes about 3 ms for a million
PLAIN = "text/plain"


def put_on_clipboard(text: str) -> None:
    """Replace the content of the clipboard by a text."""
    clipboard = QGuiApplication.clipboard()
    if len(text) <= LONG:
        clipboard.setText(text)
    else:
        clipboard.setMimeData(LongCopy(text))


def settle_clipboard() -> None:
    """Give the clipboard its text before the program ends, since no part of the program can do so afterwards."""
    clipboard = QGuiApplication.clipboard()
    waiting = clipboard.mimeData()
    if isinstance(waiting, LongCopy):
        clipboard.setText(waiting.content)


class LongCopy(QMimeData):
    """A copied text that is converted for Qt only when pasted, because converting 10 MB takes longer than a frame."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.content = text

    def formats(self) -> list[str]:
        return [PLAIN]

    def retrieveData(self, format: str, _type: QMetaType | QMetaType.Type) -> Any:
        return self.content if format == PLAIN else None
