"""Facts about a model: the user's take precedence over the server's, these over the shipped ones."""

from __future__ import annotations

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.connections import OfferedModel

SHIPPED = Catalogue({"claude-opus-4-5": Model("claude-opus-4-5", 200_000, input_price=5)})


def test_an_id_finds_its_longest_known_beginning() -> None:
    assert SHIPPED.window("anthropic/claude-opus-4-5-20251101") == 200_000
    assert SHIPPED.window("openrouter/anthropic/Claude-Opus-4.5") == 200_000
    assert SHIPPED.window("local/qwen3:8b") is None


def test_facts_from_a_server_apply_to_its_models() -> None:
    offered = [
        OfferedModel(id="claude-opus-4-5", window=1_000_000),
        OfferedModel(id="Qwen/qwen3.5:8b", window=40_960),
    ]
    told = SHIPPED.offering("Work", [*offered, OfferedModel(id="odd")])
    assert told.window("Work/claude-opus-4-5") == 1_000_000
    assert told.window("other/claude-opus-4-5") == 200_000
    assert told.window("Work/Qwen/qwen3.5:8b") == 40_960
    assert told.window("Work/odd") is None
    found = told.find("Work/claude-opus-4-5")
    assert found is not None
    assert found.input_price == 5, "what it does not tell is as it was"


def test_prices_from_a_server_are_used() -> None:
    told = 7
    catalogue = SHIPPED.offering("router", [OfferedModel(id="claude-opus-4-5", input_price=told, output_price=0)])
    model = catalogue.find("router/claude-opus-4-5")
    assert model is not None
    assert (model.window, model.input_price, model.output_price) == (200_000, told, 0)


def test_the_users_facts_take_precedence() -> None:
    told = SHIPPED.offering("work", [OfferedModel(id="claude-opus-4-5", window=1_000_000)])
    settled = told.overridden({"claude-opus-4.5": Model("claude-opus-4.5", 50_000), "new": Model("new", 7)})
    assert settled.window("work/claude-opus-4-5") == settled.window("other/claude-opus-4-5") == 50_000
    assert settled.window("x/new") == 7
    found = settled.find("claude-opus-4-5")
    assert found is not None
    assert found.input_price == 5


def test_of_an_unasked_server_only_the_users_windows_are_known() -> None:
    catalogue = Catalogue(SHIPPED.models, unasked=frozenset({"ollama"}))
    model = catalogue.find("ollama/claude-opus-4-5")
    assert model is not None
    assert (model.window, model.input_price) == (None, 5)
    assert catalogue.window("claude-opus-4-5") == catalogue.window("work/claude-opus-4-5") == 200_000
    own = catalogue.overridden({"claude-opus-4.5": Model("claude-opus-4.5", 50_000), "new": Model("new")})
    assert own.window("ollama/claude-opus-4-5") == 50_000
    asked = catalogue.offering("ollama", [OfferedModel(id="other", window=7)])
    assert asked.window("ollama/claude-opus-4-5") == 200_000


def test_the_prices_of_a_model_are_those_of_input_output_and_cache() -> None:
    model = Model("m", input_price=5, output_price=25, cache_read_price=1, cache_write_price=6)
    assert model.prices == (5, 25, 1, 6)


def test_the_cheapest_model_has_known_prices_and_its_own_name() -> None:
    prices = {"big": (5, 25), "mini": (1, 4), "half": (1, None)}
    known = Catalogue({id: Model(id, input_price=put, output_price=out) for id, (put, out) in prices.items()})
    assert known.cheapest("work", ["big", "mini-20250101", "mini-tts", "half", "new"]) == "mini-20250101"
    assert known.cheapest("work", ["mini-audio", "half"]) == ""
