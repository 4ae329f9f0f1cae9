"""Build the parts of Stemmata and connect them, then open the window or run a command."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from stemmata.arguments import name_to_open, profile_options
from stemmata.assets import resource
from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.services import ChatPorts, Services
from stemmata.store.archive import SqliteArchive
from stemmata.system.paths import Profile
from stemmata.system.processes import SystemClock
from stemmata.system.settings.settings import LoadedSettings, load

if TYPE_CHECKING:
    import tempfile

    from stemmata.domain.chat.catalogue import Catalogue
    from stemmata.domain.chat.tool_servers import ToolServer
    from stemmata.formats.registry import FormatRegistry
    from stemmata.gui.window.application import GuiApplication
    from stemmata.gui.window.main_window import MainWindow
    from stemmata.services.ports.providers import Providers, Secrets, ServerLink
    from stemmata.system.following.folder_watch import FolderWatch
    from stemmata.system.settings.settings import SettingsFile


# Allocations between two garbage collections. A full one with a session of a million entries takes four frames;
# trees and outlines contain no reference cycles, so collections find little.
GC_THRESHOLDS = (10_000, 50, 100)
READ_ONLY = Phrase("The archive is read-only. Sessions can be read, but changes cannot be stored.")
UPGRADE_NOTICE_DELAY = 1.0  # seconds before a window reports that the archive is being upgraded


class Core:
    """The services over one archive, without a window."""

    def __init__(
        self,
        services: Services,
        store: SqliteArchive,
        loaded: LoadedSettings,
        folder: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        self.services, self.store, self.folder = services, store, folder
        self.settings = loaded.path
        self.settings_problem = "" if loaded.problem is None else str(loaded.problem)
        self.hides_connections = loaded.hides_connections

    def close(self) -> None:
        """Stop the running work, finish queued writes and close the archive; a temporary archive is deleted."""
        self.services.close()
        self.store.close()
        if self.folder is not None:
            self.folder.cleanup()


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
        self.gui.close()
        self.core.close()
        gc.unfreeze()
        gc.enable()


def build(argv: Sequence[str], environment: Mapping[str, str] | None = None) -> Application:
    """Return the application, ready but not shown. `argv` excludes the program name. Raises KnownError.

    KnownError means that the archive cannot be opened.
    """
    with _without_collections():
        return _built(argv, environment)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Suspend garbage collection during the start, and exempt the objects created in it from later collections.

    Without this, collections take a tenth of the starting time. Afterwards `gui_thread_gc` runs the collections.
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
    try:
        return Application(_gui_over(core, loaded, profile), core)
    except ImportError:  # the system lacks a library: no thread may be left running
        core.close()
        raise


def _gui_over(core: Core, loaded: LoadedSettings, profile: Profile) -> GuiApplication:
    """Return the windows over these services."""
    from stemmata.gui.core import plain_imports

    plain_imports.restore()
    from stemmata.gui.window.application import GuiApplication, qt_application

    qt_application(_give_up)
    if core.store.is_upgrading(UPGRADE_NOTICE_DELAY):
        from stemmata.gui.window.trouble import wait_for

        wait_for(core.store.opened, loaded.settings.window)
    core.store.wait()
    return GuiApplication(
        core.services,
        window=loaded.settings.window,
        shortcuts=loaded.settings.shortcuts,
        state=profile.window,
        demo=resource("demo"),
        problem=core.settings_problem or (READ_ONLY if core.store.is_read_only else ""),
    )


def _give_up(qt_messages: Sequence[str]) -> NoReturn:
    """Report that Qt cannot show a window, and exit: Qt would abort the process right after this callback."""
    import sys

    from stemmata.system.desktop import cannot_open

    logging.getLogger(__name__).info("Qt cannot show a window: %s", " ".join(qt_messages))
    sys.stderr.write(f"{cannot_open(qt_messages, os.environ)}\n")
    sys.stderr.flush()
    os._exit(1)


def run(argv: Sequence[str]) -> int:
    """Show the window until it is closed, or pass the request to a running window. Returns the exit status."""
    name = name_to_open(argv)
    socket = Profile.choose(os.environ, **profile_options(argv)).socket
    if _is_handed_over(socket, name):
        return 0
    from stemmata.system.desktop import has_display, no_display

    if not has_display(os.environ):
        raise KnownError(no_display())
    application = _opened(argv)
    if application is None:
        return 1
    try:
        return application.gui.run(name, socket)
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
    """Ask in a dialog what to do; return the archive to try next, or None to quit."""
    from stemmata.gui.window.application import qt_application
    from stemmata.gui.window.trouble import TroubleChoice, ask_way_out
    from stemmata.store.schema.migrations import backups_of, restore

    qt_application(_give_up)
    profile = Profile.choose(os.environ, **profile_options(argv))
    choice = ask_way_out(load(profile.settings).settings.window, error, profile.store, backups_of(profile.store))
    if choice.way is TroubleChoice.QUIT:
        return None
    if choice.way is TroubleChoice.OTHER:
        return choice.path
    if choice.way is TroubleChoice.RESTORE and choice.path is not None:
        try:
            restore(profile.store, choice.path)
        except KnownError as refused:
            return _ask_for_archive(argv, refused)
    return profile.store


def _is_handed_over(socket: str, name: str) -> bool:
    """Return whether a running window took the request. Paths are made absolute for that process."""
    if not os.path.exists(socket):
        return False
    from stemmata.gui.window.asking import hand_over

    return hand_over(socket, os.path.abspath(name) if os.path.exists(name) else name)


def open_core(path: Path, loaded: LoadedSettings, cache: Path | None = None, *, wait: bool = True) -> Core:
    """Return the services over the archive in this file, which is created if it does not exist.

    `cache` is a folder. Without `wait`, errors are raised by `store.wait()`.
    """
    return _core(SqliteArchive(path, wait=wait), loaded, path.parent / "memory", cache=cache)


def command_line(argv: Sequence[str]) -> int:
    """Run one command and return the exit status."""
    from stemmata.cli import main

    return main(argv, _Opener())


class _Opener:
    """Implements `cli.command_context.Opener`."""

    def open(self, store: Path | None, profile: Path | None) -> Core:
        chosen = Profile.choose(
            os.environ, folder=str(profile) if profile else None, store=str(store) if store else None
        )
        if not chosen.store.exists():
            chosen.create()  # not for an existing archive: its folders may be read-only
        return open_core(chosen.store, load(chosen.settings), chosen.cache)

    def temporary(self, profile: Path | None) -> Core:
        import tempfile  # imported late: the first window does not need it

        folder = tempfile.TemporaryDirectory(prefix="stemmata-")
        settings = load(Profile.choose(os.environ, folder=str(profile) if profile else None).settings)
        place = Path(folder.name)
        return _core(SqliteArchive(place / "archive.db"), settings, place / "memory", folder)


def _core(
    store: SqliteArchive,
    loaded: LoadedSettings,
    memory: Path,
    folder: tempfile.TemporaryDirectory[str] | None = None,
    cache: Path | None = None,
) -> Core:
    models = (cache or loaded.path.parent) / "models"
    services = Services(
        store, _formats, lambda: _catalogue(loaded.path, models), loaded.settings.compaction, SystemClock(),
        lambda: _settings_file(loaded.path),
        lambda services: _chat_ports(
            services, store, loaded, models, memory
        ),
        _watch,
    )  # fmt: skip
    services.adopt_chat(loaded.settings.chat)
    services.adopt_search(loaded.settings.search)
    services.adopt_followed(loaded.settings.sources.follow_these_folders)
    return Core(services, store, loaded, folder)


def _watch() -> FolderWatch:
    from stemmata.system.following.folder_watch import FolderWatch  # imported after the first paint

    return FolderWatch()


def _chat_ports(
    services: Services, store: SqliteArchive, loaded: LoadedSettings, models: Path, memory: Path
) -> ChatPorts:
    """Return the parts that chatting needs.

    `models` caches model lists; `memory` is the folder of the memory tool.
    """
    from stemmata.services.settings.connecting import ConnectionPorts
    from stemmata.services.tools.consents import Consents
    from stemmata.services.tools.memory import Memory
    from stemmata.services.tools.own_tools import OwnTools, ServerTools
    from stemmata.services.tools.recall import Recall
    from stemmata.services.tools.server_settings import ServerSettings
    from stemmata.services.tools.servers import ToolServerPorts, ToolServers
    from stemmata.system.loop import IoLoop
    from stemmata.system.models.catalogue import ModelCache
    from stemmata.system.models.static_embedding import installed
    from stemmata.system.processes import is_alive, this_process
    from stemmata.system.secrets import KeyStore
    from stemmata.system.settings.connections_file import ConnectionsFile, ConsentsFile

    loop = IoLoop()
    connections = ConnectionPorts(
        archive=store, loop=loop, providers=lambda: _providers(services.chat.stall_seconds),
        secrets=KeyStore(os.environ), file=ConnectionsFile(loaded.path), cache=ModelCache(models),
        clock=SystemClock(), notices=services.notices, default=lambda: services.chat.default_connection,
        hides_connections=lambda: load(loaded.path).hides_connections,
        offer=services.offer,
    )  # fmt: skip
    consents = Consents(store, ConsentsFile(loaded.path), services.notices)
    keys = connections.secrets
    chat_ports = ToolServerPorts(
        store, loop, connections.file, services.notices, lambda server, key="": _server_link(server, keys, key), keys
    )
    servers = ToolServers(chat_ports)
    own = OwnTools(lambda: (Recall(store), Memory(memory)), lambda: services.chat.own_tools, consents)
    tools = ServerTools(own, servers, consents)
    settings = ServerSettings(chat_ports)
    return ChatPorts(
        loop, connections, tools, this_process(), is_alive, servers, consents, settings, _shipped, installed
    )  # fmt: skip


def _server_link(server: ToolServer, keys: Secrets, tried: str = "") -> ServerLink:
    """Return the connection to a tool server. The key `tried` takes precedence over the stored key."""
    import asyncio

    from stemmata.providers.mcp.server import McpServer
    from stemmata.services.futures import run_in_thread

    async def key() -> str:
        if tried:
            return tried
        secret = await asyncio.wrap_future(run_in_thread(lambda: keys.find_named(server.key_name)))
        return secret.value if secret else ""

    return McpServer(server, os.environ, key)


def _providers(stall: float) -> Providers:
    from stemmata.providers.registry import ProviderRegistry

    return ProviderRegistry(stall)


def _formats() -> FormatRegistry:
    from stemmata.formats.registry import standard_formats  # imports Markdown, which the first window does not need

    return standard_formats(Path.home(), os.environ)


def _catalogue(settings: Path, models: Path) -> Catalogue:
    """Return the catalogue of models.

    The user's facts come first, then the servers' last answers, then the shipped facts.
    """
    from stemmata.system.models.catalogue import ModelCache
    from stemmata.system.settings.connections_file import ConnectionsFile

    file, cache, found = ConnectionsFile(settings), ModelCache(models), _shipped()
    for connection in file.connections():
        found = found.offering(connection.name, (cache.read(connection) or (0, ()))[1])
    return found.overridden(file.models())


def _shipped() -> Catalogue:
    from stemmata.system.models.catalogue import load_catalogue

    return load_catalogue(resource("models.toml"))


def _settings_file(path: Path) -> SettingsFile:
    from stemmata.system.settings.settings import SettingsFile

    return SettingsFile(path)
