"""Whose word the name of a session is: the person's stays, whatever its source calls it later."""

from __future__ import annotations

import json
from typing import Any

from stemmata.domain.text.json_text import compact

_HERE = "namedHere"  # among the session's details


def is_named_here(details: str) -> bool:
    return _facts(details).get(_HERE) is True


def named_here(details: str, *, on: bool) -> str:
    """The session's details, saying whether the person named it."""
    facts = {name: value for name, value in _facts(details).items() if name != _HERE}
    return compact(facts | {_HERE: True} if on else facts) if facts or on else ""


def _facts(details: str) -> dict[str, Any]:
    try:
        found = json.loads(details or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
