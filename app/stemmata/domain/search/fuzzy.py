"""Finds names by some of their letters: `exse` finds “Export session…”."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_WORD = 40  # letters of a query's word that are compared; the rest is ignored
FARTHEST = 6  # the most characters per letter that scattered letters may span; with more, any long text would match
# Points per letter of a match at the start of a word, and inside a word; scattered letters get at most 1.
WHOLE, INSIDE = 3, 2


@dataclass(frozen=True, slots=True)
class FuzzyMatch:
    """How well a text matches. A higher score is better; `places` are the positions of the matched letters."""

    score: float
    places: tuple[int, ...]


class Fuzzy:
    """A query. A text matches when it contains every word of the query, in any order."""

    def __init__(self, query: str) -> None:
        self._words = [word[:LONGEST_WORD] for word in fold(query).split()]
        self._scattered = [re.compile(_scattered(word)) for word in self._words]

    def match(self, text: str) -> FuzzyMatch | None:
        """Return the match of the query in the text, None when there is none. An empty query matches every text."""
        folded = fold(text)
        score, places = 0.0, set[int]()
        for word, pattern in zip(self._words, self._scattered, strict=True):
            found = _find(word, pattern, folded)
            if found is None:
                return None
            score += found.score
            places.update(found.places)
        # of two equal matches, the shorter text wins
        return FuzzyMatch(score - len(text) / 1000, tuple(sorted(places)))


def fold(text: str) -> str:
    """Return the text in lower case with the same number of characters, so that positions stay valid."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(letter.lower()[:1] for letter in text)


def _find(word: str, scattered: re.Pattern[str], text: str) -> FuzzyMatch | None:
    at = text.find(word)
    whole = at
    while whole > 0 and text[whole - 1].isalnum():
        whole = text.find(word, whole + 1)
    if whole >= 0:
        return FuzzyMatch(WHOLE * len(word), tuple(range(whole, whole + len(word))))
    if at >= 0:
        return FuzzyMatch(INSIDE * len(word), tuple(range(at, at + len(word))))
    found = scattered.search(text)
    if found is None:
        return None
    places = tuple(found.start(number) for number in range(1, len(word) + 1))
    if places[-1] - places[0] >= FARTHEST * len(word):
        return None
    return FuzzyMatch(len(word) * len(word) / (places[-1] - places[0] + 1), places)


def _scattered(word: str) -> str:
    """Return a pattern for the letters in order from the start of a word, each matched where it occurs first.

    So the pattern needs no backtracking.
    """
    first, *others = (re.escape(letter) for letter in word)
    return rf"(?<!\w)({first})" + "".join(f"[^{letter}]*({letter})" for letter in others)
