"""How a request does with the provider's prompt cache: whether it begins as the one before did."""

from __future__ import annotations

import json
from collections.abc import Sequence

from stemmata.domain.context.projection import Form
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.requests.cache_prefix import CachePrefix

KEPT = "cache_prefix"  # in the details of a reply: what its request began with


def kept_prefix(messages: Sequence[tuple[Entry, Form]]) -> CachePrefix | None:
    """What the request of the last reply began with; None when it left nothing in a cache, or nothing is known."""
    for entry, _ in reversed(messages):
        if entry.role is Role.ASSISTANT:
            return _prefix_of(entry) if entry.usage and entry.usage.cache_read + entry.usage.cache_write else None
    return None


def _prefix_of(entry: Entry) -> CachePrefix | None:
    try:
        details = json.loads(entry.details or "{}")
    except ValueError:
        return None
    return CachePrefix.parse(str(details.get(KEPT, ""))) if isinstance(details, dict) else None
