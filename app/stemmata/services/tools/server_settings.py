"""The MCP servers in the settings: list, try, save and remove them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

from stemmata.domain.chat.connections import KeyOrigin
from stemmata.domain.chat.tool_servers import ServerTool, ToolServer, ToolServerError
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.text.phrases import Phrase
from stemmata.services.futures import run_in_thread
from stemmata.services.tools.servers import ToolServerPorts

T = TypeVar("T")
PATIENCE = 40.0  # seconds until a tried server must have listed its tools; the server's own limit is shorter


class ServerSettings:
    """Edits the MCP servers of the settings. Every answer is a Future.

    A running server whose settings changed is stopped when the next server starts.
    """

    def __init__(self, ports: ToolServerPorts, patience: float = PATIENCE) -> None:
        self._ports, self._patience = ports, patience

    def all(self) -> Future[tuple[ToolServer, ...]]:
        """Return the servers in the order of the file."""
        return self._ports.archive.read(lambda _reader: self._ports.file.servers())

    def save(self, server: ToolServer, key: str = "", before: str = "") -> Future[KeyOrigin | None]:
        """Add a server, or replace the server named `before`.

        Returns where the new key is stored; None without a new key.

        Fails with a KnownError that says why nothing was changed. A stored key moves to a new name of the server,
        but never to another address.
        """
        return self._ports.loop.run(self._save(server, key.strip(), before))

    def remove(self, name: str) -> Future[None]:
        """Remove a server from the settings, and its stored key."""
        return self._ports.loop.run(self._remove(name))

    def trial(self, server: ToolServer, key: str = "", before: str = "") -> Future[tuple[str, ...]]:
        """Start a server, saved or not, stop it again, and return the names of its tools.

        Fails with a ToolServerError.
        """
        return self._ports.loop.run(self._test_server(server, key.strip(), before))

    # -- on the io loop ---------------------------------------------------------------------------------------

    async def _save(self, server: ToolServer, key: str, before: str) -> KeyOrigin | None:
        known = {each.name: each for each in await self._read(self._ports.file.servers)}
        check(server)
        if server.name != before and server.name in known:
            raise KnownError(Phrase("A server named “{0}” already exists. Nothing was changed.", server.name))
        key = key or await self._reusable_key(known.get(before), server)
        await self._read(lambda: self._ports.file.save_server(server))
        kept = await self._in_thread(lambda: self._ports.keys.keep_named(server.key_name, key)) if key else None
        replaced = known.get(before)
        if replaced is not None and replaced.key_name != server.key_name:
            await self._in_thread(lambda: self._ports.keys.forget_named(replaced.key_name))
        if before in known and before != server.name:
            await self._read(lambda: self._ports.file.remove_server(before))
        self._tell()
        return kept

    async def _reusable_key(self, before: ToolServer | None, server: ToolServer) -> str:
        if before is None or before.name == server.name:
            return ""  # the stored key is used
        if replace(before, name=server.name).key_name != server.key_name:
            return ""
        secret = await self._in_thread(lambda: self._ports.keys.find_named(before.key_name))
        return secret.value if secret else ""

    async def _remove(self, name: str) -> None:
        known = {each.name: each for each in await self._read(self._ports.file.servers)}
        if name in known:
            await self._in_thread(lambda: self._ports.keys.forget_named(known[name].key_name))
        await self._read(lambda: self._ports.file.remove_server(name))
        self._tell()

    async def _test_server(self, server: ToolServer, key: str, before: str) -> tuple[str, ...]:
        check(server)
        if not key and server.wants_key:
            known = {each.name: each for each in await self._read(self._ports.file.servers)}
            key = await self._reusable_key(known.get(before), server)
        link = self._ports.open(server, key)
        told: asyncio.Future[tuple[str, ...]] = asyncio.get_running_loop().create_future()

        def on_tools(tools: tuple[ServerTool, ...]) -> None:
            if not told.done():
                told.set_result(tuple(tool.name for tool in tools))

        serving = asyncio.create_task(link.serve(on_tools))
        try:
            waited: list[asyncio.Future[Any]] = [serving, told]
            await asyncio.wait(waited, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
            if told.done():
                return told.result()
            if serving.done():
                serving.result()  # raises the server's error
            raise ToolServerError("The server did not answer in time.")
        finally:
            link.close()
            await asyncio.wait([serving], timeout=self._patience)

    def _tell(self) -> None:
        self._ports.notices.publish(ChangeSet(Change.TOOLS))

    async def _read(self, work: Callable[[], T]) -> T:
        return await asyncio.wrap_future(self._ports.archive.read(lambda _reader: work()))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.wrap_future(run_in_thread(work))


def check(server: ToolServer) -> None:
    """Raise KnownError when a key would be written to the settings file in plain text."""
    if server.bare_secrets:
        name = server.bare_secrets[0]
        raise KnownError(
            Phrase(
                "{0} looks like a key, which the settings never hold. Write ${{key}} in its place, and enter the key "
                "in the field “Key”.",
                name,
            )
        )
