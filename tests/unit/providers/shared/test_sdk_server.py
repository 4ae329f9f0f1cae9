"""The window that a model is really run with, asked in the way of each server; whoever knows none changes nothing."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.providers.registry import ProviderRegistry
from stemmata.providers.shared import sdk_server as real_windows
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.fake_models import LOCAL, FakeModel
from tests.fakes.loopback import Exchange
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.own_ways import OwnWays
from tests.unit.providers.asking import Run

OTHER = FakeModel(id="gemma3:4b", window=131_072)
SHOWN = ["completion", "tools"]


def asked(run: Run, ways: OwnWays, *models: FakeModel, key: str = "", api: str = "openai-chat") -> list[OfferedModel]:
    """Return the provider's facts about a server's models."""

    async def ask() -> list[OfferedModel]:
        provider = ProviderRegistry().open(connection, key)
        try:
            return list(await provider.models())
        finally:
            await provider.close()

    listed = models or (LOCAL,)
    kind = AnthropicServer if api == "anthropic" else OpenAIServer
    with kind(models=listed, ways=ways, key=key) as server:
        url = server.url if api == "anthropic" else f"{server.url}/v1"
        connection = Connection(name="it", api=api, base_url=url)
        found: list[OfferedModel] = run(ask())
    return found


@pytest.mark.parametrize("api", ["openai-chat", "anthropic"])
def test_ollama_tells_what_is_loaded_what_was_set_and_what_could_be(run: Run, api: str) -> None:
    unset = FakeModel(id="unset", window=262_144)
    ways = OwnWays("ollama", loaded={LOCAL.id: 4096}, parameters={OTHER.id: "num_ctx                        32768"})
    loaded, was_set, could_be = asked(run, ways, LOCAL, OTHER, unset, api=api)
    assert (loaded.window, loaded.is_bound) == (4096, False)
    assert (was_set.window, was_set.is_bound) == (32_768, False)
    assert (could_be.window, could_be.is_bound) == (262_144, True)


def test_ollama_tells_what_a_model_can(run: Run) -> None:
    seeing = ["completion", "vision", "thinking"]
    ways = OwnWays("ollama", capabilities={LOCAL.id: SHOWN, OTHER.id: seeing, "x": ["embedding"]})
    plain, sees, embeds = asked(run, ways, LOCAL, OTHER, FakeModel(id="x"))
    assert (plain.thinks, plain.takes_images) == (False, False)
    assert (sees.thinks, sees.takes_images) == (True, True)
    assert embeds.thinks is None


def test_llama_runs_its_model_with_less_than_it_could_take(run: Run) -> None:
    (model,) = asked(run, OwnWays("llama.cpp", loaded={LOCAL.id: 8192}))
    assert (model.window, model.is_bound) == (8192, False)


def test_a_studio_tells_what_is_loaded(run: Run) -> None:
    loaded, other = asked(run, OwnWays("lm-studio", loaded={LOCAL.id: 8192}), LOCAL, OTHER)
    assert (loaded.window, loaded.is_bound) == (8192, False)
    assert (other.window, other.is_bound) == (131_072, True)


def test_vllm_and_openrouter_tell_it_in_the_list_and_are_asked_nothing_more(run: Run) -> None:
    (model,) = asked(run, OwnWays("vllm", garbage=b"not asked"))
    assert (model.window, model.is_bound) == (LOCAL.window, False)
    (model,) = asked(run, OwnWays("openrouter", garbage=b"not asked"))
    assert (model.window, model.input_price, model.cache_read_price) == (LOCAL.window, 3_000_000, 300_000)


@pytest.mark.parametrize(
    "garbage",
    [b"", b"<html>", b"null", b"[]", b'{"models": 3, "data": {}}', b'{"default_generation_settings": {"n_ctx": "9"}}',
     b'{"models": [3, {"model": 4}], "data": [null]}', b'{"a": "' + b"x" * 2_000_000 + b'"}', b"[" * 100_000],
    ids=["empty", "page", "null", "list", "kinds", "text", "items", "endless", "deep"],
)  # fmt: skip
def test_garbage_changes_nothing(garbage: bytes, run: Run) -> None:
    (model,) = asked(run, OwnWays("", garbage=garbage))
    assert model == OfferedModel(id=LOCAL.id)


def test_a_server_without_these_ways_changes_nothing(run: Run) -> None:
    (model,) = asked(run, OwnWays())
    assert model == OfferedModel(id=LOCAL.id)


def test_the_key_goes_along(run: Run) -> None:
    (model,) = asked(run, OwnWays("llama.cpp", loaded={LOCAL.id: 8192}), key="sk-local-1234")
    assert model.window == 8192


class Silent(OwnWays):
    """Answers the request for the list, and no other until the client disconnects."""

    def answer(self, exchange: Exchange, models: object) -> bool:
        exchange.stall()
        return True


def test_silence_is_not_waited_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_windows, "PATIENCE", 0.3)
    (model,) = asked(run, Silent("ollama"))
    assert model == OfferedModel(id=LOCAL.id)
