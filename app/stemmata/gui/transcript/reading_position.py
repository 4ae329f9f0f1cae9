"""What is being read of a transcript: which entry, whether the end is followed, and what came since below it."""

from __future__ import annotations

from collections.abc import Callable

from stemmata.gui.core.shown_path import TreePath, common_length
from stemmata.gui.transcript.layout import TranscriptLayout
from stemmata.gui.transcript.model import TranscriptModel

MOST_NEW = 99  # counted; more than these are as good as many


class Reading:
    """`tell` hears the key of the entry that is being read, -1 for none, whenever it is another one."""

    def __init__(self, layout: TranscriptLayout, tell: Callable[[int], None]) -> None:
        self._layout = layout
        self._tell = tell
        self._asked = -1  # position of the card that was asked for, until somebody scrolls
        self._seen = -1  # store key: what has a higher one came since the end was in sight
        self.follows = True  # new entries are scrolled into sight
        self.entry = -1  # told last

    def follow(self) -> None:
        """Go to the end and stay with it."""
        self.follows = True
        self._layout.go_to_end()

    def stay(self, asked: int = -1) -> None:
        """Stay where one is; `asked` is the position of the card that somebody wanted to see."""
        self.follows, self._asked = False, asked

    def scrolled(self) -> None:
        """Somebody scrolls: what is on top is read, whatever was asked for."""
        self._asked = -1

    @property
    def place(self) -> tuple[int, int] | None:
        """Key of the card at the upper edge, and pixels of it above the edge; None while there is no card."""
        if not len(self._layout.model):
            return None
        return self._layout.model.path.key(self._layout.at), self._layout.offset

    def take(self, model: TranscriptModel, *, anew: bool = False) -> None:
        """Have another path laid out, or the same one with more at its end. `anew`: of another session."""
        before, self._layout.model = self._layout.model.path, model
        grown = isinstance(before, TreePath) and common_length(before, model.path)
        self._asked = -1
        if anew or not grown:
            self._seen = model.path.newest

    # -- once the cards are placed ------------------------------------------------------------------------------

    @property
    def new_below(self) -> int:
        """Cards below those in sight that came since the end was in sight; `MOST_NEW` + 1 for many."""
        model, placed = self._layout.model, self._layout.placed
        at, count = len(model) - 1, 0
        last = placed[-1].at if placed else at
        while at > last and count <= MOST_NEW and model.path.key(at) > self._seen:
            count += model.has_card(at)
            at -= 1
        return count

    def look(self, edge: int) -> None:
        """Take note of what is in sight. A card within `edge` pixels of the upper edge is read."""
        placed, path = self._layout.placed, self._layout.model.path
        if self._layout.at_end:
            self._seen = path.newest
        elif placed:
            self._seen = max(self._seen, path.key(placed[-1].at))
        entry = self._read(edge)
        if entry != self.entry:
            self.entry = entry
            self._tell(entry)

    def _read(self, edge: int) -> int:
        """The entry that was asked for, the last one while following, else the one on top."""
        placed, path = self._layout.placed, self._layout.model.path
        if not placed:
            return -1
        if any(card.at == self._asked for card in placed):
            return path.key(self._asked)
        if self.follows:
            return path.key(placed[-1].at)
        return path.key(next((card.at for card in reversed(placed) if card.y <= edge), placed[0].at))
