"""The branches column: a session's tree as a lane graph, one row per turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent
from PySide6.QtWidgets import QMenu, QToolButton, QVBoxLayout, QWidget

from stemmata.domain.context.breakdown import Sizes
from stemmata.domain.entries.tree import Tree
from stemmata.domain.navigator.outline import Density, Outline, outline_of
from stemmata.gui.branches import state as branches_state
from stemmata.gui.branches.finder import Compute, Find, Finder, SearchLine, at_once
from stemmata.gui.branches.keys import DENSITIES, PAIR, Move
from stemmata.gui.branches.list_view import BranchesList, install
from stemmata.gui.branches.minimap import MinimapFeed
from stemmata.gui.branches.model import BranchesModel
from stemmata.gui.branches.words import density_name, tr
from stemmata.gui.core.actions import Actions
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import set_plain_tip
from stemmata.gui.widgets.surface import set_surface
from stemmata.services.ports.archive import Pages


class FoldButton(IconButton):
    """Folds all branches except the active one, or unfolds all."""

    def __init__(self, theme: Theme, on_click: Callable[[], object]) -> None:
        super().__init__(theme, "fold", "")
        self.clicked.connect(lambda: on_click())
        self.show_folds(folded=False, can_fold=False)

    def show_folds(self, *, folded: bool, can_fold: bool) -> None:
        """Show the icon and the text for folding or unfolding; disable the button when neither is possible."""
        words = self.tr("Show all branches") if folded else self.tr("Show only the active path")
        self.set_icon("unfold" if folded else "fold")
        set_plain_tip(self, words)
        self.setAccessibleName(words)
        self.setEnabled(folded or can_fold)


class DensityButton(QToolButton):
    """Shows the density and offers the others in a menu."""

    chosen = Signal(object)  # Density

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        theme.changed.connect(self._restyle)
        self._restyle()
        self.shorten(on=False)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolTip(self.tr("Which entries are shown"))
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # Qt draws the arrow only for this direction
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu, group = QMenu(self), QActionGroup(self)
        self.setMenu(menu)
        self._actions: dict[Density, QAction] = {}
        for density in Density:
            action = menu.addAction(f"{density_name(density)}\t{density.value}")
            action.setCheckable(True)
            action.triggered.connect(lambda _on=False, density=density: self.chosen.emit(density))
            group.addAction(action)
            self._actions[density] = action

    def show_density(self, density: Density) -> None:
        """Show the density that is in use."""
        self.setText(density_name(density))
        self.setAccessibleName(density_name(density))
        self._actions[density].setChecked(True)

    def shorten(self, *, on: bool) -> None:
        """Show an icon instead of the density's name, or the name again."""
        styles = Qt.ToolButtonStyle
        self.setToolButtonStyle(styles.ToolButtonIconOnly if on else styles.ToolButtonTextOnly)

    def _restyle(self) -> None:
        side = self._theme.px(metrics.ICON)
        self.setIcon(self._theme.icon("list"))
        self.setIconSize(QSize(side, side))


LOOK_MS = 40  # delay of the transcript after the selection, so that it follows only the last row while J is held


