"""Which entries are prompts: the messages that a person wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.tree import Tree

NO_PROMPT = int(Flag.INJECTED | Flag.HIDDEN)  # flags of messages of the user that no person wrote, or that are hidden
_MESSAGE, _USER = int(Kind.MESSAGE), int(Role.USER)  # plain numbers are compared faster


def is_prompt(kind: int, role: int, flags: int) -> bool:
    """Return whether an entry of this kind, role and flags is a message that a person wrote."""
    return kind == _MESSAGE and role == _USER and not flags & NO_PROMPT


def prompts_of(tree: Tree, entries: Iterable[int]) -> Iterator[int]:
    """Yield those of the entries (indices in the tree) that are prompts, in the given order.

    Visits the entries one by one, so it is for a walk that ends after a few prompts.
    """
    kinds, roles, flags = tree.columns.kind, tree.columns.role, tree.columns.flags
    return (entry for entry in entries if roles[entry] == _USER and is_prompt(kinds[entry], _USER, flags[entry]))
