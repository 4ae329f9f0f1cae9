"""Vectors of texts from a server, over the real wire."""

from __future__ import annotations

from typing import Any

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.requests.apis import API_NAMES
from stemmata.providers.registry import ProviderRegistry
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.unit.providers.asking import Run


class Answering(LoopbackServer):
    """The same answer to every request, which is kept."""

    def __init__(self, status: int, body: object) -> None:
        self._status, self._body = status, body
        self.received: list[tuple[str, Any]] = []
        super().__init__()

    def answer(self, exchange: Exchange) -> None:
        self.received.append((exchange.request.path, exchange.request.body))
        exchange.send_json(self._status, self._body)


def embedded(run: Run, api: str, status: int, body: object) -> tuple[Any, list[tuple[str, Any]]]:
    with Answering(status, body) as server:
        root = server.url if api == "anthropic" else f"{server.url}/v1"
        provider = ProviderRegistry(15).open(Connection(name="odd", api=api, base_url=root), "")
        try:
            return run(provider.embed("small", ["one", "two"])), server.received
        finally:
            run(provider.close())


@pytest.mark.parametrize("api", API_NAMES)
def test_vectors_come_in_the_order_of_the_texts(api: str, run: Run) -> None:
    data = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1.5, -2]}]
    vectors, asked = embedded(run, api, 200, {"object": "list", "data": data})
    assert vectors == [[1.5, -2.0], [0.0, 1.0]]
    assert asked == [("/v1/embeddings", {"model": "small", "input": ["one", "two"], "encoding_format": "float"})]


@pytest.mark.parametrize(
    "body",
    [
        {}, [], "no", {"data": None}, {"data": []}, {"data": [{"embedding": [1]}]}, {"data": ["x", "y"]},
        {"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]},
        {"data": [{"index": "0", "embedding": [1]}, {"index": 1, "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": ["1"]}, {"index": 1, "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": [1e300]}, {"index": 1, "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": [0] * 20_000}, {"index": 1, "embedding": [1]}]},
    ],
)  # fmt: skip
def test_an_answer_in_another_form_gives_no_vectors(body: object, run: Run) -> None:
    assert list(embedded(run, "openai-chat", 200, body)[0]) == []


@pytest.mark.parametrize(("status", "fault"), [(401, Fault.KEY), (404, Fault.MODEL), (500, Fault.SERVER)])
def test_a_refusal_is_an_error(status: int, fault: Fault, run: Run) -> None:
    with pytest.raises(ProviderError) as caught:
        embedded(run, "openai-chat", status, {"error": {"message": "no"}})
    assert caught.value.fault is fault
