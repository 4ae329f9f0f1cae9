"""Order the matches of a card, so that F3 and Shift+F3 step through each match of its texts once.

A card leaves out some words of its texts and shows others twice, so its painted matches are not the matches of the
texts. `CardMatches` knows which part of which text a piece shows, and compares both:

1. A long text that is not rendered stands for all matches of its part of the text. They are only counted, because
there may be hundreds of thousands of them. When the user goes to one of them, the long text is rendered, and the
stops are determined again.
2. A match that is painted in a rendered piece is paired with the match of the text that has the same letters around
   it, among the matches of the part that the piece shows.
3. The remaining matches are visible only when the text is shown as it is written. They come last.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import NamedTuple
from weakref import WeakKeyDictionary

from stemmata.domain.entries.entry import Role
from stemmata.domain.search.needle import Needle, TextNeedle
from stemmata.domain.text.terminal_text import readable
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.piece import NEAR, Around, MarkedPiece, Piece, around_span
from stemmata.gui.cards.written_text import NAME, texts_of
from stemmata.gui.core.pages import LoadedEntry

SURE = 4  # letters at one side of a match that suffice to pair it when those at the other side differ
MOST_COMPARED = 40_000  # pairs of matches that are compared one by one; of more, the letters are looked up
MOST_MISSED = 3  # long texts that are looked for in the texts of an entry before the first one is found
READ = 16_384  # characters of a text that are searched in one step: in 65,536 with 7,000 matches it took 20 ms
LOOKED_FOR = 16  # long texts that are looked for in the texts of a card in one step
CONTEXT = 2_000  # characters around these that a match may need
FREE, TAKEN, UNPAINTED = 0, 1, 2  # states of a match: to be paired, paired, found to be left out by its long text
_TAKING = bytes((TAKEN, TAKEN, UNPAINTED, *range(3, 256)))


@dataclass(frozen=True, slots=True)
class MatchStop:
    """A match: the one with this number in a piece, or in the text of a block as it is written.

    `source` is the store key of the entry whose text has the match. `piece` is None for a match that is not painted;
    `block` is then the number of the block.
    """

    source: int
    piece: Piece | None
    number: int
    block: int = 0


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A piece that paints text, or a long text that is not rendered.

    `source` is the store key of the entry that it shows. `within` are the long texts around it, the outermost first;
    the last one is the long text itself.
    """

    source: int
    piece: Piece
    within: tuple[LongText, ...] = ()


class _Run(NamedTuple):
    """Consecutive matches of a piece, or of a text that no piece paints; `numbers` counts from 0."""

    source: int
    piece: Piece | None
    numbers: Sequence[int]
    block: int = 0


class MatchStops:
    """The matches of a card in the order of steps."""

    def __init__(self, runs: Iterable[_Run]) -> None:
        self._runs = [run for run in runs if run.numbers]
        self._ends = list(accumulate(len(run.numbers) for run in self._runs))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, at: int) -> MatchStop:
        if not 0 <= at < len(self):
            raise IndexError(at)
        place = bisect_right(self._ends, at)
        run = self._runs[place]
        return MatchStop(run.source, run.piece, run.numbers[at - self._ends[place]], run.block)

    def first_of(self, source: int) -> int | None:
        """Return the number of the first stop in the texts of an entry (store key); None for no stop there."""
        place = next((at for at, run in enumerate(self._runs) if run.source == source), None)
        return None if place is None else self._ends[place] - len(self._runs[place].numbers)


@dataclass(eq=False, slots=True)
class _WrittenText:
    """The text of a block as it is written, with the start and the end of each match."""

    source: int
    block: int
    text: str
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    states: bytearray = field(default_factory=bytearray)  # of the matches: FREE or UNPAINTED

    def read(self, needle: Needle) -> Iterator[None]:
        """Find the matches in steps, since in a text of megabytes this takes longer than a turn."""
        for start in range(0, len(self.text), READ):
            first = max(start, self.ends[-1] if self.ends else 0)
            before = max(first - CONTEXT, 0) if not isinstance(needle, TextNeedle) else first
            found = needle.spans(self.text[before : start + READ + CONTEXT])
            found = [(begin + before, end + before) for begin, end in found if first <= begin + before < start + READ]
            self.starts += [begin for begin, _ in found]
            self.ends += [end for _, end in found]
            yield
        self.states = bytearray(len(self.starts))

    def between(self, start: int, stop: int) -> tuple[int, int]:
        """Return the range of the numbers of the matches in a range of the text."""
        first = bisect_left(self.starts, start)
        return first, max(bisect_right(self.ends, stop), first)

    def around(self, number: int, start: int, stop: int) -> Around:
        """Return the letters around a match, within a range of the text."""
        first, last = self.starts[number], self.ends[number]
        before, behind = max(first - NEAR, start), min(last + NEAR, stop)
        return around_span(self.text[before:behind], first - before, last - before)


