"""The windows before the main window: the upgrade of the archive, and the dialog when it cannot be opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QDateTime, QEventLoop, QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from stemmata.assets import resource
from stemmata.domain.errors import KnownError
from stemmata.gui.core.language import Language
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme, scheme_of
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.figures import size_text
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.surface import set_surface
from stemmata.gui.window.application import WindowOptions, qt_application

Share = Callable[[], float | None]
LOOK_MS = 100  # between two looks at the progress of the upgrade


class ArchiveErrorChoice(Enum):
    """The button with which the user closed the dialog."""

    QUIT = "quit"
    AGAIN = "again"
    OTHER = "other"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class ArchiveErrorAnswer:
    """The user's choice; `path` is the other archive to open, or the backup to restore."""

    way: ArchiveErrorChoice
    path: Path | None = None


class ArchiveErrorDialog(QDialog):
    """Shows why the archive cannot be opened. `choice` holds the user's choice; the dialog itself changes nothing."""

    def __init__(self, theme: Theme, error: KnownError, archive: Path, backups: Sequence[Path]) -> None:
        super().__init__()
        self.setObjectName("troubleDialog")
        self.setWindowTitle(self.tr("Stemmata"))
        set_surface(self, "bg")
        self._theme, self._archive = theme, archive
        self._backup = backups[0] if backups else None
        self.choice = ArchiveErrorAnswer(ArchiveErrorChoice.QUIT)
        self.again = push_button(
            self.tr("Try again"), lambda: self._end(ArchiveErrorAnswer(ArchiveErrorChoice.AGAIN)), look="primary"
        )
        self.restore = push_button(
            self.tr("Restore the backup"),
            lambda: self._end(ArchiveErrorAnswer(ArchiveErrorChoice.RESTORE, self._backup)),
        )
        self.other = push_button(self.tr("Open another archive…"), self._choose)
        self.quit = push_button(self.tr("Quit"), self.reject)
        self.restore.setVisible(self._backup is not None)
        self._lay_out(translate_phrase(str(error)))

    def _lay_out(self, text: str) -> None:
        icon = QLabel()
        icon.setPixmap(self._theme.pixmap("warning", "bad", size=metrics.CONTROL, ratio=self.devicePixelRatioF()))
        words = QVBoxLayout()
        words.setSpacing(metrics.SPACE[6])
        words.addWidget(label(self.tr("The archive cannot be opened"), "heading"))
        told = label(text, wrap=True)
        told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.addWidget(told)
        if self._backup is not None:
            words.addWidget(label(self._backup_text(self._backup), "dim", wrap=True))
        words.addStretch(1)
        buttons = QHBoxLayout()
        buttons.setSpacing(metrics.SPACE[4])
        for button in (self.again, self.restore, self.other):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.quit)
        words.addLayout(buttons)
        row = QHBoxLayout(self)
        row.setContentsMargins(*[metrics.SPACE[8]] * 4)
        row.setSpacing(metrics.SPACE[7])
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.setAccessibleDescription(text)

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(QSize(self._theme.px(metrics.DIALOG[0]), 0))

    def _backup_text(self, backup: Path) -> str:
        facts = backup.stat()
        time = QDateTime.fromSecsSinceEpoch(int(facts.st_mtime))
        when = QLocale().toString(time, QLocale.FormatType.ShortFormat)
        text = self.tr(
            "A backup from {0} exists ({1}). Restoring it moves the current archive aside and deletes nothing."
        )
        return text.format(when, size_text(facts.st_size))

    def _restore(self) -> None:
        self._end(ArchiveErrorAnswer(ArchiveErrorChoice.RESTORE, self._backup))

    def _choose(self) -> None:
        dialog = QFileDialog(self, self.tr("Open another archive"), str(self._archive.parent))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self._end(ArchiveErrorAnswer(ArchiveErrorChoice.OTHER, Path(path))))
        dialog.open()

    def _end(self, choice: ArchiveErrorAnswer) -> None:
        self.choice = choice
        self.accept()


def wait_for(opened: Future[None], window: WindowOptions, share: Share = lambda: None) -> None:
    """Show the upgrade window until `opened` is done or has failed.

    `share` returns the finished part of the present step, from 0 to 1; None while it is unknown.
    """
    qt = qt_application()
    language = Language(qt, resource("i18n"), window.language)
    theme = Theme(scheme_of(window.theme), window.font_scale)
    theme.apply(qt)
    waiting = UpgradeWindow(theme, opened, share)
    try:
        waiting.show()
        waiting.loop.exec()
    finally:
        waiting.hide()
        waiting.deleteLater()
        theme.deleteLater()
        language.remove()


class UpgradeWindow(QWidget):
    """Shows the progress of an upgrade of the archive. It cannot be closed; `loop` ends with `opened`."""

    _done = Signal()  # emitted on the thread that opens the archive

    def __init__(self, theme: Theme, opened: Future[None], share: Share) -> None:
        super().__init__()
        self._share = share
        self.setObjectName("upgradeWindow")
        self.setWindowTitle(self.tr("Stemmata"))
        self.setFixedWidth(theme.px(metrics.PALETTE))
        set_surface(self, "bg")
        self.loop = QEventLoop(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.setSpacing(metrics.SPACE[6])
        column.addWidget(label(self.tr("Upgrading the archive"), "heading"))
        about = self.tr(
            "An earlier version of Stemmata wrote the archive. The upgrade runs once, and a copy of "
            "the old archive is kept."
        )
        column.addWidget(label(about, wrap=True))
        self._bar = bar = QProgressBar()
        bar.setRange(0, 0)  # the duration is unknown until a step tells its progress
        bar.setTextVisible(False)
        bar.setAccessibleName(self.tr("Upgrading the archive…"))
        column.addWidget(bar)
        looking = QTimer(self, interval=LOOK_MS)
        looking.timeout.connect(self._show_progress)
        looking.start()
        self._done.connect(self.loop.quit, Qt.ConnectionType.QueuedConnection)
        opened.add_done_callback(lambda _future: self._done.emit())

    def _show_progress(self) -> None:
        """Show the progress."""
        share = self._share()
        self._bar.setRange(0, 0 if share is None else 100)
        self._bar.setTextVisible(share is not None)
        if share is not None:
            self._bar.setValue(round(100 * share))

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()


def ask_way_out(
    window: WindowOptions, error: KnownError, archive: Path, backups: Sequence[Path]
) -> ArchiveErrorAnswer:
    """Show the error in a dialog and return the user's choice."""
    qt = qt_application()
    language = Language(qt, resource("i18n"), window.language)
    theme = Theme(scheme_of(window.theme), window.font_scale)
    theme.apply(qt)
    dialog = ArchiveErrorDialog(theme, error, archive, backups)
    try:
        dialog.exec()
        return dialog.choice
    finally:
        dialog.deleteLater()
        theme.deleteLater()
        language.remove()
