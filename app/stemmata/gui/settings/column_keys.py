"""The keys that the lists, fields and charts of a column handle themselves, for the sheet of the column.

The action table declares all other keys of columns. Nobody can change the keys listed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

CONTEXT = "ColumnKeys"
KeyRow = tuple[str, Sequence[str]]  # descriptions of actions, and their keys in portable notation


def _(text: str) -> str:
    return str(QT_TRANSLATE_NOOP(CONTEXT, text))


_STEPS: tuple[KeyRow, ...] = (
    (_("Next row"), ("Down",)),
    (_("Previous row"), ("Up",)),
    (_("A page down"), ("PgDown",)),
    (_("A page up"), ("PgUp",)),
    (_("First row"), ("Home",)),
    (_("Last row"), ("End",)),
)
KEYS: Mapping[str, Sequence[KeyRow]] = {
    "sessions": (
        *_STEPS,
        (_("Select further rows"), ("Shift+Down", "Shift+Up")),
        (_("Unfold, then the first row below"), ("Right",)),
        (_("Fold, then the row above"), ("Left",)),
        (_("Fold or unfold"), ("Space",)),
        (_("Move to trash"), ("Del",)),
        (_("Go from the list to the filter"), ("/",)),
        (_("Go from the filter to the list"), ("Down",)),
        (_("Open the first session found"), ("Return",)),
        (_("Clear the filter"), ("Esc",)),
        (_("Menu of the session"), ("Menu", "Shift+F10")),
    ),
    "composer": (
        (_("Start a new line"), ("Shift+Return",)),
        (_("Previous message of the session, or the queued one"), ("Up",)),
        (_("Next message of the session"), ("Down",)),
        (_("Stop the reply"), ("Esc",)),
        (_("List the commands"), ("/",)),
        (_("Complete a command"), ("Tab",)),
    ),
    "context": (
        (_("Chart: previous entry"), ("Left",)),
        (_("Chart: next entry"), ("Right",)),
        (_("Chart: previous turn"), ("Ctrl+Left",)),
        (_("Chart: next turn"), ("Ctrl+Right",)),
        (_("Chart: previous compaction"), ("PgUp",)),
        (_("Chart: next compaction"), ("PgDown",)),
        (_("Chart: first entry"), ("Home",)),
        (_("Chart: last entry"), ("End",)),
        (_("Go to the entry of a row"), ("Space", "Return")),
        (_("Next control"), ("Tab",)),
        (_("Previous control"), ("Shift+Tab",)),
    ),
    "transcript": (
        (_("Go into the card, to its foldable lines"), ("Return", "Right")),
        (_("In a card: next foldable line"), ("Down", "J")),
        (_("In a card: previous foldable line"), ("Up", "K")),
        (_("In a card: unfold, then the first line in it"), ("Right",)),
        (_("In a card: fold, then the line around it"), ("Left",)),
        (_("In a card: fold or unfold the line"), ("Return", "Space")),
        (_("In a card: back to the whole card"), ("Esc",)),
        (_("Cut line of a preview: one entry up"), ("Up",)),
        (_("Cut line of a preview: one entry down"), ("Down",)),
        (_("Cut line of a preview: pin the entry above"), ("P",)),
    ),
    "search": (
        *_STEPS,
        (_("Open the hit or the saved search"), ("Return",)),
        (_("Remove a saved search"), ("Del",)),
        (_("Close the search"), ("Esc",)),
    ),
    "files": (
        *_STEPS,
        (_("Select further lines"), ("Shift+Down", "Shift+Up")),
        (_("Copy the selected lines"), ("Ctrl+C",)),
        (_("Next change"), ("N",)),
        (_("Previous change"), ("Shift+N",)),
        (_("Time line: previous step; text: scroll left"), ("Left",)),
        (_("Time line: next step; text: scroll right"), ("Right",)),
        (_("Clear the filter, or close the page"), ("Esc",)),
    ),
    "compare": (
        (_("Next turn"), ("J", "Down")),
        (_("Previous turn"), ("K", "Up")),
        (_("First turn"), ("Home",)),
        (_("Last turn"), ("End",)),
        (_("A page down"), ("PgDown", "Space")),
        (_("A page up"), ("PgUp",)),
        (_("Left side"), ("Left",)),
        (_("Right side"), ("Right",)),
        (_("Continue from the turn"), ("Return",)),
        (_("Send the prompt of the turn again on the other branch"), ("C",)),
        (_("Copy the text of the turn"), ("Ctrl+C",)),
        (_("Close the comparison"), ("Esc",)),
    ),
}


def fixed_keys(column: str) -> list[KeyRow]:
    """Return the keys that the widgets of a column handle themselves, with translated words."""
    return [(QCoreApplication.translate(CONTEXT, text), keys) for text, keys in KEYS.get(column, ())]
