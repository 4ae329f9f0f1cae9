"""What a request cost, from the usage that the provider reported and the prices of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.entries.entry import Usage

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


@dataclass(frozen=True, slots=True)
class CacheEffect:
    """Millionths of a dollar: to write the shorter context into the cache, and less to read with each request."""

    once: int
    each: int


def cache_effect(before: int, after: int, model: Model | None) -> CacheEffect | None:
    """What a compaction from `before` to `after` tokens changes, where every request finds the last one cached.

    A server that caches without charging for it writes at the price of input. None where a price is not known, or
    nothing is saved.
    """
    if model is None or model.cache_read_price is None or after >= before:
        return None
    write = model.input_price if model.cache_write_price is None else model.cache_write_price
    if write is None:
        return None
    return CacheEffect(round(after * write / _MILLION), round((before - after) * model.cache_read_price / _MILLION))
