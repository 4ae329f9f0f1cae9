"""Arrange messages that name their parents, and perhaps their children, into trees: parents before children."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Placed:
    """A message with its parent in the tree. `repair` is the reason for another parent than the named one, or ""."""

    id: str
    parent: str | None
    repair: str = ""


def placed(parents: Mapping[str, str | None], children: Mapping[str, Sequence[str]]) -> Iterator[Placed]:
    """Yield every message once, each after its parent, siblings first in the order of `children`, then in the order
    of `parents`.

    `parents` has all messages. The parent that a message names takes precedence over a parent that lists the message.
    A message whose parent is missing becomes a root, and so does the first message of a circle.
    """
    listed = {child: parent for parent, found in children.items() if parent in parents for child in found}
    real: dict[str, str | None] = {}
    for id, named in parents.items():
        real[id] = named if named in parents else listed.get(id)
    below: dict[str, list[str]] = {id: [] for id in parents}
    for parent, found in children.items():
        if parent in below:
            below[parent] += [child for child in dict.fromkeys(found) if real.get(child) == parent]
    known = {child for found in below.values() for child in found}
    for id, real_parent in real.items():
        if real_parent is not None and id not in known:
            below[real_parent].append(id)
    seen: set[str] = set()
    for id, real_parent in real.items():
        if real_parent is None:
            named = parents[id]
            repair = "" if named is None else f"Its parent {named} is not in the conversation."
            yield from _subtree(Placed(id, None, repair), below, seen)
    for id in parents:
        if id not in seen:
            yield from _subtree(Placed(id, None, "Its chain of parents leads back to itself."), below, seen)


def _subtree(root: Placed, below: Mapping[str, Sequence[str]], seen: set[str]) -> Iterator[Placed]:
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if one.id in seen:  # the start of a circle
            continue
        seen.add(one.id)
        yield one
        waiting += [Placed(child, one.id) for child in reversed(below[one.id])]
