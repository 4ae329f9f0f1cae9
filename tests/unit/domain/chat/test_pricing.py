"""Prices are dollars per million tokens, in millionths."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.catalogue import CacheEffect, Model, cache_effect, cost_of
from stemmata.domain.entries.entry import Usage

MODEL = Model("m", 200_000, 5_000_000, 25_000_000, 500_000, 6_250_000)


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(input=1000, output=100), 5_000 + 2_500),
        (Usage(cache_read=10_000), 5_000),
        (Usage(cache_write=1000), 6_250),
        (Usage(cache_write=1000, cache_write_1h=400), 600 * 6.25 + 400 * 10),
        (Usage(cache_write_1h=400), 0),
        (Usage(input=5, cost=77), 77),
        (Usage(), 0),
    ],
)
def test_every_kind_of_token_has_its_price(usage: Usage, cost: float) -> None:
    assert cost_of(usage, MODEL) == cost


def test_an_unknown_price_makes_the_cost_unknown() -> None:
    assert cost_of(Usage(input=1), None) is None
    assert cost_of(Usage(cache_read=1), Model("m", input_price=1, output_price=1)) is None
    assert cost_of(Usage(input=1), Model("m", input_price=1_000_000)) == 1


def test_a_compaction_is_paid_once_and_saves_with_each_request() -> None:
    assert cache_effect(120_000, 20_000, MODEL) == CacheEffect(once=125_000, each=50_000)
    free_to_write = Model("m", input_price=2_000_000, cache_read_price=1_000_000)
    assert cache_effect(2_000, 1_000, free_to_write) == CacheEffect(once=2_000, each=1_000)


@pytest.mark.parametrize("model", [None, Model("m", input_price=1), Model("m", cache_read_price=1)])
def test_unknown_prices_give_no_cache_effect(model: Model | None) -> None:
    assert cache_effect(2_000, 1_000, model) is None


def test_no_saving_gives_no_cache_effect() -> None:
    assert cache_effect(1_000, 1_000, MODEL) is None
