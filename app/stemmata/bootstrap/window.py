"""The entrance of the window: opens the archive, shows the window, and asks the user how to go on when that fails."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from PySide6.QtGui import QFontMetrics, QGuiApplication

from stemmata.arguments import name_to_open, profile_options
from stemmata.assets import resource
from stemmata.bootstrap.core import Core, open_core
from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase
from stemmata.gui.core import plain_imports  # noqa: F401 - before everything else of the window
from stemmata.gui.sessions.session_list import FIRST
from stemmata.gui.window.application import GuiApplication, qt_application
from stemmata.gui.window.main_window import MainWindow
from stemmata.store.archive import SqliteArchive
from stemmata.store.schema.migrations import backups_of, restore
from stemmata.system.desktop import cannot_open, no_fonts
from stemmata.system.paths import Profile
from stemmata.system.settings.settings import LoadedSettings, load

if TYPE_CHECKING:
    from concurrent.futures import Future

    from stemmata.domain.sessions.session import Session
    from stemmata.services.services import Services

# New objects after which `GuiThreadGc` searches them, which takes about 2 ms. Trees and outlines contain no reference
# cycles, so a search finds little. The other two numbers are for the time before it and after it.
GC_THRESHOLDS = (5_000, 50, 100)
# Seconds after which a busy thread gives Python's lock to the GUI thread, which asks for it many times in a frame.
SWITCH_INTERVAL = 0.0005
USUAL_SWITCH_INTERVAL = 0.005  # Python's own
READ_ONLY = Phrase("The archive is read-only. Sessions can be read, but changes cannot be stored.")
UPGRADE_NOTICE_DELAY = 1.0  # seconds before a window reports that the archive is being upgraded


class Application:
    """The connected application. Nothing is visible before `window.show()`."""

    def __init__(self, gui: GuiApplication, core: Core) -> None:
        self.gui, self.core = gui, core

    @property
    def window(self) -> MainWindow:
        """The first main window."""
        return self.gui.window

    @property
    def services(self) -> Services:
        """The services over the archive."""
        return self.core.services

    @property
    def store(self) -> SqliteArchive:
        """The archive."""
        return self.core.store

    def close(self) -> None:
        """Close the window, store its state, then close the archive."""
        from stemmata.gui.widgets.clipboard import settle_clipboard  # imported late, see decision 26

        self.gui.close()
        settle_clipboard()
        self.core.close()
        gc.unfreeze()
        gc.enable()
        sys.setswitchinterval(USUAL_SWITCH_INTERVAL)


def build(argv: Sequence[str], environment: Mapping[str, str] | None = None) -> Application:
    """Return the application, ready but not shown. `argv` excludes the program name. Raises KnownError.

    KnownError means that the archive cannot be opened.
    """
    with _without_collections():
        application = _built(argv, environment)
    sys.setswitchinterval(SWITCH_INTERVAL)
    return application


@contextmanager
def _without_collections() -> Iterator[None]:
    """Suspend garbage collection during the start, and exempt the objects created in it from later collections.

    Without this, collections take a tenth of the starting time. Afterwards `GuiThreadGc` runs the collections.
    """
    gc.disable()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
        gc.freeze()
    except BaseException:
        gc.enable()
        raise


def _built(argv: Sequence[str], environment: Mapping[str, str] | None) -> Application:
    profile = Profile.choose(os.environ if environment is None else environment, **profile_options(argv))
    profile.create()
    loaded = load(profile.settings)
    core = open_core(profile.store, loaded, profile.cache, wait=False)
    newest = core.sessions.newest(FIRST)  # read while the window is created, so that its first frame shows them
    return Application(_gui_over(core, loaded, profile, newest), core)


def _gui_over(core: Core, loaded: LoadedSettings, profile: Profile, newest: Future[list[Session]]) -> GuiApplication:
    """Return the windows over these services."""
    qt_application(_exit_without_window)
    if core.store.is_upgrading(UPGRADE_NOTICE_DELAY):
        from stemmata.gui.window.startup_dialogs import wait_for  # imported late, see decision 26

        wait_for(core.store.opened, loaded.settings.window, lambda: core.store.upgraded)
    core.store.wait()
    return GuiApplication(
        core,
        newest,
        window=loaded.settings.window,
        shortcuts=loaded.settings.shortcuts,
        state=profile.window,
        demo=resource("demo"),
        problem=core.settings_problem or (READ_ONLY if core.store.is_read_only else ""),
    )


def _exit_without_window(qt_messages: Sequence[str]) -> NoReturn:
    """Report that Qt cannot show a window, and exit: Qt would abort the process right after this callback."""
    logging.getLogger(__name__).info("Qt cannot show a window: %s", " ".join(qt_messages))
    sys.stderr.write(f"{cannot_open(qt_messages, os.environ)}\n")
    sys.stderr.flush()
    os._exit(1)


def run(argv: Sequence[str], on_listening: Callable[[], None]) -> int:
    """Show the window until it is closed. Returns the exit status.

    `on_listening` is called when the window takes the requests of later starts.
    """
    application = _opened(argv)
    if application is None:
        return 1
    socket = Profile.choose(os.environ, **profile_options(argv)).socket
    try:
        # fontconfig lists names like “Sans Serif” even without fonts
        if not QFontMetrics(QGuiApplication.font()).inFont("A"):
            raise KnownError(no_fonts())  # the window would show empty boxes in place of letters
        return application.gui.run(name_to_open(argv), socket, on_listening)
    finally:
        application.close()


def _opened(argv: Sequence[str]) -> Application | None:
    """Return the application, or None to quit. While the archive cannot be opened, a dialog asks for another one."""
    argv = list(argv)
    while True:
        try:
            return build(argv)
        except KnownError as error:
            trouble = error
        store = _ask_for_archive(argv, trouble)
        if store is None:
            return None
        argv += ["--store", str(store)]  # the last one counts


def _ask_for_archive(argv: Sequence[str], error: KnownError) -> Path | None:
    """Ask in a dialog how to go on without the archive; return the archive to try next, or None to quit."""
    from stemmata.gui.window.startup_dialogs import ArchiveErrorChoice, ask_way_out  # imported late, see decision 26

    qt_application(_exit_without_window)
    profile = Profile.choose(os.environ, **profile_options(argv))
    choice = ask_way_out(load(profile.settings).settings.window, error, profile.store, backups_of(profile.store))
    if choice.way is ArchiveErrorChoice.QUIT:
        return None
    if choice.way is ArchiveErrorChoice.OTHER:
        return choice.path
    if choice.way is ArchiveErrorChoice.RESTORE and choice.path is not None:
        try:
            restore(profile.store, choice.path)
        except KnownError as refused:
            return _ask_for_archive(argv, refused)
    return profile.store
