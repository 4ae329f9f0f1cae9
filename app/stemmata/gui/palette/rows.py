"""The lines of the command palette, and the model that lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from stemmata.domain.entries.session_facts import Hit
from stemmata.domain.text.plain_text import plain_text

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
MATCH_START, MATCH_END = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True)
class HeadingRow:
    text: str


@dataclass(frozen=True, slots=True)
class HitRow:
    """A full-text hit; `chip` names its source or its branch, `aside` where and when."""

    hit: Hit
    chip: str
    aside: str

    @property
    def text(self) -> str:
        return plain_text(self.hit.snippet)


@dataclass(frozen=True, slots=True)
class SessionHitRow:
    session: int
    text: str
    chip: str
    aside: str


@dataclass(frozen=True, slots=True)
class ActionRow:
    id: str
    text: str
    aside: str  # the shortcut
    icon: str


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """An offer to search elsewhere; `aside` is how that is typed."""

    scope: str
    text: str
    aside: str


PaletteRow = HeadingRow | HitRow | SessionHitRow | ActionRow | ScopeRow


class RowRole(IntEnum):
    ROW = Qt.ItemDataRole.UserRole + 1


class PaletteModel(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[PaletteRow, ...] = ()

    def set_rows(self, rows: Sequence[PaletteRow]) -> None:
        if tuple(rows) != self._rows:
            self.beginResetModel()
            self._rows = tuple(rows)
            self.endResetModel()

    @property
    def rows(self) -> tuple[PaletteRow, ...]:
        return self._rows

    def next_choice(self, row: int, by: int) -> int | None:
        """The row to go to from this one, headings passed over; None at the end."""
        row += by
        while 0 <= row < len(self._rows):
            if not isinstance(self._rows[row], HeadingRow):
                return row
            row += by
        return None

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if isinstance(self._rows[index.row()], HeadingRow):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.text.replace(MATCH_START, "").replace(MATCH_END, "")
        return row if role == RowRole.ROW else None


def pieces(snippet: str) -> list[tuple[str, bool]]:
    """The snippet in parts, each with whether it matched; ends stay on one line."""
    out: list[tuple[str, bool]] = []
    for at, part in enumerate(" ".join(snippet.split()).split(MATCH_START)):
        matched, found, rest = part.partition(MATCH_END)
        if at and found:
            out += [(matched, True), (rest, False)]
        else:
            out.append((part, False))
    return [piece for piece in out if piece[0]]
