"""The rows of the search results, and the model that lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from stemmata.domain.search.hits import Hit, UnreadHit
from stemmata.gui.search.words import when_said, who_said

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
MATCH_START, MATCH_END = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True)
class SessionHeading:
    """The heading of a session's hits. `session` is its store key, `facts` its source, day and number of hits."""

    session: int
    title: str
    facts: str

    @property
    def text(self) -> str:
        """The text that screen readers read for this row."""
        return f"{self.title}, {self.facts}"


@dataclass(frozen=True, slots=True)
class ResultHitRow:
    """A hit. `read` is the hit with its text, None before the text is read.

    `who` is the speaker, `chip` names the branch, `now` is the time of the search in ns.
    """

    hit: UnreadHit
    who: str
    color: str
    now: int
    chip: str = ""
    read: Hit | None = None

    @property
    def when(self) -> str:
        """When the entry was written, in words. They are made when shown, since few of a thousand hits are."""
        return when_said(self.hit.time, self.now)

    @property
    def snippet(self) -> str:
        """The text around the matches on one line, with marks around each match."""
        return "" if self.read is None else self.read.plain_snippet

    @property
    def text(self) -> str:
        """The text that screen readers read for this row."""
        snippet = self.snippet.replace(MATCH_START, "").replace(MATCH_END, "")
        return ", ".join(filter(None, (self.who, self.when, self.chip, snippet)))


@dataclass(frozen=True, slots=True)
class MoreRow:
    """A row that shows more: the other hits of a session, or with `session` None, more of the archive."""

    session: int | None
    text: str


@dataclass(frozen=True, slots=True)
class SavedRow:
    """A saved search. `note` says so when it searches by meaning, "" for a search by words."""

    query: str
    by_meaning: bool = False
    note: str = ""

    @property
    def text(self) -> str:
        """The query, and the note that it is searched by meaning."""
        return f"{self.query} · {self.note}" if self.note else self.query


@dataclass(frozen=True, slots=True)
class ResultsHeading:
    """A heading that cannot be chosen."""

    text: str


ResultRow = SessionHeading | ResultHitRow | MoreRow | SavedRow | ResultsHeading


class ResultsRole(IntEnum):
    """The item data role under which the model returns the row object."""

    ROW = Qt.ItemDataRole.UserRole + 1


class ResultHitRows:
    """Makes the row of a hit, and makes it again only when its text or its branch became known.

    A search shows its hits again after each of its steps, often a thousand of them.
    """

    def __init__(self) -> None:
        self._rows: dict[int, ResultHitRow] = {}  # by entry

    def forget(self) -> None:
        """Forget the rows, after another search."""
        self._rows.clear()

    def row(self, hit: UnreadHit, read: Hit | None, chip: str, now: int) -> ResultHitRow:
        """Return the row of a hit; `chip` names its branch, `now` is the time in ns."""
        known = self._rows.get(hit.entry)
        if known is not None and known.hit is hit and known.read is read and known.chip == chip:
            return known
        begun = known.now if known is not None else now
        row = self._rows[hit.entry] = ResultHitRow(hit, *who_said(hit, read), begun, chip, read)
        return row


class ResultsModel(QAbstractListModel):
    """The rows of the results as a list model."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[ResultRow] = []
        self._places: dict[int, int] = {}  # row by entry

    @property
    def rows(self) -> Sequence[ResultRow]:
        """The current rows."""
        return self._rows

    def set_rows(self, rows: Sequence[ResultRow]) -> list[int] | None:
        """Replace the rows. Where only some rows differ, or rows are added at the end, the others stay in place.

        Return the positions of the rows that differ; None when rows came or went.
        """
        count = len(self._rows)
        if count == len(rows):
            old = self._rows
            changed = [at for at, row in enumerate(rows) if row is not old[at] and row != old[at]]
            self._take(rows)
            for at in changed:
                self.dataChanged.emit(self.index(at), self.index(at))
            return changed
        if count and rows[:count] == self._rows:
            self.beginInsertRows(ROOT, count, len(rows) - 1)
            self._take(rows)
            self.endInsertRows()
        else:
            self.beginResetModel()
            self._take(rows)
            self.endResetModel()
        return None

    def _take(self, rows: Sequence[ResultRow]) -> None:
        self._rows = list(rows)
        self._places = {row.hit.entry: at for at, row in enumerate(rows) if isinstance(row, ResultHitRow)}

    def place_of(self, entry: int | None) -> int | None:
        """Return the row of a hit by its entry; None when it is not shown."""
        return None if entry is None else self._places.get(entry)

    def row_at(self, at: int) -> ResultRow | None:
        """Return the row at a position; None outside of the list."""
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Make every row except headings selectable.

        A row that is gone has no flags: Qt asks for those of a clicked row after the click was handled.
        """
        row = self.row_at(index.row())
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        if isinstance(row, ResultsHeading | SessionHeading):
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row's text, or the row itself for ResultsRole.ROW."""
        row = self.row_at(index.row())
        if row is not None and role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.text
        return row if role == ResultsRole.ROW else None
