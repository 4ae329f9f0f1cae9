"""Selects the entries that a filter shows. The rules are those of pi's tree selector, but *all* shows all entries."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from enum import IntEnum

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.lanes import parents_first
from stemmata.domain.entries.prompts import NO_PROMPT, is_prompt
from stemmata.domain.entries.tree import Tree
from stemmata.domain.entries.whole_columns import consecutive, either


class Filter(IntEnum):
    """The filters for entries."""

    DEFAULT = 0
    NO_TOOLS = 1
    USER = 2
    LABELLED = 3
    ALL = 4

    @property
    def text(self) -> str:
        """The filter's word on the command line."""
        return self.name.lower().replace("_", "-")


_UNSEEN = frozenset(
    {
        *(Kind.LABEL, Kind.PIN, Kind.SESSION_INFO, Kind.MODEL_CHANGE, Kind.THINKING_LEVEL_CHANGE),
        *(Kind.CUSTOM, Kind.UNKNOWN, Kind.TRASH),
    }
)
_SHIFTED = bytes(kind << 3 & 0xFF for kind in range(256))
_BROKEN = int(Flag.FAILED | Flag.ABORTED)


def kind_role_bytes(tree: Tree, start: int = 0) -> bytes:
    """Return `kind_role_byte(kind, role)` of each entry from `start` on, for a table of `translation_table`."""
    columns = tree.columns
    return either(columns.kind[start:].tobytes().translate(_SHIFTED), columns.role[start:].tobytes())


def kind_role_byte(kind: Kind, role: Role) -> int:
    """Return kind and role in one byte."""
    return kind << 3 | role


def translation_table(value: Callable[[Kind, Role], int]) -> bytes:
    """Return the table for `bytes.translate` that turns each byte of `kind_role_bytes` into a value."""
    table = bytearray(256)
    for kind in Kind:
        for role in Role:
            table[kind_role_byte(kind, role)] = value(kind, role)
    return bytes(table)


def _is_shown(filter: Filter, kind: Kind, role: Role) -> bool:
    """Return whether the filter shows entries of this kind and role."""
    if filter is Filter.USER:
        return is_prompt(kind, role, Flag.NONE)
    return kind not in _UNSEEN and not (filter is Filter.NO_TOOLS and role is Role.TOOL_RESULT)


def visible_entries(tree: Tree, filter: Filter, leaf: int | None = None) -> array[int]:
    """Return the indices of the entries that the filter shows, in the order of writing.

    An assistant message without text is shown only by *all*, unless it failed, was stopped or is the leaf.
    """
    if filter is Filter.ALL:
        return array("i", range(len(tree)))
    if filter is Filter.LABELLED:
        return array("i", sorted(tree.labels))
    shown = kind_role_bytes(tree).translate(translation_table(lambda kind, role: _is_shown(filter, kind, role)))
    columns, assistant = tree.columns, int(Role.ASSISTANT)
    roles, texts, flags, prompts = columns.role, columns.text, columns.flags, filter is Filter.USER
    return array(
        "i",
        [
            at
            for at, is_seen in enumerate(shown)
            if is_seen
            and (texts[at] or roles[at] != assistant or flags[at] & _BROKEN or at == leaf)
            and not (prompts and flags[at] & NO_PROMPT)
        ],
    )


def rows_above(tree: Tree, entries: array[int]) -> array[int]:
    """Return for each entry of the tree the row of the entry or of its nearest ancestor in `entries`, -1 for none."""
    out = [-1] * (len(tree) + 1)  # the additional item at index -1 is the parent of the roots
    own = [-1] * len(tree)
    for row, entry in enumerate(entries):
        own[entry] = row
    parents = tree.parents
    for entry in parents_first(parents):
        out[entry] = own[entry] if own[entry] >= 0 else out[parents[entry]]
    out.pop()
    return array("i", out)


def parent_rows(tree: Tree, entries: array[int], above: array[int]) -> array[int]:
    """Return for each row of `entries` its parent row, -1 for a root. `above` is the result of `rows_above`."""
    parents = tree.parents
    if tree.is_straight(0) and len(entries):
        return array("i", consecutive("i", -1, len(entries)).tobytes())
    return array("i", [above[parents[entry]] if parents[entry] >= 0 else -1 for entry in entries])
