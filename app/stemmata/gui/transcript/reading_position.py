"""The reading position in a transcript: the entry being read, whether the end is followed, and new cards below."""

from __future__ import annotations

from collections.abc import Callable

from stemmata.gui.core.shown_path import TreePath, common_length
from stemmata.gui.transcript.layout import TranscriptLayout
from stemmata.gui.transcript.model import TranscriptModel

MOST_NEW = 99  # largest number that is counted exactly


class ReadingPosition:
    """Tracks which entry the user reads. `tell` is called with its key, -1 for none, whenever it changes."""

    def __init__(self, layout: TranscriptLayout, tell: Callable[[int], None]) -> None:
        self._layout = layout
        self._tell = tell
        self._asked = -1  # position of the requested card, until the user scrolls
        self._wanted: tuple[int, int] | None = None  # requested position and offset, until the user scrolls
        self._seen = -1  # highest store key when the end was last visible; higher keys are new
        self.follows = True  # whether new entries are scrolled into view
        self.entry = -1  # the last key passed to `tell`

    def follow(self) -> None:
        """Scroll to the end and follow new entries."""
        self.follows, self._wanted = True, None
        self._layout.go_to_end()

    def stay(self, asked: int = -1) -> None:
        """Stop following the end. `asked` is the position of the requested card, -1 for none."""
        self.follows, self._asked, self._wanted = False, asked, None

    def stay_at(self, at: int, offset: int) -> None:
        """Stop following and scroll to a position, with `offset` pixels of its card above the upper edge."""
        self.stay()
        self._wanted = at, offset
        self._layout.go_to(at, offset)

    def scrolled(self) -> None:
        """The user scrolled: the topmost card is now the card that is read."""
        self._asked, self._wanted = -1, None

    def hold(self) -> None:
        """Keep the position after the height of the view changed: the end while following, else the requested one.

        Near the end of the transcript, a higher view moves the requested entry down. So it is requested again when
        the view gets its former height, as when a line appears below it.
        """
        if self.follows:
            self._layout.go_to_end()
        elif self._wanted is not None:
            self._layout.go_to(*self._wanted)

    @property
    def place(self) -> tuple[int, int] | None:
        """Store key of the card at the upper edge and its pixels above the edge; None while there is no card."""
        if not len(self._layout.model):
            return None
        return self._layout.model.path.key(self._layout.at), self._layout.offset

    @property
    def requested(self) -> tuple[int, int] | None:
        """The place that `stay_at` asked for, as `place` gives it; None once the user has scrolled."""
        if self._wanted is None:
            return None
        at, offset = self._wanted
        return self._layout.model.path.key(at), offset

    def take(self, model: TranscriptModel, *, anew: bool = False) -> None:
        """Use the model of another path, or of the same path with new entries. `anew` means another session."""
        before, self._layout.model = self._layout.model.path, model
        grown = isinstance(before, TreePath) and common_length(before, model.path)
        self._asked, self._wanted = -1, None
        if anew or not grown:
            self._seen = model.path.newest

    # -- once the cards are placed ------------------------------------------------------------------------------

    @property
    def new_below(self) -> int:
        """Return the number of unseen new cards below the view; `MOST_NEW` + 1 for more than `MOST_NEW`."""
        model, placed = self._layout.model, self._layout.placed
        at, count = len(model) - 1, 0
        last = placed[-1].at if placed else at
        while at > last and count <= MOST_NEW and model.path.key(at) > self._seen:
            count += model.has_card(at)
            at -= 1
        return count

    def look(self, edge: int) -> None:
        """Determine from the visible cards which entry is being read.

        A card within `edge` pixels of the upper edge is being read.
        """
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
        """Return the key of the requested entry, of the last entry while following, else of the topmost."""
        placed, path = self._layout.placed, self._layout.model.path
        if not placed:
            return -1
        if any(card.at == self._asked for card in placed):
            return path.key(self._asked)
        if self.follows:
            return path.key(placed[-1].at)
        return path.key(next((card.at for card in reversed(placed) if card.y <= edge), placed[0].at))
