"""The import dialog: choose sources, watch the progress, read the report. It does not block the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.sources.report import ImportReport
from stemmata.domain.sources.session_files import Discovered
from stemmata.gui.importing.discovered_table import DiscoveredTable, FollowBox, ImportButton
from stemmata.gui.importing.report_text import headline, lines
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.announcer import announce
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.popup import dialog_size, fit, fitted_size
from stemmata.services.importing.importing import Progress

COLORS = {"heading": "text", "plain": "text", "dim": "dim", "warning": "warning"}
CHOOSE, PROGRESS, REPORT = range(3)  # the pages


class ReportView(QTextEdit):
    """The report as plain text with formats; file names and reasons are never interpreted as markup."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._report = ImportReport()
        self.setReadOnly(True)
        self.setProperty("framed", True)
        self.setTabChangesFocus(True)
        self.setAccessibleName(self.tr("Import report"))
        theme.changed.connect(self._render)

    def show_report(self, report: ImportReport) -> None:
        """Show a report."""
        self._report = report
        self._render()

    def _render(self) -> None:
        self.clear()
        cursor = QTextCursor(self.document())
        for at, (style, text) in enumerate(lines(self._report)):
            block, letters = self._formats(style)
            if at:
                cursor.insertBlock()
            cursor.setBlockFormat(block)
            cursor.insertText(text, letters)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _formats(self, style: str) -> tuple[QTextBlockFormat, QTextCharFormat]:
        block, letters = QTextBlockFormat(), QTextCharFormat()
        block.setTopMargin(metrics.SPACE[5] if style == "heading" else metrics.SPACE[1])
        letters.setFont(self._theme.font("ui_bold" if style == "heading" else "ui"))
        letters.setForeground(self._theme.color(COLORS[style]))
        return block, letters


