"""What providers share whatever the API: one client of its SDK, questions and their failures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.domain.chat.streaming import ProviderError
from stemmata.domain.text.untrusted import MOST_TOKENS, bounded
from stemmata.providers.shared.faults import Faults
from stemmata.providers.shared.model_list import offered_models
from stemmata.providers.shared.real_windows import with_real_windows

T = TypeVar("T")

NO_KEY = "none"  # what servers on this machine are sent: the SDKs want something
UNCOUNTED = (404, 405, 501)  # what servers answer that cannot count


class SdkServer(ABC):
    """`stall`: seconds without a byte until a request is given up. `models_path` is relative to the SDK's address."""

    models_path = "/models"

    def __init__(self, connection: Connection, key: str, stall: float) -> None:
        self._connection, self._key = connection, key.strip()
        self.faults = Faults(connection, key, stall)
        self._opened: Any = None  # the SDK's client; both are made by one generator and share these calls

    @abstractmethod
    def made(self) -> Any:
        """A new client of the SDK."""

    @property
    def client(self) -> Any:
        if self._opened is None:
            self._opened = self.made()
        return self._opened

    async def models(self) -> Sequence[OfferedModel]:
        """In the server's order."""

        async def offered() -> Sequence[OfferedModel]:
            answer = await self.client.get(self.models_path, cast_to=object)
            return offered_models(answer.get("data") if isinstance(answer, dict) else None)

        models = await self._asked(offered)
        return await with_real_windows(self._connection, self._key, self.faults, models)

    async def counted(
        self, path: str, body: Mapping[str, Any], options: Mapping[str, Any] | None = None
    ) -> int | None:
        """None where the server does not count, or says no number."""
        try:
            answer = await self._asked(
                lambda: self.client.post(path, cast_to=object, body=dict(body), options=dict(options or {}))
            )
        except ProviderError as problem:
            if problem.status in UNCOUNTED:
                return None
            raise
        return bounded(answer.get("input_tokens") if isinstance(answer, dict) else None, 0, MOST_TOKENS)

    async def _asked(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Raises ProviderError alone, without what the SDK raised: that may quote the request."""
        try:
            return await ask()
        except Exception as error:  # noqa: BLE001 - whatever a server's answer makes the SDK raise
            problem = self.faults.of(error)
        raise problem

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()
            self._opened = None
