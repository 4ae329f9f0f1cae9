"""How far a key scrolls a transcript."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


def scroll_step(event: QKeyEvent, arrow: int, page: int) -> int | None:
    """Pixels, down where positive; None for a key that does not scroll."""
    keys = Qt.Key
    steps = {
        keys.Key_Up: -arrow,
        keys.Key_Down: arrow,
        keys.Key_PageUp: -page,
        keys.Key_PageDown: page,
        keys.Key_Space: page,
    }
    return steps.get(keys(event.key())) if event.modifiers() in _PLAIN else None
