"""What is known about models: their windows and prices. Shipped as a fallback, overridable, never invented."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from stemmata.domain.chat.connections import OfferedModel

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
