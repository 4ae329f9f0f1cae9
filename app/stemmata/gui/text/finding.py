"""Where a text stands in another, in the positions of Qt."""

from __future__ import annotations

import re

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def starts(text: str, needle: str) -> list[int]:
    """Positions in UTF-16 units, from the first on, none inside the one before. `needle` in lower case."""
    lowered = text.lower()
    if not needle or needle not in lowered:
        return []
    if not lowered.isascii():
        text, needle = _two_units(text), _two_units(needle)
        lowered = text.lower()
        if len(lowered) != len(text):  # a letter whose small form is two
            return [found.start() for found in re.finditer(re.escape(needle), text, re.IGNORECASE)]
    out: list[int] = []
    at = lowered.find(needle)
    while at >= 0:
        out.append(at)
        at = lowered.find(needle, at + len(needle))
    return out


def _two_units(text: str) -> str:
    """The same text with each character that takes two units as two characters."""
    return _ASTRAL.sub(lambda found: found[0] + "\udc00", text)
