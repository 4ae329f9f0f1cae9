"""The GUI application: opens, restores and closes the windows, which share the services and the theme."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from PySide6.QtCore import (
    QCoreApplication,
    QMessageLogContext,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from stemmata import APPLICATION_ID
from stemmata.assets import resource
from stemmata.domain.errors import KnownError
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.core.freed_memory import FreedMemory
from stemmata.gui.core.gui_thread_gc import GuiThreadGc
from stemmata.gui.core.language import Language
from stemmata.gui.core.turns import SpareTurn, TurnClock
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import STYLE, Theme, scheme_of
from stemmata.gui.window.followed_folders import FollowedFolders
from stemmata.gui.window.workspace import WindowServices, Workspace

if TYPE_CHECKING:
    from concurrent.futures import Future

    from stemmata.domain.sessions.session import Session
    from stemmata.gui.compaction.controller import CompactionController
    from stemmata.gui.core.open_session import OpenSession
    from stemmata.gui.importing.controller import ImportController
    from stemmata.gui.sessions.session_list import SessionList
    from stemmata.gui.window.controllers import Controllers
    from stemmata.gui.window.main_window import MainWindow
    from stemmata.gui.window.single_instance import InstanceListener
    from stemmata.services.services import Services

LOOK_MS = 1000
log = logging.getLogger(__name__)


class WindowOptions(Protocol):
    """The settings of all windows, as read from the settings file."""

    @property
    def theme(self) -> str:
        """Colour scheme: "light", "dark" or "system"."""

    @property
    def font_scale(self) -> int:
        """Text size, in percent."""

    @property
    def language(self) -> str:
        """Language code, or "system"."""

    @property
    def font(self) -> str:
        """Family of the window's font, "" for the default font."""

    @property
    def code_font(self) -> str:
        """Family of the font of code, "" for the default font."""

    @property
    def tab_width(self) -> int:
        """Width of a tab in code, in spaces."""

    @property
    def wrap_code(self) -> bool:
        """Whether long lines of code wrap."""


