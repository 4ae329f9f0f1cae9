"""The model of the session list: flat rows of group headers, and of sessions at their depth in the tree of work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import count

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from stemmata.domain.sessions.details import gone_from_source
from stemmata.domain.sessions.lineage import ForkPoint, Lineage, Relation
from stemmata.domain.sessions.origin import SourceState
from stemmata.domain.sessions.session import Session
from stemmata.gui.sessions.listing import TAG, Forest, Listing, Order
from stemmata.gui.sessions.words import (
    AUTOMATED,
    ORPHANS,
    Grouping,
    ListFigure,
    day_key,
    facts,
    figures,
    folder_title,
    folder_words,
    group_of,
    group_titles,
    lineage_words,
    moment,
    nested_words,
    new_words,
    project_name,
    relation_words,
    running_words,
    sessions_words,
    short_title,
    state_words,
    title_of,
    tooltip,
)
from stemmata.gui.widgets.labels import plain_tip

_FOLDERS = (ORPHANS, AUTOMATED)
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
MANY = 1_000  # sessions that are arranged on another thread; arranging 10,000 takes as long as three frames
# relations in which one session follows the other
_CHAINED = {Relation.CONTINUED, Relation.RESET, Relation.HANDED_OVER}


class SessionRole(IntEnum):
    """Item data roles of a row."""

    SESSION = Qt.ItemDataRole.UserRole + 1  # Session, None for a header
    KEY = Qt.ItemDataRole.UserRole + 2  # int, None for a header
    FACTS = Qt.ItemDataRole.UserRole + 3  # str
    FILL = Qt.ItemDataRole.UserRole + 4  # share of the context window in use, 0–1, None when unknown
    RUNNING = Qt.ItemDataRole.UserRole + 5  # bool: a reply is being written
    NEW = Qt.ItemDataRole.UserRole + 6  # int: entries added since the session was last opened
    BRIEF = Qt.ItemDataRole.UserRole + 7  # str: the facts without the number of branches, and with a short date
    SIGN = Qt.ItemDataRole.UserRole + 8  # str: name of the icon that shows the lineage, "" for none
    DEPTH = Qt.ItemDataRole.UserRole + 9  # int: number of sessions above it in the tree of work
    BELOW = Qt.ItemDataRole.UserRole + 10  # int: number of sessions below it in the tree of work
    EXPANDED = Qt.ItemDataRole.UserRole + 11  # bool: the rows below it are shown; None for a header of a group
    MATCHES = Qt.ItemDataRole.UserRole + 12  # bool: False for a session that is shown only for those below it
    COUNT = Qt.ItemDataRole.UserRole + 13  # int: number of sessions in the group of a header, None for a session
    FIGURES = Qt.ItemDataRole.UserRole + 14  # tuple[str, ...]: the figures that are shown on request, "" for unknown
    FOLLOWED = Qt.ItemDataRole.UserRole + 15  # bool: new entries of its source are imported
    TIME = Qt.ItemDataRole.UserRole + 16  # str: the time in the facts of BRIEF


class SessionsModel(QAbstractListModel):
    """Sessions as trees of work, in groups; groups are ordered by their first session.

    `window_of` returns a model's context window in tokens, or None when it is unknown.
    """

    replaced = Signal()  # after the sessions were replaced, also when their rows are the same
    states_changed = Signal()  # the known states of the sources

    def __init__(
        self,
        window_of: Callable[[str], int | None],
        now: Callable[[], int] = time.time_ns,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window_of = window_of
        self._now = now
        self._listing = Listing()
        self._forest = Forest(self._listing)
        self._rows: list[int | str] = []  # the key of a session, or of a group
        self._at: dict[int | str, int] = {}  # row by the key of a session or a group
        self._sizes: dict[str, int] = {}  # number of sessions by the key of a group
        self._words: tuple[str, ...] = ()
        self._matches: frozenset[int] = frozenset()
        self._ways: set[int] = set()  # the sessions above a match of the filter
        self._grouping = Grouping.FOLDER
        self._order = Order.NEWEST
        self._titles: dict[str, str] = {}  # titles by the key of a group
        self._days: dict[int, str] = {}
        self._grouped: tuple[Forest, Grouping, list[str]] | None = None  # the groups of a forest's roots
        self._archived = False
        self._expanded: set[int] = set()  # sessions whose descendants are shown
        self._unfiltered: set[int] = set()  # the same for the present filter: also descendants that do not match
        self._open: set[str] = set()  # those of the folders ORPHANS and AUTOMATED that are open
        self._figures: frozenset[ListFigure] = frozenset()
        self._running: frozenset[int] = frozenset()
        self._new: dict[int, int] = {}  # by session key
        self._states: dict[int, SourceState] = {}  # by session key
        self.fork_points: Mapping[int, ForkPoint] = {}  # by session key
        # has the trees of MANY sessions made on another thread after the order changed, and then calls `set_listing`
        self.arrange: Callable[[], object] | None = None

    @property
    def total(self) -> int:
        """Number of sessions, including those hidden by the filter."""
        return len(self._listing.sessions)

    @property
    def shown(self) -> int:
        """Number of visible sessions."""
        return len(self._rows) - len(self._sizes)

    @property
    def matching(self) -> int:
        """Number of sessions that the filter finds, also where the list does not show them."""
        return len(self._matches) if self._words else self.total

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is set."""
        return bool(self._words)

    @property
    def grouping(self) -> Grouping:
        """The current grouping."""
        return self._grouping

    @property
    def order(self) -> Order:
        """The current order."""
        return self._order

    @property
    def figures(self) -> frozenset[ListFigure]:
        """The figures that each row shows."""
        return self._figures

    @property
    def shows_automated(self) -> bool:
        """Whether one of the folders ORPHANS and AUTOMATED is open."""
        return bool(self._open)

    @property
    def listing(self) -> Listing:
        """The sessions, including those hidden by the filter."""
        return self._listing

    @property
    def lineage(self) -> Lineage:
        """The relations between sessions: forks, continuations and resets."""
        return self._listing.lineage

    # -- changing ------------------------------------------------------------------------------------------------

    def set_sessions(self, sessions: Sequence[Session]) -> None:
        """Replace the sessions; for many sessions `set_listing` takes less of the GUI thread."""
        self.set_listing(Listing(sessions))

    def set_listing(self, listing: Listing, forest: Forest | None = None) -> None:
        """Replace the sessions. `forest` holds the listing's trees, used unless the order changed meanwhile."""
        self._listing = listing
        is_usable = forest is not None and forest.options == self._options
        self._forest = forest if forest is not None and is_usable else self.forest_of(listing)
        self._rebuild()
        self.replaced.emit()

    def forest_of(self, listing: Listing) -> Forest:
        """Return the trees of a listing in the current order; may be called on any thread."""
        order, archived, flat = self._options
        return Forest(listing, order, archived=archived, flat=flat)

    @property
    def _options(self) -> tuple[Order, bool, bool]:
        """The options of a forest; a group of a tag has also the descendants without the tag."""
        return self._order, self._archived, self._grouping is Grouping.TAG

    def set_filter(self, text: str) -> None:
        """Show only sessions that contain all these words in title, first prompt, folder, source or tags.

        `#word` matches the beginning of a tag. The sessions above a match are shown as well.
        """
        words = tuple(TAG + word[1:] if word[0] == "#" else word for word in text.casefold().split())
        if words != self._words:
            narrows = bool(self._words) and len(words) >= len(self._words)
            narrows = narrows and all(old in new for old, new in zip(self._words, words, strict=False))
            among, self._words = self._matches if narrows else None, words
            self._unfiltered.clear()
            self._rebuild(among)

    def set_grouping(self, grouping: Grouping) -> None:
        """Group the sessions in another way."""
        if grouping is not self._grouping:
            self._grouping = grouping
            if self._forest.options == self._options:
                self._rebuild()
            else:
                self._arrange()

    def set_order(self, order: Order) -> None:
        """Sort the sessions in another way."""
        if order is not self._order:
            self._order = order
            self._arrange()

    def show_archived(self, *, on: bool) -> None:
        """Show or hide archived sessions."""
        if on != self._archived:
            self._archived = on
            self._arrange()

    def _arrange(self) -> None:
        if self.arrange is not None and self.total >= MANY:
            self.arrange()
        else:
            self.set_listing(self._listing)

    def show_figure(self, figure: ListFigure, *, on: bool) -> None:
        """Show or hide a figure in every row."""
        self._figures = self._figures | {figure} if on else self._figures - {figure}
        self.refresh_fills()

    def expand(self, key: int, *, on: bool) -> None:
        """Show or hide the sessions below a session; while the list is filtered, those that do not match."""
        if on != (key in self._opened):
            (self._opened.add if on else self._opened.discard)(key)
            self._rebuild()

    def open_folder(self, folder: str, *, on: bool) -> None:
        """Show or hide the sessions in one of the folders ORPHANS and AUTOMATED."""
        if on != (folder in self._open):
            (self._open.add if on else self._open.discard)(folder)
            self._rebuild()

    def toggle(self, row: int) -> bool:
        """Unfold or fold a row; return whether it can be. A row with matches of the filter below it stays open."""
        item = self._rows[row]
        if isinstance(item, str):
            if item in _FOLDERS:
                self.open_folder(item, on=item not in self._open)
            return item in _FOLDERS
        if self._forest.count(item) and item not in self._ways:
            self.expand(item, on=not self._opens(item))
        return bool(self._forest.count(item))

    def reveal(self, key: int) -> bool:
        """Unfold the sessions above this one and its folder, so that it has a row unless the filter hides it.

        Returns False when the session is not in the listing.
        """
        session = self._listing.by_key.get(key)
        if session is None or key in self._at:
            return session is not None
        above = [*self._forest.above(key)]
        self._expanded.update(above)
        root = self._listing.by_key[above[-1]] if above else session
        if root in self._forest.orphans:
            self._open.add(ORPHANS)
        elif root in self._forest.automated:
            self._open.add(AUTOMATED)
        self._rebuild()
        return True

    def set_running(self, keys: frozenset[int]) -> None:
        """Set the sessions in which a reply is running."""
        changed, self._running = self._running ^ keys, keys
        self._emit_changed(changed)

    def set_new(self, counts: Mapping[int, int]) -> None:
        """Set the number of unseen entries by session."""
        before, self._new = self._new, dict(counts)
        self._emit_changed(key for key in before.keys() | self._new if before.get(key) != self._new.get(key))

    def set_states(self, states: Mapping[int, SourceState]) -> None:
        """Set the known states of the sessions' source files."""
        before, self._states = self._states, dict(states)
        self._emit_changed(key for key in before.keys() | self._states if before.get(key) != self._states.get(key))
        if before != self._states:
            self.states_changed.emit()

    @property
    def states(self) -> Mapping[int, SourceState]:
        """The known states of the sessions' sources, by session key."""
        return self._states

    def _emit_changed(self, keys: Iterable[int]) -> None:
        rows = {self.row_of(key) or self.visible_above(key) for key in keys}  # the first row is a header
        for row in rows:
            if row is not None:
                self.dataChanged.emit(self.index(row), self.index(row))

    def refresh_fills(self) -> None:
        """Update the fill bars after `window_of` learned new windows."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1), [SessionRole.FILL])

    # -- asking --------------------------------------------------------------------------------------------------

    def row_of(self, key: int | None) -> int | None:
        """Return the row of a session, or None when it is not shown."""
        return None if key is None else self._at.get(key)

    def visible_above(self, key: int | None) -> int | None:
        """Return the row of the nearest shown session above this one, or None."""
        if key is None or key not in self._listing.by_key:
            return None
        return next((self._at[above] for above in self._forest.above(key) if above in self._at), None)

    def session_at(self, row: int) -> Session | None:
        """Return the session in a row, or None for a header."""
        item = self._rows[row] if 0 <= row < len(self._rows) else ""
        return self._listing.by_key[item] if isinstance(item, int) else None

    def folder_at(self, row: int) -> str:
        """Return the folder in a row, ORPHANS or AUTOMATED; "" for other rows."""
        item = self._rows[row] if 0 <= row < len(self._rows) else ""
        return item if item in _FOLDERS and isinstance(item, str) else ""

    def row_of_folder(self, folder: str) -> int | None:
        """Return the row of one of the folders ORPHANS and AUTOMATED, or None when it has no sessions."""
        return self._at.get(folder) if folder in _FOLDERS else None  # "" is the group without a project

    def headers(self) -> list[bool]:
        """Return for each row whether it is a header."""
        return [isinstance(item, str) for item in self._rows]

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Make session rows selectable and headers not. The cursor goes to sessions and to folders."""
        if self.folder_at(index.row()):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        if self.session_at(index.row()) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row's data for the roles of Qt and SessionRole."""
        if not 0 <= index.row() < len(self._rows):
            return None  # the row is gone: Qt asks for a clicked row after the click was handled
        item = self._rows[index.row()]
        if isinstance(item, str):
            return self._header_data(item, role)
        session = self._listing.by_key[item]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return short_title(session)
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(self._accessible_parts(session))
            case SessionRole.SESSION:
                return session
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(session, [*self._news_lines(session), *self._lineage_words(session)])
            case SessionRole.KEY:
                return item
            case SessionRole.FACTS | SessionRole.BRIEF:
                return self._facts(session, brief=role == SessionRole.BRIEF)
        return self._painted(session, role)

    def _header_data(self, group: str, role: int) -> object:
        is_folder = group in _FOLDERS
        match role:
            case Qt.ItemDataRole.DisplayRole if is_folder:
                return folder_title(group, self._sizes[group], is_open=group in self._open)
            case Qt.ItemDataRole.AccessibleTextRole if is_folder:
                return folder_words(group, self._sizes[group], is_open=group in self._open)
            case Qt.ItemDataRole.DisplayRole:
                return self._titles[group]
            case Qt.ItemDataRole.ToolTipRole if not is_folder:
                return plain_tip(f"{self._titles[group]}\n{sessions_words(self._sizes[group])}")
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self._titles[group]}, {sessions_words(self._sizes[group])}"
            case SessionRole.COUNT:
                return self._sizes[group]
            case SessionRole.EXPANDED:
                return group in self._open if is_folder else None
        return None

    def _painted(self, session: Session, role: int) -> object:
        match role:
            case SessionRole.RUNNING:
                return bool(self._folded(session, self._running))
            case SessionRole.NEW:
                return sum(self._new[key] for key in self._folded(session, self._new))
            case SessionRole.SIGN:
                return self._sign(session)
            case SessionRole.FOLLOWED:
                return self._state(session) is SourceState.FOLLOWED
            case SessionRole.FILL:
                return self._fill(session)
            case SessionRole.DEPTH:
                return self._forest.depths.get(session.key, 0)
            case SessionRole.BELOW:
                return self._forest.count(session.key)
            case SessionRole.EXPANDED:
                return self._opens(session.key)
            case SessionRole.MATCHES:
                return not self._words or session.key in self._matches
            case SessionRole.TIME:
                return self._moment(session, brief=True)
            case SessionRole.FIGURES:
                return figures(session, self._figures)
        return None

    def _folded(self, session: Session, keys: Iterable[int]) -> list[int]:
        """Return which of the keys this row represents: its own session, and the sessions folded below it."""
        if self._opens(session.key) or not self._forest.count(session.key):
            return [key for key in keys if key == session.key]
        return [key for key in keys if key == session.key or session.key in self._forest.above(key)]

    def _accessible_parts(self, session: Session) -> Iterator[str]:
        yield title_of(session)
        yield self._facts(session, brief=False)
        yield from filter(None, figures(session, self._figures))
        yield from self._news_lines(session)
        if below := self._forest.count(session.key):
            yield nested_words(below, is_open=self._opens(session.key))
        yield from self._lineage_words(session)

    def _lineage_words(self, session: Session) -> list[str]:
        return lineage_words(session, self.lineage, self.fork_points.get(session.key))

    def _facts(self, session: Session, *, brief: bool) -> str:
        lineage = self.lineage
        before = lineage.before(session)
        relation = relation_words(session, lineage.relation(session), before)
        is_same = bool(relation) and before is not None and before.source == session.source
        heading = self._heading(session)
        is_grouped = heading is Grouping.SOURCE and before is None  # the heading names the tool
        is_placed = heading is Grouping.FOLDER or bool(relation)
        return facts(
            session,
            self._moment(session, brief=brief),
            brief=brief,
            relation=relation,
            names_tool=not is_same and not is_grouped,
            project="" if is_placed else project_name(self._listing.projects[session.key]),
            state=self._state(session),
        )

    def _root(self, session: Session) -> Session:
        """Return the root of a session's tree of work."""
        return self._listing.by_key[[session.key, *self._forest.above(session.key)][-1]]

    def _heading(self, session: Session) -> Grouping | None:
        """Return what the heading above a session names; None in the folders ORPHANS and AUTOMATED."""
        root = self._root(session).key
        return None if root in self._listing.agents or root in self._listing.automated else self._grouping

    def _moment(self, session: Session, *, brief: bool) -> str:
        """Return the time of a session in words, without the day where the heading names the same day."""
        time, is_by_day = self._time(session), self._heading(session) is Grouping.DATE
        same = is_by_day and day_key(time, self._days) == day_key(self._root(session).updated_at, self._days)
        return moment(time, self._now(), brief=brief, names_day=not same)

    def _time(self, session: Session) -> int:
        """Return the time (ns) of the newest entry, for a folded row also of the sessions below it."""
        is_folded = self._forest.count(session.key) and not self._opens(session.key)
        return self._listing.tree.newest(session.key) if is_folded else session.updated_at

    def _news_lines(self, session: Session) -> Iterator[str]:
        if self._folded(session, self._running):
            yield running_words()
        if new := self._folded(session, self._new):
            yield new_words(sum(self._new[key] for key in new))
        state = self._state(session)
        if state is not None:
            yield state_words(state)

    def _state(self, session: Session) -> SourceState | None:
        """Return the state of a session's source; for a database, without checking a file.

        None if there is no state.
        """
        return SourceState.DELETED if gone_from_source(session.details) else self._states.get(session.key)

    def _sign(self, session: Session) -> str:
        relation, after = self.lineage.relation(session), self.lineage.after(session)
        if _CHAINED & {relation, None if after is None else self.lineage.relation(after)}:
            return "link"
        return "fork" if relation is Relation.FORKED else ""

    def _fill(self, session: Session) -> float | None:
        window = self._window_of(session.model) if session.context_tokens else None
        return None if window is None else min(1.0, (session.context_tokens or 0) / window)

    # -- rows ----------------------------------------------------------------------------------------------------

    def _opens(self, key: int) -> bool:
        return key in self._ways or key in self._opened

    @property
    def _opened(self) -> set[int]:
        """The sessions that the person unfolded, with or without a filter."""
        return self._unfiltered if self._words else self._expanded

    def _rebuild(self, among: frozenset[int] | None = None) -> None:
        """Compute the rows again. `among` has all sessions that can match the filter; None for all sessions."""
        self._matches = self._listing.matches(self._words, among) if self._words else frozenset()
        self._ways = self._forest.ancestors_of(self._matches)
        rows = self._arranged()
        self._titles = group_titles(
            (group for group in self._sizes if group[:1] != "\0"), self._grouping, self._now()
        )
        if rows and rows == self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self._at = dict(zip(rows, count(), strict=False))
        self.endResetModel()

    def _arranged(self) -> list[int | str]:
        forest = self._forest
        wanted = self._matches | self._ways if self._words else None
        groups: dict[str, list[Session]] = {}
        for root, group in zip(forest.roots, self._groups_of_roots(), strict=True):
            if wanted is None or root.key in wanted:
                groups.setdefault(group, []).append(root)
        self._sizes = {group: len(roots) for group, roots in groups.items()}
        rows: list[int | str] = []
        for group, roots in groups.items():
            rows.append(group)
            self._add(rows, roots, wanted)
        for folder, roots in ((ORPHANS, forest.orphans), (AUTOMATED, forest.automated)):
            found = [root for root in roots if wanted is None or root.key in wanted]
            if found:
                self._sizes[folder] = len(found)
                rows.append(folder)
                self._add(rows, found if folder in self._open else [], wanted)
        return rows

    def _groups_of_roots(self) -> list[str]:
        """Return the group of each root; kept until the sessions or the grouping change: each key filters them."""
        forest, grouping, projects = self._forest, self._grouping, self._listing.projects
        if self._grouped is None or self._grouped[:2] != (forest, grouping):
            groups = [group_of(root, grouping, projects[root.key], self._days) for root in forest.roots]
            self._grouped = forest, grouping, groups
        return self._grouped[2]

    def _add(self, rows: list[int | str], roots: Iterable[Session], wanted: frozenset[int] | None) -> None:
        for root in roots:
            rows += self._forest.rows(root.key, self._opened, wanted)
