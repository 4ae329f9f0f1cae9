"""Tagging the sessions that are selected in the list."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from PySide6.QtCore import QObject, Qt

from stemmata.domain.entries.session import Session
from stemmata.gui.core.window_context import Desk
from stemmata.gui.sessions.session_list import SessionList
from stemmata.gui.sessions.tag_popup import TagPopup
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.theme.theme import Theme


class TagController(QObject):
    def __init__(self, desk: Desk, theme: Theme, sessions: SessionList, view: SessionsView) -> None:
        super().__init__(view)
        self._services, self._bridge, self._theme = desk.services, desk.bridge, theme
        self._list, self._view = sessions, view
        self._chosen: list[int] = []
        desk.actions.on("tag", self.ask)

    @cached_property
    def popup(self) -> TagPopup:
        made = TagPopup(self._theme, self._view.window())
        made.tag_changed.connect(lambda tag, on: self._tag(tag, on=on))
        return made

    def ask(self) -> None:
        """Show the tags of the selected sessions, to be changed."""
        chosen = self._view.selected
        if chosen:
            self._chosen = [session.key for session in chosen]
            everywhere = {tag for session in (*self._list.sessions.values(), *chosen) for tag in session.tags}
            self.popup.ask(self._view.below(chosen[0].key), {tag: _state(tag, chosen) for tag in everywhere})

    def _tag(self, tag: str, *, on: bool) -> None:
        tagged = self._services.sessions.tag(self._chosen, tag, on=on)
        self._bridge.when_done(tagged, lambda _done: None)


def _state(tag: str, sessions: Iterable[Session]) -> Qt.CheckState:
    has = {tag in session.tags for session in sessions}
    if len(has) > 1:
        return Qt.CheckState.PartiallyChecked
    return Qt.CheckState.Checked if has == {True} else Qt.CheckState.Unchecked
