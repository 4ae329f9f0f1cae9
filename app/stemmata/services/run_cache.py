"""How a request does with the provider's prompt cache: whether it begins as the one before did."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from stemmata.domain.cache_prefix import CachePrefix
from stemmata.domain.context import Form
from stemmata.domain.entries import Entry, Role

KEPT = "cache_prefix"  # in the details of a reply: what its request began with


def cache_break(messages: Sequence[tuple[Entry, Form]], payload: Mapping[str, Any]) -> str:
    """What differs from the request of the last reply: model, tools, system or messages; "" when nothing does.

    Also "" when that request left nothing in a cache, or when nothing is known of it.
    """
    for entry, _ in reversed(messages):
        if entry.role is Role.ASSISTANT:
            prefix = _prefix_of(entry) if entry.usage and entry.usage.cache_read + entry.usage.cache_write else None
            return "" if prefix is None else prefix.broken_by(payload)
    return ""


def _prefix_of(entry: Entry) -> CachePrefix | None:
    try:
        details = json.loads(entry.details or "{}")
    except ValueError:
        return None
    return CachePrefix.parse(str(details.get(KEPT, ""))) if isinstance(details, dict) else None
