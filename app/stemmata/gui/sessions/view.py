"""The column of sessions: a filter above a grouped list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QStackedWidget, QVBoxLayout, QWidget

from stemmata.domain.sessions.session import Session
from stemmata.gui.sessions.delegate import SessionDelegate
from stemmata.gui.sessions.listing import Order
from stemmata.gui.sessions.model import SessionRole, SessionsModel
from stemmata.gui.sessions.rows import SessionRows
from stemmata.gui.sessions.words import Grouping, ListFigure
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import set_surface
from stemmata.gui.widgets.window_field import WindowField

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings
    from PySide6.QtGui import QResizeEvent  # only for annotations: not imported before the first paint

MINUTE_MS = 60_000


class FilterField(WindowField):
    """The field that filters the list; the Down key leads into the list."""

    down_pressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit `down_pressed` for the Down key."""
        if event.key() == Qt.Key.Key_Down:
            self.down_pressed.emit()
            return
        super().keyPressEvent(event)


class SessionsView(QWidget):
    """The sessions column. Selecting a row opens its session; other requests are emitted as signals."""

    session_chosen = Signal(int)  # store key
    import_requested = Signal()
    new_requested = Signal()  # the user wants a new chat
    archive_requested = Signal(int)  # store key
    delete_requested = Signal()  # of the selected sessions
    menu_requested = Signal(QPoint)  # global position; the menu applies to the selection
    selection_changed = Signal()
    options_requested = Signal(str, QPoint)  # name of the menu, and its global position

    def __init__(self, theme: Theme, model: SessionsModel) -> None:
        super().__init__()
        self.setObjectName("sessionsView")
        set_surface(self, "panel")
        self._theme = theme
        self.model = model
        self._current: int | None = None
        self._of_menu: tuple[int, ...] = ()  # keys of the sessions that the open context menu applies to
        self._is_awaited = False  # whether the open session was not in the list yet when it was opened
        self.header = ColumnHeader(theme, self.tr("Sessions"))
        self.new_button = IconButton(theme, "", self.tr("New chat"))
        self.new_button.clicked.connect(self.new_requested)
        self.header.add(self.new_button)
        self._import = IconButton(theme, "", self.tr("Import"))
        self._import.clicked.connect(self.import_requested)
        self._grouping = push_button("", self._ask_grouping, look="link")
        self._grouping.setProperty("column", True)
        self._grouping.setMinimumWidth(1)  # it is hidden where it has no room, so it does not keep the column wide
        self._sorting = IconButton(theme, "", self.tr("Sort and filter"))
        self._sorting.clicked.connect(lambda: self._ask_options("sorting", self._sorting))
        self.header.add(self._import)
        self.header.add(self._grouping, self._shorten_grouping)
        self.header.add(self._sorting)
        self.filter = FilterField()
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName(self.tr("Filter sessions"))
        self.found = label("", "dim")
        self.found.setIndent(metrics.SPACE[2])  # below the text of the field, as the headings of the folders
        self.found.hide()
        self.list = self._build_list()
        self._is_trash = False
        self._nothing = label("", "dim", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        self._nothing.setMargin(metrics.SPACE[7])
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self._nothing)
        self._lay_out()
        self._connect()
        self.show_grouping(model.grouping)
        self._show_counts()

    def show_icons(self) -> None:
        """Draw the icons, which would delay the first paint."""
        for button, icon in ((self.new_button, "plus"), (self._import, "import"), (self._sorting, "sort")):
            button.set_icon(icon)

    def save(self, settings: QSettings) -> None:
        """Save how the sessions are grouped and sorted, and which figures are shown."""
        settings.setValue("sessions/grouping", self.model.grouping.value)
        settings.setValue("sessions/order", self.model.order.value)
        settings.setValue("sessions/figures", " ".join(sorted(figure.value for figure in self.model.figures)))

    def restore(self, settings: QSettings) -> None:
        """Restore the state that `save` returned; invalid values are ignored."""
        grouping, order = settings.value("sessions/grouping"), settings.value("sessions/order")
        if grouping in [known.value for known in Grouping]:
            self.model.set_grouping(Grouping(grouping))
        if order in [known.value for known in Order]:
            self.model.set_order(Order(order))
        figures = settings.value("sessions/figures")
        for figure in ListFigure:
            self.model.show_figure(figure, on=isinstance(figures, str) and figure.value in figures.split())
        self.show_grouping(self.model.grouping)

    def select(self, key: int | None) -> None:
        """Mark a session as the open one, without opening it, and unfold those above it."""
        self._current = key
        self._is_awaited = key is not None and not self.model.reveal(key)
        self._restore_selection()

    @property
    def selected(self) -> list[Session]:
        """The selected sessions, top to bottom; those of the context menu while it is open."""
        if self._of_menu:
            known = self.model.listing.by_key
            return [known[key] for key in self._of_menu if key in known]
        rows = sorted(index.row() for index in self.list.selectionModel().selectedIndexes())
        return [session for row in rows if (session := self.model.session_at(row)) is not None]

    def below(self, key: int) -> QPoint:
        """Return the global point under a session's row."""
        row = self.model.row_of(key)
        place = QRect() if row is None else self.list.visualRect(self.model.index(row))
        return self.list.viewport().mapToGlobal(place.bottomLeft())

    def step(self, by: int) -> None:
        """Open the session `by` rows further, not counting headers."""
        at = self.model.row_of(self._current)
        if at is None:
            at = self.model.visible_above(self._current)  # the open session is folded
        row = (at if at is not None else -1) + by
        while 0 <= row < self.model.rowCount():
            session = self.model.session_at(row)
            if session is not None:
                self._choose(self.model.index(row))
                return
            row += by

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear the filter on Esc."""
        if event.key() == Qt.Key.Key_Escape and self.filter.text():
            self.filter.clear()
            return
        super().keyPressEvent(event)

    def show_grouping(self, grouping: Grouping) -> None:
        """Show on the button of the header how the sessions are grouped."""
        names = {
            Grouping.FOLDER: self.tr("Project"),
            Grouping.SOURCE: self.tr("Tool"),
            Grouping.DATE: self.tr("Day"),
            Grouping.TAG: self.tr("Tag"),
        }
        self._grouping.setText(f"{names[grouping]} ▾")
        self._grouping.setAccessibleName(self.tr("Group by: {0}").format(names[grouping]))
        self.header.fit()

    def _shorten_grouping(self, *, on: bool) -> None:
        self._grouping.setVisible(not on)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_import()

    def _show_import(self) -> None:
        """Hide the button if the title had too little room; the menu and the palette also offer the import."""
        buttons = (self.new_button, self._import, self._sorting)
        needed = self.header.title_label.sizeHint().width() + sum(each.sizeHint().width() for each in buttons)
        has_room = self.width() >= needed + 2 * metrics.SPACE[6]
        if has_room is self._import.isHidden():
            self._import.setVisible(has_room)
            self.header.fit()  # the width measured without the button would crush the title

    def _ask_grouping(self) -> None:
        self._ask_options("grouping", self._grouping)

    def _ask_options(self, name: str, button: QWidget) -> None:
        self.options_requested.emit(name, button.mapToGlobal(button.rect().bottomLeft()))

    def _build_list(self) -> SessionRows:
        out = SessionRows(self._theme, self.model)
        out.setAccessibleName(self.tr("Sessions"))
        out.setItemDelegate(SessionDelegate(self._theme, self.model, out))
        out.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        out.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        out.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        out.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        out.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        out.setMouseTracking(True)
        return out

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        inset = QVBoxLayout()
        inset.setContentsMargins(metrics.SPACE[5], metrics.SPACE[4], metrics.SPACE[5], metrics.SPACE[2])
        inset.addWidget(self.filter)
        inset.setSpacing(metrics.SPACE[2])
        inset.addWidget(self.found)
        column.addLayout(inset)
        column.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.filter.textChanged.connect(self.model.set_filter)
        self.filter.returnPressed.connect(self._on_filter_returned)
        self.filter.down_pressed.connect(self._on_filter_down)
        self.list.left_upwards.connect(self.filter.setFocus)
        self.list.archive_requested.connect(self.archive_requested)
        self.list.delete_requested.connect(self.delete_requested)
        self.model.modelReset.connect(self._on_model_reset)
        self.model.replaced.connect(self._on_replaced)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.list.selectionModel().currentChanged.connect(self._on_current_changed)
        self.list.selectionModel().selectionChanged.connect(self.selection_changed)
        self.list.customContextMenuRequested.connect(self._on_menu)
        ages = QTimer(self, interval=MINUTE_MS)
        ages.timeout.connect(self.list.paint_anew)
        ages.start()

    def _choose(self, index: QModelIndex) -> None:
        key = index.data(SessionRole.KEY)
        if key is not None and len(self.list.selectionModel().selectedIndexes()) <= 1 and key != self._current:
            self.select(key)
            self.session_chosen.emit(key)

    def _on_current_changed(self, index: QModelIndex) -> None:
        if self.list.hasFocus() and self._current is not None and index.isValid():
            QTimer.singleShot(
                0, self, lambda: self._choose(self.list.currentIndex())
            )  # after the selection is updated

    def _on_filter_returned(self) -> None:
        row = next((row for row in range(self.model.rowCount()) if self.model.session_at(row)), None)
        if row is not None:
            self._choose(self.model.index(row))
            self.list.setFocus()

    def _on_filter_down(self) -> None:
        """Move the focus into the list: to the open session, else to the first one."""
        row = self.model.row_of(self._current)
        if row is None:
            rows = range(self.model.rowCount())
            row = next((row for row in rows if self.model.session_at(row) or self.model.folder_at(row)), None)
        if row is not None:
            index = self.model.index(row)
            self.list.setFocus()
            self.list.selectionModel().setCurrentIndex(index, self.list.selectionCommand(index))

    def _on_model_reset(self) -> None:
        self._restore_selection()
        self._show_counts()

    def _on_replaced(self) -> None:
        if self._is_awaited and self._current is not None:
            self._is_awaited = not self.model.reveal(self._current)
        self._show_counts()

    def _restore_selection(self) -> None:
        row = self.model.row_of(self._current)
        selection = self.list.selectionModel()
        if self.list.hasFocus() and self.list.folder and self.model.row_of_folder(self.list.folder) is not None:
            open_row = QModelIndex() if row is None else self.model.index(row)
            selection.select(open_row, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.list.go_to_folder(self.list.folder)
            return
        if row is None:
            selection.clear()
            return
        index = self.model.index(row)
        if not selection.isSelected(index) or selection.currentIndex() != index:
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.list.scrollTo(self.model.index(max(row - 1, 0)))  # show the group header as well
            self.list.scrollTo(index)

    def _show_counts(self) -> None:
        total = self.model.total
        sessions = self.tr("%Ln sessions", None, total)
        self.filter.setPlaceholderText(self.tr("Filter {0}").format(sessions))
        self._nothing.setText(self._empty_text())
        if self.list.hasFocus() and not self.model.rowCount():
            self.filter.setFocus()  # hiding the list would give the focus to another column
        self._stack.setCurrentIndex(0 if self.model.rowCount() else 1)
        self.found.setVisible(self.model.is_filtered)
        found = number(self.model.matching)
        self.found.setText(self.tr("{0} of {1}").format(found, sessions))

    @property
    def message(self) -> str:
        """The message shown in place of an empty list, or ""."""
        return "" if self.model.rowCount() else self._nothing.text()

    def show_trash(self, *, on: bool) -> None:
        """Set whether the list shows the trash."""
        self._is_trash = on
        self.list.archives = not on
        self.header.set_title(self.tr("Trash") if on else self.tr("Sessions"))
        self._show_counts()

    def _empty_text(self) -> str:
        """Return why the list is empty and how the user can fill it."""
        if self.model.is_filtered and self.model.total:
            return self.tr("No session matches. Press Esc to show all sessions.")
        if self.model.total:
            return self.tr("All sessions are archived. Choose View → Show archived sessions to list them.")
        if self._is_trash:
            return self.tr("The trash is empty.")
        return self.tr("No sessions yet. Import sessions, or drop files anywhere in this window.")

    @property
    def menu_keys(self) -> tuple[int, ...]:
        """Keys of the sessions that the open context menu applies to, however the list changes meanwhile."""
        return self._of_menu

    def leave_menu(self, menu_keys: tuple[int, ...]) -> None:
        """Select the open session again after the menu of another session was closed."""
        if self._of_menu is not menu_keys:
            return  # another menu is open by now
        self._of_menu = ()
        row, flag = self.model.row_of(self._current), QItemSelectionModel.SelectionFlag.ClearAndSelect
        if len(menu_keys) == 1:
            self.list.selectionModel().select(QModelIndex() if row is None else self.model.index(row), flag)

    def _on_menu(self, at: QPoint) -> None:
        """Ask for the menu of the selected sessions, or of a clicked one, which is not opened."""
        index, selection = self.list.indexAt(at), self.list.selectionModel()
        if index.data(SessionRole.KEY) is None:
            return
        self._of_menu = ()
        if not selection.isSelected(index):
            selection.select(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._of_menu = tuple(session.key for session in self.selected)
        self.menu_requested.emit(self.list.viewport().mapToGlobal(at))
