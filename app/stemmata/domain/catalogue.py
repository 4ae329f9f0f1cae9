"""What is known about models: their windows and prices. Shipped as a fallback, overridable, never invented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Model:
    """`window` in tokens; prices in millionths of a dollar per million tokens; None = unknown."""

    id: str
    window: int | None = None
    input_price: int | None = None
    output_price: int | None = None
    cache_read_price: int | None = None
    cache_write_price: int | None = None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Models by id. A dated or prefixed id (`claude-opus-4-5-20251101`) finds its longest known prefix."""

    models: Mapping[str, Model]

    def find(self, name: str) -> Model | None:
        """By `provider/model` or bare model id."""
        wanted = name.rpartition("/")[2].lower().replace(".", "-")
        while wanted:
            found = self.models.get(wanted)
            if found is not None:
                return found
            wanted = wanted.rpartition("-")[0]
        return None

    def window(self, name: str) -> int | None:
        """Tokens, None when unknown: then nothing is blocked and nothing is compacted by threshold."""
        found = self.find(name)
        return found.window if found else None
