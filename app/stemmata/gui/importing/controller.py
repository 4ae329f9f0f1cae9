"""Import sessions from the dialog, the welcome page or dropped files, with progress, cancellation and a report."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.report import ImportReport
from stemmata.domain.sources.session_files import Discovered
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.importing.discovered_table import setting_with
from stemmata.gui.importing.import_dialog import ImportDialog
from stemmata.gui.importing.report_text import headline
from stemmata.gui.importing.welcome import WelcomeView
from stemmata.gui.widgets.figures import number
from stemmata.gui.widgets.status import StatusLine
from stemmata.services.importing.importing import Progress
from stemmata.services.importing.pausing import PauseSwitch
from stemmata.services.settings.preferences import FOLLOWED


class ImportController(QObject):
    """Run imports one after the other and show their progress and report."""

    session_wanted = Signal(int)  # store key of an imported session to open
    failed = Signal(object)  # Exception
    finished = Signal()  # an import ended with a report

    def __init__(
        self, shared: WindowContext, dialog: ImportDialog, welcome: WelcomeView, status: StatusLine, demo: Path
    ) -> None:
        super().__init__(dialog)
        self._services, self._bridge, self._toast, self._demo = shared.services, shared.bridge, shared.toast, demo
        self._dialog, self._welcome, self._status, self._opened = dialog, welcome, status, shared.opened
        self._stop, self._pause = threading.Event(), PauseSwitch()
        self._running = False
        self._waiting: list[Path] = []
        self._opens = False
        self._show_imported: Callable[[int], None] = self.session_wanted.emit  # opens a session or offers to
        self._discovery = LatestOnly()
        # followed folders to set after the import, so that the files are read only once
        self._pending_folders: str | None = None
        self._connect()

    def discover(self) -> None:
        """Find the sessions of other tools on this machine, for the welcome page and the dialog."""
        self._bridge.when_done(self._services.importing.discover(), self._on_discovered, run=self._discovery)

    def show_dialog(self) -> None:
        """Open the import dialog with the page of discovered sessions."""
        self._dialog.choose()
        self._dialog.follow_box.show_followed(self._services.followed)
        self.discover()
        self._show()

    def import_paths(self, paths: Sequence[str], *, opens: bool = True) -> None:
        """Import files and folders, after a running import if necessary.

        With `opens`, the imported session is opened if there is only one.
        """
        if not paths:
            return
        if self._running:
            self._waiting += map(Path, paths)
            return
        self._running, self._opens = True, opens
        self._show_imported = self._opened.unless_selection_changed(self.session_wanted.emit, self._offer)
        self._stop, self._pause = threading.Event(), PauseSwitch()
        self._dialog.show_started()
        self._status.work.begin(self.tr("Importing…"), self.cancel)
        files = [Path(path).absolute() for path in paths]
        future = self._services.importing.import_paths(
            files,
            progress=self._bridge.latest(self._on_progress),
            cancelled=self._stop.is_set,
            pause=self._pause,
        )
        self._bridge.when_done(future, lambda report: self._on_finished(report, files), self._on_failed)

    def open_demo(self) -> None:
        """Import the shipped demo session and open it."""
        files = sorted(path for path in self._demo.rglob("*.jsonl") if path.is_file()) if self._demo.exists() else []
        if files:
            self.import_paths([str(path) for path in files])
        else:
            self.failed.emit(KnownError(self.tr("The demo session is missing from this installation.")))

    def choose_files(self) -> None:
        """Open the system's dialog for choosing files."""
        dialog = self._file_dialog(QFileDialog.FileMode.ExistingFiles, self.tr("Import files"))
        dialog.open()

    def choose_folder(self) -> None:
        """Open the system's dialog for choosing a folder."""
        dialog = self._file_dialog(QFileDialog.FileMode.Directory, self.tr("Import a folder"))
        dialog.open()

    def cancel(self) -> None:
        """Stop the import after the current file. Imported sessions are kept."""
        self._waiting.clear()
        self._pending_folders = None
        self.close()
        self._dialog.show_cancelling()

    def close(self) -> None:
        """Cancel the running import."""
        self._stop.set()
        self._pause.resume()

    def pause(self, paused: bool) -> None:  # noqa: FBT001 - a slot
        """Pause the running import after its current file, or continue it."""
        if paused:
            self._pause.pause()
        else:
            self._pause.resume()

    # -- inside -----------------------------------------------------------------------------------------------

    def _on_progress(self, progress: Progress) -> None:
        if self._running and progress.total and not self._stop.is_set():
            self._dialog.show_progress(progress)
            at = min(progress.done + 1, progress.total)
            text = self.tr("Importing file {0} of {1}").format(number(at), number(progress.total))
            self._status.work.show_progress(text, progress.done, progress.total)

    def _on_discovered(self, found: list[Discovered]) -> None:
        self._welcome.show_discovered(found)
        self._dialog.show_discovered(found)

    def _on_finished(self, report: ImportReport, files: Sequence[Path]) -> None:
        self._end()
        self._dialog.show_report(report)
        self._offer_following([str(path) for path in files if path.is_dir()])
        fully = report.complete and not any(session.repaired for session in report.sessions)
        if self._dialog.isVisible() or fully:
            self._tell(report)
        else:
            self._show()
        if self._opens:
            self._open(report, files)
        self.finished.emit()
        self._next()

    def _open(self, report: ImportReport, files: Sequence[Path]) -> None:
        """Open a single imported or unchanged session; of several, the newest, unless a session is open."""
        if report.unchanged == len(files) == 1:
            opens = self._show_imported
            listed = self._services.sessions.all()
            self._bridge.when_done(listed, lambda listed: self._open_known(listed, files[0], opens))
        elif len(report.sessions) == 1:
            self._show_imported(report.sessions[0].key)
        elif report.sessions and self._opened.key is None:
            latest = self._services.sessions.find("latest")
            opens = self._show_imported
            self._bridge.when_done(latest, lambda session: opens(session.key))

    def _open_known(self, sessions: Sequence[Session], file: Path, opens: Callable[[int], None]) -> None:
        known = next((session for session in sessions if session.path == str(file)), None)
        if known is not None:
            opens(known.key)

    def _offer(self, session: int) -> None:
        """Offer an imported session to a person who has opened another one, or chosen an entry, meanwhile."""
        if not self._dialog.isVisible():
            text = self.tr("The imported session is in the list.")
            self._toast.tell(text, self.tr("Show"), lambda: self.session_wanted.emit(session))

    def _tell(self, report: ImportReport) -> None:
        if not self._dialog.isVisible():
            self._toast.tell(headline(report), self.tr("Report"), self._show)

    def _on_failed(self, error: Exception) -> None:
        self._end()
        self._dialog.choose()
        self.failed.emit(error)
        self._next()

    def _end(self) -> None:
        self._running = False
        self._follow()
        self._status.work.end()

    def _next(self) -> None:
        waiting, self._waiting = self._waiting, []
        self.import_paths([str(path) for path in waiting])

    def _show(self) -> None:
        self._dialog.show()
        self._dialog.raise_()

    def _file_dialog(self, mode: QFileDialog.FileMode, title: str) -> QFileDialog:
        dialog = QFileDialog(self._dialog.parentWidget(), title, str(Path.home()))
        dialog.setFileMode(mode)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._on_files_selected)
        return dialog

    def _on_files_selected(self, paths: list[str]) -> None:
        self._show()
        self.import_paths(paths)

    def _connect(self) -> None:
        self._welcome.import_requested.connect(self._on_welcome_import)
        self._welcome.choose_requested.connect(self.choose_files)
        self._welcome.demo_requested.connect(self.open_demo)
        self._dialog.import_requested.connect(self._on_dialog_import)
        self._dialog.files_requested.connect(self.choose_files)
        self._dialog.folder_requested.connect(self.choose_folder)
        self._dialog.cancel_requested.connect(self.cancel)
        self._dialog.pause_requested.connect(self.pause)
        self._dialog.follow_requested.connect(self._on_follow_requested)

    def _follow(self) -> None:
        """Store the pending folders in the settings, which starts following them."""
        wished, self._pending_folders = self._pending_folders, None
        if wished is not None:
            changed = self._services.preferences.change(FOLLOWED, wished)
            self._bridge.when_done(changed, lambda _preferred: None, self.failed.emit)

    def _offer_following(self, folders: list[str]) -> None:
        """Offer to follow the imported folders: an import alone follows none."""
        wished = setting_with(self._services.followed, folders, on=True) if folders else None
        self._dialog.offer_following(wished or "", len(folders))

    def _on_follow_requested(self, wished: str) -> None:
        self._pending_folders = wished
        self._follow()

    def _on_dialog_import(self, paths: list[str]) -> None:
        self._pending_folders = self._dialog.follow_box.setting(self._services.followed)
        self.import_paths(paths)

    def _on_welcome_import(self, paths: list[str]) -> None:
        self._pending_folders = self._welcome.follow_box.setting(self._services.followed)
        self._dialog.follow_box.setChecked(self._welcome.follow_box.isChecked())
        self._show()
        self.import_paths(paths)
