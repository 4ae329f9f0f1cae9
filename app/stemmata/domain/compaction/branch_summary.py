"""Leaving a branch: where the leaf goes, what is left behind, and how much of it a summariser gets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stemmata.domain.compaction.operations import Operations, from_details, operations_of
from stemmata.domain.entries.blocks import Block, plain_text
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Kind, Role
from stemmata.domain.entries.tokens import weigh
from stemmata.domain.entries.tree import Tree

ASSUMED_WINDOW = 128_000  # tokens, where the model's window is not known (pi 0.58)
RESERVE = 16_384  # tokens of the window kept free for the summary (pi 0.58)
_SUMMARIES = (Kind.COMPACTION, Kind.BRANCH_SUMMARY)
_WORTH_IT = 0.9  # below this part of the budget a summary that does not fit is taken all the same


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the leaf goes to continue from an entry, and what goes to the composer ("" for nothing)."""

    leaf: int | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class LeftBranch:
    """What a summariser gets of a branch: the newest entries within the budget, in order, without tool results.

    `tokens` are estimated. `left_out` counts the messages that did not fit. The operations are those of the whole
    branch and of the branch summaries in it, whatever fits.
    """

    entries: tuple[Entry, ...]
    tokens: int
    left_out: int
    operations: Operations


def is_written_anew(kind: Kind, role: Role) -> bool:
    """Whether to go on from such an entry means to write it again: the leaf goes above it."""
    return kind is Kind.CUSTOM_MESSAGE or (kind is Kind.MESSAGE and role is Role.USER)


def written(blocks: Iterable[Block]) -> str:
    """The text of a message as it goes to the composer (pi 0.58)."""
    return plain_text(blocks, "")


def destination(tree: Tree, target: int, blocks: Iterable[Block]) -> Destination:
    """To write a person's message anew the leaf goes above it and its text to the composer; else to the target.

    `blocks` are the target's.
    """
    if not is_written_anew(tree.kind(target), tree.role(target)):
        return Destination(target)
    parent = tree.parents[target]
    return Destination(None if parent < 0 else parent, written(blocks))


def abandoned(tree: Tree, old_leaf: int | None, target: int | None) -> list[int]:
    """Entries from below the deepest common ancestor down to the old leaf, in order; none without an old leaf.

    Going up the same path that is everything below the target.
    """
    ancestor = tree.common_ancestor(old_leaf, target)
    path = list(tree.path(old_leaf))
    return path if ancestor is None else path[path.index(ancestor) + 1 :]


def left_behind(tree: Tree, old_leaf: int | None, target: int | None) -> int:
    """How many messages are left by going to the target: whether there is anything to summarise."""
    kinds = tree.columns.kind
    return sum(kinds[entry] in MESSAGE_KINDS for entry in abandoned(tree, old_leaf, target))


def budget(window: int | None) -> int:
    """Tokens of a branch that may go to the summariser."""
    return max(1, (window or ASSUMED_WINDOW) - RESERVE)


def left_branch(entries: Sequence[Entry], tokens: int = 0) -> LeftBranch:
    """The newest of the abandoned entries that fit in so many tokens; 0 is no limit."""
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
    """What was done on the branch, on top of what the branch summaries in it tell of branches left before."""
    told = [from_details(entry.details) for entry in entries if entry.kind is Kind.BRANCH_SUMMARY]
    read = [path for one in told for path in one.read]
    modified = [path for one in told for path in one.modified]
    return operations_of(entries, Operations(read=tuple(read), modified=tuple(modified)))
