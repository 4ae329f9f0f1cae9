"""Read the shipped catalogue of models (`resources/models.toml`) and cache the model lists of servers."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.connections import Connection, OfferedModel

MOST = 5000  # models read from a list
_NUMBERS = (
    "window",
    "most_output",
    "input_price",
    "output_price",
    "cache_read_price",
    "cache_write_price",
    "refused_above",
)


class ModelCache:
    """Implements `services.ports.providers.ModelCache`: one file per connection; a damaged file counts as missing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, connection: Connection) -> tuple[int, tuple[OfferedModel, ...]] | None:
        """Return the time of the server's answer in ns since the epoch, and its models.

        Returns None when no answer is cached for the connection's current server.
        """
        try:
            document = json.loads(self._path(connection).read_text(encoding="utf-8"))
            if document["base_url"] != connection.base_url:
                return None
            return int(document["time"]), tuple(_cached_model(facts) for facts in document["models"][:MOST])
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def write(self, connection: Connection, time: int, models: Sequence[OfferedModel]) -> None:
        """Store the answer; a failure to write is ignored, because the list can be fetched again."""
        listed = [asdict(model) for model in models[:MOST]]
        document = {"base_url": connection.base_url, "time": time, "models": listed}
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=".models-")
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(document, file)
            os.replace(name, self._path(connection))

    def forget(self, connection: Connection) -> None:
        """Delete the cached answer of a connection."""
        with suppress(OSError):
            self._path(connection).unlink(missing_ok=True)

    def _path(self, connection: Connection) -> Path:
        digest = hashlib.sha256(connection.name.encode("utf-8", "replace")).hexdigest()[:16]
        return self._folder / f"models-{digest}.json"


def _cached_model(facts: dict[str, Any]) -> OfferedModel:
    """Return a model from its cached fields; invalid numbers count as unknown."""
    known = {field.name for field in fields(OfferedModel)}
    given = {name: value for name, value in facts.items() if name in known}
    lists = {name: tuple(given.get(name, ())) for name in ("levels", "thinking")}
    numbers = {name: given.get(name) if isinstance(given.get(name), int) else None for name in _NUMBERS}
    return OfferedModel(**given | lists | numbers)


_PRICES = ("input", "output", "cache_read", "cache_write")


def load_catalogue(path: Path) -> Catalogue:
    """Return the catalogue in this file."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Catalogue({name: _model(name, facts) for name, facts in table.items()})


def _model(name: str, facts: Mapping[str, Any]) -> Model:
    prices = [None if facts.get(key) is None else round(facts[key] * 1_000_000) for key in _PRICES]
    return Model(name, facts.get("window"), prices[0], prices[1], prices[2], prices[3], facts.get("most_output"))
