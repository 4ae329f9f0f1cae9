"""The ports for chatting: the io loop, providers, keys, tool servers.

They are separate from the archive's ports, because the first window needs none of them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol, TypeAlias, TypeVar

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection, KeyOrigin, OfferedModel, Secret
from stemmata.domain.chat.run import Consent, Question, ToolOutcome
from stemmata.domain.chat.streaming import StreamEvent
from stemmata.domain.chat.tool_servers import KeptConsent, ServerTool, ToolServer
from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.requests.request import ToolDefinition
from stemmata.domain.sessions.session import Session

T = TypeVar("T")


class Loop(Protocol):
    """The io thread: one asyncio loop for everything that waits for the network."""

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine, from any thread. Cancelling the future cancels it, within milliseconds."""
        ...

    def close(self, last: Callable[[], Coroutine[Any, Any, object]] | None = None) -> None:
        """Cancel all tasks, then run `last` and end the thread."""
        ...


class Provider(Protocol):
    """A server that answers requests. Used on the io loop only. It raises ProviderError and no other exception."""

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        """Send this body, as `payload_of` built it, once, and yield the reply. Closing the generator hangs up.

        When the stream breaks after the first byte, the received parts of open blocks are yielded as partial
        `BlockDone`s before
        the ProviderError is raised.
        """
        ...

    async def count(self, payload: Mapping[str, Any]) -> int | None:
        """Return the tokens of a request as the server counts them, at least 1; None when the server cannot count."""
        ...

    async def models(self) -> Sequence[OfferedModel]:
        """Return the models that the server offers."""

    async def embed(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return the vectors of texts that a model for embeddings computes, in their order."""
        ...

    async def close(self) -> None:
        """Close the connections to the server."""


class Providers(Protocol):
    """Opens connections. The first one loads its SDK, on the io thread."""

    def open(self, connection: Connection, key: str) -> Provider:
        """Open a provider. Raises NotFoundError for an unknown API."""

    async def discover(self) -> Sequence[Connection]:
        """Return the servers that answer on this machine's loopback at their usual ports."""
        ...


class Secrets(Protocol):
    """Keys by connection. Blocks, since a keyring may ask the user: not for the GUI thread nor the io loop."""

    def find(self, connection: Connection) -> Secret | None:
        """Return the key from the environment, else the keyring, else the key given for this run; None for none."""
        ...

    def keep(self, connection: Connection, key: str) -> KeyOrigin:
        """Store a key in the keyring, else in memory, and return which. A key is never stored anywhere else."""
        ...

    def find_named(self, name: str) -> Secret | None:
        """Return the stored key of a tool server. The environment is not read."""
        ...

    def keep_named(self, name: str, key: str) -> KeyOrigin:
        """Store the key of a tool server in the keyring, else in memory, and return which."""

    def forget(self, connection: Connection) -> None:
        """Delete the key of a connection."""

    def forget_named(self, name: str) -> None:
        """Delete the key of a tool server."""

    def problem(self) -> str:
        """Return the reason why keys are lost when the program ends (headless, locked); "" when they are kept."""
        ...


class ConnectionsFile(Protocol):
    """The settings file's connections, tool servers and models. Users edit the file too. Blocks: for the db thread.

    An invalid item is skipped; `Preferences.read` reports it.
    """

    def connections(self) -> tuple[Connection, ...]:
        """Return the valid connections, in the order of the file."""

    def unusable(self) -> Mapping[str, str]:
        """Return the problems of the skipped connections, by name."""
        ...

    def servers(self) -> tuple[ToolServer, ...]:
        """Return the valid tool servers, in the order of the file."""

    def models(self) -> Mapping[str, Model]:
        """Return the user's own facts about models, by id."""
        ...

    def save(self, connection: Connection) -> None:
        """Add or replace a connection. Raises KnownError and changes nothing when it is invalid."""
        ...

    def remove(self, name: str) -> None:
        """Remove a connection."""

    def save_server(self, server: ToolServer) -> None:
        """Add or replace a tool server. Raises KnownError and changes nothing when it is invalid."""

    def remove_server(self, name: str) -> None:
        """Remove a tool server."""

    def save_model(self, model: Model) -> None:
        """Store the user's facts about a model. Raises KnownError and changes nothing when they are invalid."""
        ...

    def remove_model(self, id: str) -> None:
        """Remove the user's facts about a model."""


class ConsentsFile(Protocol):
    """The permanent consents of the user. Blocks: for the db thread."""

    def consents(self) -> tuple[KeptConsent, ...]:
        """Return the stored consents."""

    def save(self, consent: KeptConsent) -> None:
        """Add a consent, or replace the consent for its tool and folder.

        Raises KnownError when it cannot be stored.
        """
        ...

    def remove(self, consent: KeptConsent) -> None:
        """Delete a consent."""


class ServerLink(Protocol):
    """A connection to one MCP server. Used on the io loop only."""

    async def serve(self, on_tools: Callable[[tuple[ServerTool, ...]], None]) -> None:
        """Start the server and run until `close`, in one task.

        `on_tools` is called when it is ready and at each change.

        Raises ToolServerError when the server cannot start, or ends by itself.
        """
        ...

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Call a tool and return its outcome. Raises ToolServerError."""
        ...

    def close(self) -> None:
        """End `serve` in an orderly way."""
        ...


class ModelCache(Protocol):
    """The servers' last lists of models. Blocks: for the db thread."""

    def read(self, connection: Connection) -> tuple[int, tuple[OfferedModel, ...]] | None:
        """Return the time of the last answer (ns since the epoch) and its models; None when there was none."""
        ...

    def write(self, connection: Connection, time: int, models: Sequence[OfferedModel]) -> None:
        """Store a server's list of models with the time of the answer."""

    def forget(self, connection: Connection) -> None:
        """Delete the stored list of a server."""


Ask: TypeAlias = Callable[[Question], Awaitable[Consent]]  # the callable adds session and run to the question


class Toolbox(Protocol):
    """The tools a model may call."""

    def definitions(self, session: Session) -> tuple[ToolDefinition, ...]:
        """Return the definitions to send with a session's requests, without waiting for servers. From any thread."""
        ...

    async def call(self, session: Session, call: ToolCall, ask: Ask) -> ToolOutcome:
        """Answer one call, on the io loop. Cancelled when the run stops.

        An unknown tool or wrong arguments give a failed outcome.
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
    """The connections as a run uses them. Implemented by `services.settings.connecting.Connecting`."""

    async def learn_limit(self, name: str, model: str, limit: int | None) -> None:
        """Store the window, in tokens, that a refusal named for a connection's model; None deletes it."""
        ...
