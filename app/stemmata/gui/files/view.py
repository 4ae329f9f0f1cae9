"""The page of files: the list, the text of a file with its time line, and the history of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Literal, cast

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QCursor, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListView,
    QMenu,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.text.one_line import one_line
from stemmata.gui.files.delegates import FileRowPainter
from stemmata.gui.files.model import FilesModel, FilesRole, HeadRow, RowsModel, StepRow, UseRow
from stemmata.gui.files.text import FileText
from stemmata.gui.files.timeline import Dot, FileTimeline
from stemmata.gui.files.title_button import TitleButton
from stemmata.gui.files.words import tr
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import IconButton, push_button
from stemmata.gui.widgets.figures import number, percent
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import ElidedLabel, label, literal, set_plain_tip
from stemmata.gui.widgets.rows import beside_headings
from stemmata.gui.widgets.surface import TitledSection, set_surface
from stemmata.gui.widgets.window_field import WindowField
from stemmata.gui.widgets.wrapping import WrappingRow

MOST_OTHERS = 8  # other sessions that are listed
LONGEST_TITLE = 32  # characters of the title of another session
NO_MENU = cast("QMenu", None)  # Qt takes a null menu here; its stubs do not allow None


class FileMode(IntEnum):
    """The content of the page: the whole file, one change, or a comparison of two steps."""

    WHOLE = 0
    CHANGE = 1
    AGAINST = 2


@dataclass(frozen=True, slots=True)
class OtherSession:
    """A link to another session that used the file. `entry` is the key of a message there."""

    title: str
    day: str
    session: int
    entry: int


class SkippingList(QListView):
    """A list whose cursor skips headings."""

    def __init__(self, theme: Theme, model: RowsModel, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setModel(model)
        self.setItemDelegate(FileRowPainter(theme, self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        theme.changed.connect(self.doItemsLayout)

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Move to the next file or step, across headings."""
        return beside_headings(self.currentIndex(), super().moveCursor(action, modifiers))

    def mark(self, row: int | None) -> None:
        """Select a row and scroll to it; None selects nothing."""
        selection = self.selectionModel()
        if row is None:
            selection.clear()
            return
        index = self.model().index(row, 0)
        if selection.currentIndex() != index or not selection.isSelected(index):
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.scrollTo(index)


class FileList(SkippingList):
    """The list of files, which keeps its rows in place on the screen when further rows are added."""

    def __init__(self, theme: Theme, model: FilesModel, name: str) -> None:
        super().__init__(theme, model, name)
        self._files = model

    def place(self) -> tuple[str, int] | None:
        """Return the file whose row is looked at, and its distance from the top of the list; None without one.

        It is the row below the pointer, else the marked one, else the first one in view.
        """
        area = self.viewport()
        pointed = self.indexAt(area.mapFromGlobal(QCursor.pos())) if area.underMouse() else QModelIndex()
        rows = (self._files.index(at, 0) for at in range(len(self._files.rows)))
        for index in (pointed, self.currentIndex(), *rows):
            row, rect = index.data(FilesRole.ROW), self.visualRect(index)
            if isinstance(row, UseRow) and rect.intersects(area.rect()):
                return row.use.path, rect.top()
        return None

    def keep(self, place: tuple[str, int]) -> None:
        """Scroll so that the file of `place` is where it was, as far as the list can be scrolled."""
        path, top = place
        row = self._files.row_of(path)
        if row is not None:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(self._files.index(row, 0)).top() - top)


