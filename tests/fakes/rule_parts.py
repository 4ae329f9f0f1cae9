"""Rules that several providers share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]

ID = re.compile(r"[A-Za-z0-9_-]+")
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
PDF = "application/pdf"


def alternation(roles: Sequence[str], results: Sequence[Json] = ()) -> Iterator[str]:
    """The user first, then turn about; where results are messages of their own, replies may follow them."""
    if not roles or roles[0] != "user":
        yield "The messages do not begin with the user."
    listed = [message["role"] for message in results] or roles
    for at in range(1, len(listed)):
        if listed[at] == listed[at - 1] and listed[at] != "tool":
            yield f"messages.{at}: {listed[at]} follows {listed[at]}."
