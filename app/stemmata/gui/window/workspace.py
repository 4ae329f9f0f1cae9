"""A window with its bridge and controllers. Several workspaces share the same services."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from importlib import import_module
from os.path import exists  # unlike Path's it accepts any text
from pathlib import Path, PurePath
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal

from stemmata.domain.entries.links import is_link
from stemmata.domain.errors import NotFoundError, NotStoredError
from stemmata.domain.text import plain_text
from stemmata.domain.text.phrases import Phrase
from stemmata.gui.core.background import Background
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.sessions.session_list import FIRST, SessionList
from stemmata.gui.theme.icons import application_icon
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.columns import NAMES
from stemmata.gui.window.main_window import MainWindow

if TYPE_CHECKING:
    from concurrent.futures import Future

    from stemmata.domain.sessions.session import Session
    from stemmata.gui.core.actions import Actions
    from stemmata.gui.core.open_session import OpenSession
    from stemmata.gui.window.controllers import Controllers
    from stemmata.services.notices import Notices
    from stemmata.services.services import Services
    from stemmata.services.sessions.sessions import Sessions


FRAMES_MS = 32  # two frames: timers of the event loop wait neither for painting nor for keys
# Links to actions, for the menu entry of the desktop. Any web page can contain such a link, so that only actions that
# change nothing have one.
ACTION_LINKS = {"stemmata://new-chat": "new-chat", "stemmata://search": "palette"}
PATIENCE = 10  # intervals to wait for the first paint: a covered window may never be painted


class IdlePreloader(QObject):
    """Runs one step whenever the event loop is idle, and emits `finished` after the last one.

    The first step waits until the window is painted, that is, until `is_painted` returns True.
    """

    finished = Signal()

    def __init__(
        self,
        steps: Iterable[Callable[[], object]],
        parent: QObject,
        is_painted: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(parent)
        self._steps = iter(steps)
        self._is_painted, self._waited = is_painted, 0
        self.is_finished = False
        self._timer = QTimer(self, interval=FRAMES_MS)
        self._timer.timeout.connect(self._step)
        self.start = self._timer.start
        self.stop = self._timer.stop

    def _step(self) -> None:
        self._waited += 1
        if self._waited <= PATIENCE and not self._is_painted():
            return  # the machine is busy
        self._timer.setInterval(0)
        step = next(self._steps, None)
        if step is None:
            self._timer.stop()
            if not self.is_finished:
                self.is_finished = True
                self.finished.emit()
        else:
            step()


# The rooms of the window in the order in which they are loaded after the first paint: those that others import come
# first, so that no step of `IdlePreloader` is long.
ROOMS = """
    gui.widgets gui.text gui.core gui.cards gui.transcript gui.branches gui.context gui.compaction gui.composer
    gui.sessions gui.palette gui.importing gui.settings gui.compare gui.files gui.window
