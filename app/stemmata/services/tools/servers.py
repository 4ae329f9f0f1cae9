"""The MCP servers: started when a chat needs them, stopped when the program ends."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any

from stemmata.domain.chat.connections import KeyOrigin
from stemmata.domain.chat.run import ToolOutcome
from stemmata.domain.chat.tool_servers import ServerPhase, ServerState, ServerTool, ToolServer, ToolServerError
from stemmata.domain.errors import NotFoundError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.text.phrases import Phrase
from stemmata.services.futures import run_in_thread
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive
from stemmata.services.ports.providers import ConnectionsFile, Loop, Secrets, ServerLink

WAIT = 10.0  # seconds that a request waits for starting servers
FAREWELL = 5.0  # seconds in which all servers must stop
# automatic restarts of a server that has ended; the count restarts after an answer or a manual start
MOST_STARTS = 3
PAUSE = 60.0  # seconds until a failed start is tried again

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ToolServerPorts:
    """The collaborators of `ToolServers`. `open` connects to a server; it is called on the io thread. Its second
    argument is a key to try, or "".

    `keys` may block, so it is called in a thread of its own.
    """

    archive: Archive
    loop: Loop
    file: ConnectionsFile
    notices: Notices
    open: Callable[..., ServerLink]
    keys: Secrets


class _StartedServer:
    """A server that was started at least once. `task` opens and closes its connection."""

    def __init__(self, server: ToolServer, link: ServerLink, starts: int) -> None:
        self.server, self.link = server, link
        self.starts = starts  # consecutive starts without an answer
        self.was_ready = False
        self.failed_at = 0.0  # seconds of the monotonic clock
        self.task: asyncio.Task[None] | None = None
        self.settled = asyncio.Event()  # set when the server is ready or failed
        self.phase, self.problem = ServerPhase.STARTING, ""
        self.tools: tuple[ServerTool, ...] = ()

    def is_due(self, now: float) -> bool:
        """Whether a restart is due: at once after the server ended, after `PAUSE` when it failed to start."""
        if self.phase is not ServerPhase.FAILED:
            return False
        return self.starts < MOST_STARTS if self.was_ready else now - self.failed_at >= PAUSE

    def fail(self, problem: str) -> None:
        """Record why the server is not available."""
        self.phase, self.problem, self.tools = ServerPhase.FAILED, problem, ()
        self.failed_at = time.monotonic()

    @property
    def trouble(self) -> Phrase | None:
        """The sentence for the user when the server's tools are missing; None when they are available."""
        if self.phase is ServerPhase.FAILED:
            return Phrase("The tool server “{0}” is not running: {1}", self.server.name, self.problem)
        if self.phase is ServerPhase.STARTING:
            return Phrase(
                "The tool server “{0}” is still starting. Its tools are not available yet.", self.server.name
            )
        return None

    @property
    def state(self) -> ServerState:
        """The state for the settings dialog."""
        names = tuple(tool.name for tool in self.tools)
        return ServerState(self.server.name, self.phase, names, self.problem, self.server.wants_key)


