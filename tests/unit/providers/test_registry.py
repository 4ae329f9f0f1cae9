"""Servers on this machine are found by their answers; what answers otherwise is not taken for one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.errors import NotFoundError
from stemmata.domain.requests.apis import API_NAMES
from stemmata.providers.registry import LOCAL_SERVERS, PROVIDERS, LocalServer, ProviderRegistry, discover
from tests.fakes.loopback import Exchange, LoopbackServer
from tests.unit.providers.asking import Run

OLLAMA, LM_STUDIO, LLAMA, VLLM = LOCAL_SERVERS


class Answering(LoopbackServer):
    """The same JSON at one path, 404 elsewhere; None: nothing at all."""

    def __init__(self, path: str, told: object) -> None:
        self._path, self._told = path, told
        super().__init__()

    def answer(self, exchange: Exchange) -> None:
        if self._told is None:
            exchange.stall()
        elif exchange.request.path == self._path:
            exchange.send_json(200, self._told)
        else:
            exchange.send_json(404, {})


def found(run: Run, place: LocalServer, told: object) -> tuple[Connection, ...]:
    with Answering(place.path, told) as server:
        result: tuple[Connection, ...] = run(discover([replace(place, port=server.port)]))
    return result


def test_each_kind_is_found_by_its_answer(run: Run) -> None:
    (ollama,) = found(run, OLLAMA, {"models": [{"name": "qwen3:8b"}]})
    assert (ollama.name, ollama.api, ollama.model) == ("ollama", "anthropic", "qwen3:8b")
    assert not ollama.base_url.endswith("/v1")
    assert ollama.is_local
    (studio,) = found(run, LM_STUDIO, {"data": [{"id": "gemma"}]})
    assert (studio.name, studio.api, studio.model) == ("lm-studio", "openai-chat", "gemma")
    assert studio.base_url.endswith("/v1")
    (llama,) = found(run, LLAMA, {"data": [{"id": "a.gguf", "owned_by": "llamacpp"}]})
    assert llama.name == "llama.cpp"
    (vllm,) = found(run, VLLM, {"data": [{"id": "Qwen/Qwen3", "owned_by": "vllm"}]})
    assert vllm.model == "Qwen/Qwen3"


def test_a_server_without_a_model_is_found(run: Run) -> None:
    (ollama,) = found(run, OLLAMA, {"models": []})
    assert ollama.model == ""


@pytest.mark.parametrize("told", [{}, [], "no", {"data": 3}, {"data": [{"id": "x", "owned_by": "someone"}]}])
def test_other_servers_are_left_alone(told: object, run: Run) -> None:
    assert found(run, LLAMA, told) == ()


def test_an_endless_answer_is_not_waited_for(run: Run) -> None:
    assert found(run, LLAMA, {"data": [{"id": "x" * 2_000_000}]}) == ()


def test_a_server_that_does_not_answer_is_not_waited_for(run: Run) -> None:
    assert found(run, OLLAMA, None) == ()


def test_nobody_is_there(run: Run) -> None:
    with Answering("/", {}) as server:
        port = server.port
    assert run(discover([replace(place, port=port) for place in LOCAL_SERVERS])) == ()


def test_an_unknown_api_is_not_opened() -> None:
    with pytest.raises(NotFoundError):
        ProviderRegistry().open(Connection(name="x", api="gopher"), "")


def test_every_api_has_its_provider() -> None:
    assert tuple(PROVIDERS) == API_NAMES
    for api in API_NAMES:
        assert type(ProviderRegistry().open(Connection(name="a", api=api), "")) is PROVIDERS[api]
