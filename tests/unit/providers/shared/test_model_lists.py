"""What servers tell of their models, from everything to nothing but an id."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.connections import OfferedModel
from stemmata.providers.shared.model_list import offered_models


def test_a_bare_id_is_enough() -> None:
    assert offered_models([{"id": "qwen3:8b"}]) == (OfferedModel(id="qwen3:8b"),)
    assert offered_models([{"id": "qwen3:8b", "object": "model"}]) == (OfferedModel(id="qwen3:8b"),)


@pytest.mark.parametrize("listed", [None, {}, "no", [3, None, {}, {"id": ""}, {"id": 7}]])
def test_nonsense_lists_nothing(listed: object) -> None:
    assert offered_models(listed) == ()


def test_retired_models_are_not_offered() -> None:
    listed = [{"id": "old", "lifecycle": "retired"}, {"id": "ending", "lifecycle": "deprecated"}]
    assert [model.id for model in offered_models(listed)] == ["ending"]


def test_odd_facts_count_as_untold() -> None:
    odd = {"id": "m", "max_input_tokens": "many", "max_tokens": -1, "display_name": 3, "capabilities": [1]}
    assert offered_models([odd]) == (OfferedModel(id="m"),)


@pytest.mark.parametrize(
    "facts",
    [
        {"max_model_len": 4096},  # vLLM
        {"context_length": 4096},  # OpenRouter
        {"loaded_context_length": 4096, "max_context_length": 8192},  # LM Studio
    ],
)
def test_each_server_has_its_own_name_for_the_window(facts: dict[str, object]) -> None:
    assert offered_models([{"id": "m"} | facts]) == (OfferedModel(id="m", window=4096),)


@pytest.mark.parametrize("facts", [{"max_context_length": 4096}, {"meta": {"n_ctx_train": 4096}}])
def test_what_a_model_could_take_is_marked_as_such(facts: dict[str, object]) -> None:
    assert offered_models([{"id": "m"} | facts]) == (OfferedModel(id="m", window=4096, is_bound=True),)


@pytest.mark.parametrize("window", [0, -1, True, 1.5, "4096", 10**30, None, [4096]])
def test_a_window_that_is_none_counts_as_untold(window: object) -> None:
    assert offered_models([{"id": "m", "context_length": window}]) == (OfferedModel(id="m"),)


def test_prices_are_told_by_the_token() -> None:
    pricing = {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "3e-7", "input_cache_write": "0"}
    (model,) = offered_models([{"id": "m", "pricing": pricing, "top_provider": {"max_completion_tokens": 9}}])
    assert (model.input_price, model.output_price) == (3_000_000, 15_000_000)
    assert (model.cache_read_price, model.cache_write_price) == (300_000, 0)
    assert model.most_output == 9


@pytest.mark.parametrize("price", ["-1", "NaN", "Infinity", "9e99", "a lot", 3, None, "", "1" * 100, ["1"]])
def test_a_price_that_is_none_counts_as_untold(price: object) -> None:
    (model,) = offered_models([{"id": "m", "pricing": {"prompt": price}}])
    assert model.input_price is None
