"""Links to sessions and entries: copied, and followed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from stemmata.domain.entries.links import Link, parse_link
from stemmata.domain.entries.session import Session
from stemmata.domain.errors import KnownError
from stemmata.gui.core.window_context import Desk
from stemmata.gui.sessions.view import SessionsView
from stemmata.services.futures import chain, then


class LinkController(QObject):
    session_wanted = Signal(int, object)  # key of the session, that of an entry or None

    def __init__(self, desk: Desk, view: SessionsView) -> None:
        super().__init__(view)
        self._services, self._bridge, self._opened, self._toast = desk.services, desk.bridge, desk.opened, desk.toast
        self._view = view
        desk.actions.on("copy-link", self.copy_entry)
        desk.actions.on("copy-session-link", self.copy_sessions)

    def copy_entry(self) -> None:
        """A link to the selected entry of the open session."""
        session, entry = self._opened.session, self._opened.selection
        row = None if entry is None else self._services.pages.rows([entry]).get(entry)
        if session is not None and row is not None:
            self._copy([Link(session.id, row.id)])

    def copy_sessions(self) -> None:
        """Links to the selected sessions, one on each line."""
        self._copy([Link(session.id) for session in self._view.selected])

    def follow(self, text: str) -> None:
        """Open what a link leads to; one that leads nowhere is told."""
        try:
            link = parse_link(text)
        except KnownError as error:
            self._bridge.failed.emit(error)
            return
        found = self._services.sessions.find(link.session)
        if link.entry:
            key = self._services.entries.key
            entry = chain(found, lambda session: then(key(session.key, link.entry), lambda at: (session, at)))
            self._bridge.when_done(entry, lambda answer: self.session_wanted.emit(answer[0].key, answer[1]))
        else:
            self._bridge.when_done(found, self._open)

    def _open(self, session: Session) -> None:
        self.session_wanted.emit(session.key, None)

    def _copy(self, links: list[Link]) -> None:
        QGuiApplication.clipboard().setText("\n".join(map(str, links)))
        self._toast.tell(self.tr("Copied %Ln links.", None, len(links)))
