"""Tags: single words that people group sessions by."""

from __future__ import annotations

LONGEST = 40  # characters: it has to fit a row


def tag_of(text: str) -> str:
    """What a person typed as a tag, so that `#tag` can be typed to find it; "" when nothing is left."""
    return "-".join(text.replace("#", " ").split())[:LONGEST]
