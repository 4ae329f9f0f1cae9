"""The row types of the command palette, and the model that lists rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import Qt

from stemmata.domain.search.hits import Hit
from stemmata.gui.widgets.rows import HeadedRowsModel, Index

MATCH_START, MATCH_END = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True)
class PaletteHeading:
    """A heading, which cannot be selected."""

    text: str


@dataclass(frozen=True, slots=True)
class HitRow:
    """A full-text hit. `chip` names its source or branch, `aside` its session and date."""

    hit: Hit
    chip: str
    aside: str

    @property
    def text(self) -> str:
        """The snippet as plain text."""
        return self.hit.plain_snippet


@dataclass(frozen=True, slots=True)
class SessionHitRow:
    """A session whose title matches. `session` is its store key."""

    session: int
    text: str
    chip: str
    aside: str


@dataclass(frozen=True, slots=True)
class ActionRow:
    """An action that can be run."""

    id: str
    text: str
    aside: str  # the shortcut
    icon: str


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """A row that repeats the search in another scope; `aside` is the query word for it."""

    scope: str
    text: str
    aside: str


PaletteRow = PaletteHeading | HitRow | SessionHitRow | ActionRow | ScopeRow


class PaletteRole(IntEnum):
    """The item data role under which the model returns the row object."""

    ROW = Qt.ItemDataRole.UserRole + 1


class PaletteModel(HeadedRowsModel[PaletteRow]):
    """The rows of the command palette."""

    def __init__(self) -> None:
        super().__init__(PaletteHeading)

    def set_rows(self, rows: Sequence[PaletteRow]) -> None:
        """Replace the rows if they differ."""
        if tuple(rows) != self.rows:
            super().set_rows(rows)

    def next_choice(self, row: int, by: int) -> int | None:
        """Return the next selectable row in direction `by`, or None at the end."""
        row += by
        while 0 <= row < len(self.rows):
            if not isinstance(self.rows[row], PaletteHeading):
                return row
            row += by
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row's text, or the row itself for PaletteRole.ROW."""
        row = self.row_at(index)
        if row is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.text.replace(MATCH_START, "").replace(MATCH_END, "")
        return row if role == PaletteRole.ROW else None


def pieces(snippet: str) -> list[tuple[str, bool]]:
    """Split a one-line snippet into parts, each with a flag whether it matched."""
    out: list[tuple[str, bool]] = []
    for at, part in enumerate(" ".join(snippet.split()).split(MATCH_START)):
        matched, found, rest = part.partition(MATCH_END)
        if at and found:
            out += [(matched, True), (rest, False)]
        else:
            out.append((part, False))
    return [piece for piece in out if piece[0]]