class FilesView(QSplitter):
    """The page of files. Choices of the person are emitted; the controller answers with texts."""

    leave_requested = Signal()
    file_chosen = Signal(str)  # path
    step_chosen = Signal(int)  # number of the step
    mode_chosen = Signal(object)  # FileMode
    scope_changed = Signal()  # the choice of the branches in the history has changed
    other_chosen = Signal(int)  # number of the branch that the file is compared with
    copy_requested = Signal()
    disk_requested = Signal()
    transcript_requested = Signal()
    session_chosen = Signal(int, int)  # keys of a session and of an entry

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setObjectName("filesPage")
        self.setHandleWidth(metrics.BORDER)
        self.setChildrenCollapsible(False)
        self._theme = theme
        self.files, self.steps = FilesModel(), RowsModel()
        self.list = FileList(theme, self.files, self.tr("Files"))
        self.history = SkippingList(theme, self.steps, self.tr("History of this file"))
        self.text = FileText(theme)
        self.timeline = FileTimeline(theme)
        self.everywhere = False  # whether the list shows the files of all branches
        self.all_steps = True  # whether the history shows the steps of all branches
        self._dots: tuple[int, ...] = ()  # the numbers of the steps on the time line
        self._all_dots: tuple[Dot, ...] = ()
        self._columns: list[QWidget] = []
        self._build_list_column()
        self._build_text_column()
        self._build_history_column()
        self.setFocusProxy(self.list)
        self._connect()
        theme.changed.connect(self._restyle)
        self._restyle()
        self._is_moved = False  # whether the person chose the widths
        self._waits = False  # whether a file of the list will be marked
        self.show_message(self.tr("Reading the files of this session…"))

    # -- display --------------------------------------------------------------------------------------------------

    def show_files(self, path: str, *, waits: bool = False) -> None:
        """Mark a file of the list; "" marks none.

        With `waits` one is marked later. The list gets the focus only then, because Qt marks the first row of a
        list that gets it.
        """
        self._restore(path)
        count = len(self.files.uses)
        self.filter.setPlaceholderText(self.tr("Filter %Ln files", None, count))
        read = sum(not use.is_changed for use in self.files.uses)
        told = self.tr("%Ln files", None, count)
        figures = [told, self.tr("%Ln not changed", None, read)] if read else [told]
        self.figures.setText(" · ".join(figures) if count else "")
        # without files, the message in place of a file says why
        self._nothing.setText(self.tr("No file matches. Press Esc to show all files.") if count else "")
        was_empty, focus = self._waits or self._lists.currentIndex() == 1, self.window().focusWidget()
        self._waits = waits
        self._lists.setCurrentIndex(0 if self.files.rows else 1)
        self.setFocusProxy(self.list if self.files.rows and not waits else self.filter)
        if self.files.rows and was_empty and not waits and focus is self.filter and not self.filter.text():
            self.list.setFocus()
        elif not self.files.rows and focus is self.list:
            self.filter.setFocus()  # otherwise Qt gives the focus of the hidden list to the next column

    def show_progress(self, hundredths: int) -> None:
        """Show how much of the session was read, while the list has only the files of a part of it."""
        self.figures.setText(self.tr("Reading older entries… {0}").format(percent(hundredths)))

    def show_file(self, name: str, path: str) -> None:
        """Set the name of the shown file."""
        self.header.set_title(name)
        set_plain_tip(self.header.title_label, path)
        self._show_page(0)

    def show_steps(self, rows: Sequence[StepRow], dots: Sequence[Dot]) -> None:
        """Show the history of the file; both are in the order of time."""
        self.steps.set_rows(rows)
        self._dots = tuple(row.step for row in rows)
        self.timeline.show_dots(dots, -1)
        self._all_dots = tuple(dots)

    def show_step(self, step: int, chip: str, short: str) -> None:
        """Mark the step whose text is shown; `short` replaces the chip in a narrow column."""
        at = self._dots.index(step) if step in self._dots else None
        self.history.mark(at)
        self.timeline.show_dots(self._all_dots, -1 if at is None else at)
        self.header.set_chip(chip, short)

    def show_modes(self, mode: FileMode, others: Sequence[tuple[int, str]], other: int) -> None:
        """Mark the mode, and offer the other branches, given as number and name."""
        for one, button in self.modes.items():
            button.setChecked(one is mode)
        names = dict(others)
        against = self.modes[FileMode.AGAINST]
        against.setEnabled(bool(others))
        self._against = names.get(other, self.tr("branch"))
        self._name_modes()
        set_plain_tip(against, "" if others else self.tr("No other branch has a text of this file."))
        menu = self._other_menu
        menu.clear()
        for at, name in others:
            menu.addAction(literal(name)).triggered.connect(
                lambda _on=False, chosen=at: self.other_chosen.emit(chosen)
            )
        several = len(others) > 1
        against.setMenu(menu if several else NO_MENU)
        modes = QToolButton.ToolButtonPopupMode
        against.setPopupMode(modes.MenuButtonPopup if several else modes.DelayedPopup)

    def _shorten(self, *, on: bool) -> None:
        self._is_short = on
        self._name_modes()

    def _name_modes(self) -> None:
        """Set the names of the modes; in a narrow column each name is one word."""
        whole, against = self.tr("Whole file"), self.tr("Compared with {0}").format(self._against)
        names = {FileMode.WHOLE: whole, FileMode.CHANGE: self.tr("Change"), FileMode.AGAINST: against}
        name = self._against[:1].upper() + self._against[1:]
        short = {FileMode.WHOLE: self.tr("File"), FileMode.AGAINST: name}
        for mode, button in self.modes.items():
            button.setText(literal(short.get(mode, names[mode]) if self._is_short else names[mode]))
            button.setAccessibleName(names[mode])

    def show_origin(self, text: str, *, can_copy: bool) -> None:
        """Show which steps the text of the file was computed from. `can_copy` enables the copy button."""
        self.tell(text)
        self.copy_button.setEnabled(can_copy)

    def tell(self, text: str) -> None:
        """Show the result of an action in the line that otherwise names the origin of the text."""
        self.origin.setText(text)
        announce(self.text, text)

    def show_others(self, others: Sequence[OtherSession]) -> None:
        """List the other sessions that used the file."""
        while (item := self._other_rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for other in others[:MOST_OTHERS]:
            self._other_rows.addWidget(self._other_row(other))
        self.others.note.setText(number(len(others)))
        told = self.tr("%Ln other sessions use this file", None, len(others))
        set_plain_tip(self.others.note, told)
        self.others.setVisible(bool(others))

    def show_message(self, text: str) -> None:
        """Show a sentence in place of a file."""
        self._message.setText(text)
        self._show_page(1)
        self.header.set_title(self.tr("Files"))
        self.header.set_chip("")

    def _show_page(self, page: int) -> None:
        """Show the file (0) or the message (1), which has no modes and no place in the transcript."""
        self._pages.setCurrentIndex(page)
        for widget in (*self.modes.values(), self._history_foot):
            widget.setVisible(page == 0)

    @property
    def message(self) -> str:
        """The sentence in place of a file, "" while a file is shown."""
        return self._message.text() if self._pages.currentIndex() else ""

    def showEvent(self, event: QShowEvent) -> None:
        """Adapt to the fonts of the style sheet, which apply from here on."""
        super().showEvent(event)
        self._restyle()

    def minimumSizeHint(self) -> QSize:
        """Return the size that the list and the text need, since the history gives way to them."""
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), self._least_width(2)), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the outer columns their usual widths, and less in a narrow window; hide a history without room."""
        super().resizeEvent(event)
        self._columns[2].setVisible(self.width() >= self._least_width(3))
        if not self._is_moved:
            left, right = self._outer_width(0), self._outer_width(2)
            self.setSizes([left, self.width() - left - right, right])

    def _least_width(self, count: int) -> int:
        """Return the width that the first columns need."""
        return sum(column.minimumSizeHint().width() + metrics.BORDER for column in self._columns[:count])

    def _outer_width(self, at: int) -> int:
        """Return the width of the first or the last column: its usual one, or its share of a narrow page."""
        usual = metrics.COLUMNS[0 if at == 0 else 3]
        share = round(self.width() * usual / metrics.WINDOW[0])
        return min(self._theme.px(usual), max(share, self._columns[at].minimumWidth()))

    # -- inside -----------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Leave the page on Escape, or clear the filter first."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                if self.filter.text():
                    self.filter.clear()
                else:
                    self.leave_requested.emit()
                return True
        return super().event(event)

    def _build_list_column(self) -> None:
        self.list_header = ColumnHeader(self._theme, self.tr("Files"))
        self.scope = self._scope_button(self.tr("Branches whose files are listed"))
        self._fill_scope(self.scope, lambda on: self._set_everywhere(on=on))
        self.list_header.add(self.scope, partial(self._shorten_scope, self.scope))
        self.filter = WindowField()
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName(self.tr("Filter files"))
        self._nothing = label("", "dim", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        self._nothing.setMargin(metrics.SPACE[7])
        self._lists = QStackedWidget()
        self._lists.addWidget(self.list)
        self._lists.addWidget(self._nothing)
        self.figures = ElidedLabel("", "faint")
        foot = QHBoxLayout()
        foot.setContentsMargins(metrics.SPACE[6], metrics.SPACE[3], metrics.SPACE[6], metrics.SPACE[3])
        foot.addWidget(self.figures)
        inset = QVBoxLayout()
        inset.setContentsMargins(metrics.SPACE[5], metrics.SPACE[4], metrics.SPACE[5], metrics.SPACE[2])
        inset.addWidget(self.filter)
        column = self._column("panel", self.list_header)
        column.addLayout(inset)
        column.addWidget(self._lists, 1)
        column.addLayout(foot)

    def _build_text_column(self) -> None:
        self.header = ColumnHeader(self._theme, "", "bg")
        self.modes: dict[FileMode, QToolButton] = {}
        self._other_menu = QMenu(self)
        for mode in FileMode:
            button = self.modes[mode] = QToolButton()
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _on=False, chosen=mode: self.mode_chosen.emit(chosen))
            self.header.add(button, self._shorten)
        self._against, self._is_short = self.tr("branch"), False
        self._name_modes()
        close = IconButton(self._theme, "close", self.tr("Close files"))
        close.clicked.connect(self.leave_requested)
        self.header.add(close)
        self.origin = label("", "dim", wrap=True)
        self.copy_button = push_button(self.tr("Copy file"), self.copy_requested.emit)
        self.disk_button = push_button(self.tr("Compare with disk…"), self.disk_requested.emit)
        foot = QWidget()
        set_surface(foot, "bg", "top")
        edges = QVBoxLayout(foot)
        edges.setContentsMargins(metrics.SPACE[8], metrics.SPACE[5], metrics.SPACE[8], metrics.SPACE[5])
        edges.addLayout(WrappingRow(self.origin, self.copy_button, self.disk_button))
        shown = QWidget()
        inside = QVBoxLayout(shown)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addWidget(self.timeline)
        inside.addWidget(self.text, 1)
        inside.addWidget(foot)
        self._message = label("", "dim", wrap=True)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedWidget()
        self._pages.addWidget(shown)
        self._pages.addWidget(self._message)
        column = self._column("bg", self.header)
        column.addWidget(self._pages, 1)

    def _build_history_column(self) -> None:
        header = ColumnHeader(self._theme, self.tr("History of this file"))
        self.history_scope = self._scope_button(self.tr("Branches whose steps are listed"))
        self._fill_scope(self.history_scope, lambda on: self._set_all_steps(on=on))
        header.add(self.history_scope, partial(self._shorten_scope, self.history_scope))
        self.others = TitledSection(self.tr("In other sessions"), rule=True)
        self._other_rows = QVBoxLayout()
        self._other_rows.setSpacing(metrics.SPACE[2])
        self.others.body.addLayout(self._other_rows)
        self.others.hide()
        self.show_button = push_button(
            self.tr("Show in the transcript"), self.transcript_requested.emit, look="primary"
        )
        foot = self._history_foot = QWidget()
        set_surface(foot, edge="top")
        row = QHBoxLayout(foot)
        row.setContentsMargins(*[metrics.SPACE[6]] * 4)
        row.addWidget(self.show_button)
        row.addStretch(1)
        column = self._column("panel", header)
        column.addWidget(self.history, 1)
        column.addWidget(self.others)
        column.addWidget(foot)

    def _column(self, surface: Literal["bg", "panel"], header: ColumnHeader) -> QVBoxLayout:
        """Add a column with a header; returns its layout."""
        host = QWidget()
        set_surface(host, surface)
        column = QVBoxLayout(host)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        self.addWidget(host)
        self._columns.append(host)
        self.setStretchFactor(self.count() - 1, 1 if surface == "bg" else 0)
        return column

    def _scope_button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setAccessibleName(name)
        set_plain_tip(button, name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._shorten_scope(button, on=False)
        return button

    def _shorten_scope(self, button: QToolButton, *, on: bool) -> None:
        """Show an icon instead of the words of a button, or the words again."""
        side = self._theme.px(metrics.ICON)
        button.setIcon(self._theme.icon("branch"))
        button.setIconSize(QSize(side, side))
        styles = Qt.ToolButtonStyle
        button.setToolButtonStyle(styles.ToolButtonIconOnly if on else styles.ToolButtonTextOnly)

    def _fill_scope(self, button: QToolButton, choose: Callable[[bool], object]) -> None:
        """Give the button a menu that calls `choose`: with True for all branches, with False for the shown one."""
        menu = QMenu(button)
        for on, name in ((False, tr("This branch")), (True, tr("All branches"))):
            menu.addAction(name).triggered.connect(lambda _on=False, chosen=on: choose(chosen))
        button.setMenu(menu)

    def _connect(self) -> None:
        self.filter.textChanged.connect(self._on_filter)
        self.filter.returnPressed.connect(self._on_filter_returned)
        self.list.selectionModel().currentChanged.connect(self._on_file)
        self.history.selectionModel().currentChanged.connect(self._on_step)
        self.timeline.step_chosen.connect(self._on_dot)
        self.splitterMoved.connect(self._on_moved)
        self._show_scopes()

    def _show_scopes(self) -> None:
        for button, everywhere in ((self.scope, self.everywhere), (self.history_scope, self.all_steps)):
            button.setText(tr("All branches") if everywhere else tr("This branch"))
            button.setAccessibleDescription(button.text())

    def _set_everywhere(self, *, on: bool) -> None:
        self.everywhere = on
        self._show_scopes()
        path = self.chosen
        self.files.set_everywhere(on=on)
        self.show_files(path)

    def _set_all_steps(self, *, on: bool) -> None:
        self.all_steps = on
        self._show_scopes()
        self.scope_changed.emit()

    @property
    def chosen(self) -> str:
        """The path of the file that is marked in the list, "" for none."""
        row = self.list.currentIndex().data(FilesRole.ROW)
        return row.use.path if isinstance(row, UseRow) else ""

    def _restore(self, path: str) -> None:
        self.list.mark(self.files.row_of(path))

    def _on_filter(self, text: str) -> None:
        path = self.chosen
        self.files.set_filter(text)
        self.show_files(path)

    def _on_filter_returned(self) -> None:
        rows = self.files.rows
        first = next((at for at, row in enumerate(rows) if not isinstance(row, HeadRow)), None)
        if first is not None:
            self.list.mark(first)
            self.list.setFocus()

    def _on_file(self, index: QModelIndex) -> None:
        row = index.data(FilesRole.ROW)
        if isinstance(row, UseRow):
            self.file_chosen.emit(row.use.path)

    def _on_step(self, index: QModelIndex) -> None:
        row = index.data(FilesRole.ROW)
        if isinstance(row, StepRow):
            self.step_chosen.emit(row.step)

    def _on_moved(self) -> None:
        self._is_moved = True

    def _on_dot(self, at: int) -> None:
        self.step_chosen.emit(self._dots[at])

    def _other_row(self, other: OtherSession) -> QWidget:
        title = one_line(other.title, LONGEST_TITLE)
        button = TitleButton(title)
        button.clicked.connect(lambda: self.session_chosen.emit(other.session, other.entry))
        button.setAccessibleName(tr("Open “{0}” of {1}").format(other.title, other.day))
        set_plain_tip(button, other.title)
        row = QWidget()
        inside = QHBoxLayout(row)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(metrics.SPACE[4])
        inside.addWidget(button)
        inside.addStretch(1)
        inside.addWidget(label(other.day, "small"))
        return row

    def _restyle(self) -> None:
        least = (metrics.COLUMN_MINIMUMS[0], metrics.COLUMN_MINIMUMS[2], metrics.COLUMN_MINIMUMS[0])
        for column, width in zip(self._columns, least, strict=True):
            column.setMinimumWidth(self._theme.px(width))
        whole = self._history_foot.sizeHint().width()
        self._columns[2].setMinimumWidth(max(self._theme.px(least[2]), whole))
