"""Ids for entries whose own id is taken: files that were damaged or put together by hand repeat ids."""

from __future__ import annotations

from collections.abc import Container


def free_id(id: str, taken: Container[str]) -> str:
    """Return the id, or `…~2`, `…~3` and so on when it is taken. The caller adds it to those that are taken."""
    found, number = id, 1
    while found in taken:
        number += 1
        found = f"{id}~{number}"
    return found
