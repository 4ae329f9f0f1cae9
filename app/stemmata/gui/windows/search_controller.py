"""Searching and commanding from one field: text in this session, everywhere, sessions by title, actions by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, QTimer, Signal

from stemmata.domain.sessions import Hit, SearchPage, Session
from stemmata.gui.announcer import announce
from stemmata.gui.bridge import Run
from stemmata.gui.dialogs.palette import CommandPalette
from stemmata.gui.dialogs.palette_rows import ActionRow, HeadingRow, HitRow, PaletteRow, SessionHitRow
from stemmata.gui.models.sessions_words import age, day, source_name, title_of
from stemmata.gui.windows.desk import Desk

TYPING_MS = 60
HERE, EVERYWHERE, TITLES, ACTIONS = 6, 12, 5, 8  # lines of each group
LONGEST_TITLE = 40  # characters of another session's title beside a hit
NOT_OFFERED = ("palette", "leave-preview")


class SearchController(QObject):
    session_chosen = Signal(int)
    entry_chosen = Signal(int, int)  # session, entry

    def __init__(self, desk: Desk, palette: CommandPalette, sessions: Callable[[], Mapping[int, Session]]) -> None:
        super().__init__(palette)
        self._services, self._bridge, self._actions = desk.services, desk.bridge, desk.actions
        self._palette, self._opened, self._sessions = palette, desk.opened, sessions
        self._here_run, self._everywhere_run = Run(), Run()
        self._here: SearchPage = SearchPage(0, ())
        self._everywhere: SearchPage = SearchPage(0, ())
        self._query = ""
        self._pause = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._pause.timeout.connect(self._search)
        palette.query_changed.connect(self._on_query_changed)
        palette.row_chosen.connect(self._on_row_chosen)
        desk.actions.on("palette", palette.open)

    def _on_query_changed(self, text: str) -> None:
        self._query = text.strip()
        for run in (self._here_run, self._everywhere_run):
            run.cancel()
        if not self._query:
            self._here = self._everywhere = SearchPage(0, ())
        self._pause.start()
        self._show()

    def _search(self) -> None:
        if not self._query:
            return
        search = self._services.searching.search
        if self._opened.key is not None:
            here = search(self._query, session=self._opened.key, limit=HERE)
            self._bridge.when_done(here, self._on_here, self._on_no_answer, run=self._here_run)
        everywhere = search(self._query, limit=EVERYWHERE)
        self._bridge.when_done(everywhere, self._on_everywhere, self._on_no_answer, run=self._everywhere_run)

    def _on_here(self, page: SearchPage) -> None:
        self._here = page
        self._show()

    def _on_everywhere(self, page: SearchPage) -> None:
        self._everywhere = page
        self._show()
        announce(self._palette, self.tr("%Ln hits", None, page.total))

    def _on_no_answer(self, _error: Exception) -> None:
        """A half-typed query that means nothing finds nothing."""
        self._here = self._everywhere = SearchPage(0, ())
        self._show()

    def _on_row_chosen(self, row: PaletteRow) -> None:
        match row:
            case HitRow(hit=hit):
                self.entry_chosen.emit(hit.session, hit.entry)
            case SessionHitRow(session=session):
                self.session_chosen.emit(session)
            case ActionRow(id=id):
                self._actions[id].trigger()

    # -- lines ------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        rows: list[PaletteRow] = []
        _add(rows, self.tr("In this session"), [self._hit_row(hit, here=True) for hit in self._here.hits])
        _add(rows, self.tr("Sessions"), self._titles())
        others = [self._hit_row(hit) for hit in self._everywhere.hits if hit.session != self._opened.key]
        _add(rows, self.tr("Everywhere · %Ln hits", None, self._everywhere.total), others)
        _add(rows, self.tr("Actions"), self._action_rows())
        self._palette.show_rows(rows)

    def _hit_row(self, hit: Hit, *, here: bool = False) -> HitRow:
        now = time.time_ns()
        when = day(hit.time, now) if hit.time else ""
        if here:
            return HitRow(hit, "", when)
        session = self._sessions().get(hit.session)
        if session is None:
            return HitRow(hit, "", when)
        return HitRow(
            hit, source_name(session.source), " · ".join(filter(None, (title_of(session)[:LONGEST_TITLE], when)))
        )

    def _titles(self) -> list[SessionHitRow]:
        words = self._query.casefold().split()
        found: list[SessionHitRow] = []
        for session in self._sessions().values():
            title = title_of(session)
            if all(word in title.casefold() for word in words) and session.key != self._opened.key:
                aside = age(session.updated_at, time.time_ns())
                found.append(SessionHitRow(session.key, title, source_name(session.source), aside))
                if len(found) == TITLES:
                    break
        return found

    def _action_rows(self) -> list[ActionRow]:
        words = self._query.casefold().split()
        rows = []
        for spec, action in self._actions:
            text = action.text().partition("\t")[0]
            if spec.id in NOT_OFFERED or not action.isEnabled() or not all(word in text.casefold() for word in words):
                continue
            rows.append(ActionRow(spec.id, text, self._actions.keys(spec.id), spec.icon))
        return rows[:ACTIONS]


def _add(rows: list[PaletteRow], heading: str, group: list[HitRow] | list[SessionHitRow] | list[ActionRow]) -> None:
    if group:
        rows.append(HeadingRow(heading))
        rows.extend(group)