class _Part(NamedTuple):
    """The part of a text that a long text shows."""

    text: _WrittenText
    start: int
    stop: int

    @property
    def between(self) -> tuple[int, int]:
        """The range of the numbers of the matches in the part."""
        return self.text.between(self.start, self.stop)


class _Written(NamedTuple):
    """A match of a text, in a part of it."""

    part: _Part
    number: int


class _Painted(NamedTuple):
    """A match in a piece, by the position of the piece among those of the card."""

    piece: int
    number: int


class _LongTextParts:
    """Finds which part of the texts of a card each long text shows."""

    def __init__(self, texts: list[_WrittenText]) -> None:
        self._texts = texts
        self._known: WeakKeyDictionary[LongText, _Part | None] = WeakKeyDictionary()
        self._missed = Counter[int]()  # long texts that were not found in the texts of an entry, by its store key

    def whole_texts(self, source: int) -> list[_Part]:
        """Return the texts of an entry (store key)."""
        return [_Part(text, 0, len(text.text)) for text in self._texts if text.source == source]

    def of(self, piece: ShownPiece, last: dict[_Part | int, _Part]) -> tuple[_Part | None, bool]:
        """Return the part of a text that the innermost long text around a piece shows, as far as it is known.

        The second value is False when it is only known of a long text further out. `last` has the last part within
        each part and in each entry, behind which the next one is looked for.
        """
        part: _Part | None = None
        is_whole = False
        for long in piece.within:
            outer = piece.source if part is None else part
            if long not in self._known:
                self._known[long] = self._find(long, outer, last.get(outer))
            found = self._known[long]
            is_whole = found is not None
            if found is not None:
                part = last[outer] = found
        return part, is_whole

    def _find(self, long: LongText, outer: _Part | int, last: _Part | None) -> _Part | None:
        """Return the part that a long text shows, within a part or in the texts of an entry; None for none."""
        if isinstance(outer, int) and self._missed[outer] > MOST_MISSED:
            return None  # the card shows this entry in another form than it is written
        for looked in dict.fromkeys((long.whole_text, readable(long.whole_text))):
            found = self._found(looked, outer, last) if looked.strip() else None
            if found is not None:
                self._missed[found.text.source] = -len(found.text.text)
                return found
        if isinstance(outer, int):
            self._missed[outer] += 1
        return None

    def _found(self, looked: str, outer: _Part | int, last: _Part | None) -> _Part | None:
        places = [outer] if isinstance(outer, _Part) else self.whole_texts(outer)
        if last is not None:
            places = [_Part(last.text, last.stop, place.stop) for place in places if place.text is last.text] + places
        for text, start, stop in places:
            at = text.text.find(looked, start, stop)
            if at >= 0:
                return _Part(text, at, at + len(looked))
        return None


