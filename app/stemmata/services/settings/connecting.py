"""Connections to models: save, test and open them, with their keys and the models that their servers offer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeVar
from urllib.parse import urlsplit

from stemmata.domain.chat.connections import (
    Connection,
    KeyOrigin,
    OfferedModel,
    Secret,
    connection_for,
    needs_key,
    with_refused_limits,
)
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.requests.apis import api_of, payload_of
from stemmata.domain.requests.request import RequestOptions
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.text.phrases import Phrase, joined, template
from stemmata.services.futures import run_in_thread
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, Clock
from stemmata.services.ports.providers import ConnectionsFile, Loop, ModelCache, Provider, Providers, Secrets

PATIENCE = 60.0  # seconds; a local server may have to load the model first
CLOSE_BY = 5  # similar models that are suggested for an unknown one


async def trial(open: Callable[[], Provider], connection: Connection) -> str:
    """Test a connection; returns its problem, "" for none.

    It requests the list of models, and one token from the connection's model.
    """
    provider: Provider | None = None
    try:
        async with asyncio.timeout(PATIENCE):
            provider = open()
            return await _problem_of(provider, connection)
    except TimeoutError:
        return Phrase("“{0}” took the request but did not answer within {1} seconds.", connection.name, int(PATIENCE))
    except ProviderError as error:
        return joined(" ", [*filter(None, (str(error), _hint(connection, error)))])
    finally:
        if provider is not None:
            await provider.close()


async def _problem_of(provider: Provider, connection: Connection) -> str:
    offered: Sequence[OfferedModel] = ()
    try:
        offered = await provider.models()
    except ProviderError as error:
        if not connection.model or error.fault not in (Fault.MODEL, Fault.REQUEST, Fault.GARBAGE):
            raise  # some servers answer requests but have no list of models
    if not connection.model:
        return ""
    try:
        async with aclosing(provider.stream(_smallest(connection))) as events:
            async for _event in events:
                return ""
    except ProviderError as error:
        if error.fault is Fault.MODEL and offered:
            return _no_such_model(connection.model, offered)
        raise
    return Phrase("“{0}” sent an empty answer.", connection.name)


def _smallest(connection: Connection) -> dict[str, Any]:
    entry = Entry(id="1", role=Role.USER, blocks=(Text("Hi"),))
    options = RequestOptions(model=connection.model, provider=connection.name, max_tokens=16)
    return payload_of(connection.api, [(entry, Form.WHOLE)], options, lambda _digest: None)


def _no_such_model(model: str, offered: Sequence[OfferedModel]) -> str:
    ids = [known.id for known in offered]
    near = get_close_matches(model, ids, CLOSE_BY, 0.4) or ids[:CLOSE_BY]
    offers = f"{', '.join(near)}{' …' if len(ids) > len(near) else ''}"
    return Phrase("The server has no model “{0}”. It offers {1}.", model, offers)


def _hint(connection: Connection, error: ProviderError) -> str:
    """Return a hint for an address without “/v1”, below which these servers have their API; "" for none."""
    path = urlsplit(connection.base_url).path.rstrip("/")
    lost = error.status in (404, 405) or error.fault is Fault.GARBAGE
    version = api_of(connection.api).version
    if lost and version and not path.endswith(version):
        return Phrase("The address of an OpenAI-compatible server usually ends with “/v1”.")
    return ""


T = TypeVar("T")

FRESH = 24 * 3600 * 10**9  # ns during which a server's cached list of models is used
LEARNING = 5.0  # seconds that a message waits for the server's list of models
# ns during which the cached list is used when a model was not loaded; its real window shows only then
UNSURE = 60 * 10**9
NO_CONNECTION = Phrase(
    "No model is connected. Connect one, for example with an Anthropic key or a local server. "
    "Browsing, forking and compaction by digest work without a model."
)

UNUSABLE = template(
    "The connection “{0}” cannot be used: {1}. Your message is kept and was not sent; no other connection was used "
    "instead. Correct the connection in the settings, or choose another model."
)
UNSURE_WHICH = Phrase(
    "This session names no connection, and the part of the settings that may name one is invalid. Your "
    "message is kept and was not sent. Correct the settings, or choose the model."
)
UNKNOWN = template(
    "This session uses “{0}”, but no connection has that name. Your message is kept and was not sent. "
    "Choose the model to go on with, or connect “{0}”."
)


@dataclass(frozen=True)
class ConnectionPorts:
    """The adapters that `Connecting` needs."""

    archive: Archive
    loop: Loop
    providers: Callable[[], Providers]  # called once, on the io thread
    secrets: Secrets
    file: ConnectionsFile
    cache: ModelCache
    clock: Clock
    notices: Notices
    default: Callable[[], str]  # returns the name of the default connection; called on the db thread
    # called on the db thread: whether a part of the settings that names connections could not be read
    hides_connections: Callable[[], bool] = lambda: False
    # called with each server's list of models
    offer: Callable[[str, Sequence[OfferedModel]], None] = lambda _connection, _models: None


class Connecting:
    """Manages connections. Every answer is a Future.

    Files are read on the db thread, servers are asked on the io loop, the keyring is used on a separate thread.
    """

    def __init__(self, ports: ConnectionPorts) -> None:
        self._ports = ports
        self._providers: Providers | None = None
        # open providers by connection; used on the io loop only
        self._open: dict[str, tuple[Connection, str, Provider]] = {}
        self._has_offered = False
        # time of the last question to servers that did not know their models' real windows
        self._unsure: dict[str, int] = {}
        self._learned: set[str] = set()  # connections whose servers need not be asked for their models again
        self._asking_again: set[asyncio.Task[object]] = set()

    def connections(self) -> Future[tuple[Connection, ...]]:
        """Return the connections, in the order of the settings file."""

        def job(_reader: object) -> tuple[Connection, ...]:
            listed = self._ports.file.connections()
            self._offer(listed)
            return listed

        return self._ports.archive.read(job)

    def _offer(self, connections: Sequence[Connection]) -> None:
        """Report the cached lists of models, once. Runs on the db thread."""
        if self._has_offered:
            return
        self._has_offered = True
        for connection in connections:
            known = self._ports.cache.read(connection)
            if known is not None:
                self._offer_of(connection.name, *known)

    def _offer_of(self, name: str, asked: int, models: Sequence[OfferedModel]) -> None:
        if any(model.is_bound for model in models):
            self._unsure[name] = asked
        else:
            self._unsure.pop(name, None)
        self._ports.offer(name, models)

    def save(
        self, connection: Connection, key: str | None = None, initiator: object = None
    ) -> Future[KeyOrigin | None]:
        """Add a connection, or replace the connection with its name. `key` None keeps the stored key, "" deletes it.

        Returns where the key is stored; None for nowhere. The stored key is deleted when the address changes to
        another server without a new key. Fails with a KnownError that says why nothing was changed.
        """
        return self._on_io(self._save(connection, key, initiator))

    def remove(self, name: str, initiator: object = None) -> Future[None]:
        """Remove a connection from the settings, and its key from keyring and memory. Entries keep its name."""
        return self._on_io(self._remove(name, initiator))

    def test(self, connection: Connection, key: str | None = None) -> Future[str]:
        """Test a connection, saved or not; returns "" when it works, else the problem and its remedy.

        Without `key` the stored key is used. A connection with a model requests one token from it.
        """
        return self._on_io(self._test(connection, key))

    def models(self, name: str, *, refresh: bool = False) -> Future[tuple[OfferedModel, ...]]:
        """Return the models that a connection's server offers.

        The server is asked at most once a day, more often while its models are not loaded, and always with `refresh`.
        When it cannot be asked, the last answer is used; without one the future fails with the ProviderError.
        """
        return self._on_io(self._models(name, refresh=refresh))

    def known(self, name: str) -> Future[tuple[OfferedModel, ...]]:
        """Return the cached models of a connection's server, without asking it."""

        def job(_reader: object) -> tuple[OfferedModel, ...]:
            listed = self._ports.file.connections()
            kept = [self._ports.cache.read(connection) for connection in listed if connection.name == name]
            return next((models for _, models in filter(None, kept)), ())

        return self._ports.archive.read(job)

    def discover(self) -> Future[tuple[Connection, ...]]:
        """Return the local servers that are not connected yet."""
        return self._on_io(self._discover())

    def origin(self, name: str) -> Future[KeyOrigin | None]:
        """Return where a connection's key is stored; None when a key is needed but missing."""
        return self._on_io(self._origin(name))

    def locate(self, connection: Connection) -> Future[KeyOrigin | None]:
        """Return where a connection's key is stored, also for an unsaved connection."""
        return self._on_io(self._origin_of(connection))

    def problem(self) -> Future[str]:
        """Return the reason why keys are lost when the program ends; "" when the keyring stores them."""
        return run_in_thread(self._ports.secrets.problem)

    async def connection_for(self, name: str) -> Connection:
        """Return the connection for entries that name a provider, see `connection_for`.

        Raises ProviderError when there is none.
        """

        def job(_reader: object) -> Connection:
            file, default = self._ports.file, self._ports.default()
            wrong, listed = file.unusable(), file.connections()
            problem = wrong.get(name or default)
            if problem is not None:
                raise ProviderError(Phrase(UNUSABLE, name or default, problem), Fault.UNUSABLE)
            connection = connection_for(listed, name, default)
            if connection is None and name and listed:
                raise ProviderError(Phrase(UNKNOWN, name), Fault.UNUSABLE)
            if connection is None:
                raise ProviderError(NO_CONNECTION, Fault.KEY)
            if not name and self._ports.hides_connections():
                raise ProviderError(UNSURE_WHICH, Fault.UNUSABLE)
            return connection

        return await asyncio.wrap_future(self._ports.archive.read(job))

    async def provider_for(self, name: str) -> tuple[Provider, Connection]:
        """Return an open provider and its connection, on the io loop.

        Callers must not close it. Raises ProviderError.
        """
        connection = await self.connection_for(name)
        self._ask_again(connection.name)
        provider = await self._opened(connection)
        await self._learn(connection)
        return provider, connection

    async def _learn(self, connection: Connection) -> None:
        """Ask a server for its models and their windows, once, before the first message.

        A slow server delays the message by `LEARNING` seconds at most.
        """
        name = connection.name
        if name in self._learned:
            return
        self._learned.add(name)
        if name in self._unsure or await self._read(lambda: self._ports.cache.read(connection)) is not None:
            await asyncio.wrap_future(self.connections())  # makes the cached lists known
            return

        async def ask() -> None:
            with suppress(KnownError):  # a server that cannot be asked gives no information
                await self._models(name, refresh=True)

        task: asyncio.Task[object] = asyncio.create_task(ask())
        self._asking_again.add(task)
        task.add_done_callback(self._asking_again.discard)
        await asyncio.wait({task}, timeout=LEARNING)

    async def learn_limit(self, name: str, model: str, limit: int | None) -> None:
        """Store the window that a refusal named, in the cache of the server's models; None deletes it."""

        def job(_reader: object) -> None:
            found = next((known for known in self._ports.file.connections() if known.name == name), None)
            if found is None:
                return
            asked, models = self._ports.cache.read(found) or (0, ())
            told = next((offered for offered in models if offered.id == model), OfferedModel(id=model))
            others = tuple(offered for offered in models if offered.id != model)
            models = (*others, replace(told, refused_above=limit))
            self._ports.cache.write(found, asked, models)
            self._offer_of(name, asked, models)

        await asyncio.wrap_future(self._ports.archive.read(job))
        self._ports.notices.publish(ChangeSet(Change.SETTINGS))  # the model's window is known now

    async def _opened(self, connection: Connection) -> Provider:
        secret = await self._secret(connection)
        if secret is None and needs_key(connection):
            raise ProviderError(
                Phrase("The connection “{0}” has no key. Enter its key and try again.", connection.name), Fault.KEY
            )
        key = secret.value if secret else ""
        held = self._open.get(connection.name)
        if held is not None and held[:2] == (connection, key):
            return held[2]
        provider = self._factory().open(connection, key)
        # set before the first await, so that only one is opened
        self._open[connection.name] = (connection, key, provider)
        if held is not None:
            await held[2].close()
        return provider

    def _ask_again(self, name: str) -> None:
        """Ask for a model's real window again, in the background, now that it may be loaded. Failures are ignored."""
        asked = self._unsure.get(name)
        if asked is None or not self._ports.clock.now() - asked >= UNSURE:
            return
        self._unsure[name] = self._ports.clock.now()

        async def ask() -> None:
            with suppress(KnownError):
                await self._models(name, refresh=True)

        task: asyncio.Task[object] = asyncio.create_task(ask())
        self._asking_again.add(task)
        task.add_done_callback(self._asking_again.discard)

    async def close(self) -> None:
        """Close all providers; on the io loop, once no task is left that could open one again."""
        for name in list(self._open):
            await self._close_provider(name)

    # -- on the io loop ---------------------------------------------------------------------------------------

    async def _save(self, connection: Connection, key: str | None, initiator: object) -> KeyOrigin | None:
        ports = self._ports
        before = {known.name: known for known in await self._read(ports.file.connections)}.get(connection.name)
        await self._read(lambda: ports.file.save(connection))
        moved = before is not None and before.base_url != connection.base_url
        if key is not None and key.strip():
            await asyncio.wrap_future(run_in_thread(lambda: ports.secrets.keep(connection, key)))
        elif key is not None or moved:
            await asyncio.wrap_future(run_in_thread(lambda: ports.secrets.forget(connection)))
        await self._close_provider(connection.name)
        ports.notices.publish(ChangeSet(Change.SETTINGS, initiator=initiator))
        return await self._origin_of(connection)

    async def _remove(self, name: str, initiator: object) -> None:
        ports = self._ports
        connection = await self._named(name)
        await self._read(lambda: ports.file.remove(name))
        await self._read(lambda: ports.cache.forget(connection))
        await asyncio.wrap_future(run_in_thread(lambda: ports.secrets.forget(connection)))
        await self._close_provider(name)
        ports.notices.publish(ChangeSet(Change.SETTINGS, initiator=initiator))

    async def _test(self, connection: Connection, key: str | None) -> str:
        if key is None or not key.strip():
            secret = await self._secret(connection)
            key = secret.value if secret else ""
        if not key and needs_key(connection):
            return "There is no key. Paste the one the provider gave you."
        return await trial(lambda: self._factory().open(connection, key.strip()), connection)

    async def _models(self, name: str, *, refresh: bool) -> tuple[OfferedModel, ...]:
        ports, connection = self._ports, await self._named(name)
        known = await self._read(lambda: ports.cache.read(connection))
        now = ports.clock.now()
        if known is not None and not refresh:
            fresh = UNSURE if any(model.is_bound for model in known[1]) else FRESH
            if 0 <= now - known[0] < fresh:
                return known[1]
        try:
            provider = await self._opened(connection)
            offered = with_refused_limits(await provider.models(), known[1] if known else ())
        except ProviderError:
            if known is None:
                raise
            return known[1]
        await self._read(lambda: ports.cache.write(connection, now, offered))
        self._offer_of(connection.name, now, offered)
        if known is None or known[1] != offered:
            ports.notices.publish(ChangeSet(Change.SETTINGS))  # models' windows may be known now
        return offered

    async def _discover(self) -> tuple[Connection, ...]:
        connected = {_address(connection) for connection in await self._read(self._ports.file.connections)}
        found: Sequence[Connection] = await self._factory().discover()
        return tuple(connection for connection in found if _address(connection) not in connected)

    async def _origin(self, name: str) -> KeyOrigin | None:
        return await self._origin_of(await self._named(name))

    async def _origin_of(self, connection: Connection) -> KeyOrigin | None:
        secret = await self._secret(connection)
        if secret is not None:
            return secret.origin
        return None if needs_key(connection) else KeyOrigin.NOT_NEEDED

    async def _secret(self, connection: Connection) -> Secret | None:
        return await asyncio.wrap_future(run_in_thread(lambda: self._ports.secrets.find(connection)))

    async def _named(self, name: str) -> Connection:
        for connection in await self._read(self._ports.file.connections):
            if connection.name == name:
                return connection
        raise NotFoundError(Phrase("No connection is named “{0}”.", name))

    async def _close_provider(self, name: str) -> None:
        held = self._open.pop(name, None)
        if held is not None:
            await held[2].close()

    async def _read(self, work: Callable[[], T]) -> T:
        return await asyncio.wrap_future(self._ports.archive.read(lambda _reader: work()))

    def _factory(self) -> Providers:
        if self._providers is None:
            self._providers = self._ports.providers()
        return self._providers

    def _on_io(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return self._ports.loop.run(work)


def _address(connection: Connection) -> tuple[str, str]:
    return connection.base_url.rstrip("/"), connection.api
