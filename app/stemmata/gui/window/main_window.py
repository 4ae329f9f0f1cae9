"""The main window: creates its parts and lays them out. The controllers connect them.

Only the session list is created at once. All other parts are imported and created on first use, so that the window
opens fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.sessions.view import SessionsView
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.status import StatusLine
from stemmata.gui.widgets.surface import set_surface
from stemmata.gui.window.columns import NAMES, ColumnSplitter, widgets_at_left
from stemmata.gui.window.new_picture import NewPicture, TellingLayout

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QCloseEvent,
        QDragEnterEvent,
        QDragLeaveEvent,
        QDropEvent,
        QPaintEvent,
        QShowEvent,
    )

    from stemmata.domain.chat.catalogue import Catalogue
    from stemmata.gui.branches.finder import Compute
    from stemmata.gui.branches.view import BranchesView
    from stemmata.gui.compaction.panel import WorkbenchPanel
    from stemmata.gui.context.view import ContextColumn
    from stemmata.gui.core.actions import Actions
    from stemmata.gui.importing.clean_up_notice import CleanUpNotice
    from stemmata.gui.importing.import_dialog import ImportDialog
    from stemmata.gui.importing.welcome import WelcomeView
    from stemmata.gui.palette.dialog import CommandPalette
    from stemmata.gui.search.view import ResultsView
    from stemmata.gui.transcript.column import TranscriptColumn
    from stemmata.gui.widgets.drop_target import DropTarget
    from stemmata.gui.widgets.popup import TextPopup
    from stemmata.gui.widgets.toast import Banner, Toast
    from stemmata.gui.window.top_bar import TopBar
    from stemmata.gui.window.views import Views
    from stemmata.services.services import Services


class MainWindow(QMainWindow):
    """Four columns under a top bar.
    `state` is the INI file of the geometry (opaque bytes), shared by all windows; each reads and writes the values of
    its `place`, a number from 0.

    `services` returns all services and `actions` the actions of this window, both after the first paint; `compute`
    runs the navigator's outlines in the background.
    """

    files_dropped = Signal(list)  # list[str], paths
    closing = Signal()
    actions_made = Signal(object)  # Actions

    def __init__(
        self,
        theme: Theme,
        services: Callable[[], Services],
        state: Path,
        compute: Compute,
        actions: Callable[[MainWindow], Actions],
        *,
        place: int = 0,
    ) -> None:
        super().__init__()
        self._actions = actions
        self.place = place
        self.is_painted = False  # True from the first paint on
        self.setObjectName("mainWindow")
        self.setWindowTitle("Stemmata")
        self.setAcceptDrops(True)
        self._settings = QSettings(str(state), QSettings.Format.IniFormat)
        self.theme = theme
        self._services, self._compute = services, compute
        self._catalogue: Catalogue | None = None
        self.sessions_model = SessionsModel(self._window_of, parent=self)
        self.sessions = SessionsView(theme, self.sessions_model)
        self.columns = ColumnSplitter(theme, self.sessions)
        self.status = StatusLine(theme)
        self._pages = QStackedWidget()
        self.new_picture = NewPicture(self, self._pages, theme)
        self._lay_out()
        self._connect_columns()
        self._restore()

    def show_welcome(self, *, on: bool) -> None:
        """Show the welcome page, for an empty archive, or the columns."""
        if on != self.shows_welcome:
            focused = self.focusWidget()
            is_elsewhere = not on and focused not in (None, self) and not self.welcome.isAncestorOf(focused)
            if not on:
                self.columns.paint_in_turns()
            self._pages.setCurrentWidget(self.welcome if on else self.columns)
            if on:
                self.welcome.take_focus()
            elif not is_elsewhere:  # a focus elsewhere, such as in the palette, stays
                self.sessions.list.setFocus()
        elif not on and self.focusWidget() is self:
            self.sessions.list.setFocus()

    def add_page(self, page: QWidget) -> None:
        """Add a page to the window, so that `show_page` can show it. Repeated calls have no effect."""
        if self._pages.indexOf(page) < 0:
            self._pages.addWidget(page)

    def show_page(self, page: QWidget | None) -> None:
        """Show a page, such as a comparison, instead of the columns; None returns to the columns."""
        if page is not None:
            self.add_page(page)
        self.new_picture.begin()
        self._pages.setCurrentWidget(page or self.columns)
        (page or self.branches.list).setFocus()

    @property
    def settings(self) -> QSettings:
        """The INI file with the state of the windows."""
        return self._settings

    @property
    def shows_welcome(self) -> bool:
        """Whether the welcome page is shown."""
        return "welcome" in vars(self) and self._pages.currentWidget() is self.welcome

    def show_fills(self) -> None:
        """Read the model catalogue and show how full the sessions' contexts are; called after the first paint."""
        self._catalogue = self._services().catalogue
        self.sessions_model.refresh_fills()

    def _window_of(self, model: str) -> int | None:
        return None if self._catalogue is None else self._services().catalogue.window(model)

    # -- parts created on first use ----------------------------------------------------------------------------

    @cached_property
    def _views(self) -> type[Views]:
        from stemmata.gui.window.views import Views  # imported late, see decision 26

        return Views

    @cached_property
    def actions_table(self) -> Actions:
        """The actions of the window, created on first use."""
        made = self._actions(self)
        made.attach(self)
        for name in NAMES:
            made[f"show-{name}"].setChecked(self.columns.is_shown(name))
        self.actions_made.emit(made)
        return made

    @cached_property
    def top_bar(self) -> TopBar:
        """The top bar, created on first use."""
        from stemmata.gui.window.top_bar import TopBar  # imported late, see decision 26

        made = TopBar(self.theme, self.actions_table)
        made.search_requested.connect(self.actions_table["palette"].trigger)
        self.setMenuWidget(made)
        made.lower()  # screen readers read it first
        return made

    @cached_property
    def branches(self) -> BranchesView:
        """The branches column, created on first use."""
        made = self._views.branches(self.theme, self._services().pages, self.actions_table, compute=self._compute)
        self.columns.put("branches", made)
        return made

    @cached_property
    def transcript(self) -> TranscriptColumn:
        """The transcript column, created on first use."""
        made = self._views.transcript(self.theme, self._services().pages)
        self.columns.put("transcript", made)
        return made

    @cached_property
    def beside(self) -> TranscriptColumn:
        """The right side of the split view, created on first use and hidden at first."""
        made = self._views.transcript(self.theme, self._services().pages, self.transcript.composer)
        made.setObjectName("besideColumn")
        made.view.setObjectName("besideView")
        self.columns.put_other_side(made)
        return made

    @cached_property
    def context(self) -> ContextColumn:
        """The context column, created on first use."""
        made = self._views.context(self.theme, self.actions_table, self.columns.beside)
        self.columns.put_beside(made)
        return made

    @cached_property
    def workbench(self) -> WorkbenchPanel:
        """The compaction workbench, created on first use."""
        assert self.context is not None  # creates the context, which must be the first page
        made = self._views.workbench(self.theme, self.columns.beside)
        self.columns.put_beside(made)
        return made

    @cached_property
    def welcome(self) -> WelcomeView:
        """The welcome page, created on first use."""
        made = self._views.welcome(self.theme, self._pages)
        self._pages.addWidget(made)
        return made

    @cached_property
    def banner(self) -> Banner:
        """The banner for errors, created on first use."""
        made = self._views.banner(self.theme)
        self._column.insertWidget(0, made)
        return made

    @cached_property
    def clean_up_notice(self) -> CleanUpNotice:
        """The notice that a tool will delete sessions, created on first use."""
        made = self._views.clean_up_notice(self.theme)
        self._column.insertWidget(0, made)
        return made

    @cached_property
    def toast(self) -> Toast:
        """The toast for short notices, created on first use."""
        made = self._views.toast(self.theme, self)
        made.place_over(self._ground)
        self._pages.currentChanged.connect(made.place_again)
        made.hold_while(lambda: self.new_picture.is_painting)
        self.new_picture.completed.connect(made.appear)
        return made

    def _ground(self) -> Sequence[QWidget]:
        """Return the widgets over which toasts are shown: the first visible columns, or the whole page when it has no
        columns.
        """
        page, room = self._pages.currentWidget(), self.theme.px(metrics.TOAST_ROOM)
        if page is self.columns:
            return self.columns.at_left(room)
        parts = map(page.widget, range(page.count())) if isinstance(page, QSplitter) else ()
        return widgets_at_left(filter(None, parts), room) or [page or self]

    @cached_property
    def drop_target(self) -> DropTarget:
        """The veil that is shown while files are dragged over the window, created on first use."""
        return self._views.drop_target(self.theme, self._pages, self.tr("Drop to import these files and folders"))

    @cached_property
    def palette_box(self) -> CommandPalette:
        """The command palette, created on first use."""
        return self._views.palette(self.theme, self)

    @cached_property
    def results(self) -> ResultsView:
        """The results of the search in all sessions, created on first use."""
        view = self._views.results(self.theme)
        view.setParent(self)  # it is deleted with the window, also if it is never placed in the columns
        view.hide()
        return view

    @cached_property
    def import_dialog(self) -> ImportDialog:
        """The import dialog, created on first use."""
        return self._views.import_dialog(self.theme, self)

    @cached_property
    def rename_popup(self) -> TextPopup:
        """The popup that renames a session, created on first use."""
        return self._popup("renamePopup")

    @cached_property
    def label_popup(self) -> TextPopup:
        """The popup that names a branch, created on first use."""
        return self._popup("labelPopup")

    def _popup(self, name: str) -> TextPopup:
        return self._views.text_popup(self.theme, self, name)

    # -- events ---------------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _local_files(event):
            event.acceptProposedAction()
            self.drop_target.appear()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.drop_target.hide()
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.drop_target.hide()
        paths = _local_files(event)
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        target = self.columns.neighbour(self.focusWidget(), forward=next)
        if target is None:
            return super().focusNextPrevChild(next)
        target.setFocus(Qt.FocusReason.TabFocusReason if next else Qt.FocusReason.BacktabFocusReason)
        return True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.focusWidget() is None:
            self.setFocus()  # otherwise Qt focuses the search field; the list gets the focus once it has sessions

    def _on_new_size(self, before: QSize, now: QSize) -> None:
        if self.is_painted:
            self.new_picture.resize(before, now)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.is_painted = True

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit()
        super().closeEvent(event)

    # -- layout ---------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self._pages.addWidget(self.columns)
        central = QWidget()
        self._column = TellingLayout(central)
        self._column.about_to_change.connect(self._on_new_size)
        self._column.has_changed.connect(self.new_picture.cover_columns)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self._pages, 1)
        self._column.addWidget(self.status)
        self.setMenuWidget(self._place_of_top_bar())
        self.setCentralWidget(central)
        room = self.screen().availableSize()  # with large text, parts beyond a small screen could not be reached
        room -= QSize(0, self.theme.px(metrics.TOP_BAR))  # the system's title bar stands above it
        self.setMinimumSize(QSize(*map(self.theme.px, metrics.WINDOW_MINIMUM)).boundedTo(room))
        self.resize(QSize(*map(self.theme.px, metrics.WINDOW)).boundedTo(room))

    def _place_of_top_bar(self) -> QWidget:
        """Return a placeholder as high as the top bar, so that the columns do not move when the bar is created."""
        out = QWidget()
        set_surface(out, "panel", "bottom")
        out.setFixedHeight(self.theme.px(metrics.TOP_BAR))
        return out

    def _connect_columns(self) -> None:
        self.sessions.new_requested.connect(lambda: self.actions_table["new-chat"].trigger())
        self.sessions.import_requested.connect(lambda: self.actions_table["import"].trigger())
        self.columns.about_to_change.connect(self.new_picture.begin)
        self.columns.shown_changed.connect(self._check_columns)
        self.columns.focus_left.connect(self._focus_second)

    def show_column(self, name: str, *, on: bool) -> None:
        """Show or hide a column, and focus a column that is shown."""
        # a column that the window folded or showed automatically has this state already
        if on != self.columns.is_shown(name):
            self.columns.set_shown(name, on=on)
            self._check_columns()
            if on:
                self._focus_column(name)

    def _focus_column(self, name: str) -> None:
        """Focus the main widget of a column; the context has none."""
        if name == "sessions":
            self.sessions.list.setFocus()
        elif name == "branches":
            self.branches.list.setFocus()
        elif name == "transcript" and self.transcript is not None:
            self.transcript.view.setFocus()

    def _focus_second(self) -> None:
        """Focus the branches, or the search results in their place."""
        (self.results.list if self.columns.in_results else self.branches.list).setFocus()

    def show_results(self, *, on: bool) -> None:
        """Show the search results in place of the branches, with the focus in their field; or the branches again."""
        had_focus = self.columns.second.isAncestorOf(self.focusWidget()) if self.focusWidget() is not None else False
        if had_focus:
            self.focusWidget().clearFocus()  # else Qt looks for the next widget among all of the window
        self.columns.set_results(self.results, on=on)
        self._check_columns()
        if on:
            self.results.take_focus()
        elif had_focus:
            (self.branches.list if self.columns.is_shown("branches") else self.transcript.view).setFocus()

    def _check_columns(self) -> None:
        if "actions_table" not in vars(self):
            return
        for name in NAMES:
            self.actions_table[f"show-{name}"].setChecked(self.columns.is_shown(name))

    # -- saved state --------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Save the geometry, the columns and the grouping of sessions."""
        with self._window_group():
            self._settings.setValue("window/geometry", self.saveGeometry())
            self.columns.save(self._settings)
            self.sessions.save(self._settings)
        self._settings.sync()

    def keep(self, name: str, text: str) -> None:
        """Store a text under a name in the saved state of this window."""
        with self._window_group():
            self._settings.setValue(f"window/{name}", text)

    def kept(self, name: str) -> str:
        """Return the text that `keep` stored under this name, "" for none."""
        with self._window_group():
            text = self._settings.value(f"window/{name}")
        return text if isinstance(text, str) else ""

    def _restore(self) -> None:
        with self._window_group():
            geometry = self._settings.value("window/geometry")
            self.columns.restore(self._settings)
            self.sessions.restore(self._settings)
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        self._check_columns()

    @contextmanager
    def _window_group(self) -> Iterator[None]:
        """Read and write settings in the group of this window; the first window uses no group."""
        if self.place:
            self._settings.beginGroup(f"window-{self.place}")
        try:
            yield
        finally:
            if self.place:
                self._settings.endGroup()


def _local_files(event: QDropEvent) -> list[str]:
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
