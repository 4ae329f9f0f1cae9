"""What can be done with a row of the navigator: names, keys, and the context menu."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from PySide6.QtCore import QT_TRANSLATE_NOOP, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from stemmata.domain.navigator.outline import Density
from stemmata.gui.branches.words import tr
from stemmata.gui.theme.theme import Theme

CONTEXT = "Branches"


class Verb(Enum):
    """Asked of an entry."""

    LOOK = auto()
    CONTINUE = auto()
    FORK = auto()
    LABEL = auto()
    PIN = auto()
    COPY = auto()
    COMPARE = auto()
    COMPACT = auto()
    SUMMARISE_FROM = auto()
    SUMMARISE_UP_TO = auto()
    CONTEXT = auto()
    TRASH = auto()


class Move(Enum):
    """Done by the navigator itself."""

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


def _(text: str) -> str:
    return str(QT_TRANSLATE_NOOP(CONTEXT, text))


_Line = tuple[Verb, str, str, str]  # text, icon, key
MENU: tuple[_Line | None, ...] = (
    (Verb.CONTINUE, _("Continue from here"), "jump-down", "Return"),
    (Verb.FORK, _("Fork to new session"), "fork", "F"),
    None,
    (Verb.LABEL, _("Label…"), "tag", "L"),
    (Verb.PIN, _("Pin (never compacted away)"), "pin", "P"),
    (Verb.COPY, _("Copy"), "copy", "Ctrl+C"),
    None,
    (Verb.COMPARE, _("Compare with active branch"), "compare", ""),
    (Verb.SUMMARISE_FROM, _("Summarise from here…"), "compact", "Shift+C"),
    (Verb.SUMMARISE_UP_TO, _("Summarise up to here…"), "compact", ""),
    (Verb.CONTEXT, _("Show context here"), "gauge", ""),
    None,
    (Verb.TRASH, _("Delete subtree (to trash)"), "trash", "Del"),
)  # None is a line
UNPIN = _("Unpin")
RESTORE = _("Restore from the trash")
PAIR = 2
MANY = frozenset({Verb.COPY, Verb.PIN, Verb.LABEL, Verb.COMPARE})  # can be asked of several rows at once

_PLAIN = Qt.KeyboardModifier.NoModifier
_ALT = Qt.KeyboardModifier.AltModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier
KEYS: dict[tuple[Qt.KeyboardModifier, Qt.Key], Verb | Move | Density] = {
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
    (_PLAIN, Qt.Key.Key_Return): Verb.CONTINUE,
    (_PLAIN, Qt.Key.Key_Enter): Verb.CONTINUE,
    (_PLAIN, Qt.Key.Key_L): Verb.LABEL,
    (_PLAIN, Qt.Key.Key_P): Verb.PIN,
    (_PLAIN, Qt.Key.Key_F): Verb.FORK,
    (_PLAIN, Qt.Key.Key_C): Verb.COMPACT,
    (_SHIFT, Qt.Key.Key_C): Verb.SUMMARISE_FROM,
    (_CONTROL, Qt.Key.Key_C): Verb.COPY,
    (_PLAIN, Qt.Key.Key_Delete): Verb.TRASH,
    (_PLAIN, Qt.Key.Key_1): Density.TURNS,
    (_PLAIN, Qt.Key.Key_2): Density.PROMPTS,
    (_PLAIN, Qt.Key.Key_3): Density.NO_TOOLS,
    (_PLAIN, Qt.Key.Key_4): Density.LABELLED,
    (_PLAIN, Qt.Key.Key_5): Density.EVERYTHING,
}
STEPS = frozenset({Move.UP, Move.DOWN, Move.PAGE_UP, Move.PAGE_DOWN, Move.FIRST, Move.LAST})
KEYS |= {(_SHIFT, key): move for (held, key), move in KEYS.items() if held is _PLAIN and move in STEPS}  # select on
# Brackets and the slash need Shift or AltGr on many keyboards; what they type decides.
_TYPED = {"[": Move.PREVIOUS_SIBLING, "]": Move.NEXT_SIBLING, "/": Move.SEARCH}


def meaning(event: QKeyEvent) -> Verb | Move | Density | None:
    """What the key means to the navigator, None for nothing."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    found = KEYS.get((modifiers, Qt.Key(event.key())))
    if found is None and not modifiers & (_CONTROL | Qt.KeyboardModifier.MetaModifier):
        found = _TYPED.get(event.text())
    return found


def menu_for(
    parent: QWidget, theme: Theme, *, pinned: bool, trashed: bool = False
) -> tuple[QMenu, dict[object, Verb]]:
    """The context menu, and the verb of each of its actions. The keys are shown; the list itself hears them."""
    lines = []
    for line in MENU:
        if line is not None and line[0] is Verb.PIN and pinned:
            line = (Verb.PIN, UNPIN, *line[2:])
        if line is not None and line[0] is Verb.TRASH and trashed:
            line = (Verb.TRASH, RESTORE, "undo", line[3])
        lines.append(None if line is None else (line[0], tr(line[1]), *line[2:]))
    return _menu(parent, theme, lines)


def menu_for_many(parent: QWidget, theme: Theme, count: int, *, pinned: bool) -> tuple[QMenu, dict[object, Verb]]:
    """The same for several selected rows."""
    pin = tr("Unpin all") if pinned else tr("Pin all (never compacted away)")
    lines: list[_Line | None] = [
        (Verb.COPY, tr("Copy %Ln turns", None, count), "copy", "Ctrl+C"),
        (Verb.PIN, pin, "pin", "P"),
        (Verb.LABEL, tr("Label…"), "tag", "L"),
    ]
    if count == PAIR:
        lines += [None, (Verb.COMPARE, tr("Compare these two"), "compare", "")]
    return _menu(parent, theme, lines)


def _menu(parent: QWidget, theme: Theme, lines: Iterable[_Line | None]) -> tuple[QMenu, dict[object, Verb]]:
    menu = QMenu(parent)
    verbs: dict[object, Verb] = {}
    for line in lines:
        if line is None:
            menu.addSeparator()
            continue
        verb, text, icon, key = line
        if key:
            text += "\t" + QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
        verbs[menu.addAction(theme.icon(icon), text)] = verb
    return menu, verbs
