"""What is asked of the navigator's rows, by key or by menu: told to others by the signals of the view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction

from stemmata.gui.branches.model import BranchesModel
from stemmata.gui.branches.verbs import MANY, PAIR, Verb, menu_for, menu_for_many

if TYPE_CHECKING:
    from stemmata.gui.branches.view import BranchesView


class BranchesRequests:
    """Rows are whole turns; each verb knows which of their entries it means."""

    def __init__(self, view: BranchesView, model: BranchesModel) -> None:
        self._view, self._model = view, model

    def give(self, verb: Verb, row: int) -> None:
        """Marks and copies mean the words of the row; going on means its end, and summarising from it its start."""
        view, model = self._view, self._model
        if view.list.selection.is_many and verb in MANY and self._give_many(verb):
            return
        signal, key = {
            Verb.LOOK: (view.look_requested, model.key),
            Verb.CONTINUE: (view.continue_requested, model.last_key),
            Verb.FORK: (view.fork_requested, model.last_key),
            Verb.LABEL: (view.label_requested, model.key),
            Verb.PIN: (view.pin_requested, model.key),
            Verb.COPY: (view.copy_requested, model.key),
            Verb.COMPARE: (view.compare_requested, model.last_key),
            Verb.COMPACT: (view.compact_requested, model.first_key),
            Verb.SUMMARISE_FROM: (view.summarise_from_requested, model.first_key),
            Verb.SUMMARISE_UP_TO: (view.summarise_up_to_requested, model.last_key),
            Verb.CONTEXT: (view.context_requested, model.last_key),
            Verb.TRASH: (view.trash_requested, model.first_key),
        }[verb]
        signal.emit(key(row))

    def _give_many(self, verb: Verb) -> bool:
        """Whether the verb means all that is selected; comparing means just two."""
        view, model, rows = self._view, self._model, self._view.list.selection.rows
        if verb is Verb.COMPARE:
            if len(rows) == PAIR:
                view.compare_two_requested.emit(*map(model.last_key, rows))
            return len(rows) == PAIR
        keys = list(map(model.key, rows))
        if verb is Verb.PIN:
            view.pin_many_requested.emit(keys, not all(map(model.is_pinned, rows)))
        else:
            (view.copy_many_requested if verb is Verb.COPY else view.label_many_requested).emit(keys)
        return True

    def show_menu(self, row: int, at: QPoint) -> None:
        """The menu of a row, or of all that are selected, at a global point."""
        view, model, rows = self._view, self._model, self._view.list.selection.rows
        if view.list.selection.is_many:
            menu, verbs = menu_for_many(view, view.theme, len(rows), pinned=all(map(model.is_pinned, rows)))
        else:
            menu, verbs = menu_for(view, view.theme, pinned=model.is_pinned(row), trashed=model.is_trashed(row))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        key = model.key(row)

        def give(action: QAction) -> None:
            row = model.row_of(key)  # the tree may have changed meanwhile
            if row is not None:
                view.list.verb_given.emit(verbs[action], row)

        menu.triggered.connect(give)
        menu.popup(at)
