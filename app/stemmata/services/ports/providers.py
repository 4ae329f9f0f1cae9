"""What chatting needs from the world: a loop for the network, servers that answer, keys.

Apart from the archive's ports: the first window shows sessions and loads none of this.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol, TypeAlias, TypeVar

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection, OfferedModel, Origin, Secret
from stemmata.domain.chat.run import Consent, Question, ToolOutcome
from stemmata.domain.chat.streaming import StreamEvent
from stemmata.domain.chat.tool_servers import KeptConsent, ServerTool, ToolServer
from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.session_facts import Session
from stemmata.domain.requests.request import ToolDefinition

T = TypeVar("T")


class Loop(Protocol):
    """The io thread: one asyncio loop for all that waits for a network."""

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine, from any thread. Cancelling the future cancels it, within milliseconds."""
        ...

    def close(self) -> None:
        """Cancel what runs and end the thread."""
        ...


class Provider(Protocol):
    """One server that answers requests. On the io loop only; failures are ProviderErrors, nothing else."""

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        """Send exactly this body, as `payload_of` made it, once. Closing the generator hangs up.

        When it breaks after the first byte, what had come of open blocks is yielded as partial `BlockDone`s before
        the ProviderError is raised.
        """
        ...

    async def count(self, payload: Mapping[str, Any]) -> int | None:
        """Tokens of the request as the server counts them; None where it cannot."""
        ...

    async def models(self) -> Sequence[OfferedModel]: ...

    async def close(self) -> None: ...


class Providers(Protocol):
    """Opens connections; the SDKs are loaded with the first one, on the io thread."""

    def open(self, connection: Connection, key: str) -> Provider: ...

    async def discover(self) -> Sequence[Connection]:
        """Servers that answer on this machine's loopback at the ports such servers use."""
        ...


class Secrets(Protocol):
    """Keys by connection. Blocks (a keyring may ask the person): not for the GUI thread, nor for the io loop."""

    def find(self, connection: Connection) -> Secret | None:
        """From the environment, else the keyring, else what was given for this run."""
        ...

    def keep(self, connection: Connection, key: str) -> Origin:
        """Into the keyring, else into memory; says which. Never anywhere else."""
        ...

    def find_named(self, name: str) -> Secret | None:
        """What is kept under this name, of a tool server; never from the environment."""
        ...

    def keep_named(self, name: str, key: str) -> Origin: ...

    def forget(self, connection: Connection) -> None: ...

    def forget_named(self, name: str) -> None: ...

    def problem(self) -> str:
        """Why keys cannot be kept beyond this run (headless, locked), in words; "" when they can."""
        ...


class ConnectionsFile(Protocol):
    """Connections, tool servers and facts about models in a file that people edit too. Blocks: for the db thread.

    What is wrong with an item costs that item; `Preferences.read` tells of it.
    """

    def connections(self) -> tuple[Connection, ...]: ...

    def unusable(self) -> Mapping[str, str]:
        """What is wrong with connections that are left out for it, by name."""
        ...

    def servers(self) -> tuple[ToolServer, ...]: ...

    def models(self) -> Mapping[str, Model]:
        """What the person says about models, by id."""
        ...

    def save(self, connection: Connection) -> None:
        """Add or replace. Raises KnownError, and changes nothing, for a wrong one."""
        ...

    def remove(self, name: str) -> None: ...

    def save_server(self, server: ToolServer) -> None: ...

    def remove_server(self, name: str) -> None: ...

    def save_model(self, model: Model) -> None:
        """What the person says of it. Raises KnownError, and changes nothing, for what cannot be."""
        ...

    def remove_model(self, id: str) -> None: ...


class ConsentsFile(Protocol):
    """What the person allowed, or forbade, once and for all. Blocks: for the db thread."""

    def consents(self) -> tuple[KeptConsent, ...]: ...

    def save(self, consent: KeptConsent) -> None:
        """Add it, or replace the one for its tool and folder. Raises KnownError, and changes nothing."""
        ...

    def remove(self, consent: KeptConsent) -> None: ...


class ServerLink(Protocol):
    """One MCP server. On the io loop only."""

    async def serve(self, on_tools: Callable[[tuple[ServerTool, ...]], None]) -> None:
        """Start it and stay until `close`; in one task. `on_tools` is called once it is ready and with each change.

        Raises ToolServerError when it cannot be started, or ends by itself.
        """
        ...

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Raises ToolServerError."""
        ...

    def close(self) -> None:
        """Have `serve` end, in good order."""
        ...


class ModelCache(Protocol):
    """What servers offered when they were last asked. Blocks: for the db thread."""

    def read(self, connection: Connection) -> tuple[int, tuple[OfferedModel, ...]] | None:
        """When it was asked, in ns since the epoch, and its answer; None when it never was."""
        ...

    def write(self, connection: Connection, time: int, models: Sequence[OfferedModel]) -> None: ...

    def forget(self, connection: Connection) -> None: ...


Ask: TypeAlias = Callable[[Question], Awaitable[Consent]]  # fills in session and run of the question by itself


class Toolbox(Protocol):
    """The tools a model may call."""

    def definitions(self, session: Session) -> tuple[ToolDefinition, ...]:
        """What is sent with each request of the session: at once, without waiting for a server. From any thread."""
        ...

    async def call(self, session: Session, call: ToolCall, ask: Ask) -> ToolOutcome:
        """Answer one call, on the io loop; cancelled when the run stops.

        Unknown tools and wrong arguments are failed outcomes.
        """
        ...


class ProviderSource(Protocol):
    """Opens the provider of a connection. Called on the io loop."""

    async def provider_for(self, name: str) -> tuple[Provider, Connection]:
        """Return the open provider for entries that name this provider, with its connection. It stays open.

        Raises ProviderError when there is no such connection, or no key for it.
        """
        ...


class RunConnections(ProviderSource, Protocol):
    """What a run needs of the connections. Implemented by `services.settings.connecting.Connecting`."""

    async def learn_limit(self, name: str, model: str, limit: int | None) -> None:
        """Keep the window, in tokens, that a refusal of this connection told of its model; None forgets it."""
        ...
