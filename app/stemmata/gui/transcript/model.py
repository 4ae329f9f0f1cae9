"""The transcript's list model: which entries have a card, which are folded into another card, and all heights.

A million entries must open at once, so nothing is computed for all entries in advance: positions are examined in
blocks when they come near the viewport, and in idle time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.gui.core.heights import Heights
from stemmata.gui.core.shown_path import EntryAppearance, PathShape, TranscriptPath, common_length

LOOK_BACK = 4096  # entries; a result that is further than this from its call has a separate card
MOST_ANSWERS = 128  # results that one card reads
BLOCK = 128  # entries examined together; takes a fraction of a frame
SAMPLES = 16  # blocks sampled to estimate the height of all others
SAMPLE = 32  # consecutive entries of a sampled block: every nth entry of a session may be of the same kind
FIRST_BACK = 4  # entries searched at first for the card before a block; the number doubles

_UNSEEN_KINDS = frozenset(map(int, (Kind.LABEL, Kind.PIN, Kind.SESSION_INFO, Kind.CUSTOM, Kind.TRASH)))
_MESSAGE, _RESULT, _ASSISTANT = int(Kind.MESSAGE), int(Role.TOOL_RESULT), int(Role.ASSISTANT)
_OWN = int(Flag.OWN)
_HIDDEN = int(Flag.HIDDEN)  # plain ints, because they are compared for every entry of a path


_NOT_DISPLAYED, _FOLDED, _CARD, _CONTINUED = map(
    int, (EntryAppearance.HIDDEN, EntryAppearance.FOLDED, EntryAppearance.CARD, EntryAppearance.CONTINUED)
)


class TranscriptModel:
    """The heights of a path's cards, measured or estimated. Positions are indices into the path.

    `estimate(shape, appearance)` returns the height of an unmeasured card, and the height that a folded result adds
    to its call's card. `known` is the previous model, with the same estimates: its cards and heights are reused for
    the entries that both paths begin with.
    """

    def __init__(
        self, path: TranscriptPath, estimate: Callable[[PathShape, int], int], known: TranscriptModel | None = None
    ) -> None:
        self.path = path
        self._estimate = estimate
        shared = 0 if known is None else common_length(path, known.path)
        says_much = known is not None and 2 * shared >= len(path)  # about the height of the other parts
        self._sample: _Sample = known._sample if known is not None and says_much else _Sample.of(path)
        self._typical: int = known._typical if known is not None and says_much else self._sample.height(estimate)
        self._begin()
        if known is not None:
            self._adopt(known, shared // BLOCK * BLOCK)

    def _begin(self) -> None:
        self._appearances = bytearray(len(self.path))
        self._next_block = 0
        self.heights = Heights(len(self.path), self._typical)

    def estimate_anew(self, estimate: Callable[[PathShape, int], int]) -> None:
        """Forget all heights, and estimate them with `estimate` from now on, such as for another width."""
        self._estimate = estimate
        if len(self.path) > 2 * self._sample.length:  # the path has grown much since
            self._sample = _Sample.of(self.path)
        self._typical = self._sample.height(estimate)
        self._begin()

    def __len__(self) -> int:
        return len(self.path)

    def _adopt(self, other: TranscriptModel, count: int) -> None:
        self.heights.adopt(other.heights, count)
        self._appearances[:count] = other._appearances[:count]

    def appearance(self, at: int) -> EntryAppearance:
        """Return whether the entry at a position has a card, is folded, or is not displayed."""
        if not self._appearances[at]:
            self._look_at(at // BLOCK)
        return EntryAppearance(self._appearances[at])

    def has_card(self, at: int) -> bool:
        """Whether the entry at a position has a card of its own."""
        if not self._appearances[at]:
            self._look_at(at // BLOCK)
        return self._appearances[at] >= _CARD

    def after(self, at: int) -> int | None:
        """Return the position of the next card; None after the last."""
        return next((item for item in range(at + 1, len(self)) if self.has_card(item)), None)

    def before(self, at: int) -> int | None:
        """Return the position of the card before a position; None before the first."""
        return next((item for item in range(at - 1, -1, -1) if self.has_card(item)), None)

    def card_from(self, at: int) -> int | None:
        """Return the position of the first card at a position or below it; None after the last."""
        return at if at < len(self) and self.has_card(at) else self.after(at)

    def card_of(self, at: int) -> int | None:
        """Return the position of the card that shows an entry: its own, that of its call, else the nearest."""
        if not 0 <= at < len(self):
            return None
        if self.has_card(at):
            return at
        found = self.before(at)
        return self.after(at) if found is None else found

    def answers(self, at: int) -> list[int]:
        """Return the positions of the results that are folded into the card at a position."""
        out: list[int] = []
        for item in range(at + 1, min(len(self), at + 1 + MOST_ANSWERS)):
            appearance = self.appearance(item)
            if appearance == _FOLDED:
                out.append(item)
            elif appearance >= _CARD:
                break
        return out

    def measured(self, at: int, height: int) -> None:
        """Store the height of a laid-out card, in pixels."""
        self.appearance(at)
        self.heights[at] = height

    def search_further(self) -> bool:
        """Examine one more block; returns False when every block is known."""
        blocks = -(-len(self) // BLOCK)
        while self._next_block < blocks:
            block, self._next_block = self._next_block, self._next_block + 1
            if not self._appearances[block * BLOCK]:
                self._look_at(block)
                return True
        return False

    # -- inside ----------------------------------------------------------------------------------------------

    def _look_at(self, block: int) -> None:
        start = block * BLOCK
        heights: list[int] = []
        card = -1
        for at, (shape, appearance) in enumerate(_with_appearances(self.path, block, BLOCK), start):
            self._appearances[at] = appearance
            if appearance >= _CARD:
                card = len(heights)
                heights.append(self._estimate(shape, appearance))
                continue
            heights.append(0)
            if appearance == _FOLDED and card >= 0 and len(heights) - card <= MOST_ANSWERS:
                heights[card] += self._estimate(shape, appearance)
        self.heights.fill(start, heights)


@dataclass(frozen=True, slots=True)
class _Sample:
    """Entries at regular distances along a path, with their appearances; they are the same for every width.

    `length` is the number of entries of the path, `seen` that of the entries looked at, hidden ones included.
    """

    length: int
    seen: int
    displayed: Sequence[tuple[PathShape, int]]

    @classmethod
    def of(cls, path: TranscriptPath) -> _Sample:
        blocks = -(-len(path) // BLOCK)
        most = BLOCK if blocks <= SAMPLES else SAMPLE
        found = [
            one
            for block in range(0, blocks, max(1, blocks // SAMPLES))
            for one in _with_appearances(path, block, most)
        ]
        return cls(
            len(path),
            len(found),
            [(shape, appearance) for shape, appearance in found if appearance != _NOT_DISPLAYED],
        )

    def height(self, estimate: Callable[[PathShape, int], int]) -> int:
        """Return the mean height of an entry, in pixels."""
        return (
            sum(estimate(shape, appearance) for shape, appearance in self.displayed) // self.seen if self.seen else 0
        )


def _with_appearances(path: TranscriptPath, block: int, most: int) -> Iterator[tuple[PathShape, int]]:
    """Yield the first entries of a block, at most `most`, with their appearances."""
    start = block * BLOCK
    last = _card_before(path, start)
    for shape in path.shapes(start, min(start + most, len(path))):
        appearance = _appearance(shape, last)
        if appearance >= _CARD:
            last = shape
        yield shape, appearance


def _card_before(path: TranscriptPath, start: int) -> PathShape | None:
    """Return the last entry with a card before a position; None when there is none."""
    result: PathShape | None = None
    stop, size, end = start, FIRST_BACK, max(start - LOOK_BACK, 0)
    while stop > end:
        begin = max(stop - size, end)
        for shape in reversed(path.shapes(begin, stop)):
            if shape.kind == _MESSAGE and shape.role == _RESULT:
                result = result or shape
            elif not _is_unseen(shape):
                return shape if result is None or _calls(shape) else result
        stop, size = begin, size * 2
    return result


def _appearance(shape: PathShape, last: PathShape | None) -> int:
    if _is_unseen(shape):
        return _NOT_DISPLAYED
    kind, role = shape.kind, shape.role
    if kind != _MESSAGE or last is None:
        return _CARD
    if role == _RESULT and _calls(last):
        return _FOLDED
    goes_on = role == _ASSISTANT and last.role == _ASSISTANT and last.kind == _MESSAGE
    return _CONTINUED if goes_on else _CARD


def _is_unseen(shape: PathShape) -> bool:
    if shape.flags & _HIDDEN:
        # a silent reply of our own runs is displayed dimmed
        return not (shape.role == _ASSISTANT and shape.flags & _OWN)
    return shape.kind in _UNSEEN_KINDS


def _calls(shape: PathShape) -> bool:
    return shape.calls > 0 and shape.role == _ASSISTANT
