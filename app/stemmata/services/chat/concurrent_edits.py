"""Two processes in one session: what the other one did, and where one goes on so that both keep their branch.

Nothing is lost by it: the second to speak begins a branch beside the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stemmata.domain.chat.run import HERE, Here, OpenRun
from stemmata.domain.entries.entry import Kind, Role
from stemmata.services.chat.branch_tip import speaks, tip_now
from stemmata.services.ports.archive import ArchiveReader

FAR_BACK = 1000  # entries of a run that are looked through for one that the leaf stood at


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a message goes; `beside` is the store key of what the other one did, None for nothing."""

    tip: int | None
    beside: int | None = None


class Neighbours:
    """`owner` names this process; `is_alive` tells of another whether it still runs."""

    def __init__(self, owner: str, is_alive: Callable[[str], bool]) -> None:
        self._owner, self._is_alive = owner, is_alive

    def standing(self, reader: ArchiveReader, session: int, seen: int | Here | None = HERE) -> Standing:
        """Where what is said at the leaf goes. `seen` is the leaf that the person saw, HERE for whatever it is."""
        leaf = reader.session(session).leaf
        if not isinstance(seen, Here):
            beside = beside_of(reader, session, seen)
            if beside is not None:
                return Standing(seen, beside)
        for run in reader.open_runs():
            if self._is_other(run, session) and leaf is not None and tip_now(reader, session, run.tip) == leaf:
                return Standing(_before_turn(reader, leaf), leaf)
        return Standing(leaf)

    def _is_other(self, run: OpenRun, session: int) -> bool:
        return run.session == session and run.owner != self._owner and self._is_alive(run.owner)


def beside_of(reader: ArchiveReader, session: int, tip: int | None) -> int | None:
    """The leaf, where another process has taken it from here to something that was said; else None."""
    leaf = reader.session(session).leaf
    if leaf == tip or leaf is None or tip_now(reader, session, tip) == leaf:
        return None
    above: frozenset[int] = frozenset() if tip is None else frozenset(reader.tail(tip, FAR_BACK))
    moved: list[int] = []
    for move in reader.leaf_moves(session):
        if move.after == tip or move.after in above:  # the leaf need not have come along to the tip of a run
            break
        if move.elsewhere and move.after is not None:
            moved.append(move.after)
    return leaf if any(speaks(row) for row in reader.rows(moved).values()) else None


def _before_turn(reader: ArchiveReader, entry: int) -> int | None:
    """What stands above the prompt that is being answered there."""
    at: int | None = entry
    while at is not None:
        row = reader.rows([at])[at]
        at = row.parent
        if row.role is Role.USER and row.kind is Kind.MESSAGE:
            return at
    return None
