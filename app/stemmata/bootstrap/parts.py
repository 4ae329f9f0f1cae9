"""All services over an archive, with their adapters: models, tools, formats, settings."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from stemmata.assets import resource
from stemmata.domain.chat.catalogue import Catalogue
from stemmata.domain.chat.tool_servers import ToolServer
from stemmata.formats.registry import is_followed_name, standard_formats
from stemmata.providers.mcp.server import McpServer
from stemmata.providers.registry import ProviderRegistry
from stemmata.services.futures import run_in_thread
from stemmata.services.ports.providers import Secrets, ServerLink
from stemmata.services.services import ChatPorts, Services
from stemmata.services.sessions.sessions import Sessions
from stemmata.services.settings.connecting import ConnectionPorts
from stemmata.services.tools.consents import Consents
from stemmata.services.tools.memory import Memory
from stemmata.services.tools.own_tools import OwnTools, ServerTools
from stemmata.services.tools.recall import Recall
from stemmata.services.tools.server_settings import ServerSettings
from stemmata.services.tools.servers import ToolServerPorts, ToolServers
from stemmata.services.tools.tool import Tool
from stemmata.store.archive import SqliteArchive
from stemmata.system.desktop_files import UserDesktopFiles
from stemmata.system.following.folder_watch import FolderWatch
from stemmata.system.guide import Guide
from stemmata.system.loop import IoLoop
from stemmata.system.models.catalogue import ModelCache, load_catalogue
from stemmata.system.models.static_embedding import installed
from stemmata.system.patterns import pattern_needle
from stemmata.system.processes import SystemClock, is_alive, this_process
from stemmata.system.secrets import KeyStore
from stemmata.system.settings.connections_file import ConnectionsFile, ConsentsFile
from stemmata.system.settings.settings import LoadedSettings, SettingsFile, load
from stemmata.system.skills import SkillFiles


def all_services(
    store: SqliteArchive, sessions: Sessions, loaded: LoadedSettings, models: Path, memory: Path
) -> Services:
    """Return the services over an archive. `models` caches model lists; `memory` is the folder of the memory tool."""
    services = Services(
        sessions,
        formats=lambda: standard_formats(Path.home(), os.environ),
        catalogue=lambda: _catalogue(loaded.path, models),
        settings=loaded.settings.compaction,
        clock=SystemClock(),
        settings_file=lambda: SettingsFile(loaded.path),
        chat_ports=lambda services: _chat_ports(services, store, loaded, models, memory),
        watch=lambda: FolderWatch(is_followed_name),
    )  # fmt: skip
    services.adopt_desktop(UserDesktopFiles(os.environ), Guide(models.parent / "guide"))
    services.adopt_chat(loaded.settings.chat)
    services.adopt_search(loaded.settings.search)
    services.adopt_followed(loaded.settings.sources.follow_these_folders)
    return services


def _chat_ports(
    services: Services, store: SqliteArchive, loaded: LoadedSettings, models: Path, memory: Path
) -> ChatPorts:
    """Return the parts that chatting needs."""
    loop = IoLoop()
    connections = ConnectionPorts(
        archive=store, loop=loop, providers=lambda: ProviderRegistry(services.chat.stall_seconds),
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
    own = OwnTools(lambda: _own_tools(services, store, memory), consents)
    tools = ServerTools(own, servers, consents)
    settings = ServerSettings(chat_ports)
    return ChatPorts(
        loop, connections, tools, this_process(), is_alive, servers, consents, settings, _shipped, installed,
        SkillFiles(), pattern_needle,
    )  # fmt: skip


def _own_tools(services: Services, store: SqliteArchive, memory: Path) -> tuple[Tool, ...]:
    """Return our own tools, which follow the settings. `memory` is the folder of notes outside workspaces."""

    def is_on() -> bool:
        return services.chat.own_tools

    return Recall(store, is_on), Memory(memory, is_on, lambda: services.contexts.settings.memory_place)


def _server_link(server: ToolServer, keys: Secrets, tried: str = "") -> ServerLink:
    """Return the connection to a tool server. The key `tried` takes precedence over the stored key."""

    async def key() -> str:
        if tried:
            return tried
        secret = await asyncio.wrap_future(run_in_thread(lambda: keys.find_named(server.key_name)))
        return secret.value if secret else ""

    return McpServer(server, os.environ, key)


def _catalogue(settings: Path, models: Path) -> Catalogue:
    """Return the catalogue of models.

    The user's facts come first, then the servers' last answers, then the shipped facts.
    """
    file, cache, found = ConnectionsFile(settings), ModelCache(models), _shipped()
    for connection in file.connections():
        offered = cache.read(connection)
        if offered is not None:
            found = found.offering(connection.name, offered[1])
        elif connection.is_local:
            found = replace(found, unasked=found.unasked | {connection.name})
    return found.overridden(file.models())


def _shipped() -> Catalogue:
    return load_catalogue(resource("models.toml"))
