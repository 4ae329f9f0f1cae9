"""What both forms of OpenAI's API share: the client, the models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stemmata.domain.connections import Connection, OfferedModel
from stemmata.providers.faults import Faults
from stemmata.providers.wire import UNCOUNTED, http_client

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

NO_KEY = "none"  # what servers on this machine are sent: the SDK wants something


class OpenAIServer:
    """`stall`: seconds without a byte until a request is given up. The base URL is with `/v1`."""

    def __init__(self, connection: Connection, key: str, stall: float) -> None:
        self._connection, self._key = connection, key.strip()
        self.faults = Faults(connection, key, stall)
        self._opened: AsyncOpenAI | None = None

    async def ask(self, path: str, body: Mapping[str, Any]) -> httpx2.Response:
        """The head of a streamed answer."""
        import httpx2

        return await self._client().post(path, cast_to=httpx2.Response, body=dict(body), stream=True)

    async def counted(self, path: str, body: Mapping[str, Any]) -> int | None:
        try:
            answer = await self._client().post(path, cast_to=object, body=dict(body))
        except Exception as error:  # noqa: BLE001 - whatever a server's answer makes the SDK raise
            problem = self.faults.of(error)
        else:
            counted = answer.get("input_tokens") if isinstance(answer, dict) else None
            return counted if isinstance(counted, int) else None
        if problem.status in UNCOUNTED:
            return None
        raise problem

    async def models(self) -> Sequence[OfferedModel]:
        try:
            answer = await self._client().get("/models", cast_to=object)
            return offered_by(answer.get("data") if isinstance(answer, dict) else None)
        except Exception as error:  # noqa: BLE001 - whatever a server's answer makes the SDK raise
            problem = self.faults.of(error)
        raise problem

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    def _client(self) -> AsyncOpenAI:
        if self._opened is None:
            from openai import AsyncOpenAI

            self._opened = AsyncOpenAI(
                api_key=self._key or NO_KEY,
                base_url=self._connection.base_url,
                max_retries=0,
                default_headers=dict(self._connection.headers),
                http_client=http_client(self._connection, self.faults),
            )
        return self._opened


def offered_by(listed: object) -> tuple[OfferedModel, ...]:
    """Those of the list that have at least an id."""
    found = listed if isinstance(listed, list) else []
    return tuple(_offered(facts) for facts in found if isinstance(facts, dict) and facts.get("id"))


def _offered(facts: Mapping[str, Any]) -> OfferedModel:
    """OpenAI tells the id alone; vLLM, llama.cpp, LM Studio and OpenRouter also the window, each by its own name."""
    names = ("max_model_len", "context_length", "max_context_length", "loaded_context_length")
    meta = facts.get("meta")
    found = [facts.get(name) for name in names] + [meta.get("n_ctx_train") if isinstance(meta, Mapping) else None]
    window = next((value for value in found if isinstance(value, int) and value > 0), None)
    name = facts.get("name")
    return OfferedModel(id=str(facts["id"]), name=name if isinstance(name, str) else "", window=window)
