"""The base of all providers: the client of an SDK, questions to the server, and their failures."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from stemmata.domain.chat.connections import KEYED_HOSTS, Connection, OfferedModel, host_of
from stemmata.domain.chat.streaming import ProviderError, StreamEvent
from stemmata.domain.text.untrusted import MOST_TOKENS, number_within
from stemmata.providers.shared.faults import Faults
from stemmata.providers.shared.model_list import answered, offered_models, tokens
from stemmata.providers.shared.reply import mapping, word
from stemmata.providers.shared.wire import http_client, question_answered, without_version

if TYPE_CHECKING:
    import httpx2


PATIENCE = 2.0  # seconds for all questions; servers answer them from memory
MOST_SHOWN = 100  # most models that Ollama is asked about, one by one
AT_ONCE = 8


async def with_real_windows(
    connection: Connection, key: str, faults: Faults, models: Sequence[OfferedModel]
) -> tuple[OfferedModel, ...]:
    """Return the models with their real windows. An unknown server, or nonsense as an answer, changes nothing."""
    if not models or not _is_worth_asking(connection, models):
        return tuple(models)
    asking = _WindowRequests(without_version(connection.base_url), tuple(models))
    with suppress(TimeoutError, ProviderError):  # answers that arrived in time are used
        async with asyncio.timeout(PATIENCE), _client(connection, key, faults) as client:
            await asking.ask(client)
    return asking.models


def _is_worth_asking(connection: Connection, models: Sequence[OfferedModel]) -> bool:
    unknown = any(model.window is None or model.is_bound for model in models)
    return unknown and host_of(connection.base_url) not in KEYED_HOSTS


@asynccontextmanager
async def _client(connection: Connection, key: str, faults: Faults) -> AsyncIterator[httpx2.AsyncClient]:
    async with http_client(connection, faults) as client:
        client.timeout = PATIENCE
        client.headers.update(dict(connection.headers) | ({"Authorization": f"Bearer {key}"} if key else {}))
        yield client


class _WindowRequests:
    """Asks a local server for its models' windows. Each answer completes `models`."""

    def __init__(self, root: str, models: tuple[OfferedModel, ...]) -> None:
        self._root, self.models = root, models

    async def ask(self, client: httpx2.AsyncClient) -> None:
        """Ask in all ways at once, because only the answers show which server it is."""
        await asyncio.gather(self._ask_llama(client), self._ask_studio(client), self._ask_ollama(client))

    async def _ask_llama(self, client: httpx2.AsyncClient) -> None:
        """Ask llama.cpp for the window of its single model."""
        props = mapping(await answered(client, f"{self._root}/props"))
        window = tokens(mapping(props.get("default_generation_settings")).get("n_ctx"))
        if len(self.models) == 1:
            self._learn(self.models[0].id, window)

    async def _ask_studio(self, client: httpx2.AsyncClient) -> None:
        """Ask LM Studio for each model's largest window, and for the real window of loaded models."""
        told = mapping(await answered(client, f"{self._root}/api/v0/models")).get("data")
        for facts in map(mapping, told if isinstance(told, list) else ()):
            loaded, most = tokens(facts.get("loaded_context_length")), tokens(facts.get("max_context_length"))
            self._learn(word(facts.get("id")), loaded or most, is_bound=loaded is None)

    async def _ask_ollama(self, client: httpx2.AsyncClient) -> None:
        """Ask Ollama for the real window of loaded models, and for the configured or largest one of the others."""
        told = mapping(await answered(client, f"{self._root}/api/ps")).get("models")
        if not isinstance(told, list):
            return
        running = {word(facts.get("model")): tokens(facts.get("context_length")) for facts in map(mapping, told)}
        for id, window in running.items():
            self._learn(id, window)
        at_once = asyncio.Semaphore(AT_ONCE)

        async def show(id: str) -> None:
            async with at_once:
                shown = mapping(await answered(client, f"{self._root}/api/show", body={"model": id}))
            window, is_bound = _shown(shown)
            self._learn(id, running.get(id) or window, is_bound=is_bound and not running.get(id))
            self._know(id, shown.get("capabilities"))

        await asyncio.gather(*(show(model.id) for model in self.models[:MOST_SHOWN]))

    def _learn(self, id: str, window: int | None, *, is_bound: bool = False) -> None:
        if window is not None:
            self._change(id, window=window, is_bound=is_bound)

    def _know(self, id: str, capabilities: object) -> None:
        """Store whether a model can think: Ollama refuses thinking for other models."""
        if isinstance(capabilities, list) and "completion" in capabilities:
            self._change(id, thinks="thinking" in capabilities, takes_images="vision" in capabilities)

    def _change(self, id: str, **facts: Any) -> None:
        self.models = tuple(replace(model, **facts) if model.id == id else model for model in self.models)


def _shown(told: Mapping[str, Any]) -> tuple[int | None, bool]:
    """Read `/api/show`: the window, and whether it is only the largest possible one."""
    for line in word(told.get("parameters")).splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx" and value.strip().isdecimal():
            return tokens(int(value.strip()[:12])), False
    info = mapping(told.get("model_info"))
    return tokens(info.get(f"{word(info.get('general.architecture'))}.context_length")), True


T = TypeVar("T")

