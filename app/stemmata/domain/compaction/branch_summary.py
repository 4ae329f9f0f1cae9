"""Leaving a branch: the new leaf, the entries that are left, and the part of them that is summarised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stemmata.domain.compaction.operations import Operations, from_details, operations_of
from stemmata.domain.entries.blocks import Block, plain_text
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Kind, Role
from stemmata.domain.entries.tokens import weigh
from stemmata.domain.entries.tree import Tree

ASSUMED_WINDOW = 128_000  # tokens of the context window when the model's is unknown (pi 0.58)
RESERVE = 16_384  # tokens of the context window that stay free for the summary (pi 0.58)
_SUMMARIES = (Kind.COMPACTION, Kind.BRANCH_SUMMARY)
_WORTH_IT = 0.9  # an older summary that does not fit is included when less than this part of the budget is used


@dataclass(frozen=True, slots=True)
class Destination:
    """The new leaf for continuing from an entry, and the text for the composer ("" for none)."""

    leaf: int | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class LeftBranch:
    """The part of a branch that is summarised: the newest entries within the budget, in order, without tool results.

    `tokens` are estimated. `left_out` counts the messages that did not fit. The operations include all of the branch
    and the branch summaries in it.
    """

    entries: tuple[Entry, ...]
    tokens: int
    left_out: int
    operations: Operations


def continues_by_editing(kind: Kind, role: Role) -> bool:
    """Return whether continuing from an entry of this kind and role edits its text.

    The leaf then goes to the entry's parent, and the text to the composer.
    """
    return kind is Kind.CUSTOM_MESSAGE or (kind is Kind.MESSAGE and role is Role.USER)


def composer_text(blocks: Iterable[Block]) -> str:
    """Return the text of a message for the composer, joined as in pi 0.58."""
    return plain_text(blocks, "")


def destination(tree: Tree, target: int, blocks: Iterable[Block]) -> Destination:
    """Return where the leaf moves to continue from `target`, whose content is `blocks`.

    For a user's message this is its parent, and its text goes to the composer; else it is the target.
    """
    if not continues_by_editing(tree.kind(target), tree.role(target)):
        return Destination(target)
    parent = tree.parents[target]
    return Destination(None if parent < 0 else parent, composer_text(blocks))


def abandoned_entries(tree: Tree, old_leaf: int | None, target: int | None) -> list[int]:
    """Return the entries that a move from `old_leaf` to `target` leaves, in order.

    These are the entries from below the deepest common ancestor down to the old leaf; none without an old leaf.
    """
    ancestor = tree.common_ancestor(old_leaf, target)
    path = list(tree.path(old_leaf))
    return path if ancestor is None else path[path.index(ancestor) + 1 :]


def abandoned_message_count(tree: Tree, old_leaf: int | None, target: int | None) -> int:
    """Return the number of messages that a move from `old_leaf` to `target` leaves."""
    kinds = tree.columns.kind
    return sum(kinds[entry] in MESSAGE_KINDS for entry in abandoned_entries(tree, old_leaf, target))


def budget(window: int | None) -> int:
    """Return the most tokens of a branch that may be sent to the summariser."""
    return max(1, (window or ASSUMED_WINDOW) - RESERVE)


def left_branch(entries: Sequence[Entry], tokens: int = 0) -> LeftBranch:
    """Return the newest of the entries that fit into `tokens`; 0 means no limit."""
    messages = [entry for entry in entries if entry.kind in MESSAGE_KINDS and entry.role is not Role.TOOL_RESULT]
    kept: list[Entry] = []
    used = 0
    for entry in reversed(messages):
        size = weigh(entry).tokens
        fits = not tokens or used + size <= tokens
        if not fits and not (entry.kind in _SUMMARIES and used < _WORTH_IT * tokens):
            break
        kept.append(entry)
        used += size
        if not fits:
            break
    return LeftBranch(tuple(reversed(kept)), used, len(messages) - len(kept), _operations(entries))


def _operations(entries: Sequence[Entry]) -> Operations:
    """Return the operations of the branch, including those stored with the branch summaries in it."""
    return operations_of(entries, earlier_operations(entries))


def earlier_operations(entries: Sequence[Entry]) -> Operations:
    """Return the files that are stored with the branch summaries among entries."""
    earlier = [from_details(entry.details) for entry in entries if entry.kind is Kind.BRANCH_SUMMARY]
    read = [path for one in earlier for path in one.read]
    modified = [path for one in earlier for path in one.modified]
    return Operations(read=tuple(read), modified=tuple(modified))
