"""What is known about models: their windows and prices. Shipped as a fallback, overridable, never invented."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.entries.entry import Usage

FACTS = ("window", "most_output", "input_price", "output_price", "cache_read_price", "cache_write_price")


@dataclass(frozen=True, slots=True)
class Model:
    """`window` and `most_output`, the longest reply, in tokens; prices in millionths of a dollar per million tokens;
    None = unknown. `aliases` are other ids of the same model.
    """

    id: str
    window: int | None = None
    input_price: int | None = None
    output_price: int | None = None
    cache_read_price: int | None = None
    cache_write_price: int | None = None
    most_output: int | None = None
    aliases: tuple[str, ...] = ()

    @property
    def prices(self) -> tuple[int | None, ...]:
        """Of input, output, reading from the cache and writing to it."""
        return self.input_price, self.output_price, self.cache_read_price, self.cache_write_price


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Models by id. A dated or prefixed id (`claude-opus-4-5-20251101`) finds its longest known prefix."""

    models: Mapping[str, Model]

    def find(self, name: str) -> Model | None:
        """By `provider/model` or bare model id. What the provider itself said of its model comes first."""
        told = self.models.get(name.lower())
        if told is not None:
            return told
        wanted = _plain(name)
        while wanted:
            found = self.models.get(wanted)
            if found is not None:
                return found
            wanted = wanted.rpartition("-")[0]
        return None

    def overridden(self, models: Mapping[str, Model]) -> Catalogue:
        """What these say about models, by id, before what was known; what they leave open stays as it was."""
        merged = dict(self.models)
        for own, model in models.items():
            for id in (own, *model.aliases):
                known = [key for key in self.models if _plain(key) == _plain(id)]
                merged |= {key: _filled(model, self.models[key]) for key in known}
                merged[_plain(id)] = _filled(model, self.find(id) or self.find(own))
        return Catalogue(merged)

    def offering(self, provider: str, offered: Iterable[OfferedModel]) -> Catalogue:
        """With what this provider's server reports of its own models; what it leaves open is as it was."""
        merged = dict(self.models)
        for model in offered:
            facts = {fact: getattr(model, fact) for fact in FACTS} | {"window": model.usable_window}
            told = {fact: value for fact, value in facts.items() if value is not None}
            if told:
                merged[f"{provider}/{model.id}".lower()] = _filled(Model(model.id, **told), self.find(model.id))
        return Catalogue(merged)

    def most_output(self, name: str) -> int | None:
        """Tokens, None when unknown."""
        found = self.find(name)
        return found.most_output if found else None

    def window(self, name: str) -> int | None:
        """Tokens, None when unknown: then nothing is blocked and nothing is compacted by threshold."""
        found = self.find(name)
        return found.window if found else None


def _plain(name: str) -> str:
    return name.rpartition("/")[2].lower().replace(".", "-")


def _filled(model: Model, known: Model | None) -> Model:
    if known is None:
        return model
    open_facts = {fact: getattr(known, fact) for fact in FACTS if getattr(model, fact) is None}
    return replace(model, **open_facts)


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