class ExternalChanges(QObject):
    """Checks the archive for changes by other processes every LOOK_MS while `is_seen` returns True.

    A check starts only after the previous check has ended.
    """

    def __init__(self, services: Services, is_seen: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._is_seen = services, is_seen
        self._bridge = Bridge(self)
        self._asking = False
        self._timer = QTimer(self, interval=LOOK_MS, timerType=Qt.TimerType.CoarseTimer)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Check the archive for changes now, unless a check is under way or no window is visible."""
        if not self._asking and self._is_seen():
            self._asking = True
            self._bridge.when_done(self._services.watching.look(), self._on_answer, self._on_error)

    def close(self) -> None:
        """Stop checking for writes of other processes."""
        self._timer.stop()
        self._bridge.close()

    def _on_answer(self, _changed: object) -> None:
        self._asking = False

    def _on_error(self, error: Exception) -> None:
        """Log the error only: the next request to the archive shows it to the user."""
        self._asking = False
        log.info("The archive cannot be checked for changes: %s", error)


COUNT = "windows/count"  # setting: the number of open windows
MOST = 16  # windows restored from the last run


class GuiApplication(QObject):
    """Creates the first window, which stays hidden until `run` or `window.show()`.

    `newest` is `Sessions.newest(FIRST)`, begun early. `shortcuts` maps action ids to keys; `state` is the INI file of
    the windows' geometry; `demo` is the folder of the demo session; `problem` describes errors in the settings file,
    "" for none.
    """

    def __init__(
        self,
        core: WindowServices,
        newest: Future[list[Session]],
        *,
        window: WindowOptions,
        shortcuts: Mapping[str, str],
        state: Path,
        demo: Path,
        problem: str = "",
    ) -> None:
        self._qt = qt_application()
        super().__init__()
        self._language = Language(self._qt, resource("i18n"), window.language)
        self._core, self._state, self._demo = core, state, demo
        self.theme = Theme(scheme_of(window.theme), window.font_scale, self)
        self.theme.set_families(window.font, window.code_font)
        self.theme.set_code(tab_width=window.tab_width, wraps=window.wrap_code)
        self.theme.apply(self._qt)
        self.theme.start_turn = SpareTurn(self, TurnClock(self), self.theme.take_turn).start
        # in order of `place`; never empty, since the last one stays in the list when its window is closed
        self.workspaces: list[Workspace] = []
        self._closed = self._ending = False
        self._listener: InstanceListener | None = None
        self._external_changes: ExternalChanges | None = None
        self._following: FollowedFolders | None = None
        self._collector = GuiThreadGc(self)
        self.freed_memory = FreedMemory(self)
        self._latest = self._add(newest)
        self._latest.when_warm(self._collector.settle)
        self._qt.focusWindowChanged.connect(self._on_focus_window_changed)
        self._qt.commitDataRequest.connect(self._on_session_ending)
        self._use_keys(shortcuts, problem)

    def _use_keys(self, shortcuts: Mapping[str, str], problem: str) -> None:
        """Set the shortcuts from the settings, and show invalid shortcuts and `problem` in the banner."""
        problems = self.window.actions_table.set_keys(shortcuts) if shortcuts else []
        if problems:
            told = QCoreApplication.translate("Shortcuts", "Some shortcuts in the settings are ignored: {0}.")
            problem = f"{problem} {told.format('; '.join(problems))}".strip()
        if problem:
            self.window.banner.tell_error(KnownError(problem))

    def run(self, to_open: str = "", socket: str = "", on_listening: Callable[[], None] | None = None) -> int:
        """Show the windows, run the event loop until they are closed, and return the exit status.

        `to_open` is the session or file to open, "" for none. With `socket`, a program that is started later sends
        its requests to this one over the socket at that path, see `listen`.
        """
        previous = signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal ends the program
        self.restore(to_open)
        if socket:
            self.workspaces[0].when_warm(partial(self.listen, socket, on_listening))
        self.window.show()
        try:
            self.theme.takes_turns = True
            return self._qt.exec()
        finally:
            signal.signal(signal.SIGINT, previous)

    def restore(self, to_open: str = "") -> None:
        """Restore the windows of the last run after the first window is painted.

        The first window opens `to_open`, or without it the session that was open in it.
        """
        self.workspaces[0].when_warm(partial(self._restore, to_open))

    def _restore(self, to_open: str) -> None:
        first = self.workspaces[0]
        count = first.window.settings.value(COUNT)
        self.watch()
        self.follow()
        self._core.services.recover()
        if to_open:
            first.open(to_open)
        else:
            first.restore(otherwise="latest")
        for _ in range(1, min(int(count), MOST) if str(count).isdecimal() else 1):
            workspace = self._add()
            workspace.window.show()
            workspace.when_warm(workspace.restore)

    def listen(self, socket: str, on_listening: Callable[[], None] | None = None) -> None:
        """Handle the requests of other program starts that arrive at this socket path.

        `on_listening` is called when requests can arrive, and also when listening failed.
        """
        from stemmata.gui.window.single_instance import InstanceListener  # imported late, see decision 26

        self._listener = InstanceListener(socket, self)
        self._listener.asked.connect(self._on_asked)
        if on_listening is not None:
            on_listening()

    def watch(self) -> None:
        """Start to show changes that other processes write to the archive."""

        self._external_changes = self._external_changes or ExternalChanges(self._core.services, self._is_seen, self)

    def follow(self) -> None:
        """Start to import new entries from the followed folders, also from folders that are followed later."""
        if self._following is None:
            self._following = FollowedFolders(self._core.services, self, lambda: self.workspaces, lambda: self.active)
            for workspace in self.workspaces:
                if workspace.is_wired:
                    self._following.add_window(workspace.controllers)

    def _is_seen(self) -> bool:
        windows = [workspace.window for workspace in self.workspaces]
        return any(window.isVisible() and not window.isMinimized() for window in windows)

    def _on_asked(self, name: str) -> None:
        self.active.raise_()
        if name:
            self.open(name)

    # -- windows --------------------------------------------------------------------------------------------------

    def open_window(self, session: int | None = None) -> Workspace:
        """Open another window, offset from the active one; `session` is the key of the session to open in it.

        If windows change in turns, it is shown in the next turn of the event loop.
        """
        before = self.active
        workspace = self._add()
        window = workspace.window
        place = self._geometry_beside(before.window)
        window.resize(place.size())
        window.move(place.topLeft())
        if self.theme.takes_turns:
            QTimer.singleShot(0, window, window.show)  # to create it takes most of a turn
        else:
            window.show()
        workspace.when_warm(partial(workspace.begin, session))
        return workspace

    def _geometry_beside(self, before: MainWindow) -> QRect:
        """Return the geometry for a new window: the size of `before`, offset down and right, within the screen."""
        room, step = before.screen().availableGeometry(), self.theme.px(metrics.HEADER)
        frame = before.frameSize() - before.size()
        at = before.pos() + QPoint(step, step)
        left = QSize(room.x() + room.width() - at.x(), room.y() + room.height() - at.y()) - frame
        return QRect(at, before.size().boundedTo(left.expandedTo(before.minimumSize())))

    @property
    def active(self) -> Workspace:
        """The workspace whose window had the focus last; the first one when that window is closed."""
        return self._latest if self._latest in self.workspaces else self.workspaces[0]

    def _on_focus_window_changed(self) -> None:
        """Note the active workspace; a dialog counts as the window that it belongs to."""
        window = self._qt.activeWindow()
        while window is not None:
            for workspace in self.workspaces:
                if workspace.window is window:
                    self._latest = workspace
            window = window.parentWidget()

    def quit(self) -> None:
        """Save the state of all windows for the next start, and close them."""
        self.save()
        self._ending = True
        for workspace in self.workspaces:
            workspace.window.close()

    def save(self, *, goes_on: bool = False) -> None:
        """Save the geometry and the open sessions of all windows. `goes_on`: the windows stay open."""
        self.window.settings.setValue(COUNT, len(self.workspaces))
        for place, workspace in enumerate(self.workspaces):
            workspace.window.place = place
            workspace.save(goes_on=goes_on)

    def close(self) -> None:
        """Save the state of the windows, then close and delete them. May be called twice."""
        if self._closed:
            return
        self.save()
        self._closed = self._ending = True
        self._qt.focusWindowChanged.disconnect(self._on_focus_window_changed)
        self._qt.commitDataRequest.disconnect(self._on_session_ending)
        for part in (self._listener, self._external_changes, self._following, self._collector, self.freed_memory):
            if part is not None:
                part.close()
        for workspace in self.workspaces:
            workspace.close()
            workspace.remove()
        self._language.remove()
        self.deleteLater()

    def _add(self, newest: Future[list[Session]] | None = None) -> Workspace:
        place = len(self.workspaces)
        workspace = Workspace(self._core, self.theme, self._state, self._demo, self, place=place, newest=newest)
        workspace.wired.connect(self._on_wired)
        workspace.closing.connect(partial(self._on_closing, workspace))
        self.workspaces.append(workspace)
        return workspace

    def _on_wired(self, controllers: Controllers) -> None:
        if self._following is not None:
            self._following.add_window(controllers)
        controllers.opened.started.connect(self._collector.settle)
        controllers.opened.tree_read.connect(partial(self._on_tree_read, controllers.opened))
        controllers.compaction.offered.digest_computed.connect(self.freed_memory.texts_read)
        controllers.windows.window_wanted.connect(self.open_window)
        controllers.windows.quit_wanted.connect(self.quit)
        controllers.preferences.changed.connect(partial(self._on_preferences_changed, controllers))
        if len(self.workspaces) > 1:
            controllers.preferences.refresh()  # the first window got its shortcuts from `__init__`

    def _on_tree_read(self, opened: OpenSession) -> None:
        if opened.session_tree is not None:
            self.freed_memory.tree_read(len(opened.session_tree.tree))

    def _on_preferences_changed(self, by: Controllers) -> None:
        for workspace in self.workspaces:
            if workspace.is_wired and workspace.controllers is not by:
                workspace.controllers.preferences.refresh()

    def _on_closing(self, workspace: Workspace) -> None:
        """Forget a window that is closed while others are open; save the state when the last one is closed."""
        if self._ending:
            return
        if len(self.workspaces) == 1:
            self.save()
            return
        self.workspaces.remove(workspace)
        workspace.close()
        workspace.deleteLater()
        self._collector.collect_all_when_away()
        self.save(goes_on=True)

    def _on_session_ending(self) -> None:
        """Save all windows when the desktop session ends, before the system closes them one by one."""
        self.save()
        self._ending = True

    # -- the first window -----------------------------------------------------------------------------------------

    @property
    def window(self) -> MainWindow:
        """The first window."""
        return self.workspaces[0].window

    @property
    def bridge(self) -> Bridge:
        """The bridge of the first window."""
        return self.workspaces[0].bridge

    @property
    def sessions(self) -> SessionList:
        """The session list of the first window."""
        return self.workspaces[0].sessions

    @property
    def controllers(self) -> Controllers:
        """The controllers of the first window."""
        return self.workspaces[0].controllers

    @property
    def opened(self) -> OpenSession:
        """The open session of the first window."""
        return self.workspaces[0].opened

    @property
    def importing(self) -> ImportController:
        """The import controller of the first window."""
        return self.controllers.importing

    @property
    def compaction(self) -> CompactionController:
        """The compaction controller of the first window."""
        return self.controllers.compaction

    @property
    def is_warm(self) -> bool:
        """Whether the first window has loaded everything that it preloads."""
        return self.workspaces[0].is_warm

    def open(self, name: str) -> None:
        """Open a session in the active window, by id, unique prefix, `latest` or link; a file is imported first."""
        self.active.open(name)

    def open_session(self, key: int, entry: int | None = None) -> None:
        """Open the session with this key in the first window, at its leaf or at the entry with this key."""
        self.workspaces[0].open_session(key, entry)


def qt_application(give_up: Callable[[Sequence[str]], NoReturn] | None = None) -> QApplication:
    """Return the running Qt application, or a new one.

    Without a display, or with a library missing, Qt logs messages and ends the process. `give_up` is called before
    that with these messages.
    """
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    made = _new_application() if give_up is None else _application_or_give_up(give_up)
    made.setApplicationName("Stemmata")
    made.setDesktopFileName(APPLICATION_ID)
    return made


def _new_application() -> QApplication:
    return QApplication([*sys.argv[:1], *STYLE])


def _application_or_give_up(give_up: Callable[[Sequence[str]], NoReturn]) -> QApplication:
    said: list[str] = []

    def hear(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        said.append(message)
        if kind is QtMsgType.QtFatalMsg:
            give_up(said)

    before = qInstallMessageHandler(hear)
    try:
        return _new_application()
    finally:
        qInstallMessageHandler(before)
        for message in said:
            logging.getLogger("qt").info(message)