class CardMatches:
    """The matches of a needle in the texts of a card's entries, and where the card shows them."""

    def __init__(self, entries: Sequence[LoadedEntry], needle: Needle) -> None:
        self._bodies = [(loaded.row.key, loaded.body) for loaded in entries]
        self._needle = needle
        self._texts: list[_WrittenText] = []
        self._reading = self._read(entries)
        self._parts = _LongTextParts(self._texts)
        self._stops: tuple[list[ShownPiece], MatchStops] | None = None  # for these pieces

    def is_of(self, entries: Sequence[LoadedEntry], needle: Needle) -> bool:
        """Return whether these are the matches of a needle in these entries."""
        keys, own = [loaded.row.key for loaded in entries], [key for key, _ in self._bodies]
        if needle != self._needle or keys != own:
            return False
        return all(loaded.body is body for loaded, (_, body) in zip(entries, self._bodies, strict=True))

    def reading(self, shown: list[ShownPiece]) -> Iterator[None]:
        """Prepare `stops` for these pieces in steps, each of which fits into a turn of the event loop.

        A walk that is cancelled closes its steps, but not the reading of texts; the next walk continues it.
        """
        for _ in self._reading:
            yield
        last = dict[_Part | int, _Part]()
        for at, piece in enumerate(shown):
            if at % LOOKED_FOR == LOOKED_FOR - 1:
                yield
            self._parts.of(piece, last)

    def _read(self, entries: Sequence[LoadedEntry]) -> Iterator[None]:
        for loaded in entries:
            for block, text in _texts(loaded):
                written = _WrittenText(loaded.row.key, block, text)
                self._texts.append(written)
                yield from written.read(self._needle)

    def stops(self, shown: list[ShownPiece]) -> MatchStops:
        """Return the matches in the order of steps, for the pieces that the card shows now, in their order."""
        for _ in self._reading:
            pass  # the part that was not read in turns
        if self._stops is None or self._stops[0] != shown:
            self._stops = shown, MatchStops(self._runs(shown))
        return self._stops[1]

    def _runs(self, shown: list[ShownPiece]) -> Iterator[_Run]:
        """Yield the matches of each piece, then those that no piece paints: the three rules above, in their order."""
        states = {text: bytearray(text.states) for text in self._texts}
        counted = dict[int, range]()  # the matches of long texts that are not rendered, by the position of the piece
        painted = defaultdict[int, list[int]](list)  # the matches of other pieces to step to, by its position
        groups = defaultdict[_Part | int, list[int]](list)  # pieces whose matches are compared, by what they show
        last = dict[_Part | int, _Part]()
        for at, piece in enumerate(shown):
            part, is_whole = self._parts.of(piece, last)
            if part is not None and is_whole and isinstance(piece.piece, LongText):
                counted[at] = range(_take_free(states[part.text], *part.between))
            else:
                groups[piece.source if part is None else part].append(at)
        for place in sorted(groups, key=_size):  # a part within another one comes first
            for found in self._pair(place, groups[place], shown, states):
                painted[found.piece].append(found.number)
        for at, piece in enumerate(shown):
            yield _Run(piece.source, piece.piece, counted[at] if at in counted else sorted(painted[at]))
        for text in self._texts:
            for left in _left(states[text], 0, len(text.starts)):
                yield _Run(text.source, None, left, text.block)

    def _pair(
        self, place: _Part | int, pieces: list[int], shown: list[ShownPiece], states: dict[_WrittenText, bytearray]
    ) -> list[_Painted]:
        """Take the matches of a part, or of an entry, that are painted in pieces; return these painted matches."""
        parts = [place] if isinstance(place, _Part) else self._parts.whole_texts(place)
        written = [
            _Written(part, number)
            for part in parts
            for left in _left(states[part.text], *part.between)
            for number in left
        ]
        painted = [
            (_Painted(at, n), letters)
            for at in pieces
            for n, letters in enumerate(_in_piece(shown[at].piece, self._needle))
        ]
        pairs = dict[int, int]()
        if painted:
            pairs = paired([part.text.around(n, *part[1:]) for part, n in written], [near for _, near in painted])
        for at, ((text, _, _), number) in enumerate(written):
            states[text][number] = TAKEN if at in pairs else states[text][number]
            if isinstance(place, _Part):  # the long text may be released, and keeps what is known
                text.states[number] = FREE if at in pairs else UNPAINTED
        return [painted[at][0] for at in pairs.values()]


def _size(place: _Part | int) -> float:
    return inf if isinstance(place, int) else place.stop - place.start


def _left(states: bytearray, start: int, stop: int) -> Iterator[range]:
    """Yield the numbers of consecutive matches that are not taken. The taken ones may be millions."""
    nearest = {state: states.find(state, start, stop) for state in (FREE, UNPAINTED)}
    while found := [at for at in nearest.values() if at >= 0]:
        end = states.find(TAKEN, min(found), stop)
        if end < 0:
            end = stop
        yield range(min(found), end)
        for state, at in nearest.items():
            if 0 <= at < end:
                nearest[state] = states.find(state, end, stop)


