"""Values as JSON text. Strings may hold lone surrogates, which only the standard library reads and writes."""

from __future__ import annotations

import json
from typing import Any

import orjson


def to_json(value: Any) -> str:
    """Return a value as JSON text, with lone surrogates as escapes."""
    return json_bytes(value).decode()


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON in UTF-8, with lone surrogates as escapes."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def from_json(text: str) -> Any:
    """Return the value of JSON text that `to_json` made."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # lone surrogates, which only the standard library reads
        return json.loads(text)