class BranchesView(QWidget):
    """The branches column: header, search line and list. `view_requested` carries the key of the chosen entry.

    `compute` runs a job, possibly on another thread, and delivers its result on this thread; outdated results are
    dropped. `find` returns the keys of the entries that match a query; it is run by `compute`, too. `model` has the
    rows.
    """

    view_requested = Signal(int)
    leaf_requested = Signal()  # a key asks for the leaf
    state_changed = Signal()

    def __init__(
        self, theme: Theme, pages: Pages, actions: Actions, *, compute: Compute = at_once, find: Find | None = None,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setObjectName("branchesView")
        set_surface(self, "bg")  # painted, too, where a toast keeps room free below the rows
        self._theme, self._actions = theme, actions
        self._compute = compute
        self._tree: Tree | None = None
        self._leaf: int | None = None  # key of the leaf
        self._density = Density.TURNS
        self.shows_trash = False
        self._run = 0
        self.popup_point: QPoint | None = None
        self._pending: branches_state.BranchesState | None = None
        self.model = BranchesModel(pages)
        install(BranchesList)
        self._build(theme)
        self._finder = Finder(self.model, self.search, compute, find)
        self._minimap = MinimapFeed(self.list.minimap, self.model, compute)
        self._connect()

    def _build(self, theme: Theme) -> None:
        self.header = ColumnHeader(theme, self.tr("Branches"), "bg")
        self.density_button = DensityButton(theme, self)
        self.fold_button = FoldButton(theme, self._toggle_folds)
        self.search_button = IconButton(theme, "search", self.tr("Search in these branches"))
        self.header.add(self.density_button, self.density_button.shorten)
        self.header.add(self.fold_button)
        self.header.add(self.search_button)
        self.search = SearchLine(theme)
        self.search_button.clicked.connect(self.search.open)
        self.list = BranchesList(theme, self.model, self._actions.column_keys("branches"))
        self.setFocusProxy(self.list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.header, self.search, self.list):
            column.addWidget(widget)
        column.setStretchFactor(self.list, 1)
        self._view_timer = QTimer(self, singleShot=True, interval=LOOK_MS)

    def _connect(self) -> None:
        self.list.row_selected.connect(self._on_row_selected)
        self.list.action_given.connect(lambda id: self._actions[id].trigger())
        self.list.move_given.connect(self._on_move)
        self.list.menu_given.connect(self._show_menu)
        self.list.fold_given.connect(self._toggle_fold)
        self._finder.matched.connect(self.list.show_match)
        self._finder.matched.connect(self.list.minimap.show_matches)
        self.list.refreshed.connect(self._minimap.refresh)
        self._finder.found.connect(self._show_found)
        self.search.jump_requested.connect(lambda step: self._finder.jump(self.list.selected, step))
        self.search.closed.connect(self.list.setFocus)
        self._view_timer.timeout.connect(self._request_view)
        self.density_button.chosen.connect(self.set_density)
        self._show_buttons()

    # -- display ----------------------------------------------------------------------------------------------

    @property
    def theme(self) -> Theme:
        """The theme of the window."""
        return self._theme

    @property
    def outline(self) -> Outline | None:
        """The outline that is shown, None while no tree is shown."""
        return self.model.outline

    @property
    def density(self) -> Density:
        """The density in use."""
        return self._density

    @property
    def selected(self) -> int | None:
        """Key of the current entry, None for none."""
        return self.list.selected

    def clear(self, *, keeps_picture: bool = False) -> None:
        """Show no tree; drop the state of the session that was shown.

        With `keeps_picture`, its rows, or the placeholders, are seen until the rows of the next session are there.
        """
        self._run += 1
        waits = keeps_picture and self.list.is_waiting
        if keeps_picture:
            self.list.keep_picture()
        else:
            self.list.drop_picture()
        self._tree = self._leaf = self._pending = None
        self.model.forget()
        self.model.set_outline(None)
        self.list.select(None)
        if not self.search.isHidden():
            self.search.close_search()
        self._refresh()
        if waits:
            self.list.show_waiting()

    def show_tree(self, tree: Tree, leaf: int | None, compacted: Mapping[int, Sizes] | None = None) -> None:
        """Show a tree, or its next version with selection, folds and scroll position kept.

        `leaf` is a key; `compacted` maps compactions to the context sizes before and after them.
        """
        self._tree, self._leaf, self.model.compacted = tree, leaf, compacted or {}
        self._outline_anew()

    def set_density(self, density: Density) -> None:
        """Show the tree at another density."""
        if density is not self._density:
            self._density = density
            self._show_buttons()
            self._outline_anew()
            self.state_changed.emit()

    def show_trash(self, *, on: bool) -> None:
        """Show or hide trashed branches."""
        self.shows_trash = on
        self._outline_anew()

    def set_find(self, find: Find | None) -> None:
        """Set the function that searches entries, None for none."""
        self._finder.find = find

    def set_streaming(self, key: int | None) -> None:
        """Mark the row of the entry (key) whose reply is streaming; None for no mark."""
        self.model.streaming = key
        self.list.viewport().update()

    @property
    def is_choosing(self) -> bool:
        """Whether the user has just selected a row and `view_requested` is still to be emitted."""
        return self._view_timer.isActive()

    def select(self, key: int | None) -> None:
        """Select an entry (key), or the nearest row above it, without a signal."""
        if key != self.list.selected:
            self.list.select(key)

    def point_of(self, key: int) -> QPoint:
        """Return the global point under the row of an entry (key), for a popup; without a row, the list's centre.

        While `popup_point` is set, a popup belongs there.
        """
        if self.popup_point is not None:
            return self.popup_point
        row = self.model.row_of(key)
        viewport = self.list.viewport()
        place = viewport.rect() if row is None else self.list.row_rect(row)
        return viewport.mapToGlobal(QPoint(place.center().x(), place.center().y() if row is None else place.bottom()))

    def _outline_anew(self) -> None:
        tree, density = self._tree, self._density
        if tree is None:
            return
        self._run += 1
        run, leaf, trash, known = self._run, tree.get(self._leaf), self.shows_trash, self.model.outline
        self._compute(
            lambda: outline_of(tree, density, leaf, trash=trash, known=known).prepared(),
            lambda value: self._on_outline(run, value),
        )

    def _on_outline(self, run: int, outline: Outline) -> None:
        if run != self._run:
            return
        model, before = self.model, self.model.outline
        leaf_row = model.leaf_row
        followed = leaf_row is not None and self.list.is_in_sight(leaf_row)
        at_leaf = self.list.selected is None or self.list.selected_row == leaf_row
        had_row = self.list.selected is None or self.list.selected_row is not None
        anchor = self.list.anchor
        moved = before is None or before.leaf != outline.leaf
        same = before is not None and before.tree is outline.tree and before.density is not outline.density
        model.set_outline(outline)
        if moved:
            model.reveal(self._leaf)
        self._refresh()
        self.list.scroll_to_anchor(anchor)
        if before is None or (moved and at_leaf):
            self.list.select(None if model.leaf_row is None else model.key(model.leaf_row))
        elif same or not had_row:  # a new leaf is selected before its row is there
            self.list.show_current()
        if moved and followed and model.leaf_row is not None:
            self.list.show_row(model.leaf_row)
        self._restore_pending()
        self._finder.show_count()

    def _refresh(self) -> None:
        self.list.refresh()
        self._show_buttons()

    def _show_buttons(self) -> None:
        self.density_button.show_density(self._density)
        folded = bool(self.model.folded)
        self.fold_button.show_folds(folded=folded, can_fold=self.model.has_sides)
        self.header.fit()

    # -- folding ----------------------------------------------------------------------------------------------

    def _toggle_folds(self) -> None:
        if self.model.folded:
            self.model.unfold_all()
        else:
            self.model.fold_sides()
        self._folds_changed()

    def _toggle_fold(self, row: int) -> None:
        self.model.fold(row, fold=not self.model.is_folded(row))
        self._folds_changed()

    def _folds_changed(self) -> None:
        anchor = self.list.anchor
        self._refresh()
        self.list.scroll_to_anchor(anchor)
        if self.list.selected_row is not None:
            self.list.show_row(self.list.selected_row)
        self.state_changed.emit()

    # -- selecting and asking ---------------------------------------------------------------------------------

    def _on_row_selected(self, _row: int) -> None:
        self._view_timer.start()
        self.state_changed.emit()

    def _request_view(self) -> None:
        if self.list.selected is not None:
            self.view_requested.emit(self.list.selected)

    def _choose(self, row: int | None) -> None:
        if row is not None:
            self.list.select(self.model.key(row))
            self._on_row_selected(row)

    def cancel_view_request(self) -> None:
        """Cancel a pending `view_requested`, when an action on the selected row itself opens an entry."""
        self._view_timer.stop()

    # -- entries for actions; a row is a whole turn -------------------------------------------------------------

    def first(self, act: Callable[[int], object]) -> None:
        """Call `act` with the key of the current row's first entry."""
        self._act(act, self.model.first_key)

    def last(self, act: Callable[[int], object]) -> None:
        """Call `act` with the key of the current row's last entry."""
        self._act(act, self.model.last_key)

    def ends(self, act: Callable[..., object]) -> None:
        """Call `act` with the keys of the last entries of the two selected rows; of the current row when only one is
        selected.
        """
        self.cancel_view_request()
        if len(self.list.selection.rows) == PAIR:
            act(*map(self.model.last_key, self.list.selection.rows))
        else:
            self.last(act)

    def every(self, act: Callable[[list[int]], object]) -> None:
        """Call `act` with the keys of the entries that the selected rows show, from the top."""
        self.cancel_view_request()
        keys = list(map(self.model.key, self.list.selection.rows))
        if keys:
            act(keys)

    def _act(self, act: Callable[[int], object], entry_of: Callable[[int], int]) -> None:
        self.cancel_view_request()
        row = self.list.selected_row
        if row is not None:
            act(entry_of(row))

    # -- the menu ----------------------------------------------------------------------------------------------

    def _show_menu(self, row: int, at: QPoint) -> None:
        """Show the menu of a row, or of all rows that are selected, at a global point."""
        model, rows = self.model, self.list.selection.rows
        is_many, key = self.list.selection.is_many, model.key(row)
        name, words = (
            ("two rows" if len(rows) == PAIR else "rows", _words_of_many(model, rows))
            if is_many
            else ("row", _words_of(model, row))
        )

        def select() -> bool:
            if not is_many and self.model.row_of(key) is not None:
                self.list.select(key)  # the selection may have moved while the menu was open
            return is_many or self.list.selected == key

        menu = self._actions.row_menu(name, self, words, select)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def _on_move(self, move: Move) -> None:
        row = self.list.selected_row
        if move in DENSITIES:
            self.set_density(DENSITIES[move])
        elif move is Move.LEAF:
            self.go_to_leaf()
            self.leaf_requested.emit()
        elif move is Move.SEARCH:
            self.search.open()
        elif move in (Move.NEXT_MATCH, Move.PREVIOUS_MATCH):
            self._step_to_match(1 if move is Move.NEXT_MATCH else -1)
        elif row is not None:
            self._on_row_move(move, row)

    def _step_to_match(self, step: int) -> None:
        """Go to another match of the search in the branches, or of the find bar while that search is closed."""
        if self.search.isHidden():
            self._actions["find-next" if step > 0 else "find-previous"].trigger()
        else:
            self._finder.jump(self.list.selected, step)

    def _on_row_move(self, move: Move, row: int) -> None:
        model = self.model
        if move in (Move.PREVIOUS_SIBLING, Move.NEXT_SIBLING):
            self.go_to_sibling(1 if move is Move.NEXT_SIBLING else -1)
        elif move is Move.MENU:
            self._show_menu(row, self.point_of(model.key(row)))
        elif move is Move.FOLD:
            if model.is_foldable(row) and not model.is_folded(row):
                self._toggle_fold(row)
            else:
                self._choose(model.segment_start(row))
        elif model.is_folded(row):
            self._toggle_fold(row)
        else:
            self._choose(model.segment_end(row))

    def go_to_sibling(self, step: int) -> None:
        """Select the first row of the sibling branch `step` positions after the current one."""
        row = self.list.selected_row
        if row is not None:
            self._choose(self.model.sibling(row, step))

    def go_to_leaf(self) -> None:
        """Select the leaf, unfolding the rows that hide it."""
        if self.model.reveal(self._leaf):
            self._folds_changed()
        self._choose(self.model.leaf_row)

    def _show_found(self, key: int) -> None:
        if self.model.reveal(key):
            self._folds_changed()
        self._choose(self.model.row_of(key))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self.search.isHidden():
            self.search.close_search()
        else:
            super().keyPressEvent(event)

    # -- state ------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return density, selection, folds and scroll position as a JSON object. Entries are store keys."""
        if self._pending is not None:
            return self._pending.as_json()
        folded = tuple(sorted(self.model.folded))
        selected, leaf_row = self.list.selected, self.model.leaf_row
        follows = leaf_row is not None and self.list.selected_row == leaf_row and self.list.is_in_sight(leaf_row)
        return branches_state.BranchesState(self._density, selected, folded, self.list.anchor, follows).as_json()

    def restore(self, value: Mapping[str, Any]) -> None:
        """Restore a value that `state` returned, now or once the tree is shown. Invalid parts are ignored."""
        self._pending = branches_state.BranchesState.of(value)
        if self._pending.density is not self._density:
            self._density = self._pending.density
            self._show_buttons()
            self._outline_anew()
        elif self.model.outline is not None:
            self._restore_pending()

    def _restore_pending(self) -> None:
        state, self._pending = self._pending, None
        if state is None:
            return
        self.model.set_folded(state.folded)
        self._refresh()
        if state.selected is not None and self.model.row_of(state.selected) is not None:
            self.list.select(state.selected)
        self.list.scroll_to_anchor(state.top)
        if state.follows and self.model.leaf_row is not None:
            self.list.show_row(self.model.leaf_row)


def _words_of(model: BranchesModel, row: int) -> dict[str, str]:
    """Return the names of actions in a row's menu that differ from the table's, by action id."""
    pin = tr("Unpin") if model.is_pinned(row) else tr("Pin (kept by compactions)")
    words = {"copy-entry": tr("Copy"), "pin": pin}
    return words | ({"trash-branch": tr("Restore from the trash")} if model.is_trashed(row) else {})


def _words_of_many(model: BranchesModel, rows: Sequence[int]) -> dict[str, str]:
    return {
        "copy-entry": tr("Copy %Ln turns", None, len(rows)),
        "pin": tr("Unpin all") if all(map(model.is_pinned, rows)) else tr("Pin all (kept by compactions)"),
        "compare": tr("Compare these two"),
    }
