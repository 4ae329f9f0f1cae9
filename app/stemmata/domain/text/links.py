"""Which links of a text may be opened; window, exported pages and Markdown follow the same rule."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_SAFE = re.compile(r"(?:https?|mailto):", re.IGNORECASE)


def is_safe_link(address: str) -> bool:
    """Return whether a link may be opened: its scheme is http, https or mailto, and the address can be parsed."""
    try:
        urlsplit(address)
    except ValueError:
        return False
    return _SAFE.match(address.strip()) is not None