class _TableArea(QScrollArea):
    """The table of the sources, which scrolls when the dialog has less room than it needs."""

    def __init__(self, table: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to the focused box
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._table = table
        self.setWidget(table)
        table.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return self._table.sizeHint()


class ImportDialog(QDialog):
    """A non-modal dialog with three pages: discovered sessions, progress, report."""

    import_requested = Signal(list)  # list[str], paths
    files_requested = Signal()
    folder_requested = Signal()
    cancel_requested = Signal()
    pause_requested = Signal(bool)  # False: go on
    follow_requested = Signal(str)  # the setting of followed folders, with those that were imported

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("importDialog")
        self.setWindowTitle(self.tr("Import sessions"))
        self.setModal(False)
        self._theme = theme
        self.table = DiscoveredTable(theme)
        self.area = _TableArea(self.table)
        self.files_button = push_button(self.tr("Choose files…"), self.files_requested.emit)
        self.import_button = ImportButton(self.table)
        self.import_button.import_requested.connect(self.import_requested)
        self.follow_box = FollowBox(self.table)
        self.cancel_button = push_button(self.tr("Cancel"), self.cancel_requested.emit)
        self.pause_button = push_button("", self._toggle_pause)
        self._heading = label("", "title")
        self._is_paused = False
        self.progress = label("", "dim")
        self._file = ElidedLabel("", "small")
        self.bar = QProgressBar()
        self.bar.setAccessibleName(self.tr("Import progress"))
        self.headline = label("", "title", wrap=True)
        self.report = ReportView(theme)
        self._wished = ""  # the argument of `follow_requested`
        self.follow_button = push_button("", self._on_follow)
        self.follow_button.hide()
        self.close_button = push_button(self.tr("Close"), self.close, look="primary")  # closes the report
        self._pages = QStackedWidget()
        self._all = (self._choose_page(), self._progress_page(), self._report_page())
        for page in self._all:
            self._pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.addWidget(self._pages)
        self._show_page(CHOOSE)

    def sizeHint(self) -> QSize:
        is_report = self._pages.currentIndex() == REPORT
        return dialog_size(self._theme, self) if is_report else fitted_size(self._theme, self)

    def _show_page(self, at: int) -> None:
        """Show a page, in a dialog that is as high as the page needs."""
        self._pages.setCurrentIndex(at)
        for index, page in enumerate(self._all):
            wanted = QSizePolicy.Policy.Preferred if index == at else QSizePolicy.Policy.Ignored
            page.setSizePolicy(wanted, wanted)
        for changed in (self.area, self._pages):
            changed.updateGeometry()  # Qt would tell the dialog later
        fit(self)

    def show_discovered(self, found: Sequence[Discovered]) -> None:
        """List the sources that were found on this machine.

        The focus goes to their button, unless the person has moved it by keys.
        """
        is_moved = self.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        is_first = self.focusWidget() in (None, self.files_button) and not is_moved
        self.table.show_discovered(found)
        self.import_button.setVisible(bool(found))
        if found and is_first:
            self.import_button.setFocus()
        if self._pages.currentIndex() == CHOOSE:
            self._show_page(CHOOSE)

    def choose(self) -> None:
        """Show the first page, unless an import is running."""
        if not self.is_importing:
            self._show_page(CHOOSE)
            self.import_button.setDefault(True)
            self.import_button.setFocus()

    def show_progress(self, progress: Progress) -> None:
        """Show how far an import is."""
        if not self.is_importing:
            self._show_page(PROGRESS)
        self.cancel_button.setEnabled(True)
        self.bar.setRange(0, progress.total)
        self.bar.setValue(progress.done)
        at = min(progress.done + 1, progress.total)
        done = self.tr("File {0} of {1}").format(number(at), number(progress.total))
        if progress.sessions:
            done += " · " + self.tr("%Ln sessions", None, progress.sessions)
        self.progress.setText(done)
        self._file.setText(PurePath(progress.path).name)

    def show_started(self) -> None:
        """Show that an import has started, while its files are being listed."""
        self._show_page(PROGRESS)
        self.cancel_button.setEnabled(True)
        self.show_paused(paused=False)
        self.bar.setRange(0, 0)
        self.progress.setText(self.tr("Listing files…"))
        self._file.setText("")
        announce(self, self.tr("Importing"))

    def show_paused(self, *, paused: bool) -> None:
        """Show whether the import waits, or will wait once the current file is completed."""
        self._is_paused = paused
        self.pause_button.setEnabled(True)
        self.pause_button.setText(self.tr("Continue") if paused else self.tr("Pause"))
        self._heading.setText(self.tr("Paused") if paused else self.tr("Importing"))

    def _toggle_pause(self) -> None:
        self.show_paused(paused=not self._is_paused)
        announce(self, self._heading.text())
        self.pause_requested.emit(self._is_paused)

    def show_cancelling(self) -> None:
        """Show that the import is being stopped."""
        self.cancel_button.setEnabled(False)
        self.pause_button.setEnabled(False)
        self.progress.setText(self.tr("Cancelling…"))

    def show_report(self, report: ImportReport) -> None:
        """Show the report of the finished import."""
        self._show_page(REPORT)
        self.close_button.setDefault(True)  # only works after the button was added to the dialog
        self.headline.setText(headline(report).replace(" · ", "\N{NO-BREAK SPACE}· "))  # a dot begins no line
        self.report.show_report(report)
        announce(self, self.headline.text())

    def offer_following(self, wished: str, count: int) -> None:
        """Offer to follow the imported folders; `wished` is the setting with them, "" for no offer."""
        self._wished = wished
        self.follow_button.setText(self.tr("Keep following %Ln folders", None, count))
        self.follow_button.setVisible(bool(wished))

    def _on_follow(self) -> None:
        self.follow_requested.emit(self._wished)
        self.follow_button.hide()

    @property
    def is_importing(self) -> bool:
        """Whether the page of the progress is shown."""
        return self._pages.currentIndex() == PROGRESS

    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide the dialog; a running import continues."""
        event.accept()

    # -- layout -----------------------------------------------------------------------------------------------

    def _choose_page(self) -> QWidget:
        page, column = _page()
        column.addWidget(label(self.tr("Found on this machine"), "title"))
        column.addWidget(label(self.tr("Sources are only read, never changed."), "dim"))
        column.addWidget(self.area)
        column.addSpacing(metrics.SPACE[5])
        column.addWidget(self.follow_box)
        others = (
            QHBoxLayout()
        )  # a separate row, because all buttons in one row are wider than the window with large text
        others.setSpacing(metrics.SPACE[4])
        others.addWidget(self.files_button)
        others.addWidget(push_button(self.tr("Choose a folder…"), self.folder_requested.emit))
        others.addStretch(1)
        column.addLayout(others)
        column.addStretch(1)
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        foot.addStretch(1)
        foot.addWidget(push_button(self.tr("Close"), self.close))
        foot.addWidget(self.import_button)
        column.addLayout(foot)
        return page

    def _progress_page(self) -> QWidget:
        page, column = _page()
        column.addStretch(1)
        column.addWidget(self._heading)
        column.addWidget(self.progress)
        column.addWidget(self.bar)
        column.addWidget(self._file)
        column.addStretch(2)
        foot = QHBoxLayout()
        text = self.tr("Each file is imported completely or not at all. You can keep working during the import.")
        foot.addWidget(label(text, "small", wrap=True), 1)
        foot.addWidget(self.pause_button)
        foot.addWidget(self.cancel_button)
        column.addLayout(foot)
        return page

    def _report_page(self) -> QWidget:
        page, column = _page()
        column.addWidget(self.headline)
        column.addWidget(self.report, 1)
        foot = QHBoxLayout()
        foot.addWidget(push_button(self.tr("Import more…"), lambda: self._show_page(CHOOSE)))
        foot.addWidget(self.follow_button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        column.addLayout(foot)
        return page


def _page() -> tuple[QWidget, QVBoxLayout]:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(metrics.SPACE[5])
    return page, column
