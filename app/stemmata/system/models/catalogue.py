"""The shipped catalogue of models, read from `resources/models.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stemmata.domain.chat.catalogue import Catalogue, Model

_PRICES = ("input", "output", "cache_read", "cache_write")


def load_catalogue(path: Path, windows: Mapping[str, int] | None = None) -> Catalogue:
    """The catalogue in this file; `windows` (model id → tokens) are the person's own overrides."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    models = {name: _model(name, facts) for name, facts in table.items()}
    for name, window in (windows or {}).items():
        models[name.lower()] = Model(name.lower(), window)
    return Catalogue(models)


def _model(name: str, facts: Mapping[str, Any]) -> Model:
    prices = [None if facts.get(key) is None else round(facts[key] * 1_000_000) for key in _PRICES]
    return Model(name, facts.get("window"), prices[0], prices[1], prices[2], prices[3], facts.get("most_output"))
