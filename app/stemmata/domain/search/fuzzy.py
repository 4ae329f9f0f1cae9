"""Finding names by some of their letters: `exse` finds “Export session…”."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_WORD = 40  # letters of a word that are looked at
FARTHEST = 6  # characters that a scattered letter may take up on average: more of them fit any long text
WHOLE, INSIDE = 3, 2  # worth of a letter: in one piece from the start of a word, in one piece, scattered 1


@dataclass(frozen=True, slots=True)
class Match:
    """`score` is higher the better it fits; `places` are those of the matched letters, ascending."""

    score: float
    places: tuple[int, ...]


class Fuzzy:
    """A query: every word of it has to be found, in any order."""

    def __init__(self, query: str) -> None:
        self._words = [word[:LONGEST_WORD] for word in fold(query).split()]
        self._scattered = [re.compile(_scattered(word)) for word in self._words]

    def match(self, text: str) -> Match | None:
        """How the text fits, None when it does not. An empty query fits everything."""
        folded = fold(text)
        score, places = 0.0, set[int]()
        for word, pattern in zip(self._words, self._scattered, strict=True):
            found = _find(word, pattern, folded)
            if found is None:
                return None
            score += found.score
            places.update(found.places)
        return Match(score - len(text) / 1000, tuple(sorted(places)))  # of two that fit the same, the shorter


def fold(text: str) -> str:
    """Without case, letter for letter."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(letter.lower()[:1] for letter in text)


def _find(word: str, scattered: re.Pattern[str], text: str) -> Match | None:
    at = text.find(word)
    whole = at
    while whole > 0 and text[whole - 1].isalnum():
        whole = text.find(word, whole + 1)
    if whole >= 0:
        return Match(WHOLE * len(word), tuple(range(whole, whole + len(word))))
    if at >= 0:
        return Match(INSIDE * len(word), tuple(range(at, at + len(word))))
    found = scattered.search(text)
    if found is None:
        return None
    places = tuple(found.start(number) for number in range(1, len(word) + 1))
    if places[-1] - places[0] >= FARTHEST * len(word):
        return None
    return Match(len(word) * len(word) / (places[-1] - places[0] + 1), places)


def _scattered(word: str) -> str:
    """From the start of a word on, the letters in order; each at its first place, so that nothing is tried twice."""
    first, *others = (re.escape(letter) for letter in word)
    return rf"(?<!\w)({first})" + "".join(f"[^{letter}]*({letter})" for letter in others)
