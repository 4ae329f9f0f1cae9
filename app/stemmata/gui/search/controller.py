"""Searches all sessions for the results column, and goes from hit to hit."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from functools import partial
from threading import Event
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QObject, QSettings, QTimer, Signal

from stemmata.domain.errors import KnownError
from stemmata.domain.search.branches import Branch
from stemmata.domain.search.hits import Hit, Share, UnreadHit
from stemmata.domain.search.query import Query, QueryError, parse
from stemmata.domain.search.results import (
    SHOWN,
    Results,
    SessionHits,
    SortedHits,
    grouped,
    next_hit,
    role_counts,
)
from stemmata.domain.sessions.changes import ChangeSet
from stemmata.domain.sessions.session import Session
from stemmata.gui.core.actions import State
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.search.rows import (
    MATCH_START,
    MoreRow,
    ResultHitRow,
    ResultHitRows,
    ResultRow,
    ResultsHeading,
    SavedRow,
    SessionHeading,
)
from stemmata.gui.search.view import ResultsView
from stemmata.gui.search.words import branch_text, facts_of, help_text, more_text, project_of, summary_text
from stemmata.gui.sessions.words import title_of
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.figures import number

TYPING_MS = 60  # pause in typing before the search starts
AGAIN_MS = 700  # pause after a change of the archive before the search runs again
ENOUGH = 1000  # hits after which a search stops until the user asks for older entries; more are not ranked
SHARE = 20  # hits of a session that are searched at first
SESSIONS = 100  # sessions that are shown at first, and more at a time
READ = 32  # hits that are read at a time
MORE = 100  # hits of a session that are shown at a time after the first ones
MOST_SAVED = 50
_SAVED = "search/saved"
T = TypeVar("T")


class SavedSearch(NamedTuple):
    """A saved query, and whether it searches by meaning."""

    query: str
    by_meaning: bool = False


class SavedSearches:
    """The saved searches of the window's INI file, latest first. All windows share them."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    @property
    def searches(self) -> list[SavedSearch]:
        """The saved searches. One by words is stored as its query, one by meaning as `[query, true]`."""
        text = self._settings.value(_SAVED)
        try:
            found = json.loads(text) if isinstance(text, str) else []
        except ValueError:
            found = []
        out = []
        for value in found if isinstance(found, list) else []:
            match value:
                case str():
                    out.append(SavedSearch(value))
                case [str(query), bool(by_meaning)]:
                    out.append(SavedSearch(query, by_meaning))
        return out

    def add(self, search: SavedSearch) -> None:
        """Save a search as the latest one."""
        self._store([search, *(other for other in self.searches if other != search)][:MOST_SAVED])

    def remove(self, search: SavedSearch) -> None:
        """Delete a saved search."""
        self._store([other for other in self.searches if other != search])

    def _store(self, searches: list[SavedSearch]) -> None:
        stored = [[*search] if search.by_meaning else search.query for search in searches]
        self._settings.setValue(_SAVED, json.dumps(stored))