def _take_free(states: bytearray, start: int, stop: int) -> int:
    """Take the free matches of a range, of which there may be very many; return their number."""
    count = states.count(FREE, start, stop)
    states[start:stop] = states[start:stop].translate(_TAKING)
    return count


def _texts(loaded: LoadedEntry) -> Iterator[tuple[int, str]]:
    """Yield the texts that a search counts; the name of an entry is one only when it is a command that was run."""
    named = loaded.row.role is Role.BASH_EXECUTION
    return ((at, text) for at, text in texts_of(loaded) if at != NAME or named)


def _in_piece(piece: Piece, needle: Needle) -> list[Around]:
    if isinstance(piece, MarkedPiece):
        return piece.around_matches()
    return piece.around_matches(needle) if isinstance(piece, LongText) else []


# -- pairs of matches ----------------------------------------------------------------------------------------------


def paired(written: Sequence[Around], painted: Sequence[Around]) -> dict[int, int]:
    """Return pairs of a match in `written` and the one in `painted` that shows it, by their positions; each once."""
    taken = dict[int, int]()
    free = dict.fromkeys(range(len(painted)))
    _pair_alike(written, painted, _both, taken, free)
    _pair_one_by_one(written, painted, _agree, taken, free)
    for letters in (_before, _after):
        _pair_alike(written, painted, letters, taken, free)
    _pair_one_by_one(written, painted, _agree_partly, taken, free)
    _pair_alike(written, painted, _nearest, taken, free)
    for at in _painted_again(written, painted, taken, free):  # such as an argument in the line of its call
        del free[at]
    rest = [at for at in range(len(written)) if at not in taken]
    return taken | dict(zip(rest, free, strict=False))


def _pair_alike(
    written: Sequence[Around],
    painted: Sequence[Around],
    letters: Callable[[Around], Hashable],
    taken: dict[int, int],
    free: dict[int, None],
) -> None:
    """Pair the matches that have no partner yet, in their order, where `letters` are equal and not None."""
    waiting = defaultdict[Hashable, deque[int]](deque)
    for at in free:
        waiting[letters(painted[at])].append(at)
    waiting.pop(None, None)
    for at, one in enumerate(written):
        if at not in taken and (found := waiting.get(letters(one))):
            taken[at] = found.popleft()
            del free[taken[at]]


def _pair_one_by_one(
    written: Sequence[Around],
    painted: Sequence[Around],
    agree: Callable[[Around, Around], bool],
    taken: dict[int, int],
    free: dict[int, None],
) -> None:
    """Pair the matches that have no partner yet, in their order, where `agree` accepts the letters around both."""
    rest = [at for at in range(len(written)) if at not in taken]
    if len(rest) * len(free) > MOST_COMPARED:
        return
    for at in rest:
        found = next((other for other in free if agree(written[at], painted[other])), None)
        if found is not None:
            taken[at] = found
            del free[found]


def _painted_again(
    written: Sequence[Around], painted: Sequence[Around], taken: dict[int, int], free: dict[int, None]
) -> list[int]:
    """Return the free painted matches that paint a match a second time."""
    if len(taken) * len(free) > MOST_COMPARED:
        known = {written[at] for at in taken}
        return [at for at in free if painted[at] in known]
    return [other for other in free if any(_agree(written[at], painted[other]) for at in taken)]


def _both(one: Around) -> Around:
    return one


def _nearest(one: Around) -> tuple[str, str] | None:
    return (one.before[-2:], one.after[:1]) if one.before or one.after else None


def _before(one: Around) -> str | None:
    return one.before[-SURE:] if len(one.before) >= SURE else None


def _after(one: Around) -> str | None:
    return one.after[:SURE] if len(one.after) >= SURE else None


def _agree(one: Around, other: Around) -> bool:
    return _ends_alike(one.before, other.before) and _begin_alike(one.after, other.after)


def _agree_partly(one: Around, other: Around) -> bool:
    before = min(len(one.before), len(other.before)) >= SURE and _ends_alike(one.before, other.before)
    return before or (min(len(one.after), len(other.after)) >= SURE and _begin_alike(one.after, other.after))


def _ends_alike(one: str, other: str) -> bool:
    return one.endswith(other) or other.endswith(one)


def _begin_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)
