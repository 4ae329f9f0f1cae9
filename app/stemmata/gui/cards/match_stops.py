"""Order the matches of a card, so that F3 and Shift+F3 step through each match of its texts once.

A card leaves out some words of its texts and shows others twice, so its painted matches are not the matches of the
texts. Each painted match is paired with the match of a text that has the same letters around it. The painted ones
come first, in the order of the card; then come those that are seen only when the text is shown as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from stemmata.domain.entries.entry import Role
from stemmata.domain.search.needle import Needle
from stemmata.gui.cards.long_text import LongText
from stemmata.gui.cards.piece import Around, MarkedPiece, Piece, around
from stemmata.gui.cards.written_text import NAME, stored_length, texts_of
from stemmata.gui.core.pages import LoadedEntry

MOST_STOPS = 200  # matches of a card; with more, find steps through the painted ones only
MOST_TEXT = 200_000  # stored characters of the texts of a card; the same holds for more
_Agree = Callable[[Around, Around], bool]
SURE = 4  # letters at one side of a match that suffice to pair it when those at the other side differ


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
class _Found:
    stop: MatchStop
    place: Around


def match_stops(
    entries: Sequence[LoadedEntry], shown: Iterable[tuple[int, Piece]], needle: Needle
) -> list[MatchStop] | None:
    """Return the matches of these entries' texts in the order of steps.

    None when there are too many, or when the texts are too long. `shown` are the pieces of the card that show texts,
    each with the store key of its entry.
    """
    if sum(map(stored_length, entries)) > MOST_TEXT:  # before the texts are written, which takes long for these
        return None
    texts = [(loaded.row.key, at, text) for loaded in entries for at, text in _texts(loaded)]
    if sum(needle.count(text) for _, _, text in texts) > MOST_STOPS:
        return None
    written = [
        _Found(MatchStop(key, None, number, at), place)
        for key, at, text in texts
        for number, place in enumerate(around(text, needle))
    ]
    keys = {loaded.row.key for loaded in entries}
    painted = [
        _Found(MatchStop(key, piece, number), place)
        for key, piece in shown
        if key in keys
        for number, place in enumerate(_in_piece(piece, needle))
    ]
    taken = _pairs(written, painted)
    out = [found.stop for at, found in enumerate(painted) if at in taken.values()]
    return out + [found.stop for at, found in enumerate(written) if at not in taken]


def _texts(loaded: LoadedEntry) -> Iterator[tuple[int, str]]:
    """Yield the texts that a search counts; the name of an entry is one only when it is a command that was run."""
    named = loaded.row.role is Role.BASH_EXECUTION
    return ((at, text) for at, text in texts_of(loaded) if at != NAME or named)


def _in_piece(piece: Piece, needle: Needle) -> list[Around]:
    if isinstance(piece, MarkedPiece):
        return piece.around_matches()
    return piece.around_matches(needle) if isinstance(piece, LongText) else []


def _pairs(written: Sequence[_Found], painted: Sequence[_Found]) -> dict[int, int]:
    """Return pairs of a match in `written` and the one in `painted` that shows it, by their positions; each once."""
    taken = dict[int, int]()
    free = dict.fromkeys(range(len(painted)))
    for agrees in (_agree, _agree_partly):
        _pair(written, painted, agrees, taken, free)
    again = [other for other in free if any(_is_of(written[at], painted[other], _agree) for at in taken)]
    for other in again:  # painted a second time, such as an argument in the line of its call
        del free[other]
    _pair(written, painted, lambda _one, _other: True, taken, free)
    return taken


def _pair(
    written: Sequence[_Found],
    painted: Sequence[_Found],
    agrees: _Agree,
    taken: dict[int, int],
    free: dict[int, None],
) -> None:
    """Pair the matches that have no partner yet, in their order, where `agrees` accepts the letters around both."""
    for at, one in enumerate(written):
        if at in taken:
            continue
        found = next((other for other in free if _is_of(one, painted[other], agrees)), None)
        if found is not None:
            taken[at] = found
            del free[found]


def _is_of(one: _Found, other: _Found, agrees: _Agree) -> bool:
    """Return whether a painted match (`other`) is that of the text."""
    return one.stop.source == other.stop.source and agrees(one.place, other.place)


def _agree(one: Around, other: Around) -> bool:
    return _ends_alike(one.before, other.before) and _begin_alike(one.after, other.after)


def _agree_partly(one: Around, other: Around) -> bool:
    before = min(len(one.before), len(other.before)) >= SURE and _ends_alike(one.before, other.before)
    return before or (min(len(one.after), len(other.after)) >= SURE and _begin_alike(one.after, other.after))


def _ends_alike(one: str, other: str) -> bool:
    return one.endswith(other) or other.endswith(one)


def _begin_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)
