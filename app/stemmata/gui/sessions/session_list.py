"""Load the sessions for the window's list, and reload them when the archive changes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Signal

from stemmata.domain.sessions.changes import Change
from stemmata.domain.sessions.lineage import Lineage
from stemmata.gui.core.bridge import Bridge, LatestOnly
from stemmata.gui.sessions.listing import Forest, Listing
from stemmata.gui.sessions.model import SessionsModel
from stemmata.services.futures import then

if TYPE_CHECKING:
    from concurrent.futures import Future

    from stemmata.domain.sessions.changes import ChangeSet
    from stemmata.domain.sessions.lineage import ForkPoint
    from stemmata.domain.sessions.origin import SourceState
    from stemmata.domain.sessions.session import Session
    from stemmata.services.sessions.sessions import Sessions

_ROOTS = "sessions/repositories"
MOST_ROOTS = 5_000  # folders whose repositories are remembered
FIRST = 200  # sessions that are listed before all are read: more than a screen shows


class SessionList(QObject):
    """The listed sessions.

    `sessions` maps store keys to sessions outside the trash, and `lineage` knows how they follow each other;
    `in_trash`: the trash is listed. Then `trash` has its sessions by key, otherwise none.
    """

    listed = Signal(tuple)  # tuple[Session, ...]: the sessions outside the trash were read
    states_changed = Signal()  # the known states of the sources, or the entries at which sessions were forked

    def __init__(
        self, sessions: Sessions, bridge: Bridge, model: SessionsModel, settings: QSettings | None = None
    ) -> None:
        """Create the list. `settings` remember the repositories, so that the next start groups the list at once."""
        super().__init__(model)
        self._all, self._bridge, self._model = sessions, bridge, model
        self._run, self._arranging = LatestOnly(), LatestOnly()
        self._is_read = False  # whether all sessions are listed
        self.in_trash = False
        self.lineage = Lineage(())
        self.sessions: dict[int, Session] = {}
        self.trash: dict[int, Session] = {}
        self._settings = settings
        self._repositories = remembered(settings)
        self._came: frozenset[int] = frozenset()  # keys of the sessions that came from another one
        bridge.changed.connect(self._on_changed)
        model.states_changed.connect(self.states_changed)
        model.arrange = self._arrange

    @property
    def number(self) -> int:
        """The number of the latest request to read the sessions; only the answer to this request is shown."""
        return self._run.number

    def state(self, key: int) -> SourceState | None:
        """Return the known state of a session's source; None for none."""
        return self._model.states.get(key)

    @property
    def fork_points(self) -> Mapping[int, ForkPoint]:
        """The last shared entry of each session that shares entries of another one, by the session's key."""
        return self._model.fork_points

    def read(self) -> None:
        """Reload the list, and the sessions outside the trash also while the trash is listed."""
        trash = self._all.all(trashed=True) if self.in_trash else None

        def prepared(sessions: list[Session]) -> tuple[Listing, Listing, Forest]:
            outside = Listing(sessions, self._repositories)
            # the db thread reads in order, so this result is there
            shown = outside if trash is None else Listing(trash.result(), self._repositories)
            return outside, shown, self._model.forest_of(shown)

        self._bridge.when_done(then(self._all.all(), prepared), self._on_read, run=self._run)

    def show_first(self, newest: Future[list[Session]]) -> None:
        """List the newest sessions until all of them are read; `newest` is `Sessions.newest(FIRST)`.

        They are listed at once if they have been read. Otherwise, if the archive has no more sessions, the whole list
        is shown instead.
        """
        if newest.done() and newest.exception() is None and newest.result():
            self._list(self._prepared(newest.result()))
        else:
            self._bridge.when_done(then(newest, self._prepared), self._on_first)

    def _on_first(self, prepared: tuple[Listing, Forest]) -> None:
        if not self._is_read and len(prepared[0].sessions) >= FIRST:
            self._list(prepared)

    def _list(self, prepared: tuple[Listing, Forest]) -> None:
        """List sessions outside the trash; they are known from now on, so that they can be opened."""
        listing, _forest = prepared
        self._model.set_listing(*prepared)
        self.sessions, self.lineage = listing.by_key, listing.lineage

    def _arrange(self) -> None:
        """Make the trees of the listed sessions on the db thread, in the order that the model has now."""
        listing = self._model.listing
        made = self._all.archive.read(lambda _reader: self._model.forest_of(listing))
        self._bridge.when_done(made, lambda forest: self._on_arranged(listing, forest), run=self._arranging)

    def _on_arranged(self, listing: Listing, forest: Forest) -> None:
        if self._model.listing is listing:  # one that was read meanwhile is in the new order already
            self._model.set_listing(listing, forest)

    def _prepared(self, sessions: list[Session]) -> tuple[Listing, Forest]:
        """Return the sessions as the list shows them; called on the db thread."""
        listing = Listing(sessions, self._repositories)
        return listing, self._model.forest_of(listing)

    def set_repositories(self, repositories: Mapping[str, str]) -> None:
        """Set the known roots of repositories by the folders of sessions; a change lists the sessions again."""
        if repositories != self._repositories:
            self._repositories = repositories
            if self._settings is not None and len(repositories) <= MOST_ROOTS:
                self._settings.setValue(_ROOTS, json.dumps(dict(repositories)))
            self.read()

    def show_trash(self, *, on: bool) -> None:
        """List the trash, or the sessions outside it."""
        self.in_trash = on
        self.read()

    def _on_read(self, read: tuple[Listing, Listing, Forest]) -> None:
        outside, shown, forest = read
        self._is_read = True
        self._model.set_listing(shown, forest)
        self.sessions, self.lineage = outside.by_key, outside.lineage
        self.trash = {} if shown is outside else shown.by_key
        self.listed.emit(outside.sessions)
        came = frozenset(session.key for session in outside.sessions if session.parent is not None)
        if came != self._came:
            self._came = came
            self._bridge.when_done(self._all.fork_points(), self._on_points)

    def _on_points(self, points: Mapping[int, ForkPoint]) -> None:
        if points != self._model.fork_points:
            self._model.fork_points = points
            self.states_changed.emit()

    def _on_changed(self, changes: Sequence[ChangeSet]) -> None:
        if any(change.what & (Change.SESSIONS | Change.ENTRIES) for change in changes):
            self.read()


def remembered(settings: QSettings | None) -> Mapping[str, str]:
    """Return the repositories that were known at the last start; none when the settings contain an invalid value."""
    text = None if settings is None else settings.value(_ROOTS)
    try:
        found = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        found = {}
    if not isinstance(found, dict):
        return {}
    return {folder: root for folder, root in found.items() if isinstance(root, str)}
