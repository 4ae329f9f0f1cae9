"""The column of sessions: what can be done to a session as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial

from PySide6.QtCore import QObject, QPoint

from stemmata.domain.entries.session_facts import Session
from stemmata.gui.core.actions import State
from stemmata.gui.core.window_context import Desk
from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.sessions.session_list import SessionList
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.sessions.words import Grouping, title_of
from stemmata.gui.widgets.popup import TextPopup

GROUPINGS = {
    "group-folder": Grouping.FOLDER, "group-source": Grouping.SOURCE, "group-date": Grouping.DATE,
    "group-tag": Grouping.TAG,
}  # fmt: skip


class SessionListController(QObject):
    def __init__(
        self, desk: Desk, sessions: SessionList, view: SessionsView, model: SessionsModel, popup: TextPopup
    ) -> None:
        super().__init__(view)
        self._services, self._bridge, self._actions, self._toast = (
            desk.services,
            desk.bridge,
            desk.actions,
            desk.toast,
        )
        self._opened = desk.opened
        self._list, self._view, self._model, self._popup = sessions, view, model, popup
        self._renaming: Session | None = None
        view.selection_changed.connect(self._on_selection_changed)
        view.menu_requested.connect(self._on_menu)
        popup.accepted.connect(self._on_renamed)
        self.group_by(model.grouping)

    def show_trash(self, *, on: bool) -> None:
        """List what is in the trash instead, to take it out again."""
        self._view.show_trash(on=on)
        self._actions.set_state(State.TRASH, on=on)
        self._list.show_trash(on=on)

    # -- actions ----------------------------------------------------------------------------------------------

    def star(self) -> None:
        chosen = self._view.selected
        on = not all(session.starred for session in chosen)
        self._ask(self._services.sessions.star(_keys(chosen), on=on))

    def archive(self) -> None:
        chosen = self._view.selected
        on = not all(session.archived for session in chosen)
        put_away = self._services.sessions.put_away
        text = self.tr("Archived {0}.") if on else self.tr("{0} is back from the archive.")
        stays = self._actions["show-archived"].isChecked()
        self._leave(chosen if on and not stays else [])
        self._ask(
            put_away(_keys(chosen), on=on), self._told(text, chosen, partial(put_away, _keys(chosen), on=not on))
        )

    def trash(self) -> None:
        chosen = self._view.selected
        trash = self._services.sessions.trash
        on = not self._list.in_trash
        text = self.tr("Moved {0} to the trash.") if on else self.tr("Took {0} out of the trash.")
        self._leave(chosen if on else [])
        self._ask(trash(_keys(chosen), on=on), self._told(text, chosen, partial(trash, _keys(chosen), on=not on)))

    def _leave(self, chosen: list[Session]) -> None:
        """These go: if the open one is among them, open the one below, where the next key press is meant to be."""
        going = _keys(chosen)
        if self._opened.key in going:
            listed = [session for row in range(self._model.rowCount()) if (session := self._model.session_at(row))]
            stays = beside(_keys(listed), going)
            if stays is not None:
                self._view.session_chosen.emit(stays)

    def rename(self) -> None:
        chosen = self._view.selected
        if chosen:
            self._renaming = chosen[0]
            at = self._view.below(chosen[0].key)
            self._popup.ask(at, title_of(chosen[0]), hint=self.tr("Name of the session"), take=self.tr("Rename"))

    def _on_renamed(self, text: str) -> None:
        renaming, self._renaming = self._renaming, None
        if renaming is not None and text and text not in (renaming.title, title_of(renaming)):
            self._ask(self._services.sessions.rename(renaming.key, text))

    def _told(self, text: str, chosen: list[Session], undo: Callable[[], Future[None]]) -> Callable[[object], None]:
        name = title_of(chosen[0]) if len(chosen) == 1 else self.tr("%Ln sessions", None, len(chosen))
        told = text.format(f"“{name}”" if len(chosen) == 1 else name)
        return lambda _done: self._toast.tell(told, self.tr("Undo"), lambda: self._ask(undo()))

    def _ask(self, future: Future[None], done: Callable[[object], None] = lambda _done: None) -> None:
        self._bridge.when_done(future, done)

    # -- news -------------------------------------------------------------------------------------------------

    def _on_selection_changed(self) -> None:
        chosen = self._view.selected
        self._actions.set_state(State.LISTED, on=bool(chosen))
        starred = bool(chosen) and all(session.starred for session in chosen)
        archived = bool(chosen) and all(session.archived for session in chosen)
        self._actions["star"].setText(self.tr("Unstar") if starred else self.tr("Star"))
        out = self.tr("Take out of the trash")
        self._actions["trash"].setText(out if self._list.in_trash else self.tr("Move to trash"))
        self._actions["archive"].setText(self.tr("Take out of the archive") if archived else self.tr("Archive"))

    def _on_menu(self, at: QPoint) -> None:
        name = "session in the trash" if self._list.in_trash else "session"
        self._actions.menu(name, self._view).popup(at)

    def group_by(self, grouping: Grouping) -> None:
        """Group the list by this, and check the action that says so."""
        self._model.set_grouping(grouping)
        for id, other in GROUPINGS.items():
            self._actions[id].setChecked(other is grouping)


def _keys(sessions: list[Session]) -> list[int]:
    return [session.key for session in sessions]


def beside(listed: Sequence[int], going: Sequence[int]) -> int | None:
    """The first below those that go, else the last above them; None where all go, or none of them is listed."""
    places = [at for at, key in enumerate(listed) if key in going]
    if not places:
        return None
    near = (*listed[places[-1] + 1 :], *reversed(listed[: places[-1]]))
    return next((key for key in near if key not in going), None)
