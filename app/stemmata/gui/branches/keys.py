"""The commands of the list of branches that its view carries out. Their keys are in the action table."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from stemmata.domain.navigator.outline import Density
from stemmata.gui.core.actions import ColumnKeys


class Move(Enum):
    """A command of the list of branches; the value is the id of its row in the action table."""

    UP = "branches-up"
    DOWN = "branches-down"
    PAGE_UP = "branches-page-up"
    PAGE_DOWN = "branches-page-down"
    FIRST = "branches-first"
    LAST = "branches-last"
    PREVIOUS_SIBLING = "previous-sibling"
    NEXT_SIBLING = "next-sibling"
    FOLD = "branches-fold"
    UNFOLD = "branches-unfold"
    LEAF = "go-to-leaf"
    SEARCH = "branches-search"
    NEXT_MATCH = "branches-next-match"
    PREVIOUS_MATCH = "branches-previous-match"
    MENU = "branches-menu"
    LEAVE = "branches-leave"
    TURNS = "density-turns"
    PROMPTS = "density-prompts"
    NO_TOOLS = "density-no-tools"
    LABELLED = "density-labelled"
    EVERYTHING = "density-everything"


PAIR = 2  # rows that can be compared with each other
STEPS = frozenset({Move.UP, Move.DOWN, Move.PAGE_UP, Move.PAGE_DOWN, Move.FIRST, Move.LAST})
DENSITIES = {
    Move.TURNS: Density.TURNS,
    Move.PROMPTS: Density.PROMPTS,
    Move.NO_TOOLS: Density.NO_TOOLS,
    Move.LABELLED: Density.LABELLED,
    Move.EVERYTHING: Density.EVERYTHING,
}
_MOVES = {move.value: move for move in Move}


def meaning(keys: ColumnKeys, event: QKeyEvent) -> Move | str | None:
    """Return the command of a key, or the id of another action; None for other keys.

    With Shift, the keys of steps extend the selection.
    """
    id = keys.id_of(event)
    if not id and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
        held = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
        step = _MOVES.get(keys.id_of(QKeyEvent(event.type(), event.key(), held)))
        return step if step in STEPS else None
    return _MOVES.get(id, id or None)
