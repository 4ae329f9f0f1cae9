"""The values of a database's columns, which can have any type."""

from __future__ import annotations

from typing import Any

from stemmata.formats.shared.values import BadLineError, parse, text


def parsed(value: Any) -> Any:
    """Return the value of a column of JSON; None for one that is missing or damaged."""
    data = value if isinstance(value, bytes) else value.encode("utf-8", "replace") if isinstance(value, str) else None
    try:
        return None if data is None else parse(data)
    except BadLineError:
        return None


def plain(value: Any) -> str:
    """Return the text of a column of any type."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else text(value)
