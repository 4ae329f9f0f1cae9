"""The window with everything that happens in it, over the services."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions import Session
from stemmata.gui.bridge import Bridge
from stemmata.gui.dialogs.summary_dialog import SummaryDialog
from stemmata.gui.theme.theme import Scheme, Theme
from stemmata.gui.windows.background import Background
from stemmata.gui.windows.branches_controller import BranchesController
from stemmata.gui.windows.compaction_controller import CompactionController
from stemmata.gui.windows.compare_controller import CompareController
from stemmata.gui.windows.context_controller import ContextController
from stemmata.gui.windows.desk import Desk
from stemmata.gui.windows.export_controller import ExportController
from stemmata.gui.windows.import_controller import ImportController
from stemmata.gui.windows.leaf_controller import LeafController
from stemmata.gui.windows.main_window import MainWindow
from stemmata.gui.windows.open_session import OpenSession
from stemmata.gui.windows.search_controller import SearchController
from stemmata.gui.windows.session_controller import SessionController
from stemmata.gui.windows.session_list_controller import SessionListController
from stemmata.gui.windows.time_controller import TimeController
from stemmata.gui.windows.view_controller import ViewController
from stemmata.services.services import Services


class GuiApplication(QObject):
    """Builds the window and its controllers; shows nothing until `run` or `window.show()`.

    `state` is the INI file for the window's geometry, `demo` the folder of the demo session, `problem` what was
    wrong with the settings file.
    """

    def __init__(
        self, services: Services, *, theme: str, font_scale: int, state: Path, demo: Path, problem: str = ""
    ) -> None:  # fmt: skip
        self._qt = _qt_application()
        super().__init__()
        self._services = services
        self.bridge = Bridge(self)
        self.theme = Theme(_scheme(theme), font_scale, self)
        self.theme.apply(self._qt)
        self._background = Background(services, self.bridge, self)
        self.window = MainWindow(self.theme, services, state, self._background.compute)
        self.opened = OpenSession(services, self.bridge, self.window)
        self._build(demo)
        self._connect()
        self._closed = False
        self.bridge.subscribe(services.notices.subscribe)
        self.sessions.read()
        if problem:
            self.window.banner.tell_error(KnownError(problem))

    def run(self, to_open: str = "") -> int:
        """Show the window until it is closed. `to_open` is a session's name or a file. Exit status."""
        previous = signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal ends the program
        self.window.show()
        if to_open:
            self.open(to_open)
        else:
            latest = self._services.sessions.find("latest")
            self.bridge.when_done(latest, lambda found: self.open_session(found.key), lambda _none: None)
        try:
            return self._qt.exec()
        finally:
            signal.signal(signal.SIGINT, previous)

    def open(self, name: str) -> None:
        """Open a session by id, unique prefix or `latest`; a file is imported first."""
        if Path(name).exists():
            self.importing.import_paths([name])
        else:
            self.bridge.when_done(self._services.sessions.find(name), lambda found: self.open_session(found.key))

    def open_session(self, key: int, entry: int | None = None) -> None:
        """Open a session in the window, at its leaf or at an entry."""
        self.window.show_welcome(on=False)
        self.window.sessions.select(key)
        if key == self.opened.key and entry is not None and self.opened.skeleton is not None:
            self.opened.look(entry)
        else:
            self.opened.open(key, entry)

    def close(self) -> None:
        """Close the window for good. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self.importing.close()
        self.bridge.close()
        self.opened.close()
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(self.window, QEvent.Type.DeferredDelete)  # before the archive closes

    # -- wiring ---------------------------------------------------------------------------------------------------

    def _build(self, demo: Path) -> None:
        window = self.window
        desk = Desk(self._services, self.bridge, window.actions_table, self.opened, window.toast, self._background)
        column = window.transcript
        self.sessions = SessionListController(desk, window.sessions, window.sessions_model, window.rename_popup)
        self.session = SessionController(desk, column)
        self.leaf = LeafController(desk, column.composer, window.label_popup)
        self.branches = BranchesController(desk, window.branches, self.leaf)
        self.compare = CompareController(desk, window, self.leaf)
        self.context = ContextController(desk, window.context, column.composer, window.status)
        self.time = TimeController(desk, window.context.over_time, self.context, column.view)
        self.compaction = CompactionController(desk, self.leaf, window.context, window.workbench, column.view)
        self.importing = ImportController(desk, window.import_dialog, window.welcome, demo)
        self.search = SearchController(desk, window.palette_box, self._sessions)
        self.exporting = ExportController(desk, window)
        self.looks = ViewController(self.theme, desk.actions, window)

    def _connect(self) -> None:
        window, view = self.window, self.window.transcript.view
        self.bridge.failed.connect(window.banner.tell_error)
        self.importing.failed.connect(window.banner.tell_error)
        self.importing.session_wanted.connect(self.open_session)
        self.leaf.session_wanted.connect(self.open_session)
        self.sessions.listed.connect(self._on_listed)
        window.sessions.session_chosen.connect(self.open_session)
        window.files_dropped.connect(self.importing.import_paths)
        window.transcript.find_requested.connect(window.palette_box.open)
        window.actions_table.on("find-in-session", window.palette_box.open)
        self.search.session_chosen.connect(self.open_session)
        self.search.entry_chosen.connect(self.open_session)
        self.compaction.mode_changed.connect(self._on_mode_changed)
        self.branches.compact_requested.connect(self.compaction.open)
        self.branches.copy_requested.connect(self.exporting.copy)
        self.branches.context_requested.connect(self._on_context_requested)
        view.fork_requested.connect(self.leaf.fork)
        view.edit_requested.connect(self.leaf.continue_from)
        view.pin_requested.connect(self.leaf.pin)
        view.compaction_undo_requested.connect(self.leaf.undo_compaction)
        view.compaction_edit_requested.connect(self._on_compaction_edit_requested)

    def _sessions(self) -> Mapping[int, Session]:
        return self.sessions.sessions

    def _on_listed(self, sessions: Sequence[Session]) -> None:
        """An empty archive shows what could be imported; a session that is gone is closed."""
        empty = not sessions
        if empty and not self.window.shows_welcome:
            self.importing.discover()
        self.window.show_welcome(on=empty)
        if self.opened.key is not None and self.opened.key not in self.sessions.sessions:
            self.opened.close()
        self.bridge.when_done(self._services.sessions.totals(), self.window.status.show_archive)

    def _on_mode_changed(self, on: bool) -> None:  # noqa: FBT001 - the signal's own shape
        self.window.columns.set_workbench(on=on)
        self.window.transcript.set_workbench(on=on)

    def _on_context_requested(self, key: int) -> None:
        self.opened.look(key)
        self.context.show(here=True)

    def _on_compaction_edit_requested(self, key: int) -> None:
        self.bridge.when_done(
            self._services.entries.bodies([key]), lambda bodies: self._edit_summary(key, bodies[key].blocks)
        )

    def _edit_summary(self, key: int, blocks: object) -> None:
        from stemmata.domain.blocks import plain_text

        dialog = SummaryDialog(self.theme, self.window, plain_text(blocks))  # type: ignore[arg-type] # blocks of a body
        dialog.saved.connect(lambda text: self.compaction.edit(key, text))
        dialog.show()


def _scheme(name: str) -> Scheme:
    match name:
        case "light" | "dark" | "high-contrast":
            return name
    return "system"


def _qt_application() -> QApplication:
    """The running application, or a new one."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    made = QApplication(sys.argv[:1])
    made.setApplicationName("Stemmata")
    made.setDesktopFileName("stemmata")
    return made