NO_KEY = "none"  # sent to local servers, because the SDKs require a key
LONGEST_VECTOR, MOST_VALUE = 16_384, 1e30  # numbers of a vector, and their size, that are accepted
UNCOUNTED = (404, 405, 501)  # statuses of servers that cannot count


class SdkServer(ABC):
    """The base of all providers: one server of models, reached through an SDK.

    `stall` is the seconds without a byte until a request fails. `models_path` and `embeddings_path` are relative to
    the base URL.
    """

    models_path = "/models"
    embeddings_path = "/embeddings"

    def __init__(self, connection: Connection, key: str, stall: float) -> None:
        self._connection, self._key = connection, key.strip()
        self.faults = Faults(connection, key, stall)
        self._opened: Any = None  # the SDK's client; both SDKs are generated and have the same methods
        self._is_closed = False
        self._requests: set[asyncio.Timeout] = set()  # without a time: only `close` lets them end

    @abstractmethod
    def client_class(self) -> Callable[..., Any]:
        """Import the SDK and return the class of its clients.

        The import must not run on the io loop, which it would hold up for seconds on a busy machine.
        """

    @abstractmethod
    def client_options(self) -> dict[str, Any]:
        """Return the keyword arguments for a new client of the SDK."""

    @abstractmethod
    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        """As described in `services.ports.providers.Provider`."""

    @abstractmethod
    async def count(self, payload: Mapping[str, Any]) -> int | None:
        """As described in `services.ports.providers.Provider`."""

    async def client(self) -> Any:
        """Return the client of the SDK, created on first use. Raises ProviderError after `close`."""
        made: Callable[..., Any] | None = None
        if self._opened is None and not self._is_closed:
            made = await asyncio.to_thread(self.client_class)
        if self._is_closed:
            raise self.faults.closed()
        if made is not None and self._opened is None:  # another request may have opened it during the import
            self._opened = made(**self.client_options())
        return self._opened

    async def answer(self, ask: Callable[[Any], Awaitable[T]]) -> T:
        """Return the answer that `ask` gets with the client of the SDK. `close` ends it with a ProviderError.

        A request that is still connecting when its client is closed would open a connection that nothing closes.
        """
        request = asyncio.timeout(None)
        try:
            async with request:
                self._requests.add(request)
                return await ask(await self.client())
        except Exception:  # any error of the SDK when its client is closed under it
            if not self._is_closed:
                raise
            raise self.faults.closed() from None
        finally:
            self._requests.discard(request)

    async def models(self) -> Sequence[OfferedModel]:
        """Return the models in the server's order."""

        answer = await self._asked(lambda client, **how: client.get(self.models_path, **how))
        models = offered_models(mapping(answer).get("data"))
        return await with_real_windows(self._connection, self._key, self.faults, models)

    async def embed(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return the vectors of texts, in their order; an empty list when the server answers in another form."""
        body = {"model": model, "input": list(texts), "encoding_format": "float"}
        answer = await self._asked(lambda client, **how: client.post(self.embeddings_path, body=body, **how))
        data = mapping(answer).get("data")
        return _vectors(data, len(texts)) if isinstance(data, list) else ()

    async def counted(
        self, path: str, body: Mapping[str, Any], options: Mapping[str, Any] | None = None
    ) -> int | None:
        """Return the server's token count; None when it does not count or sends no possible number."""
        try:
            answer = await self._asked(
                lambda client, **how: client.post(path, body=dict(body), options=dict(options or {}), **how)
            )
        except ProviderError as problem:
            if problem.status in UNCOUNTED:
                return None
            raise
        return number_within(mapping(answer).get("input_tokens"), 1, MOST_TOKENS)

    async def _asked(self, ask: Callable[..., Awaitable[httpx2.Response]]) -> object:
        """Send a question and return the JSON of its answer.

        `ask` gets the client of the SDK, and the arguments with which its methods leave the body of the answer to
        this function. Raises only ProviderError, without the SDK's exception, which may quote the request.
        """
        import httpx2

        async def answered_by(client: Any) -> object:
            response = await ask(client, cast_to=httpx2.Response, stream=True)
            return await question_answered(response, self.faults)

        try:
            return await self.answer(answered_by)
        except Exception as error:  # noqa: BLE001 - a server's answer can make the SDK raise any error
            problem = self.faults.of(error)
        raise problem

    async def close(self) -> None:
        """End the requests and close the connections to the server; nothing opens one again."""
        self._is_closed = True
        for request in self._requests:
            request.reschedule(0)  # a time that has passed
        if self._opened is not None:
            await self._opened.close()
            self._opened = None


def _vectors(data: Sequence[object], count: int) -> Sequence[Sequence[float]]:
    """Return the vectors of an answer by their indexes; nothing unless each text has one of finite numbers."""
    found: dict[int, Sequence[float]] = {}
    for at, item in enumerate(map(mapping, data)):
        index, vector = item.get("index", at), item.get("embedding")
        if not isinstance(index, int) or not isinstance(vector, list) or len(vector) > LONGEST_VECTOR:
            return ()
        if not all(isinstance(value, (int, float)) and abs(value) < MOST_VALUE for value in vector):
            return ()
        found[index] = [float(value) for value in vector]
    return [found[at] for at in range(count)] if found.keys() == set(range(count)) else ()