class ResultsController(QObject):
    """Fills the results while the user types, and opens hits."""

    entry_chosen = Signal(int, int, str)  # session, entry, words of the query
    closed = Signal()

    def __init__(
        self,
        shared: WindowContext,
        view: Callable[[], ResultsView],
        sessions: Callable[[], Mapping[int, Session]],
        settings: QSettings,
        parent: QObject,
    ) -> None:
        """`view` creates the column on first use; `sessions` returns the sessions of the list by key."""
        super().__init__(parent)
        self._services, self._bridge, self._actions = shared.services, shared.bridge, shared.actions
        self._searching = shared.services.searching
        self._make_view, self._made, self._sessions = view, False, sessions
        self._saved = SavedSearches(settings)
        self._toast = shared.toast
        self._run = LatestOnly()
        self._stop = Event()  # cancels the most recent search
        self._query = Query()
        self._words = ""  # words of the query whose results are shown
        self._by_rank = False
        self._by_meaning = False
        self._results = Results()
        self._read: dict[int, Hit] = {}
        self._asked: set[int] = set()  # entries whose text was asked for; the archive may no longer have it
        self._abandoned: set[int] = set()
        self._branches: dict[int, Branch] = {}  # branches of hits that are on abandoned branches, by entry
        self._numbered: set[int] = set()  # entries whose branch was asked for
        self._unsorted: tuple[UnreadHit, ...] = ()  # hits whose branch is not known yet
        self._hit_rows = ResultHitRows()
        self._groups: tuple[SessionHits, ...] = ()  # the hits of `_grouped`
        self._grouped: tuple[UnreadHit, ...] = ()
        self._shown: dict[int, int] = {}  # number of shown hits by session, where it is not SHOWN
        self._most = SESSIONS
        self._current: int | None = None  # the entry of the hit that was opened last
        self._when_found: Callable[[None], None] | None = None  # opens the first hit, which Enter asked for
        self._is_open = False
        self._pause = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._pause.timeout.connect(self._search)
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._again.timeout.connect(lambda: self._search(again=True))
        shared.bridge.changed.connect(self._on_changed)
        self._opening = TurnSteps(self)  # opens a hit that had to be listed first, unless another entry is chosen
        self._opened = shared.opened
        shared.opened.started.connect(self._opening.stop)
        shared.opened.selected.connect(self._opening.stop)

    @property
    def view(self) -> ResultsView:
        """The column, created on first use."""
        view = self._make_view()
        if not self._made:
            self._made = True
            view.query_changed.connect(self._on_query_changed)
            view.row_chosen.connect(self._on_row_chosen)
            view.row_deleted.connect(self._on_row_deleted)
            view.order_changed.connect(self._on_order_changed)
            view.chips.way_chosen.connect(self._on_way_chosen)
            view.save_requested.connect(self._save)
            view.closed.connect(self.close)
            self._show()
        return view

    def open(self) -> None:
        """Start to search whenever the field or the archive changes; the caller shows and focuses the column."""
        self._is_open = True
        self._actions.set_state(State.SEARCHING)
        if self._query.is_empty:
            self._show()

    def close(self) -> None:
        """End the search; the results stay for the next time."""
        if self._is_open:
            self._is_open = False
            self._cancel()
            self._actions.set_state(State.SEARCHING, on=False)
            self.closed.emit()

    def step(self, by: int) -> None:
        """Open the next hit (`by` 1) or the previous hit (-1), also in another session."""
        hit = next_hit(self._ordered(), self._current, by)
        if hit is not None:
            is_listed = self.view.model.place_of(hit.entry) is not None
            if not is_listed:
                self._show_session_of(hit)
            self.view.select(hit.entry)
            self._opening.stop()
            if is_listed:
                self._open(hit)
            else:  # in another turn, since listing many hits and showing one of them take longer than a frame
                self._current = hit.entry
                self._opening.start(partial(self._open, hit))

    def _by_session(self) -> tuple[SessionHits, ...]:
        """Return the hits by session, which are grouped once for each answer."""
        if self._grouped is not self._results.hits:
            self._grouped = self._results.hits
            self._groups = grouped(self._grouped)
        return self._groups

    def _ordered(self) -> list[UnreadHit]:
        """Return the hits in the order in which they are shown."""
        return [hit for group in self._by_session() for hit in group.hits]

    # -- searching ------------------------------------------------------------------------------------------------

    def _on_query_changed(self, _text: str) -> None:
        self._when_found = None
        self._cancel()
        self._pause.start()

    def _cancel(self) -> None:
        self._pause.stop()
        self._again.stop()
        self._stop.set()
        self._run.cancel()

    def _on_order_changed(self, by_rank: bool) -> None:  # noqa: FBT001 - a slot
        self._by_rank = by_rank
        self.view.show_order(by_rank=by_rank)
        self._search()

    def _on_way_chosen(self, by_meaning: bool) -> None:  # noqa: FBT001 - a slot
        """Search by words or by meaning; without a model for meanings, show the setting that chooses one."""
        if by_meaning and not self._services.searches_meaning:
            self._actions["search-meaning"].trigger()
            return
        self._by_meaning = by_meaning
        self.view.chips.show_way(by_meaning=by_meaning)
        self.view.show_order(by_rank=self._by_rank, fixed=by_meaning)
        self._search()

    def _on_changed(self, changes: tuple[ChangeSet, ...]) -> None:
        if self._is_open and not self._query.is_empty and any(change.what for change in changes):
            self._again.start()

    def _search(self, *, again: bool = False) -> None:
        """Search for the typed query; `again` keeps the shown results until the answer is there."""
        self._cancel()
        try:
            query = parse(self.view.field.text(), datetime.now())
        except QueryError as error:
            self._query = Query()
            self._show(str(error))
            return
        self._query, self._stop = query, Event()
        if not again:
            self._shown, self._most, self._current = {}, SESSIONS, None
        if self._by_meaning and query.words and self._services.searches_meaning:
            found = self._services.meaning.find(query, stopped=self._stop.is_set)
        else:
            found = self._searching.find(query, by_rank=self._by_rank, share=Share(SHARE), stopped=self._stop.is_set)
        self._bridge.when_done(found, self._on_found, self._on_failed, run=self._run)

    def _on_failed(self, error: Exception) -> None:
        self._show(str(error) if isinstance(error, KnownError) else self.tr("The search failed."))

    def _on_found(self, results: Results) -> None:
        self._words = self._query.words
        self._results, self._read, self._abandoned = results, dict(results.read), set()
        self._asked, self._branches, self._numbered = set(), {}, set()
        self._unsorted = results.unsorted or results.hits
        if self._query.filters.scope != "all":
            self._abandoned = {m.entry for m in results.hits} if self._query.filters.scope == "abandoned" else set()
            self._unsorted = results.unsorted
        self.view.delegate.forget()
        self._hit_rows.forget()
        self._show()
        announce(self.view, self._summary()[0] or self.tr("No hits."))
        opens, self._when_found = self._when_found, None
        if opens is not None:
            opens(None)
        self._continue_search()

    def _continue_search(self) -> None:
        """Read the texts of shown hits, tell branches apart, and look for more hits: one step, then the next."""
        stopped, wanted = self._stop.is_set, self._unread()
        if wanted:
            self._asked.update(wanted)
            self._continue(self._searching.hits(self._query, wanted, stopped), self._on_hits)
        elif self._unsorted:
            self._continue(self._searching.sort(self._unsorted, stopped), self._on_sorted)
        elif unnumbered := self._unnumbered():
            self._numbered.update(hit.entry for hit in unnumbered)
            self._continue(self._searching.branches(unnumbered, stopped), self._on_branches)
        elif self._results.rest is not None and len(self._results.hits) < ENOUGH:
            self._find_more()

    def _find_more(self) -> None:
        share = Share(SHARE, {group.session: len(group.hits) for group in self._by_session()})
        more = self._searching.find(self._query, below=self._results.rest, share=share, stopped=self._stop.is_set)
        self._continue(more, self._on_more)

    def _find_more_of(self, session: int) -> None:
        """Search one session for its other hits: the best ones, or those before the ones that were found."""
        own = next(group.hits for group in self._by_session() if group.session == session)
        within = replace(self._query, filters=replace(self._query.filters, session=session))
        by_rank = self._results.by_rank
        below = None if by_rank else min(hit.entry for hit in own)
        found = self._searching.find(within, by_rank=by_rank, below=below, stopped=self._stop.is_set)
        self._asked &= self._read.keys()  # the answer to a step that is under way will be dropped
        self._continue(found, partial(self._on_more_of, session, len(own)))

    def _continue(self, found: Future[T], on_found: Callable[[T], None]) -> None:
        """Pass the answer of a later step of the search to `on_found`; after an error the shown results stay."""
        self._bridge.when_done(found, on_found, lambda _error: None, run=self._run)

    def _on_hits(self, hits: tuple[Hit, ...]) -> None:
        self._read |= {hit.entry: hit for hit in hits}
        self._show()
        self._continue_search()

    def _on_branches(self, branches: dict[int, Branch]) -> None:
        self._branches |= branches
        self._show()
        self._continue_search()

    def _on_sorted(self, found: SortedHits) -> None:
        before, self._unsorted = self._unsorted, found.unsorted
        self._abandoned |= found.abandoned
        scope = self._query.filters.scope
        if scope != "all":
            wanted = found.abandoned if scope == "abandoned" else found.active
            self._add(
                tuple(hit for hit in before if hit.entry in wanted), self._results.rest, self._results.unfinished
            )
        self._show()
        self._continue_search()

    def _on_more(self, results: Results) -> None:
        self._read |= results.read
        self._unsorted = results.hits if self._query.filters.scope == "all" else ()
        if self._query.filters.scope == "abandoned":
            self._abandoned |= {hit.entry for hit in results.hits}
        sessions, before = {group.session for group in self._by_session()}, self._results.unfinished
        unfinished = frozenset(key for key in results.unfinished if key in before or key not in sessions)
        self._add(results.hits, results.rest, unfinished)
        self._show()
        self._continue_search()

    def _on_more_of(self, session: int, before: int, results: Results) -> None:
        """Show the hits of a session that were found later, and select the first; without any, the last hit."""
        self._read |= results.read
        if self._query.filters.scope == "all":
            self._unsorted = (*self._unsorted, *results.hits)
        elif self._query.filters.scope == "abandoned":
            self._abandoned |= {hit.entry for hit in results.hits}
        found_all = self._results.unfinished - {session}
        self._add(results.hits, self._results.rest, found_all | {session} if results.more else found_all)
        self._shown[session] = before + MORE
        self._show()
        own = next(group.hits for group in self._by_session() if group.session == session)
        if len(own) > before:
            self.view.select(own[before].entry)
        elif session not in self._results.unfinished:  # the chosen row was removed
            self.view.select(own[-1].entry)
        self._continue_search()

    def _add(self, hits: tuple[UnreadHit, ...], rest: int | None, unfinished: frozenset[int]) -> None:
        """Add hits that were found later."""
        old = self._results
        known = {hit.entry for hit in old.hits}
        every = (*old.hits, *(hit for hit in hits if hit.entry not in known))
        if not old.by_rank:
            every = tuple(sorted(every, key=lambda hit: (-hit.time, -hit.entry)))
        counts, counts_more = role_counts(every), rest is not None or bool(unfinished)
        if self._query.filters.roles:
            counts, counts_more = dict(old.counts), old.counts_more
        self._results = Results(
            every,
            old.read,
            counts,
            rest,
            rest is not None,
            old.by_rank,
            counts_more=counts_more,
            unfinished=unfinished,
        )

    # -- the rows -------------------------------------------------------------------------------------------------

    def _unread(self) -> list[int]:
        """Return the entries of shown hits whose text was not asked for, at most READ, the visible ones first."""
        rows = self.view.rows_from_top
        shown = (row.hit.entry for row in rows if isinstance(row, ResultHitRow))
        return [entry for entry in shown if entry not in self._read and entry not in self._asked][:READ]

    def _unnumbered(self) -> list[UnreadHit]:
        """Return the shown hits on abandoned branches of one session whose branch was not asked for."""
        shown = [row.hit for row in self.view.model.rows if isinstance(row, ResultHitRow)]
        open_ = [m for m in shown if m.entry in self._abandoned and m.entry not in self._numbered]
        return [hit for hit in open_ if hit.session == open_[0].session]

    def _summary(self) -> tuple[str, str]:
        """Return how many hits there are and which one is shown, in words and as numbers; "" without hits."""
        hits = self._results.hits
        more_sessions = self._results.more or self._results.rest is not None
        more = more_sessions or bool(self._results.unfinished)
        if not hits:
            return "", ""
        count = f"{number(len(hits))}{'+' if more else ''}"
        summary = summary_text(len(hits), len(self._by_session()), more=more, more_sessions=more_sessions)
        at = next((at for at, hit in enumerate(self._ordered(), 1) if hit.entry == self._current), None)
        if at is None:
            return summary, count
        return self.tr("{0} of {1}").format(number(at), summary), f"{number(at)} / {count}"

    def _show(self, problem: str = "") -> None:
        """Show the results; `problem` replaces them."""
        view = self.view
        if problem or self._query.is_empty:
            self._results, self._unsorted, self._abandoned = Results(), (), set()
            view.show_rows([] if problem else self._saved_rows(), ("", ""))
            view.show_message(problem or ("" if self._saved.searches else help_text()))
        else:
            view.show_rows(self._rows(), self._summary())
            view.show_message("" if self._results.hits or self._unsorted else self._nothing())
        view.save.setEnabled(not self._query.is_empty)
        self._show_filters()

    def _nothing(self) -> str:
        if self._results.rest is not None:
            return self.tr("No hits yet. Older entries are being searched…")
        return self.tr("No hits. Try fewer words, or remove a filter.")

    def _show_filters(self) -> None:
        hits, sessions = self._results.hits, self._sessions()
        in_scope = self._query.filters.scope == "abandoned"
        abandoned = len(hits) if in_scope else len(self._abandoned)
        chips = self.view.chips
        more = self._results.more or self._results.rest is not None or bool(self._results.unfinished)
        chips.show_counts(self._results.counts, abandoned, counts_more=self._results.counts_more, more=more)
        tools = Counter(hit.tool for hit in hits if hit.tool)
        chips.offer("tool", [(tool, tool, count) for tool, count in tools.most_common()])
        projects = Counter[str]()
        for group in self._by_session():
            if group.session in sessions:
                projects[project_of(sessions[group.session])] += len(group.hits)
        chips.offer("project", [(name, name, count) for name, count in projects.most_common() if name])

    def _saved_rows(self) -> list[ResultRow]:
        searches = self._saved.searches
        heading = [ResultsHeading(self.tr("Saved searches · Enter to search, Delete to remove"))] if searches else []
        way = self.tr("by meaning")
        rows = [SavedRow(query, by_meaning, way if by_meaning else "") for query, by_meaning in searches]
        return [*heading, *rows]

    def _rows(self) -> list[ResultRow]:
        rows: list[ResultRow] = []
        now, sessions = time.time_ns(), self._sessions()
        groups = self._by_session()
        for group in groups[: self._most]:
            session = sessions.get(group.session)
            title = title_of(session) if session is not None else self.tr("Session that is not in the list")
            count, more = len(group.hits), group.session in self._results.unfinished
            rows.append(SessionHeading(group.session, title, facts_of(session, count, now, more=more)))
            shown = group.hits[: self._shown.get(group.session, SHOWN)]
            rows += [self._hit_row(hit, now) for hit in shown]
            if count > len(shown) or (more and not (self._results.by_rank and count >= ENOUGH)):
                rows.append(MoreRow(group.session, more_text(count - len(shown), more=more)))
        if len(groups) > self._most:
            rows.append(MoreRow(None, self.tr("%Ln more sessions", None, len(groups) - self._most)))
        elif self._results.rest is not None and len(self._results.hits) >= ENOUGH:
            rows.append(MoreRow(None, self.tr("Search older entries")))
        return rows

    def _hit_row(self, hit: UnreadHit, now: int) -> ResultHitRow:
        chip = branch_text(self._branches.get(hit.entry)) if hit.entry in self._abandoned else ""
        return self._hit_rows.row(hit, self._read.get(hit.entry), chip, now)

    # -- choosing -------------------------------------------------------------------------------------------------

    def _on_row_chosen(self, row: ResultRow) -> None:
        if self._pause.isActive() and not isinstance(row, SavedRow):
            # the rows are those of the text before
            self._when_found = self._opened.unless_selection_changed(lambda _none: self.step(1))
            self._search()
            return
        match row:
            case ResultHitRow(hit=hit):
                self._open(hit)
            case MoreRow(session=None):
                self._show_more()
            case MoreRow(session=session) if session is not None:
                self._open_up(session)
            case SavedRow(query=query, by_meaning=by_meaning):
                if by_meaning is not self._by_meaning:
                    self._on_way_chosen(by_meaning)
                self.view.set_query(query)
            case _:
                pass

    def _open(self, hit: UnreadHit) -> None:
        self._current = hit.entry
        self.view.header.set_chip(*self._summary())
        self.entry_chosen.emit(hit.session, hit.entry, self._words_in(hit.entry))

    def _words_in(self, entry: int) -> str:
        """Return the words to mark in an entry; "" when it only means the same and has none of them."""
        read = self._read.get(entry)
        has_words = not self._by_meaning or read is None or MATCH_START in read.snippet
        return self._words if has_words else ""

    def _open_up(self, session: int) -> None:
        """Show more hits of a session, and select the first of them. When all are shown, search for more."""
        own = next(group.hits for group in self._by_session() if group.session == session)
        before = self._shown.get(session, SHOWN)
        if before >= len(own):
            self._find_more_of(session)
            return
        self._shown[session] = before + MORE
        self._show()
        self.view.select(own[before].entry)
        self._continue_search()

    def _show_session_of(self, hit: UnreadHit) -> None:
        """Show the row of a hit, which may be one of the hidden ones of its session."""
        groups = self._by_session()
        at = next(at for at, group in enumerate(groups) if group.session == hit.session)
        self._most = max(self._most, at + 1)
        place = groups[at].hits.index(hit)
        if place >= self._shown.get(hit.session, SHOWN):
            self._shown[hit.session] = place + MORE
        self._show()
        self._continue_search()

    def _show_more(self) -> None:
        if len(self._by_session()) > self._most:
            self._most += SESSIONS
            self._show()
            self._continue_search()
        else:
            self._find_more()

    # -- saved searches -------------------------------------------------------------------------------------------

    def _save(self) -> None:
        text = " ".join(self.view.field.text().split())
        if text:
            self._saved.add(SavedSearch(text, self._by_meaning))
            self._toast.tell(self.tr("The search was saved. Saved searches are listed while the field is empty."))

    def _on_row_deleted(self, row: SavedRow) -> None:
        self._saved.remove(SavedSearch(row.query, row.by_meaning))
        self._show()
