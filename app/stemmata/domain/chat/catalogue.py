"""The catalogue of models: context windows, output limits and prices.

The shipped catalogue is a fallback for what servers report, and the user can override it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.entries.entry import Usage

FACTS = ("window", "most_output", "input_price", "output_price", "cache_read_price", "cache_write_price")


@dataclass(frozen=True, slots=True)
class Model:
    """A model in the catalogue. Each fact is None when unknown; `aliases` are other ids of the same model.

    `window` and `most_output` (the longest reply) are in tokens, prices in millionths of a dollar per million tokens.
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
        """The prices of input, output, cache reads and cache writes."""
        return self.input_price, self.output_price, self.cache_read_price, self.cache_write_price


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Models by id. An id that is not listed (`claude-opus-4-5-20251101`) is found by its longest listed prefix.

    `unasked` are the connections to local servers that have not reported their models yet. Such a server may load a
    model with a smaller window, so only the user can tell windows of its models; `own` are the models with such a
    window, by id.
    """

    models: Mapping[str, Model]
    unasked: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()

    def find(self, name: str) -> Model | None:
        """Return the model with this id, which may begin with the provider (`provider/model`); None when unknown.

        Facts that the provider itself reported take precedence.
        """
        found = self._listed(name)
        if found is None or name.partition("/")[0] not in self.unasked or found.id in self.own:
            return found
        return replace(found, window=None)

    def _listed(self, name: str) -> Model | None:
        reported = self.models.get(name.lower())
        if reported is not None:
            return reported
        wanted = _plain(name)
        while wanted:
            found = self.models.get(wanted)
            if found is not None:
                return found
            wanted = wanted.rpartition("-")[0]
        return None

    def overridden(self, models: Mapping[str, Model]) -> Catalogue:
        """Return the catalogue in which the facts of these models (by id) replace the present ones.

        A fact that is None is not replaced.
        """
        merged = dict(self.models)
        for own, model in models.items():
            for id in (own, *model.aliases):
                known = [key for key in self.models if _plain(key) == _plain(id)]
                merged |= {key: _filled(model, self.models[key]) for key in known}
                merged[_plain(id)] = _filled(model, self.find(id) or self.find(own))
        with_window = (model.id for model in models.values() if model.window is not None)
        return replace(self, models=merged, own=self.own.union(with_window))

    def offering(self, provider: str, offered: Iterable[OfferedModel]) -> Catalogue:
        """Return the catalogue with the facts that the provider's server reports. None values change nothing."""
        merged = dict(self.models)
        for model in offered:
            facts = {fact: getattr(model, fact) for fact in FACTS} | {"window": model.usable_window}
            reported = {fact: value for fact, value in facts.items() if value is not None}
            if reported:
                merged[f"{provider}/{model.id}".lower()] = _filled(Model(model.id, **reported), self.find(model.id))
        return replace(self, models=merged, unasked=self.unasked - {provider})

    def cheapest(self, provider: str, offered: Iterable[str]) -> str:
        """Return the id of the offered model with the lowest known price of input and output; "" when none is known.

        A model counts only under its own id or with a date behind it: `…-mini-tts` is another model than `…-mini`.
        """
        priced: list[tuple[int, str]] = []
        for id in offered:
            found = self.find(f"{provider}/{id}")
            if found is None or found.input_price is None or found.output_price is None:
                continue
            if _DATED.fullmatch(_plain(id).removeprefix(_plain(found.id))):
                priced.append((found.input_price + found.output_price, id))
        return min(priced)[1] if priced else ""

    def most_output(self, name: str) -> int | None:
        """Return the maximum output tokens of the model; None when the catalogue does not know it."""
        found = self.find(name)
        return found.most_output if found else None

    def window(self, name: str) -> int | None:
        """Return the model's context window in tokens; None when unknown.

        With an unknown window no request is blocked and no threshold starts a compaction.
        """
        found = self.find(name)
        return found.window if found else None


_DATED = re.compile(r"(?:-latest|-\d{8}|-\d{4}-\d\d-\d\d)?")


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
    """Return the cost of a response in millionths of a dollar: the reported cost, else computed from the prices.

    None when a needed price is unknown.
    """
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
    """The effect of a compaction on costs, in millionths of a dollar.

    `once` is the cost of writing the shorter context to the cache, `each` is the saving with each later request.
    """

    once: int
    each: int


def cache_effect(before: int, after: int, model: Model | None) -> CacheEffect | None:
    """Return the effect on costs of a compaction from `before` to `after` tokens; None when unknown or no saving.

    This assumes that the cache still has the previous request when a request is sent. A server without a price for
    cache writes charges the price of input for them.
    """
    if model is None or model.cache_read_price is None or after >= before:
        return None
    write = model.input_price if model.cache_write_price is None else model.cache_write_price
    if write is None:
        return None
    return CacheEffect(round(after * write / _MILLION), round((before - after) * model.cache_read_price / _MILLION))
