"""Connect the command palette with its searches.

It searches actions, session titles, text in this session, and text in all sessions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Event

from PySide6.QtCore import QObject, QSettings, QTimer, Signal

from stemmata.domain.search.branches import branch_of
from stemmata.domain.search.hits import Hit, SearchPage
from stemmata.domain.sessions.session import Session
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.palette.dialog import CommandPalette
from stemmata.gui.palette.offers import PaletteMemory, PaletteOffers
from stemmata.gui.palette.rows import (
    MATCH_START,
    ActionRow,
    HitRow,
    PaletteHeading,
    PaletteRow,
    ScopeRow,
    SessionHitRow,
)
from stemmata.gui.sessions.words import day, source_name, title_of
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.figures import number

TYPING_MS = 60  # pause in typing before the text search starts
HERE, EVERYWHERE = 6, 12  # maximum rows of hits in this session, and in other sessions
LONGEST_TITLE = 40  # characters of the session title shown beside a hit
SCOPE = "in:"  # prefix of the query word that selects the scope
SCOPES = ("abandoned", "active")


class SearchController(QObject):
    """Search while the user types in the palette, and carry out the chosen row."""

    session_chosen = Signal(int)
    entry_chosen = Signal(int, int, str)  # session, entry, words of the query; "" when the entry has none of them

    def __init__(
        self,
        shared: WindowContext,
        palette: CommandPalette,
        sessions: Callable[[], Mapping[int, Session]],
        settings: QSettings,
    ) -> None:
        super().__init__(palette)
        self._services, self._bridge, self._actions = shared.services, shared.bridge, shared.actions
        self._palette, self._opened, self._sessions = palette, shared.opened, sessions
        self._offers = PaletteOffers(shared.actions, sessions, PaletteMemory(settings))
        self._here_run, self._everywhere_run = LatestOnly(), LatestOnly()
        self._meaning_run = LatestOnly()
        self._here: SearchPage = SearchPage(0, ())
        self._everywhere: SearchPage = SearchPage(0, ())
        self._query, self._scope = "", "all"
        self._is_answered = False  # whether the search in all sessions for this query has ended
        self._stop = Event()  # cancels the most recent search
        self._pause = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._pause.timeout.connect(self._search)
        palette.query_changed.connect(self._on_query_changed)
        palette.row_chosen.connect(self._on_row_chosen)
        palette.closed.connect(self._cancel_searches)

    def _on_query_changed(self, text: str) -> None:
        self._query, self._scope = scoped(text)
        self._is_answered = False
        self._cancel_searches()
        if not self._query:
            self._here = self._everywhere = SearchPage(0, ())
        self._pause.start()
        self._show()

    def _cancel_searches(self) -> None:
        """Cancel the running searches."""
        self._pause.stop()
        self._stop.set()
        for run in (self._here_run, self._everywhere_run, self._meaning_run):
            run.cancel()

    def _search(self) -> None:
        if not self._query:
            return
        self._stop = Event()
        search = partial(self._services.searching.search, self._query, scope=self._scope, stopped=self._stop.is_set)
        if self._opened.key is not None:
            here = search(session=self._opened.key, limit=HERE)
            self._bridge.when_done(here, self._on_here, self._on_no_answer, run=self._here_run)
        everywhere = search(limit=EVERYWHERE)
        self._bridge.when_done(everywhere, self._on_everywhere, self._on_no_answer, run=self._everywhere_run)
        if self._scope == "all" and self._services.searches_meaning:
            here_too = [] if self._opened.key is None else [(self._opened.key, HERE)]
            ranked = self._services.meaning.search_places(
                self._query, [(None, EVERYWHERE), *here_too], stopped=self._stop.is_set
            )
            self._bridge.when_done(ranked, self._on_ranked, self._on_not_ranked, run=self._meaning_run)

    def _on_here(self, page: SearchPage) -> None:
        self._here = page
        self._show()

    def _on_everywhere(self, page: SearchPage) -> None:
        self._everywhere, self._is_answered = page, True
        self._show()
        total = (
            self.tr("More than %Ln hits", None, page.total) if page.more else self.tr("%Ln hits", None, page.total)
        )
        announce(self._palette, total)

    def _on_ranked(self, pages: tuple[SearchPage, ...]) -> None:
        """Replace the full-text hits by those ranked by words and meaning: of all sessions, and of the open one."""
        everywhere, *here = pages
        self._everywhere_run.cancel()
        if here:
            self._here_run.cancel()
            self._here = here[0]
        self._on_everywhere(everywhere)

    def _on_not_ranked(self, _error: Exception) -> None:
        """Keep the full-text hits after a search by meaning failed; `MeaningUpdates` reports the model's problem."""

    def _on_no_answer(self, _error: Exception) -> None:
        """Show no hits for a failed search, such as one with an incomplete query."""
        self._here = self._everywhere = SearchPage(0, ())
        self._is_answered = True
        self._show()

    def _on_row_chosen(self, row: PaletteRow) -> None:
        match row:
            case HitRow(hit=hit):
                has_words = MATCH_START in hit.snippet or not self._services.searches_meaning
                self.entry_chosen.emit(hit.session, hit.entry, self._query if has_words else "")
            case SessionHitRow(session=session):
                self._offers.chosen(row)
                self.session_chosen.emit(session)
            case ActionRow(id=id):
                self._offers.chosen(row)
                self._actions[id].trigger()
            case ScopeRow(scope=scope):
                self._palette.ask_again(f"{self._query} {SCOPE}{scope}")

    # -- lines ------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        opened, rows = self._opened.key, list[PaletteRow]()
        others = [self._hit_row(hit) for hit in self._everywhere.hits if hit.session != opened]
        named, fitting = self._offers.actions(self._query)
        sessions = self._offers.sessions(self._query, opened)
        is_meant = not self._query or any(self._offers.names(row, self._query) for row in sessions)
        if self._scope != "all":  # a scope limits the search to text
            named, fitting, sessions = [], [], []
        groups: tuple[tuple[str, Sequence[PaletteRow]], ...] = (
            (self.tr("Actions"), named),
            (self.tr("Recent"), [] if self._query else self._offers.recent(opened)),
            (self.tr("In this session"), [self._hit_row(hit, here=True) for hit in self._here.hits]),
            (self.tr("Sessions"), sessions if is_meant else []),
            (self._everywhere_text(), others),
            (self.tr("Sessions"), [] if is_meant else sessions),
            (self.tr("More actions") if named else self.tr("Actions"), fitting),
            (self.tr("Search"), self._scope_rows()),
        )
        for heading, group in groups:
            if group:
                rows += [PaletteHeading(heading), *group]
        if rows and self._found_nothing:
            rows.append(PaletteHeading(self.tr("No session has this text")))
        self._palette.show_rows(rows)

    @property
    def _found_nothing(self) -> bool:
        """Whether the search in all sessions has ended without a hit."""
        return bool(self._query) and self._is_answered and not (self._here.hits or self._everywhere.hits)

    def _everywhere_text(self) -> str:
        """Return the heading of the hits everywhere; it counts sessions only when all hits are listed."""
        page = self._everywhere
        if page.more:
            return self.tr("All sessions · more than %Ln hits", None, page.total)
        hits = self.tr("All sessions · %Ln hits", None, page.total)
        if page.total > len(page.hits):
            return hits
        sessions = self.tr("%Ln sessions", None, len({hit.session for hit in page.hits}))
        return self.tr("{0} in {1}").format(hits, sessions)

    def _scope_rows(self) -> list[ScopeRow]:
        """Return the rows that repeat the search in a narrower scope."""
        if not self._query or self._scope != "all" or self._found_nothing:
            return []
        words = {
            "abandoned": self.tr("Search abandoned branches only"), "active": self.tr("Search active branches only"),
        }  # fmt: skip
        return [ScopeRow(scope, words[scope], SCOPE + scope) for scope in SCOPES]

    def _hit_row(self, hit: Hit, *, here: bool = False) -> HitRow:
        when = day(hit.time, time.time_ns()) if hit.time else ""
        if here:
            return HitRow(hit, self._branch_text(hit.entry), when)
        session = self._sessions().get(hit.session)
        if session is None:
            return HitRow(hit, "", when)
        return HitRow(
            hit, source_name(session.source), " · ".join(filter(None, (title_of(session)[:LONGEST_TITLE], when)))
        )

    def _branch_text(self, key: int) -> str:
        """Return the branch of a hit outside the active path; "" for a hit on the active path."""
        session_tree, leaf = self._opened.session_tree, self._opened.leaf
        entry = None if session_tree is None else session_tree.tree.get(key)
        if session_tree is None or entry is None or (leaf is not None and session_tree.tree.is_ancestor(entry, leaf)):
            return ""
        at = branch_of(session_tree.tree, entry, leaf).number
        return self.tr("branch {0} · abandoned").format(number(at)) if at else self.tr("deleted branch")


def scoped(text: str) -> tuple[str, str]:
    """Split a query into its words and its scope, which is `all` by default."""
    scope, words = "all", []
    for word in text.split():
        if word.startswith(SCOPE) and word.removeprefix(SCOPE) in SCOPES:
            scope = word.removeprefix(SCOPE)
        else:
            words.append(word)
    return " ".join(words), scope