""".split()
PARTS = (*NAMES[1:], "workbench", "welcome", "palette_box", "import_dialog", "results")


def _actions(window: MainWindow) -> Actions:
    """Return the actions of a window; they are loaded after the first paint, with the menus."""
    from stemmata.gui.window.action_table import actions_of  # imported late, see decision 26

    return actions_of(window)


class WindowServices(Protocol):
    """The services as a window uses them: the list of sessions at once, and all of them after its first paint."""

    @property
    def sessions(self) -> Sessions:
        """The list of sessions."""

    @property
    def notices(self) -> Notices:
        """The changes of the archive."""

    @property
    def services(self) -> Services:
        """All services, loaded on first use."""

    @property
    def rooms(self) -> Sequence[str]:
        """The rooms of the services; rooms that others import come first."""


def _imports(rooms: Iterable[str]) -> Iterator[Callable[[], object]]:
    """Yield the steps that load every module of these rooms, one each."""
    for room in rooms:
        inside = import_module(f"stemmata.{room}")
        for found in iter_modules(inside.__path__, f"{inside.__name__}."):
            yield partial(import_module, found.name)


class Workspace(QObject):
    """A window, its controllers, and its own bridge, so that answers and errors reach the window that asked.

    `state` is the INI file that all windows share; `place` is the number of this window, from 0; `demo` is the folder
    of the demo session. `newest` is `Sessions.newest(FIRST)` when it was begun before.
    """

    wired = Signal(object)  # Controllers, once they are created
    closing = Signal()  # the user closes the window; not emitted by `close`

    def __init__(
        self,
        core: WindowServices,
        theme: Theme,
        state: Path,
        demo: Path,
        parent: QObject,
        *,
        place: int = 0,
        newest: Future[list[Session]] | None = None,
    ) -> None:
        super().__init__(parent)
        self._core, self._theme, self._demo = core, theme, demo
        first = newest or core.sessions.newest(FIRST)  # read on the db thread while the window is created
        self.bridge = Bridge(self)

        # a function, not a method: a method would keep the workspace alive as long as the window
        def services() -> Services:
            return core.services

        self._background = Background(services, self.bridge, self)
        self.window = MainWindow(theme, services, state, self._background.compute, _actions, place=place)
        self.sessions = SessionList(core.sessions, self.bridge, self.window.sessions_model, self.window.settings)
        self._closed = False
        self._remembers = False  # whether the session of the last run was restored, or another one opened
        self._list_before = 0  # the number of the last list that was asked for before the open session
        self._preloader = IdlePreloader(
            self._steps(), self, lambda: self.window.is_painted or not self.window.isVisible()
        )
        self._connect()
        self.bridge.subscribe(core.notices.subscribe)
        self.sessions.show_first(first)
        self.sessions.read()

    @cached_property
    def controllers(self) -> Controllers:
        """The controllers, created on first use, after the first paint."""
        from stemmata.gui.window.controllers import Controllers  # imported late, see decision 26

        made = Controllers(
            self._core.services,
            self.bridge,
            self.window,
            self.sessions,
            self._background,
            self.open_session,
            self._demo,
        )
        self.wired.emit(made)
        return made

    @property
    def opened(self) -> OpenSession:
        """The open session of the window."""
        return self.controllers.opened

    @property
    def is_warm(self) -> bool:
        """Whether everything is loaded that opening a session needs."""
        return self._preloader.is_finished

    @property
    def is_wired(self) -> bool:
        """Whether the controllers are created."""
        return "controllers" in vars(self)

    # -- opening --------------------------------------------------------------------------------------------------

    def when_warm(self, act: Callable[[], object]) -> None:
        """Call `act` once the window is painted and everything is loaded; at once when it already is."""
        if self.is_warm:
            act()
        else:
            self._preloader.finished.connect(act)

    def open(self, name: str) -> None:
        """Open a session by id, unique prefix, `latest` or a link; a file is imported first.

        A link of ACTION_LINKS, from the menu of the desktop, runs its action.
        """
        self._remembers = True
        if name in ACTION_LINKS:
            self.controllers.window.actions_table[ACTION_LINKS[name]].trigger()
        elif is_link(name):
            self.controllers.windows.follow_link(name)
        elif exists(name):
            self.controllers.importing.import_paths([name])
        else:
            opens = self.opened.unless_selection_changed(lambda session: self.open_session(session.key))
            self.bridge.when_done(self._core.sessions.find(name), opens, partial(self._on_not_found, name))

    def _on_not_found(self, name: str, error: Exception) -> None:
        """Show why a name cannot be opened; for the name of a file, say that the file does not exist."""
        if isinstance(error, NotFoundError) and PurePath(name).suffix:
            error = NotFoundError(Phrase("File not found: {0}.", name))
        self.bridge.failed.emit(error)

    def open_session(self, key: int, entry: int | None = None) -> None:
        """Open the session with this key, at its leaf or at the entry with this key."""
        self._remembers = True
        self.window.show_welcome(on=False)
        self.window.sessions.select(key)
        if key == self.opened.key and entry is not None and self.opened.session_tree is not None:
            self.opened.view_entry(entry)
        else:
            self._list_before = self.sessions.number
            self.opened.open(key, entry)

    def restore(self, *, otherwise: str = "") -> None:
        """Restore the session and the split view of the last run; without one, open the session named `otherwise`."""
        self._remembers = True
        if self.opened.key is not None:
            return  # the user has opened a session already
        known = {session.id: session.key for session in self.sessions.sessions.values()}
        key = known.get(self.controllers.views.recall())
        if key is not None:
            self.open_session(key)
            self.controllers.split.restore()
        elif otherwise:
            found = self._core.sessions.find(otherwise)
            opens = self.opened.unless_selection_changed(lambda session: self.open_session(session.key))
            self.bridge.when_done(
                found, opens, self.opened.unless_selection_changed(lambda _none: self.show_nothing())
            )
        else:
            self.show_nothing()

    def begin(self, key: int | None) -> None:
        """Open the session of a new window, or say that none is open, unless the user has opened one meanwhile."""
        if self.opened.key is not None:
            return
        if key is None:
            self.show_nothing()
        else:
            self.open_session(key)

    def show_nothing(self) -> None:
        """Show in the transcript that no session is open."""
        self.window.transcript.show_nothing()

    def raise_(self) -> None:
        """Bring the window to the front."""
        window = self.window
        if window.isMinimized():
            window.showNormal()
        window.show()
        window.raise_()
        window.activateWindow()

    # -- ending ---------------------------------------------------------------------------------------------------

    def save(self, *, goes_on: bool = False) -> None:
        """Save the geometry of the window and the open sessions, under the window's place.

        `goes_on`: the window stays open, so the active side of a split view is activated again.
        """
        if self._remembers and self.is_wired:
            split = self.controllers.split
            side = split.active
            split.remember()  # before `memory.remember`: it activates the left side
            self.controllers.views.remember()
            if goes_on:
                split.activate(side)
        self.window.save()

    def close(self) -> None:
        """Close and delete the window. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self.window.closing.disconnect(self.closing)
        self._preloader.stop()
        if self.is_wired:
            self.controllers.close()
        self.bridge.close()
        self.window.close()
        self.window.deleteLater()

    def remove(self) -> None:
        """Delete the closed window and its workspace at once; to be called after `close`."""
        self.deleteLater()
        for part in (self.window, self):
            QCoreApplication.sendPostedEvents(part, QEvent.Type.DeferredDelete)

    # -- wiring ---------------------------------------------------------------------------------------------------

    def _steps(self) -> Iterator[Callable[[], object]]:
        """Yield the steps that load and create everything after the first paint, of a few milliseconds each."""
        yield lambda: self.window.top_bar
        yield self.window.sessions.show_icons
        yield self._show_icon
        icons = [spec.icon for spec, _action in self.window.actions_table if spec.icon]
        yield from (partial(self._theme.icon, icon) for icon in icons)
        yield from _imports(self._core.rooms)
        yield lambda: self._core.services
        yield self.window.show_fills
        yield from _imports(ROOMS)
        yield from (partial(getattr, self.window, part) for part in PARTS)
        yield lambda: self.controllers
        yield lambda: self.window.add_page(self.controllers.files.view)
        yield self._prepare_split
        yield self.window.transcript.view.warm_up
        yield from (partial(plain_text.compiled, number) for number in plain_text.PATTERNS)

    def _prepare_split(self) -> None:
        self.controllers.split.prepare()

    def _show_icon(self) -> None:
        self.window.setWindowIcon(application_icon())

    def _connect(self) -> None:
        window = self.window
        self.bridge.failed.connect(lambda error: window.banner.tell_error(error))
        self.bridge.changed.connect(self._on_stored)
        # preload also if the sessions cannot be read
        self.bridge.failed.connect(lambda _error: self._preloader.start())
        window.closing.connect(self.closing)
        self.sessions.listed.connect(self._on_listed)
        window.sessions.session_chosen.connect(self.open_session)
        window.files_dropped.connect(lambda paths: self.controllers.importing.import_paths(paths))
        window.actions_made.connect(lambda actions: actions.wire_late(lambda: self.controllers))

    def _on_stored(self) -> None:
        """Hide the error that nothing can be stored, after something was stored."""
        banner = vars(self.window).get("banner")
        if banner is not None and isinstance(banner.error, NotStoredError):
            banner.hide()

    def _on_listed(self, sessions: Sequence[Session]) -> None:
        """Show the welcome page for an empty archive, and close the open session if it is no longer listed.

        A session of the trash stays open while the trash is listed.
        """
        empty = not (sessions or self.sessions.in_trash)
        if empty and not self.window.shows_welcome:
            self.controllers.importing.discover()
        self.window.show_welcome(on=empty)
        # a list that was asked for before the session was opened may not know it yet
        knows = self.sessions.number > self._list_before
        listed = ChainMap(self.sessions.sessions, self.sessions.trash)
        if self.is_wired and knows and self.opened.key is not None and self.opened.key not in listed:
            self.controllers.split.close_deleted(listed)
        self.bridge.when_done(self._core.sessions.totals(), self.window.status.show_archive)
        self._preloader.start()
