"""The windows over the services: the first one, those opened later, and what they share."""

from __future__ import annotations

import logging
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

from stemmata.assets import resource
from stemmata.domain.errors import KnownError
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.core.gui_thread_gc import GuiThreadGc
from stemmata.gui.core.language import Language
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import STYLE, Theme, scheme_of
from stemmata.gui.window.workspace import Workspace
from stemmata.services.services import Services

if TYPE_CHECKING:
    from stemmata.gui.compaction.controller import CompactionController
    from stemmata.gui.core.open_session import OpenSession
    from stemmata.gui.importing.controller import ImportController
    from stemmata.gui.sessions.session_list import SessionList
    from stemmata.gui.window.controllers import Controllers
    from stemmata.gui.window.followed_folders import FollowedFolders
    from stemmata.gui.window.main_window import MainWindow
    from stemmata.gui.window.single_instance import InstanceListener
    from stemmata.services.services import Services

LOOK_MS = 1000
log = logging.getLogger(__name__)


class WindowOptions(Protocol):
    """As the settings file has them."""

    @property
    def theme(self) -> str: ...
    @property
    def font_scale(self) -> int: ...
    @property
    def language(self) -> str: ...


class ExternalChanges(QObject):
    """Asks every LOOK_MS while `is_seen` says that a window is, and one question at a time."""

    def __init__(self, services: Services, is_seen: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._is_seen = services, is_seen
        self._bridge = Bridge(self)
        self._asking = False
        self._timer = QTimer(self, interval=LOOK_MS, timerType=Qt.TimerType.CoarseTimer)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        if not self._asking and self._is_seen():
            self._asking = True
            self._bridge.when_done(self._services.watching.look(), self._on_answer, self._on_error)

    def close(self) -> None:
        self._timer.stop()
        self._bridge.close()

    def _on_answer(self, _changed: object) -> None:
        self._asking = False

    def _on_error(self, error: Exception) -> None:
        """What ails the archive is told by whoever wants something of it."""
        self._asking = False
        log.info("The archive cannot be looked at: %s", error)


COUNT = "windows/count"  # how many stood open
MOST = 16  # windows taken up again from the last run


class GuiApplication(QObject):
    """Builds the first window; shows nothing until `run` or `window.show()`.

    `shortcuts` are keys by action id, `state` is the INI file for the windows' geometry, `demo` the folder of the
    demo session, `problem` what was wrong with the settings file.
    """

    def __init__(
        self,
        services: Services,
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
        self._services, self._state, self._demo = services, state, demo
        self.theme = Theme(scheme_of(window.theme), window.font_scale, self)
        self.theme.apply(self._qt)
        self.workspaces: list[Workspace] = []  # in order of place; the last one stays when it is closed
        self._closed = self._ending = False
        self._listener: InstanceListener | None = None
        self._elsewhere: ExternalChanges | None = None
        self._following: FollowedFolders | None = None
        self._collector = GuiThreadGc(self)
        self._latest = self._add()
        self._latest.when_warm(self._collector.settle)
        self._qt.focusWindowChanged.connect(self._on_focus_window_changed)
        self._qt.commitDataRequest.connect(self._on_session_ending)
        self._use_keys(shortcuts, problem)

    def _use_keys(self, shortcuts: Mapping[str, str], problem: str) -> None:
        """Give actions the keys of the settings, and tell what is wrong with those and with the settings."""
        problems = self.window.actions_table.set_keys(shortcuts) if shortcuts else []
        if problems:
            told = QCoreApplication.translate("Shortcuts", "Some shortcuts in the settings are ignored: {0}.")
            problem = f"{problem} {told.format('; '.join(problems))}".strip()
        if problem:
            self.window.banner.tell_error(KnownError(problem))

    def run(self, to_open: str = "", socket: str = "") -> int:
        """Show the windows until they are closed. `to_open` is a session's name or a file. Exit status.

        Whoever starts the program again meanwhile is heard through `socket`, see `running`.
        """
        import signal

        previous = signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal ends the program
        self.restore(to_open)
        if socket:
            self.workspaces[0].when_warm(partial(self.listen, socket))
        self.window.show()
        try:
            return self._qt.exec()
        finally:
            signal.signal(signal.SIGINT, previous)

    def restore(self, to_open: str = "") -> None:
        """Once the first window is painted: open what is named, else what stood open; then the other windows."""
        self.workspaces[0].when_warm(partial(self._restore, to_open))

    def _restore(self, to_open: str) -> None:
        first = self.workspaces[0]
        count = first.window.settings.value(COUNT)
        self.watch()
        self.follow()
        self._services.recover()
        if to_open:
            first.open(to_open)
        else:
            first.restore(otherwise="latest")
        for _ in range(1, min(int(count), MOST) if str(count).isdecimal() else 1):
            workspace = self._add()
            workspace.window.show()
            workspace.when_warm(workspace.restore)

    def listen(self, socket: str) -> None:
        """Do from now on what is asked through this socket."""
        from stemmata.gui.window.single_instance import InstanceListener

        self._listener = InstanceListener(socket, self)
        self._listener.asked.connect(self._on_asked)

    def watch(self) -> None:
        """Show from now on what other processes write to the archive."""

        self._elsewhere = self._elsewhere or ExternalChanges(self._services, self._is_seen, self)

    def follow(self) -> None:
        """Import from now on what grows in the followed folders, now and whenever others are followed."""
        from stemmata.gui.window.followed_folders import FollowedFolders

        if self._following is None:
            self._following = FollowedFolders(self._services, self, lambda: self.workspaces, lambda: self.active)
            for workspace in self.workspaces:
                if workspace.is_wired:
                    self._following.take_in(workspace.controllers)

    def _is_seen(self) -> bool:
        windows = [workspace.window for workspace in self.workspaces]
        return any(window.isVisible() and not window.isMinimized() for window in windows)

    def _on_asked(self, name: str) -> None:
        self.active.raise_()
        if name:
            self.open(name)

    # -- windows --------------------------------------------------------------------------------------------------

    def open_window(self, session: int | None = None) -> Workspace:
        """Another window, with a session or with none; it stands a little off the one it was asked in."""
        before = self.active
        workspace = self._add()
        window = workspace.window
        place = self._beside(before.window)
        window.resize(place.size())
        window.move(place.topLeft())
        window.show()
        if session is not None:
            workspace.when_warm(partial(workspace.open_session, session))
        return workspace

    def _beside(self, before: MainWindow) -> QRect:
        """As large as that window and a little off it, down and to the right; smaller where the screen ends."""
        room, step = before.screen().availableGeometry(), self.theme.px(metrics.HEADER)
        frame = before.frameSize() - before.size()
        at = before.pos() + QPoint(step, step)
        left = QSize(room.x() + room.width() - at.x(), room.y() + room.height() - at.y()) - frame
        return QRect(at, before.size().boundedTo(left.expandedTo(before.minimumSize())))

    @property
    def active(self) -> Workspace:
        """The workspace in whose window somebody works, or did last; else the first."""
        return self._latest if self._latest in self.workspaces else self.workspaces[0]

    def _on_focus_window_changed(self) -> None:
        """A dialog belongs to the window that it stands over."""
        window = self._qt.activeWindow()
        while window is not None:
            for workspace in self.workspaces:
                if workspace.window is window:
                    self._latest = workspace
            window = window.parentWidget()

    def quit(self) -> None:
        """Close all windows, to find them again at the next start."""
        self.save()
        self._ending = True
        for workspace in self.workspaces:
            workspace.window.close()

    def save(self, *, goes_on: bool = False) -> None:
        """Store how all windows stand. `goes_on`: they stay open."""
        self.window.settings.setValue(COUNT, len(self.workspaces))
        for place, workspace in enumerate(self.workspaces):
            workspace.window.place = place
            workspace.save(goes_on=goes_on)

    def close(self) -> None:
        """Close the windows for good. May be called twice."""
        if self._closed:
            return
        self.save()
        self._closed = self._ending = True
        self._qt.focusWindowChanged.disconnect(self._on_focus_window_changed)
        self._qt.commitDataRequest.disconnect(self._on_session_ending)
        for part in (self._listener, self._elsewhere, self._following, self._collector):
            if part is not None:
                part.close()
        for workspace in self.workspaces:
            workspace.close()
            workspace.remove()
        self._language.remove()

    def _add(self) -> Workspace:
        place = len(self.workspaces)
        workspace = Workspace(self._services, self.theme, self._state, self._demo, self, place=place)
        workspace.wired.connect(self._on_wired)
        workspace.closing.connect(partial(self._on_closing, workspace))
        self.workspaces.append(workspace)
        return workspace

    def _on_wired(self, controllers: Controllers) -> None:
        if self._following is not None:
            self._following.take_in(controllers)
        controllers.windows.window_wanted.connect(self.open_window)
        controllers.windows.quit_wanted.connect(self.quit)
        controllers.preferences.changed.connect(partial(self._on_preferences_changed, controllers))
        if len(self.workspaces) > 1:
            controllers.preferences.refresh()  # the first window was given its keys before it was there

    def _on_preferences_changed(self, by: Controllers) -> None:
        for workspace in self.workspaces:
            if workspace.is_wired and workspace.controllers is not by:
                workspace.controllers.preferences.refresh()

    def _on_closing(self, workspace: Workspace) -> None:
        """A window that is closed while others stay open is forgotten; closing the last one ends the program."""
        if self._ending:
            return
        if len(self.workspaces) == 1:
            self.save()
            return
        self.workspaces.remove(workspace)
        workspace.close()
        workspace.deleteLater()
        self._collector.settle(anew=True)
        self.save(goes_on=True)

    def _on_session_ending(self) -> None:
        """The system asks all programs to end, and closes the windows one by one."""
        self.save()
        self._ending = True

    # -- the first window -----------------------------------------------------------------------------------------

    @property
    def window(self) -> MainWindow:
        return self.workspaces[0].window

    @property
    def bridge(self) -> Bridge:
        return self.workspaces[0].bridge

    @property
    def sessions(self) -> SessionList:
        return self.workspaces[0].sessions

    @property
    def controllers(self) -> Controllers:
        return self.workspaces[0].controllers

    @property
    def opened(self) -> OpenSession:
        return self.workspaces[0].opened

    @property
    def importing(self) -> ImportController:
        return self.controllers.importing

    @property
    def compaction(self) -> CompactionController:
        return self.controllers.compaction

    @property
    def is_warm(self) -> bool:
        return self.workspaces[0].is_warm

    def open(self, name: str) -> None:
        """Open a session by id, unique prefix, `latest` or a link in the active window; a file is imported first."""
        self.active.open(name)

    def open_session(self, key: int, entry: int | None = None) -> None:
        """Open a session in the first window, at its leaf or at an entry."""
        self.workspaces[0].open_session(key, entry)


def qt_application(give_up: Callable[[Sequence[str]], NoReturn] | None = None) -> QApplication:
    """The running application, or a new one.

    Where Qt finds no display or lacks a library it says so and ends the process. `give_up` is called before it does,
    with what it said.
    """
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    made = _new_application() if give_up is None else _heard(give_up)
    made.setApplicationName("Stemmata")
    made.setDesktopFileName("stemmata")
    return made


def _new_application() -> QApplication:
    return QApplication([*sys.argv[:1], *STYLE])


def _heard(give_up: Callable[[Sequence[str]], NoReturn]) -> QApplication:
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
