"""What can be undone and redone, read from the log of leaf moves. The log itself only grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stemmata.domain.sessions import LeafMove


@dataclass(frozen=True, slots=True)
class History:
    """The moves that may be taken back and made again, each oldest first."""

    done: tuple[LeafMove, ...]
    undone: tuple[LeafMove, ...]

    @classmethod
    def of(cls, moves: Iterable[LeafMove]) -> History:
        """Replay the log: an `undo` takes the last move back, a `redo` makes it again, any other forgets the undone.

        The move an import or a fork starts with is where history begins and cannot be taken back.
        """
        done: list[LeafMove] = []
        undone: list[LeafMove] = []
        for at, move in enumerate(moves):
            if move.reason == "undo" and done:
                undone.append(done.pop())
            elif move.reason == "redo" and undone:
                done.append(undone.pop())
            elif at > 0 or move.reason not in ("import", "fork"):
                done.append(move)
                undone.clear()
        return cls(tuple(done), tuple(undone))

    @property
    def next_undo(self) -> LeafMove | None:
        return self.done[-1] if self.done else None

    @property
    def next_redo(self) -> LeafMove | None:
        return self.undone[-1] if self.undone else None
