"""What the keys mean in a comparison."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent


class Key(Enum):
    NEXT = auto()
    PREVIOUS = auto()
    FIRST = auto()
    LAST = auto()
    LEFT = auto()
    RIGHT = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    CONTINUE = auto()
    COPY_TURN = auto()
    COPY_TEXT = auto()
    LEAVE = auto()


_PLAIN = Qt.KeyboardModifier.NoModifier
_KEYS = {
    (_PLAIN, Qt.Key.Key_J): Key.NEXT,
    (_PLAIN, Qt.Key.Key_Down): Key.NEXT,
    (_PLAIN, Qt.Key.Key_K): Key.PREVIOUS,
    (_PLAIN, Qt.Key.Key_Up): Key.PREVIOUS,
    (_PLAIN, Qt.Key.Key_Home): Key.FIRST,
    (_PLAIN, Qt.Key.Key_End): Key.LAST,
    (_PLAIN, Qt.Key.Key_Left): Key.LEFT,
    (_PLAIN, Qt.Key.Key_Right): Key.RIGHT,
    (_PLAIN, Qt.Key.Key_PageUp): Key.PAGE_UP,
    (_PLAIN, Qt.Key.Key_PageDown): Key.PAGE_DOWN,
    (_PLAIN, Qt.Key.Key_Space): Key.PAGE_DOWN,
    (_PLAIN, Qt.Key.Key_Return): Key.CONTINUE,
    (_PLAIN, Qt.Key.Key_Enter): Key.CONTINUE,
    (_PLAIN, Qt.Key.Key_C): Key.COPY_TURN,
    (Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_C): Key.COPY_TEXT,
    (_PLAIN, Qt.Key.Key_Escape): Key.LEAVE,
}


def meaning(event: QKeyEvent) -> Key | None:
    """None for a key that means nothing here."""
    return _KEYS.get((event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier, Qt.Key(event.key())))
