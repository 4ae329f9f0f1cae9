"""Load the sessions for the window's list, and reload them when the archive changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from stemmata.domain.entries.changes import Change
from stemmata.domain.entries.lineage import Lineage
from stemmata.gui.core.bridge import Bridge, LatestOnly
from stemmata.gui.sessions.listing import Forest, Listing
from stemmata.gui.sessions.model import SessionsModel
from stemmata.services.futures import then

if TYPE_CHECKING:
    from concurrent.futures import Future

    from stemmata.domain.entries.changes import ChangeSet
    from stemmata.domain.entries.origin import SourceState
    from stemmata.domain.entries.session_facts import Session
    from stemmata.services.sessions.sessions import Sessions

FIRST = 200  # sessions that are listed before all are read: more than a screen shows


class SessionList(QObject):
    """The listed sessions.

    `sessions` maps store keys to sessions outside the trash, and `lineage` knows how they follow each other;
    `in_trash`: the trash is listed.
    """

    listed = Signal(tuple)  # tuple[Session, ...]: the sessions outside the trash were read
    states_changed = Signal()  # the known states of the sources

    def __init__(self, sessions: Sessions, bridge: Bridge, model: SessionsModel) -> None:
        super().__init__(model)
        self._all, self._bridge, self._model = sessions, bridge, model
        self._run = LatestOnly()
        self._is_read = False  # whether all sessions are listed
        self.in_trash = False
        self.lineage = Lineage(())
        self.sessions: dict[int, Session] = {}
        self._repositories: Mapping[str, str] = {}
        bridge.changed.connect(self._on_changed)
        model.states_changed.connect(self.states_changed)

    def state(self, key: int) -> SourceState | None:
        """Return the known state of a session's source; None for none."""
        return self._model.states.get(key)

    def read(self) -> None:
        """Reload the list."""
        sessions = self._all.all(trashed=self.in_trash)
        self._bridge.when_done(then(sessions, self._prepared), self._on_read, run=self._run)

    def show_first(self, newest: Future[list[Session]]) -> None:
        """List the newest sessions until all of them are read; `newest` is `Sessions.newest(FIRST)`.

        They are listed at once when they are there already. Otherwise, when there are no more, the whole list comes
        as soon.
        """
        if newest.done() and newest.exception() is None and newest.result():
            self._model.set_listing(*self._prepared(newest.result()))
        else:
            self._bridge.when_done(then(newest, self._prepared), self._on_first)

    def _on_first(self, prepared: tuple[Listing, Forest]) -> None:
        if not self._is_read and len(prepared[0].sessions) >= FIRST:
            self._model.set_listing(*prepared)

    def _prepared(self, sessions: list[Session]) -> tuple[Listing, Forest]:
        """Return the sessions as the list shows them; called on the db thread."""
        listing = Listing(sessions, self._repositories)
        return listing, self._model.forest_of(listing)

    def set_repositories(self, repositories: Mapping[str, str]) -> None:
        """Set the known roots of repositories by the folders of sessions; a change lists the sessions again."""
        if repositories != self._repositories:
            self._repositories = repositories
            self.read()

    def show_trash(self, *, on: bool) -> None:
        """List the trash, or the sessions outside it."""
        self.in_trash = on
        self.read()

    def _on_read(self, prepared: tuple[Listing, Forest]) -> None:
        listing, _forest = prepared
        self._is_read = True
        self._model.set_listing(*prepared)
        if not self.in_trash:
            self.sessions = listing.by_key
            self.lineage = listing.lineage
            self.listed.emit(listing.sessions)

    def _on_changed(self, changes: Sequence[ChangeSet]) -> None:
        if any(change.what & (Change.SESSIONS | Change.ENTRIES) for change in changes):
            self.read()
