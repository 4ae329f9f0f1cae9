"""The window with everything that happens in it, over the services."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from stemmata.assets import resource
from stemmata.domain.errors import KnownError
from stemmata.gui.bridge import Bridge
from stemmata.gui.language import Language
from stemmata.gui.theme.theme import Theme, scheme_of
from stemmata.gui.windows.background import Background
from stemmata.gui.windows.main_window import MainWindow
from stemmata.gui.windows.session_list import SessionList
from stemmata.gui.windows.warming import Warming

if TYPE_CHECKING:
    from stemmata.domain.session import Session
    from stemmata.gui.windows.compaction_controller import CompactionController
    from stemmata.gui.windows.controllers import Controllers
    from stemmata.gui.windows.import_controller import ImportController
    from stemmata.gui.windows.open_session import OpenSession
    from stemmata.services.services import Services

# Loaded once the window is painted, what others need first, so that no step of `Warming` is long.
FIRST = """
    domain.blocks domain.entries domain.tokens domain.tree domain.sessions domain.line domain.context domain.digest
    services.compaction
""".split()
THEN = "gui.widgets gui.text gui.models gui.cards gui.views gui.windows gui.dialogs".split()


class WindowSettings(Protocol):
    """As the settings file has them."""

    @property
    def theme(self) -> str: ...
    @property
    def font_scale(self) -> int: ...
    @property
    def language(self) -> str: ...


class GuiApplication(QObject):
    """Builds the window and its controllers; shows nothing until `run` or `window.show()`.

    `shortcuts` are keys by action id, `state` is the INI file for the window's geometry, `demo` the folder of the
    demo session, `problem` what was wrong with the settings file.
    """

    def __init__(
        self,
        services: Services,
        *,
        window: WindowSettings,
        shortcuts: Mapping[str, str],
        state: Path,
        demo: Path,
        problem: str = "",
    ) -> None:
        self._qt = _qt_application()
        super().__init__()
        self._language = Language(self._qt, resource("i18n"), window.language)
        self._services = services
        self.bridge = Bridge(self)
        self.theme = Theme(scheme_of(window.theme), window.font_scale, self)
        self.theme.apply(self._qt)
        self._background = Background(services, self.bridge, self)
        self.window = MainWindow(self.theme, services, state, self._background.compute)
        self.sessions = SessionList(services, self.bridge, self.window.sessions_model)
        self._demo = demo
        self._closed = False
        self._warming = Warming(self._steps(), self)
        self._connect()
        self.bridge.subscribe(services.notices.subscribe)
        self.sessions.read()
        self._use_keys(shortcuts, problem)

    def _use_keys(self, shortcuts: Mapping[str, str], problem: str) -> None:
        """Give actions the keys of the settings, and tell what is wrong with those and with the settings."""
        problems = self.window.actions_table.set_keys(shortcuts) if shortcuts else []
        if problems:
            told = QCoreApplication.translate("Shortcuts", "Of the keys in the settings some are passed over: {0}.")
            problem = f"{problem} {told.format('; '.join(problems))}".strip()
        if problem:
            self.window.banner.tell_error(KnownError(problem))

    def run(self, to_open: str = "") -> int:
        """Show the window until it is closed. `to_open` is a session's name or a file. Exit status."""
        import signal

        previous = signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal ends the program
        self._warming.finished.connect(lambda: self._open_first(to_open))
        self.window.show()
        try:
            return self._qt.exec()
        finally:
            signal.signal(signal.SIGINT, previous)

    def _open_first(self, name: str) -> None:
        """What was asked for at the start, else the latest session unless somebody was quicker."""
        if name:
            self.open(name)
        elif self.opened.key is None:
            latest = self._services.sessions.find("latest")
            self.bridge.when_done(latest, lambda found: self.open_session(found.key), lambda _none: None)

    def open(self, name: str) -> None:
        """Open a session by id, unique prefix, `latest` or a link; a file is imported first."""
        from stemmata.domain.links import is_link

        if is_link(name):
            self.controllers.links.follow(name)
        elif Path(name).exists():
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
        self._warming.stop()
        if self._is_wired:
            self.controllers.close()
        self.bridge.close()
        self.window.close()
        self._language.remove()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(self.window, QEvent.Type.DeferredDelete)  # before the archive closes

    # -- wiring ---------------------------------------------------------------------------------------------------

    @cached_property
    def controllers(self) -> Controllers:
        """Made when first asked for: the window is painted before it needs them."""
        from stemmata.gui.windows.controllers import Controllers

        window, background = self.window, self._background
        return Controllers(
            self._services, self.bridge, window, self.sessions, background, self.open_session, self._demo
        )

    def _steps(self) -> Iterator[Callable[[], object]]:
        """What the window needs next, in slices of a few milliseconds."""
        from pkgutil import iter_modules

        yield self.window.show_fills
        icons = [spec.icon for spec, _action in self.window.actions_table if spec.icon]
        yield from (partial(self.theme.icon, icon) for icon in icons)
        yield from (partial(import_module, f"stemmata.{name}") for name in FIRST)
        for package in THEN:
            inside = import_module(f"stemmata.{package}")
            yield from (
                partial(import_module, found.name) for found in iter_modules(inside.__path__, f"{inside.__name__}.")
            )
        for part in ("branches", "transcript", "context", "workbench", "welcome", "palette_box", "import_dialog"):
            yield partial(getattr, self.window, part)
        yield lambda: self.controllers

    @property
    def is_warm(self) -> bool:
        """Whether everything is loaded that the first sessions to be opened need."""
        return self._warming.is_finished

    @property
    def _is_wired(self) -> bool:
        return "controllers" in vars(self)

    @property
    def opened(self) -> OpenSession:
        return self.controllers.opened

    @property
    def importing(self) -> ImportController:
        return self.controllers.importing

    @property
    def compaction(self) -> CompactionController:
        return self.controllers.compaction

    def _connect(self) -> None:
        window = self.window
        self.bridge.failed.connect(lambda error: window.banner.tell_error(error))
        self.sessions.listed.connect(self._on_listed)
        window.sessions.session_chosen.connect(self.open_session)
        window.files_dropped.connect(lambda paths: self.importing.import_paths(paths))
        window.actions_table.wire_late(lambda: self.controllers)

    def _on_listed(self, sessions: Sequence[Session]) -> None:
        """An empty archive shows what could be imported; a session that is gone is closed."""
        empty = not sessions
        if empty and not self.window.shows_welcome:
            self.importing.discover()
        self.window.show_welcome(on=empty)
        if self._is_wired and self.opened.key is not None and self.opened.key not in self.sessions.sessions:
            self.opened.close()
        self.bridge.when_done(self._services.sessions.totals(), self.window.status.show_archive)
        self._warming.start()


def _qt_application() -> QApplication:
    """The running application, or a new one."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    made = QApplication(sys.argv[:1])
    made.setApplicationName("Stemmata")
    made.setDesktopFileName("stemmata")
    return made
