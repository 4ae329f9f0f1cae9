"""Copies text to the clipboard; a long text only when another program, or the window itself, asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QMetaType, QMimeData
from PySide6.QtGui import QGuiApplication

LONG = 500_000  # characters: Qt takes about 3 ms for a million
PLAIN = "text/plain"


def put_on_clipboard(*parts: str, change: Callable[[str], str] = str) -> None:
    """Replace the content of the clipboard by a text, given in parts. `change` is applied to the joined text."""
    clipboard = QGuiApplication.clipboard()
    copy = LongCopy(parts, change)
    if sum(map(len, parts)) <= LONG:
        clipboard.setText(copy.content)
    else:
        clipboard.setMimeData(copy)


def settle_clipboard() -> None:
    """Give the clipboard its text before the program ends, since no part of the program can do so afterwards."""
    clipboard = QGuiApplication.clipboard()
    waiting = clipboard.mimeData()
    if isinstance(waiting, LongCopy):
        clipboard.setText(waiting.content)


class LongCopy(QMimeData):
    """A copied text that is joined and converted for Qt only when pasted.

    Both take longer than a frame for 10 MB, on any thread: Python's lock is held meanwhile.
    """

    def __init__(self, parts: Sequence[str], change: Callable[[str], str] = str) -> None:
        super().__init__()
        self._parts, self._change = parts, change

    @property
    def content(self) -> str:
        """The text of the clipboard, put together from its parts."""
        return self._change("".join(self._parts))

    def formats(self) -> list[str]:
        return [PLAIN]

    def retrieveData(self, format: str, _type: QMetaType | QMetaType.Type) -> Any:
        return self.content if format == PLAIN else None
