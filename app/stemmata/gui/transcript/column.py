"""The transcript column: a header with the branch, the transcript, and the composer below it.

A split view has two columns and one composer. The composer is below the active column and writes to the branch
that this column shows.
"""

from __future__ import annotations

from time import time_ns

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from stemmata.gui.composer.view import Composer, ComposerPlace
from stemmata.gui.sessions.words import removed_branch_words
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.lineage_line import LineageLine
from stemmata.gui.transcript.state_lines import DeletedLine, RemovedLine
from stemmata.gui.transcript.view import TranscriptView
from stemmata.gui.widgets.buttons import ArrowButton, IconButton
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.header import ColumnHeader
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.skeleton import LoadingSkeleton
from stemmata.gui.widgets.surface import set_surface
from stemmata.services.ports.archive import Pages


class TranscriptColumn(QWidget):
    """The transcript with its header, find bar and composer."""

    branch_step_requested = Signal(int)  # number of branches to move by
    find_requested = Signal()
    files_requested = Signal()
    rename_requested = Signal(QPoint)  # the title was clicked; the global point below it
    touched = Signal()  # the transcript got the focus, or a button of the header was pressed
    restore_requested = Signal(int)  # key of the first entry of a deleted branch
    write_requested = Signal()  # the user wants to write in this column while the composer is in the other one

    def __init__(self, theme: Theme, pages: Pages, composer: Composer | None = None) -> None:
        """Create the column. `composer` is the composer of the other side of a split, or None."""
        super().__init__()
        set_surface(self, "bg")
        self._theme = theme
        self._pages = pages
        self._skeleton: LoadingSkeleton | None = None
        self.header = ColumnHeader(theme, "", "bg")
        self.header.title_label.installEventFilter(self)
        self._branch, self._at, self._count, self._is_short = label("", "dim"), 0, 0, False
        self._steps = [ArrowButton(theme, "chevron-left", self.tr("Previous branch"))]
        self._steps.append(ArrowButton(theme, "chevron-right", self.tr("Next branch")))
        for by, button in zip((-1, 1), self._steps, strict=True):
            button.clicked.connect(lambda _checked=False, by=by: self.branch_step_requested.emit(by))
        self._files = IconButton(theme, "file", self.tr("Files of this branch"))
        self._files.clicked.connect(self.files_requested)
        self._fill_header()
        self.view = TranscriptView(theme, pages)
        self.view.focused.connect(self.touched)
        # connected first, so that the column is active before it is asked
        self.view.wanted.connect(lambda _key, _action: self.touched.emit())
        self.composer = composer or Composer(theme)
        self._place: ComposerPlace | None = None  # placeholder while the composer is in the other column
        self._nothing = _empty_label()  # says nothing at the start, until the session of the last run is opened
        self.lineage = LineageLine(theme)
        self.lineage.pressed.connect(self.touched)
        self.deleted = DeletedLine(theme, self.view)
        self.deleted.restore.pressed.connect(self.touched)
        self.deleted.restore.clicked.connect(lambda: self.restore_requested.emit(self.deleted.key or 0))
        self.removed = RemovedLine(theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._nothing)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.lineage)
        column.addWidget(self.deleted)
        column.addWidget(self.removed)
        column.addWidget(self._stack, 1)
        theme.changed.connect(self._align_composer)
        if composer is None:
            column.addWidget(self.composer)
            self.composer.open(None)
        self.show_branch(0, 0)
        self._show_page(self._nothing)

    def _fill_header(self) -> None:
        self._find = IconButton(self._theme, "search", self.tr("Find in session"))
        self._find.clicked.connect(self.find_requested)
        for widget in (self._steps[0], self._branch, self._steps[1], self._files, self._find):
            self.header.add(widget, self._shorten if widget is self._branch else None)
        for pressed in (*self._steps, self._files, self._find):
            pressed.pressed.connect(self.touched)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Start renaming the session when its title is clicked."""
        title = self.header.title_label
        if watched is title and event.type() == QEvent.Type.MouseButtonRelease and title.text():
            self.touched.emit()
            self.rename_requested.emit(title.mapToGlobal(title.rect().bottomLeft()))
        return super().eventFilter(watched, event)

    def show_branch(self, at: int, count: int) -> None:
        """Show `‹ branch 1 of 5 ›` in the header; nothing when there is only one branch."""
        self._at, self._count = at, count
        for button in self._steps:
            button.setVisible(count > 1)
        self._tell_branch()
        self.header.fit()

    def _shorten(self, *, on: bool) -> None:
        self._is_short = on
        self._tell_branch()

    def _tell_branch(self) -> None:
        short = self.tr("{0} / {1}").format(number(self._at), number(self._count)) if self._count > 1 else ""
        self._branch.setText(short if self._is_short else self.branch_text)
        self._branch.setAccessibleName(self.branch_text)

    def show_active(self, *, on: bool) -> None:
        """Show whether the displayed branch is the active one."""
        self.header.set_chip(self.tr("active") if on else self.tr("viewing"), minor=on)

    def show_deleted(self, head: int | None) -> None:
        """Show that the branch is in the trash, from the entry with this key on; None for any other branch."""
        self.deleted.show_head(head)
        if head is not None:
            self.header.set_chip(self.tr("deleted"))

    def show_removed(self, head: int | None, source: str) -> None:
        """Show that the tool `source` removed the branch, from the entry `head` (key) on; None for no such branch."""
        row = None if head is None else self._pages.rows([head]).get(head)
        words = "" if row is None else removed_branch_words(source, row.removed, time_ns())
        self.removed.show_branch(words)

    def show_nothing(self) -> None:
        """Show the empty state: no session is open."""
        self.header.set_title("")
        self.header.set_chip("")
        self.deleted.show_head(None)
        self.removed.show_session("")
        self.removed.show_branch("")
        self._nothing.setText(
            self.tr("Select a session in the list to read it.\nPress + above the list to start a chat.")
        )
        self._show_page(self._nothing)

    def _show_page(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)
        self._show_buttons()

    def _show_buttons(self) -> None:
        """Show the header's buttons unless no session is open; the workbench has no button of the files."""
        has_session = self._stack.currentWidget() is not self._nothing
        self._find.setVisible(has_session)
        self._files.setVisible(has_session and not self.header.mark)

    def set_workbench(self, *, on: bool) -> None:
        """Hide the composer and the button of the files while the workbench is open."""
        self.composer.setVisible(not on)
        mark, short = self.tr("Compaction preview · Esc to leave"), self.tr("Preview · Esc")
        self.header.set_mark(mark if on else "", short if on else "", alone=True)
        self._show_buttons()

    def show_side(self, name: str, *, active: bool, split: bool) -> None:
        """Show the column as one side of a split view; the active side gets the composer."""
        self.header.set_active(active=active if split else None)
        self.view.setAccessibleName(name or self.tr("Transcript"))
        if active:
            if self._place is not None:
                self._place.hide()
            if self._column.indexOf(self.composer) < 0:
                self._column.addWidget(self.composer)
                self.composer.show()  # shown at once, because a short change of height would move the transcript
            self._align_composer()
        elif split:
            self._composer_placeholder().show()

    def _align_composer(self) -> None:
        """Align the composer's right edge with the cards, which leave room for the scroll bar."""
        if self._column.indexOf(self.composer) >= 0:
            bar = self.view.verticalScrollBar()
            bar.ensurePolished()
            self.composer.set_beside(bar.sizeHint().width())

    def _composer_placeholder(self) -> ComposerPlace:
        if self._place is None:
            self._place = ComposerPlace(self.composer)
            self._place.wanted.connect(self.write_requested)
            self._column.addWidget(self._place)
        return self._place

    def put_bar(self, bar: QWidget) -> None:
        """Insert a bar above the transcript, below the header, the lineage and the lines of a deleted branch."""
        self._column.insertWidget(4, bar)

    def show_transcript(self) -> None:
        """Show the transcript in place of the empty state or the placeholder."""
        self._align_composer()
        self._show_page(self.view)

    def show_loading(self) -> None:
        """Show a placeholder, because the session takes a noticeable time to open."""
        if self._skeleton is None:
            self._skeleton = LoadingSkeleton(self._theme, self.tr("Opening…"))
            self._stack.addWidget(self._skeleton)
        self.header.set_title(self.tr("Opening…"))
        self._show_page(self._skeleton)

    @property
    def is_loading(self) -> bool:
        """Whether the placeholder is shown."""
        return self._skeleton is not None and self._stack.currentWidget() is self._skeleton

    @property
    def branch_text(self) -> str:
        """The displayed branch, such as `branch 1 of 5`."""
        words = self.tr("branch {0} of {1}").format(number(self._at), number(self._count))
        return words if self._count > 1 else ""


def _empty_label() -> QLabel:
    """Return the label of the empty state."""
    made = label("", "dim")
    made.setMargin(metrics.SPACE[7])
    made.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return made
