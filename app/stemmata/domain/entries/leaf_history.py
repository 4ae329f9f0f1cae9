"""What can be undone and redone, read from the log of leaf moves. The log itself only grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stemmata.domain.entries.session_facts import LeafMove

_STEPS = frozenset({"undo", "redo"})
_BEGINNINGS = frozenset({"import", "fork"})


@dataclass(frozen=True, slots=True)
class History:
    """The moves that would be taken back and made again next."""

    next_undo: LeafMove | None = None
    next_redo: LeafMove | None = None

    @classmethod
    def of(cls, newest_first: Iterable[LeafMove]) -> History:
        """Replay the log: an `undo` takes the last move back, a `redo` makes it again, any other forgets the undone.

        The move an import or a fork starts with is where history begins and cannot be taken back. No more of the log
        is asked for than tells: from a move on that none of the later ones takes back, the older ones do not matter.
        """
        taken: list[LeafMove] = []
        missing = 1  # so many moves must have been made before those that were taken, or else older ones matter
        for move in newest_first:
            taken.append(move)
            if move.reason == "undo":
                missing += 1
            elif move.reason not in _BEGINNINGS:
                missing = max(missing - 1, 0)
                if not missing and move.reason not in _STEPS:
                    break
        return _replayed(taken[::-1])


def _replayed(moves: Iterable[LeafMove]) -> History:
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
    return History(done[-1] if done else None, undone[-1] if undone else None)
