"""Actions on whole sessions in the session list: star, archive, trash, rename, grouping."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import cached_property, partial

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QMessageBox

from stemmata.domain.sessions.session import Session
from stemmata.domain.sessions.steps import LIST
from stemmata.gui.core.actions import State
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.sessions.listing import Order
from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.sessions.session_list import SessionList
from stemmata.gui.sessions.tag_popup import TagPopup
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.sessions.words import AUTOMATED, ORPHANS, Grouping, ListFigure, title_of
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.labels import set_property
from stemmata.gui.widgets.popup import TextPopup
from stemmata.services.sessions.histories import Undone

GROUPINGS = {
    "group-folder": Grouping.FOLDER, "group-source": Grouping.SOURCE, "group-date": Grouping.DATE,
    "group-tag": Grouping.TAG,
}  # fmt: skip
AGAIN = 60.0  # seconds until the source files are looked for again, when the list changes


class SessionListController(QObject):
    """Connect the list with its actions and menus."""

    def __init__(
        self,
        shared: WindowContext,
        theme: Theme,
        sessions: SessionList,
        view: SessionsView,
        model: SessionsModel,
        popup: TextPopup,
    ) -> None:
        super().__init__(view)
        self._services, self._bridge, self._actions, self._toast = (
            shared.services,
            shared.bridge,
            shared.actions,
            shared.toast,
        )
        self._opened, self._history = shared.opened, shared.history
        self._list, self._view, self._model, self._popup = sessions, view, model, popup
        self._renaming: Session | None = None
        view.selection_changed.connect(self._on_selection_changed)
        view.menu_requested.connect(self._on_menu)
        view.archive_requested.connect(self._on_archive)
        view.delete_requested.connect(self._on_delete)
        popup.accepted.connect(self._on_renamed)
        self._history.stepped.connect(self._on_stepped)
        self._looked = 0.0  # when the source files were looked for
        sessions.listed.connect(lambda _sessions: self.look_for_files(AGAIN))
        self.look_for_files()
        view.options_requested.connect(self._on_options)
        model.modelReset.connect(self._show_folders)
        self.group_by(model.grouping)
        self.sort_by(model.order)
        for figure in ListFigure:
            self._actions[f"show-{figure.value}"].setChecked(figure in model.figures)
        self._theme = theme
        self._tagged: list[int] = []  # keys of the sessions whose tags are being changed
        self.question: QMessageBox | None = None  # the open confirmation of a deletion
        self._on_selection_changed()  # a session may have been chosen before this controller was created

    def look_for_files(self, after: float = 0.0) -> None:
        """Show which source files are followed or deleted by their tool, and join the folders of one repository.

        This is not done again within `after` seconds.
        """
        now = time.monotonic()
        if now - self._looked >= after:
            self._looked = now
            states = self._services.source_files.states(self._list.sessions.values())
            self._bridge.when_done(states, self._model.set_states)
            folders = {session.cwd for session in self._list.sessions.values()}
            self._bridge.when_done(self._services.repositories.roots(folders), self._list.set_repositories)

    def show_trash(self, *, on: bool) -> None:
        """Show the trash instead of the sessions, or the sessions again."""
        self._view.show_trash(on=on)
        self._actions.set_state(State.TRASH, on=on)
        self._list.show_trash(on=on)

    # -- actions ----------------------------------------------------------------------------------------------

    def star(self) -> None:
        """Star the selected sessions, or remove the star if all have one."""
        chosen = self._view.selected
        on = not all(session.starred for session in chosen)
        self._ask(self._services.sessions.star(_keys(chosen), on=on))

    def archive(self) -> None:
        """Archive the selected sessions, or unarchive them if all are archived."""
        self._archive(self._view.selected)

    def _on_archive(self, key: int) -> None:
        session = self._model.listing.by_key.get(key)
        if session is not None:
            self._archive([session])

    def _on_delete(self) -> None:
        """Move the selected sessions to the trash; ask whether to delete those in it permanently."""
        if self._list.in_trash:
            self.ask_to_delete()
        elif self._view.selected:
            self.trash()

    def _archive(self, selected: list[Session]) -> None:
        chosen = self._with_agents(selected)
        on = not all(session.archived for session in selected)
        set_archived = self._services.sessions.set_archived
        text = self.tr("Archived {0}.") if on else self.tr("Unarchived {0}.")
        self._leave(chosen if on and not self._is_still_listed("archived") else [])
        self._remove_from_list(set_archived(_keys(chosen), on=on), self._toast_callback(text, selected))

    def trash(self) -> None:
        """Move the selected sessions to the trash, or restore them when the trash is shown."""
        selected = self._view.selected
        chosen = self._with_agents(selected)
        trash = self._services.sessions.trash
        on = not self._list.in_trash
        text = self.tr("Moved {0} to the trash.") if on else self.tr("Restored {0} from the trash.")
        self._leave(chosen if on else [])
        self._remove_from_list(trash(_keys(chosen), on=on), self._toast_callback(text, selected))

    def _remove_from_list(self, future: Future[None], done: Callable[[object], None]) -> None:
        self._history.note_own_step(future)
        self._ask(future, done)

    def _with_agents(self, chosen: list[Session]) -> list[Session]:
        """Return the sessions and all agents that they began, which the list never shows without their session."""
        listing = self._model.listing
        out = {session.key: session for session in chosen}
        waiting = [*out]
        while waiting:
            for key in listing.tree.children(waiting.pop()):
                if key in listing.agents and key not in out:
                    out[key] = listing.by_key[key]
                    waiting.append(key)
        return [*out.values()]

    def _leave(self, chosen: list[Session]) -> None:
        """Open a neighbouring session when the open session is about to leave the list, so that keys apply to it."""
        going = _keys(chosen)
        if self._opened.key in going:
            listed = [session for row in range(self._model.rowCount()) if (session := self._model.session_at(row))]
            stays = beside(_keys(listed), going)
            if stays is None:  # every other session is folded below one that disappears
                others = (each for each in self._model.listing.sessions if not each.archived)
                stays = next((each.key for each in others if each.key not in going), None)
            if stays is not None:
                self._view.session_chosen.emit(stays)

    def _on_stepped(self, undone: Undone, _forward: bool, is_here: bool) -> None:  # noqa: FBT001 - a slot
        """Open the session that an undone or redone step returned to the list; leave one that it took away.

        A user who has chosen another entry or session meanwhile (not `is_here`) stays there.
        """
        if undone.back and is_here:
            self._view.session_chosen.emit(undone.back[0])
        elif undone.gone and not undone.back and not (self._list.in_trash or self._is_still_listed(undone.step.what)):
            self._leave([session for key in undone.gone if (session := self._list.sessions.get(key)) is not None])

    def _is_still_listed(self, what: str) -> bool:
        """Return whether the list still shows the sessions that a step of this name put away."""
        return what.endswith("archived") and self._actions["show-archived"].isChecked()

    def rename(self) -> None:
        """Ask for a new name of the first selected session."""
        chosen = self._view.selected
        if chosen:
            self._ask_name(chosen[0], self._view.below(chosen[0].key))

    def rename_open(self, at: QPoint) -> None:
        """Ask below a global point for a new name of the open session."""
        session = self._opened.session
        if session is not None:
            self._ask_name(session, at)

    def _ask_name(self, session: Session, at: QPoint) -> None:
        self._renaming = session
        self._popup.ask(at, title_of(session), hint=self.tr("Name of the session"), take=self.tr("Rename"))

    def _on_renamed(self, text: str) -> None:
        renaming, self._renaming = self._renaming, None
        if renaming is not None and text and text not in (renaming.title, title_of(renaming)):
            self._ask(self._services.sessions.rename(renaming.key, text))

    def _toast_callback(self, text: str, chosen: list[Session]) -> Callable[[object], None]:
        name = title_of(chosen[0]) if len(chosen) == 1 else self.tr("%Ln sessions", None, len(chosen))
        told = text.format(f"“{name}”" if len(chosen) == 1 else name)
        return lambda _done: self._history.tell(told, LIST)

    def _ask(self, future: Future[None], done: Callable[[object], None] = lambda _done: None) -> None:
        self._bridge.when_done(future, done)

    # -- tags ---------------------------------------------------------------------------------------------------

    @cached_property
    def tag_popup(self) -> TagPopup:
        """The popup for tags, created on first use."""
        made = TagPopup(self._theme, self._view.window())
        made.tags_changed.connect(lambda tags, on: self._tag(tags, on=on))
        return made

    def ask_tags(self) -> None:
        """Open the popup with the tags of the selected sessions."""
        chosen = self._view.selected
        if chosen:
            self._tagged = [session.key for session in chosen]
            everywhere = {tag for session in (*self._list.sessions.values(), *chosen) for tag in session.tags}
            self.tag_popup.ask(self._view.below(chosen[0].key), {tag: _state(tag, chosen) for tag in everywhere})

    def _tag(self, tags: Sequence[str], *, on: bool) -> None:
        self._ask(self._services.sessions.tag(self._tagged, *tags, on=on))

    # -- deleting -----------------------------------------------------------------------------------------------

    def ask_to_delete(self) -> None:
        """Ask whether to delete the selected sessions of the trash. This is the only action that loses data."""
        chosen = [session for session in self._with_agents(self._view.selected) if session.trashed]
        if not chosen:
            return
        box = self.question = QMessageBox(self._view.window())
        box.setObjectName("deletionQuestion")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(self.tr("Delete permanently"))
        box.setTextFormat(Qt.TextFormat.PlainText)  # the text contains a title, which may look like markup
        box.setText(self._question(chosen))
        box.setInformativeText(
            self.tr(
                "The sessions and their source records are removed from the archive. This cannot be "
                "undone. The tools' own files are not touched, and forks keep the entries that they "
                "share."
            )
        )
        delete = box.addButton(self.tr("Delete permanently"), QMessageBox.ButtonRole.DestructiveRole)
        set_property(delete, "danger", value=True)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        delete.clicked.connect(lambda: self._delete(chosen))
        box.finished.connect(box.deleteLater)
        box.destroyed.connect(self._on_closed)
        box.open()

    def _question(self, chosen: list[Session]) -> str:
        entries = sum(session.entries for session in chosen)
        if len(chosen) == 1:
            return self.tr("Delete “{0}” with its %Ln entries?", None, entries).format(title_of(chosen[0])[:80])
        sessions = self.tr("%Ln sessions", None, len(chosen))
        return self.tr("Delete {0}, {1} permanently?").format(sessions, self.tr("%Ln entries", None, entries))

    def _delete(self, chosen: list[Session]) -> None:
        deleted = self._services.sessions.delete([session.key for session in chosen])
        told = self.tr("Deleted %Ln sessions permanently.", None, len(chosen))
        self._bridge.when_done(deleted, lambda _done: self._toast.tell(told))

    def _on_closed(self) -> None:
        self.question = None

    # -- news -------------------------------------------------------------------------------------------------

    def _on_selection_changed(self) -> None:
        chosen = self._view.selected
        self._actions.set_state(State.LISTED, on=bool(chosen))
        starred = bool(chosen) and all(session.starred for session in chosen)
        archived = bool(chosen) and all(session.archived for session in chosen)
        self._actions["star"].setText(self.tr("Unstar") if starred else self.tr("Star"))
        out = self.tr("Restore from trash")
        self._actions["trash"].setText(out if self._list.in_trash else self.tr("Move to trash"))
        self._actions["archive"].setText(self.tr("Unarchive") if archived else self.tr("Archive"))

    def _on_menu(self, at: QPoint) -> None:
        menu_keys = self._view.menu_keys
        name = "session in the trash" if self._list.in_trash else "session" if len(menu_keys) == 1 else "sessions"
        menu = self._actions.menu(name, self._view)
        leave = partial(self._view.leave_menu, menu_keys)
        menu.aboutToHide.connect(lambda: QTimer.singleShot(0, self._view, leave))  # after the chosen action
        menu.popup(at)

    def _on_options(self, name: str, at: QPoint) -> None:
        self._actions.menu(name, self._view).popup(at)

    def show_automated(self, *, on: bool) -> None:
        """Show or hide the sessions that no person began, and the agents whose session is not in the archive."""
        for folder in (ORPHANS, AUTOMATED):
            self._model.open_folder(folder, on=on)

    def _show_folders(self) -> None:
        """Check the action of the folders when one of them is open."""
        action = self._actions["show-automated"]
        was_blocked = action.blockSignals(True)
        action.setChecked(self._model.shows_automated)
        action.blockSignals(was_blocked)

    def show_figure(self, figure: ListFigure, *, on: bool) -> None:
        """Show or hide a figure in every row."""
        self._model.show_figure(figure, on=on)

    def sort_by(self, order: Order) -> None:
        """Sort the sessions, and check the action of this order."""
        self._model.set_order(order)
        for other in Order:
            self._actions[f"sort-{other.value}"].setChecked(other is order)

    def group_by(self, grouping: Grouping) -> None:
        """Group the list by a property, and check the action of this grouping."""
        self._model.set_grouping(grouping)
        for id, other in GROUPINGS.items():
            self._actions[id].setChecked(other is grouping)
        self._view.show_grouping(grouping)


def _keys(sessions: list[Session]) -> list[int]:
    return [session.key for session in sessions]


def beside(listed: Sequence[int], going: Sequence[int]) -> int | None:
    """Return the first remaining key below the removed ones, else the last one above; None when none remains."""
    places = [at for at, key in enumerate(listed) if key in going]
    if not places:
        return None
    near = (*listed[places[-1] + 1 :], *reversed(listed[: places[-1]]))
    return next((key for key in near if key not in going), None)


def _state(tag: str, sessions: Iterable[Session]) -> Qt.CheckState:
    has = {tag in session.tags for session in sessions}
    if len(has) > 1:
        return Qt.CheckState.PartiallyChecked
    return Qt.CheckState.Checked if has == {True} else Qt.CheckState.Unchecked