class ToolServers:
    """Starts and stops the MCP servers.

    `states` and `offered` may be read from any thread; the rest runs on the io loop.
    """

    def __init__(self, ports: ToolServerPorts, wait: float = WAIT) -> None:
        self._ports, self._wait = ports, wait
        self._held: dict[str, _StartedServer] = {}
        self._shown: tuple[tuple[ToolServer, ServerPhase, tuple[ServerTool, ...]], ...] = ()
        self._is_closed = False

    @property
    def offered(self) -> tuple[tuple[ToolServer, ServerTool], ...]:
        """The tools of all ready servers, in the order of the settings."""
        return tuple(
            (server, tool) for server, phase, tools in self._shown if phase is ServerPhase.READY for tool in tools
        )

    def states(self) -> Future[tuple[ServerState, ...]]:
        """Return the state of every server in the settings, in their order."""
        return self._ports.loop.run(self._states())

    def start(self, name: str) -> Future[None]:
        """Start or restart a server. Done when the start has begun. Fails with NotFoundError."""
        return self._ports.loop.run(self._restart(name))

    def stop(self, name: str) -> Future[None]:
        """Stop a server; it stays stopped until `start`. Done when it has ended."""
        return self._ports.loop.run(self._stop(name))

    def give_key(self, name: str, key: str) -> Future[KeyOrigin]:
        """Store a server's key and start the server with it. Returns where the key is stored."""
        return self._ports.loop.run(self._give_key(name, key))

    async def ready(self) -> tuple[Phrase, ...]:
        """Start every server of the settings, wait up to `WAIT` seconds, and return the problems of the others.

        A server that ended by itself is restarted. A server that failed to start last time is not waited for.
        """
        late = set[str]()
        for server in await self._align():
            held = self._held.get(server.name)
            if held is None:
                self._begin(server)
            elif held.is_due(time.monotonic()):
                late |= set() if held.was_ready else {server.name}
                self._begin(server, held.starts + 1)
        starting = [held for held in self._held.values() if held.phase is ServerPhase.STARTING]
        waiting = [held for held in starting if held.server.name not in late]
        if waiting:
            waits = [asyncio.create_task(held.settled.wait()) for held in waiting]
            try:
                await asyncio.wait(waits, timeout=self._wait)
            finally:
                for wait in waits:
                    wait.cancel()
        return tuple(trouble for held in self._held.values() if (trouble := held.trouble) is not None)

    async def call(self, name: str, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Call a tool of a server and return its outcome. Raises ToolServerError."""
        held = self._held.get(name)
        if held is None or held.phase is not ServerPhase.READY:
            raise ToolServerError(Phrase("The server “{0}” is not running.", name))
        try:
            outcome = await held.link.call(tool, arguments)
            held.starts = 0
            return outcome
        except ToolServerError as error:
            if error.is_gone:  # the server's own task notices a moment later
                held.fail(str(error))
                self._tell()
            raise ToolServerError(Phrase("{0}: {1}", name, error), is_gone=error.is_gone) from error

    def close(self) -> None:
        """Stop all servers. Call it from any thread except io."""
        if self._held:
            try:
                self._ports.loop.run(self._close()).result(timeout=FAREWELL + 1)
            except (TimeoutError, CancelledError):
                log.warning("Not all servers of tools ended in time.")

    # -- on the io loop ---------------------------------------------------------------------------------------

    async def _align(self) -> tuple[ToolServer, ...]:
        """Return the servers of the settings. A running server whose settings changed is stopped and forgotten."""
        listed = await asyncio.wrap_future(self._ports.archive.read(lambda _reader: self._ports.file.servers()))
        for held in list(self._held.values()):
            if held.server not in listed:
                await self._end(held)
                self._held = {name: other for name, other in self._held.items() if other is not held}
        order = {server.name: at for at, server in enumerate(listed)}
        self._held = dict(sorted(self._held.items(), key=lambda item: order.get(item[0], len(order))))
        return listed

    async def _states(self) -> tuple[ServerState, ...]:
        listed = await asyncio.wrap_future(self._ports.archive.read(lambda _reader: self._ports.file.servers()))
        return tuple(
            self._held[server.name].state
            if server.name in self._held
            else ServerState(server.name, ServerPhase.STOPPED, wants_key=server.wants_key)
            for server in listed
        )

    async def _restart(self, name: str) -> None:
        server = await self._named(name)
        held = self._held.get(name)
        if held is not None:
            await self._end(held)
        if self._held.get(name) is held:  # otherwise the server was restarted meanwhile
            self._begin(server)

    async def _named(self, name: str) -> ToolServer:
        for server in await self._align():
            if server.name == name:
                return server
        raise NotFoundError(Phrase("No tool server is named “{0}”.", name))

    async def _give_key(self, name: str, key: str) -> KeyOrigin:
        server = await self._named(name)
        kept = await asyncio.wrap_future(run_in_thread(lambda: self._ports.keys.keep_named(server.key_name, key)))
        await self._restart(name)
        return kept

    async def _stop(self, name: str) -> None:
        if name in self._held:
            await self._end(self._held[name])

    def _begin(self, server: ToolServer, starts: int = 1) -> None:
        if self._is_closed:
            return
        held = self._held[server.name] = _StartedServer(server, self._ports.open(server), starts)
        held.task = asyncio.create_task(self._serve(held))
        self._tell()

    async def _serve(self, held: _StartedServer) -> None:
        def on_tools(tools: tuple[ServerTool, ...]) -> None:
            held.phase, held.tools, held.was_ready = ServerPhase.READY, tools, True
            held.settled.set()
            self._tell()

        try:
            await held.link.serve(on_tools)
            held.phase = ServerPhase.STOPPED
        except ToolServerError as error:
            held.fail(str(error))
        except asyncio.CancelledError:
            held.phase = ServerPhase.STOPPED
            raise
        finally:
            held.tools = ()
            held.settled.set()
            self._tell()

    async def _end(self, held: _StartedServer) -> None:
        held.link.close()
        if held.task is not None and not held.task.done():
            _, late = await asyncio.wait([held.task], timeout=FAREWELL)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=1)
        if held.phase is not ServerPhase.STOPPED:
            held.phase, held.problem = ServerPhase.STOPPED, ""
            self._tell()

    async def _close(self) -> None:
        self._is_closed = True
        work: list[Coroutine[Any, Any, None]] = [self._end(held) for held in self._held.values()]
        await asyncio.gather(*work)
        self._held.clear()

    def _tell(self) -> None:
        self._shown = tuple((held.server, held.phase, held.tools) for held in self._held.values())
        self._ports.notices.publish(ChangeSet(Change.TOOLS))
