"""Values as JSON text. Strings may hold lone surrogates, which only the standard library reads and writes."""

from __future__ import annotations

import json
from typing import Any

import orjson


def to_json(value: Any) -> str:
    """JSON text of a value; lone surrogates as escapes."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"))


def from_json(text: str) -> Any:
    """The inverse of `to_json`."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # lone surrogates, which only the standard library reads
        return json.loads(text)
