"""Finds the leaf moves that can be undone and redone from the log of moves. The log itself only grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stemmata.domain.entries.session_facts import LeafMove

_STEPS = frozenset({"undo", "redo"})
_BEGINNINGS = frozenset({"import", "fork"})


@dataclass(frozen=True, slots=True)
class LeafHistory:
    """The leaf moves that the next undo and the next redo apply to; None when there is no such move."""

    next_undo: LeafMove | None = None
    next_redo: LeafMove | None = None

    @classmethod
    def of(cls, newest_first: Iterable[LeafMove]) -> LeafHistory:
        """Replay the log: `undo` reverts the last move, `redo` repeats it, another move discards the reverted ones.

        The first move of an import or a fork cannot be undone. The log is read from its newest end, only up to the
        first move that no later undo reverts, since older moves do not matter.
        """
        taken: list[LeafMove] = []
        missing = 1  # the number of older moves that must be read before the replay is certain
        for move in newest_first:
            taken.append(move)
            if move.reason == "undo":
                missing += 1
            elif move.reason not in _BEGINNINGS:
                missing = max(missing - 1, 0)
                if not missing and move.reason not in _STEPS:
                    break
        return _replayed(taken[::-1])


def _replayed(moves: Iterable[LeafMove]) -> LeafHistory:
    done: list[LeafMove] = []
    undone: list[LeafMove] = []
    for at, move in enumerate(moves):
        if move.reason == "undo" and done:
            undone.append(done.pop())
        elif move.reason == "redo" and undone:
            done.append(undone.pop())
        elif at > 0 or move.reason not in _BEGINNINGS:
            done.append(move)
            undone.clear()
    return LeafHistory(done[-1] if done else None, undone[-1] if undone else None)
