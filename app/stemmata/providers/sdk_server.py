"""What providers share whatever the API: one client of its SDK, questions and their failures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from stemmata.domain.connections import Connection, OfferedModel
from stemmata.providers.faults import Faults
from stemmata.providers.model_list import offered_models
from stemmata.providers.real_windows import with_real_windows

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
        try:
            answer = await self.client.get(self.models_path, cast_to=object)
            models = offered_models(answer.get("data") if isinstance(answer, dict) else None)
        except Exception as error:  # noqa: BLE001 - whatever a server's answer makes the SDK raise
            problem = self.faults.of(error)
        else:
            return await with_real_windows(self._connection, self._key, self.faults, models)
        raise problem

    async def counted(self, path: str, body: Mapping[str, Any]) -> int | None:
        try:
            answer = await self.client.post(path, cast_to=object, body=dict(body))
        except Exception as error:  # noqa: BLE001 - whatever a server's answer makes the SDK raise
            problem = self.faults.of(error)
        else:
            counted = answer.get("input_tokens") if isinstance(answer, dict) else None
            return counted if isinstance(counted, int) else None
        if problem.status in UNCOUNTED:
            return None
        raise problem

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()
            self._opened = None
