"""What a request cost, from the usage that the provider reported and the prices of the catalogue."""

from __future__ import annotations

from stemmata.domain.catalogue import Model
from stemmata.domain.entries import Usage

_MILLION = 1_000_000
_HOUR_FACTOR = 2.0  # an hour in the cache costs twice the input (Anthropic's price list)


def cost_of(usage: Usage, model: Model | None) -> int | None:
    """Millionths of a dollar; None when a price that is needed is not known. A cost that was reported counts."""
    if usage.cost is not None:
        return usage.cost
    if model is None:
        return None
    hour = None if model.input_price is None else model.input_price * _HOUR_FACTOR
    written = usage.cache_write - min(usage.cache_write_1h, usage.cache_write)
    parts = (
        (usage.input, model.input_price),
        (usage.output, model.output_price),
        (usage.cache_read, model.cache_read_price),
        (written, model.cache_write_price),
        (usage.cache_write - written, hour),
    )
    if any(tokens and price is None for tokens, price in parts):
        return None
    return round(sum(tokens * (price or 0) for tokens, price in parts) / _MILLION)
