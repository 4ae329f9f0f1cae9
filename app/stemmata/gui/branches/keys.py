"""The keys that move in the list of branches. The keys of actions are in the action table."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from stemmata.domain.navigator.outline import Density


class Move(Enum):
    """A command of the list of branches that is not an action of the table."""

    UP = auto()
    DOWN = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    FIRST = auto()
    LAST = auto()
    PREVIOUS_SIBLING = auto()
    NEXT_SIBLING = auto()
    FOLD = auto()
    UNFOLD = auto()
    LEAF = auto()
    SEARCH = auto()
    NEXT_MATCH = auto()
    PREVIOUS_MATCH = auto()
    MENU = auto()
    LEAVE = auto()


PAIR = 2  # rows that can be compared with each other

_PLAIN = Qt.KeyboardModifier.NoModifier
_ALT = Qt.KeyboardModifier.AltModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier
KEYS: dict[tuple[Qt.KeyboardModifier, Qt.Key], Move | Density] = {
    (_PLAIN, Qt.Key.Key_K): Move.UP,
    (_PLAIN, Qt.Key.Key_Up): Move.UP,
    (_PLAIN, Qt.Key.Key_J): Move.DOWN,
    (_PLAIN, Qt.Key.Key_Down): Move.DOWN,
    (_PLAIN, Qt.Key.Key_PageUp): Move.PAGE_UP,
    (_PLAIN, Qt.Key.Key_PageDown): Move.PAGE_DOWN,
    (_PLAIN, Qt.Key.Key_Home): Move.FIRST,
    (_PLAIN, Qt.Key.Key_End): Move.LAST,
    (_PLAIN, Qt.Key.Key_BracketLeft): Move.PREVIOUS_SIBLING,
    (_PLAIN, Qt.Key.Key_BracketRight): Move.NEXT_SIBLING,
    (_ALT, Qt.Key.Key_Left): Move.FOLD,
    (_ALT, Qt.Key.Key_Right): Move.UNFOLD,
    (_PLAIN, Qt.Key.Key_G): Move.LEAF,
    (_PLAIN, Qt.Key.Key_Slash): Move.SEARCH,
    (_PLAIN, Qt.Key.Key_F3): Move.NEXT_MATCH,
    (_SHIFT, Qt.Key.Key_F3): Move.PREVIOUS_MATCH,
    (_PLAIN, Qt.Key.Key_Menu): Move.MENU,
    (_PLAIN, Qt.Key.Key_Escape): Move.LEAVE,
    (_PLAIN, Qt.Key.Key_1): Density.TURNS,
    (_PLAIN, Qt.Key.Key_2): Density.PROMPTS,
    (_PLAIN, Qt.Key.Key_3): Density.NO_TOOLS,
    (_PLAIN, Qt.Key.Key_4): Density.LABELLED,
    (_PLAIN, Qt.Key.Key_5): Density.EVERYTHING,
}
STEPS = frozenset({Move.UP, Move.DOWN, Move.PAGE_UP, Move.PAGE_DOWN, Move.FIRST, Move.LAST})
# with Shift: extend the selection
KEYS |= {(_SHIFT, key): move for (held, key), move in KEYS.items() if held is _PLAIN and move in STEPS}
# Brackets and the slash need Shift or AltGr on many keyboards, so they are recognised by the text they type.
_TYPED = {"[": Move.PREVIOUS_SIBLING, "]": Move.NEXT_SIBLING, "/": Move.SEARCH}


def meaning(event: QKeyEvent) -> Move | Density | None:
    """Return the move or the density of a key; None for other keys."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    found = KEYS.get((modifiers, Qt.Key(event.key())))
    if found is None and not modifiers & (_CONTROL | Qt.KeyboardModifier.MetaModifier):
        found = _TYPED.get(event.text())
    return found
