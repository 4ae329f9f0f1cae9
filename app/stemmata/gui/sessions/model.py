"""The model of the session list: flat rows of group headers and sessions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from stemmata.domain.entries.lineage import Lineage, Relation
from stemmata.domain.entries.session_facts import Session
from stemmata.gui.sessions.words import (
    Grouping,
    conversation_text,
    facts,
    group_of,
    group_titles,
    lineage_words,
    new_words,
    running_words,
    source_name,
    title_of,
    tooltip,
)

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
MOST_SEARCHED = 10_000  # characters of a title, a folder or a tag that are searched
_CHAINED = {Relation.CONTINUED, Relation.RESET}  # one session after the other
TAG = "\0#"  # precedes each tag in the searched text; users cannot type it


class SessionRole(IntEnum):
    """Item data roles of a row."""

    SESSION = Qt.ItemDataRole.UserRole + 1  # Session, None for a header
    KEY = Qt.ItemDataRole.UserRole + 2  # int, None for a header
    FACTS = Qt.ItemDataRole.UserRole + 3  # str
    FILL = Qt.ItemDataRole.UserRole + 4  # share of the context window in use, 0–1, None when unknown
    RUNNING = Qt.ItemDataRole.UserRole + 5  # bool: a reply is being written
    NEW = Qt.ItemDataRole.UserRole + 6  # int: entries added since the session was last opened
    BRIEF = Qt.ItemDataRole.UserRole + 7  # str: the facts without the number of branches
    SIGN = Qt.ItemDataRole.UserRole + 8  # str: name of the icon that shows the lineage, "" for none


class SessionsModel(QAbstractListModel):
    """Sessions in groups; sessions and groups are ordered by their newest entry.

    `window_of` returns a model's context window in tokens, or None when it is unknown.
    """

    def __init__(
        self,
        window_of: Callable[[str], int | None],
        now: Callable[[], int] = time.time_ns,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window_of = window_of
        self._now = now
        self._sessions: tuple[Session, ...] = ()
        self._lineage = Lineage(())
        self._haystacks: list[str] = []
        self._rows: list[Session | str] = []
        self._at: dict[int, int] = {}  # session key → row
        self._words: tuple[str, ...] = ()
        self._grouping = Grouping.FOLDER
        self._titles: dict[str, str] = {}  # by the key of a group
        self._archived = False
        self._running: frozenset[int] = frozenset()
        self._new: dict[int, int] = {}  # by session key

    @property
    def total(self) -> int:
        """Number of sessions, including those hidden by the filter."""
        return len(self._sessions)

    @property
    def shown(self) -> int:
        """Number of visible sessions."""
        return len(self._at)

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is set."""
        return bool(self._words)

    @property
    def grouping(self) -> Grouping:
        """The current grouping."""
        return self._grouping

    def set_sessions(self, sessions: Sequence[Session]) -> None:
        """Replace the sessions."""
        self._sessions = tuple(sorted(sessions, key=lambda session: -session.updated_at))
        self._haystacks = [_haystack(session) for session in self._sessions]
        self._lineage = Lineage(self._sessions)
        self._rebuild()

    @property
    def lineage(self) -> Lineage:
        """The relations between sessions: forks, continuations and resets."""
        return self._lineage

    def set_filter(self, text: str) -> None:
        """Show only sessions that contain all these words in title, first prompt, folder, source or tags.

        `#word` matches the beginning of a tag.
        """
        words = tuple(TAG + word[1:] if word[0] == "#" else word for word in text.casefold().split())
        if words != self._words:
            self._words = words
            self._rebuild()

    def set_grouping(self, grouping: Grouping) -> None:
        """Group the sessions in another way."""
        if grouping is not self._grouping:
            self._grouping = grouping
            self._rebuild()

    def set_running(self, keys: frozenset[int]) -> None:
        """Set the sessions in which a reply is running."""
        changed, self._running = self._running ^ keys, keys
        for row in filter(None, map(self.row_of, changed)):  # the first row is a header
            self.dataChanged.emit(self.index(row), self.index(row))

    def set_new(self, counts: Mapping[int, int]) -> None:
        """Set the number of unseen entries by session."""
        before, self._new = self._new, dict(counts)
        changed = [key for key in before.keys() | self._new if before.get(key) != self._new.get(key)]
        for row in filter(None, map(self.row_of, changed)):  # the first row is a header
            self.dataChanged.emit(self.index(row), self.index(row))

    def refresh_fills(self) -> None:
        """Update the fill bars after `window_of` learned new windows."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1), [SessionRole.FILL])

    def show_archived(self, *, on: bool) -> None:
        """Show or hide archived sessions."""
        if on != self._archived:
            self._archived = on
            self._rebuild()

    def row_of(self, key: int | None) -> int | None:
        """Return the row of a session, or None when it is not shown."""
        return None if key is None else self._at.get(key)

    def session_at(self, row: int) -> Session | None:
        """Return the session in a row, or None for a header."""
        item = self._rows[row] if 0 <= row < len(self._rows) else None
        return item if isinstance(item, Session) else None

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Make session rows selectable and headers not."""
        if self.session_at(index.row()) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row's data for the roles of Qt and SessionRole."""
        item = self._rows[index.row()]
        if isinstance(item, str):
            is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            return self._titles[item] if is_text else None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title_of(item)
            case Qt.ItemDataRole.AccessibleTextRole:
                family = lineage_words(item, self._lineage)
                return ", ".join((title_of(item), facts(item, self._now()), *self._news(item), *family))
            case SessionRole.SESSION:
                return item
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(item, [*self._news(item), *lineage_words(item, self._lineage)])
            case SessionRole.RUNNING:
                return item.key in self._running
            case SessionRole.NEW:
                return self._new.get(item.key, 0)
            case SessionRole.KEY:
                return item.key
            case SessionRole.FACTS | SessionRole.BRIEF:
                return facts(item, self._now(), brief=role == SessionRole.BRIEF)
            case SessionRole.SIGN:
                return self._sign(item)
            case SessionRole.FILL:
                return self._fill(item)
        return None

    def _news(self, session: Session) -> Iterator[str]:
        if session.key in self._running:
            yield running_words()
        if session.key in self._new:
            yield new_words(self._new[session.key])

    def _sign(self, session: Session) -> str:
        lineage = self._lineage
        relation, after = lineage.relation(session), lineage.after(session)
        if _CHAINED & {relation, None if after is None else lineage.relation(after)}:
            return "link"
        return "fork" if relation is Relation.FORKED else ""

    def _fill(self, session: Session) -> float | None:
        window = self._window_of(session.model) if session.context_tokens else None
        return None if window is None else min(1.0, (session.context_tokens or 0) / window)

    def _rebuild(self) -> None:
        rows = self._grouped(self._wanted())
        self._titles |= group_titles((row for row in rows if isinstance(row, str)), self._grouping)
        if rows and list(map(_identity, rows)) == list(map(_identity, self._rows)):
            self._rows = rows
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self._at = {row.key: at for at, row in enumerate(rows) if isinstance(row, Session)}
        self.endResetModel()

    def _wanted(self) -> Iterable[Session]:
        for session, haystack in zip(self._sessions, self._haystacks, strict=True):
            if (self._archived or not session.archived) and all(word in haystack for word in self._words):
                yield session

    def _grouped(self, sessions: Iterable[Session]) -> list[Session | str]:
        now = self._now()
        groups: dict[str, list[Session]] = {}
        for session in sessions:
            groups.setdefault(group_of(session, self._grouping, now), []).append(session)
        rows: list[Session | str] = []
        for name, members in groups.items():
            rows += [name, *members]
        return rows


def _haystack(session: Session) -> str:
    parts = (session.title, session.cwd, source_name(session.source), session.source_id)
    more = (*(TAG + tag for tag in session.tags), conversation_text(session))
    return "\n".join(part[:MOST_SEARCHED] for part in (*parts, *more)).casefold()


def _identity(row: Session | str) -> int | str:
    return row.key if isinstance(row, Session) else row
