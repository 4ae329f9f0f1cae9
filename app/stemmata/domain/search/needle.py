"""Needles: the objects that find matches in texts. A needle looks for a text in any case, or calls a function that
finds whole words, the terms of a search, or a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from stemmata.domain.search.terms import Term, TermsFinder, fold

SLICE = 262_144  # characters of a text that are searched at a time
SIGMA = "Σ"
BEFORE, BEHIND = 64, 2_000  # characters around a slice that a match may need; longer matches may be cut at its end
CHECKED = 65_536  # characters of a text that are searched at a time up to the first match
CONTEXT = 64  # characters after a slice that tell how its last letter is written in lower case
Spans = Callable[[str, int, int], Iterable[tuple[int, int]]]  # a text, from and to where; start and end of matches


class Needle(Protocol):
    """A query of the find bar or of a search.

    Two needles that find the same are equal; one that finds nothing is false.
    """

    def __bool__(self) -> bool: ...

    def count(self, text: str) -> int:
        """Return the number of matches."""
        ...

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each match, in order and without overlaps."""
        ...

    def is_in(self, text: str, start: int = 0) -> bool:
        """Return whether there is a match from character `start` on."""
        ...


@dataclass(frozen=True, slots=True)
class TextNeedle:
    """A text, whose case is ignored. It must be in lower case."""

    lowered: str = ""

    def __bool__(self) -> bool:
        return bool(self.lowered)

    def count(self, text: str) -> int:
        """Return the number of matches."""
        return count_of(text, self.lowered)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each match."""
        needle, lowered = self.lowered, text.lower()
        if not needle or needle not in lowered:
            return []
        if len(lowered) != len(text):  # a letter whose small form is two
            return [found.span() for found in re.finditer(re.escape(needle), text, re.IGNORECASE)]
        out: list[tuple[int, int]] = []
        at = lowered.find(needle)
        while at >= 0:
            out.append((at, at + len(needle)))
            at = lowered.find(needle, at + len(needle))
        return out

    def is_in(self, text: str, start: int = 0) -> bool:
        """Return whether there is a match from character `start` on.

        The text is read in slices up to the first match: to copy one of 10 MB in lower case takes milliseconds.
        """
        behind = CHECKED + len(self.lowered) + CONTEXT
        return any(self.lowered in text[at : at + behind].lower() for at in range(start, len(text), CHECKED))


@dataclass(frozen=True, slots=True)
class PatternNeedle:
    """A needle that finds the matches of a function. Needles with the same `identity` are equal.

    Matches without a character do not count.
    """

    identity: Hashable
    find: Spans = field(compare=False)

    def __bool__(self) -> bool:
        return True

    def count(self, text: str) -> int:
        """Return the number of matches."""
        return sum(1 for _ in self._all(text, 0))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each match."""
        return list(self._all(text, 0))

    def is_in(self, text: str, start: int = 0) -> bool:
        """Return whether there is a match from character `start` on."""
        return next(self._all(text, start), None) is not None

    def _all(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        """Yield the matches. The text is read in slices, because a search keeps Python's lock."""
        end = start
        for at in range(start, len(text), SLICE):
            border = at + SLICE
            for first, last in self.find(text, max(at - BEFORE, 0), min(border + BEHIND, len(text))):
                if end <= first < border and at <= first < last:
                    yield first, last
                    end = last


def text_needle(text: str, *, case: bool = False, word: bool = False) -> Needle:
    """Return the needle for a text. With `case` its case matters; with `word` it begins and ends with a word."""
    if not text or not (case or word):
        return TextNeedle(text.lower())
    before, behind = (r"(?<!\w)", r"(?!\w)") if word else ("", "")
    pattern = re.compile(before + re.escape(text) + behind, 0 if case else re.IGNORECASE)
    return PatternNeedle(("text", text, case, word), lambda *at: (found.span() for found in pattern.finditer(*at)))


def terms_needle(terms: Iterable[Term]) -> Needle:
    """Return the needle that finds each of the terms of a search, as the full-text index does."""
    listed = tuple(terms)
    if not listed:
        return TextNeedle()
    found = TermsFinder((fold(term), prefix) for term, prefix in listed)
    return PatternNeedle(("terms", listed), lambda text, start, end: found.spans(text[start:end], start))


def count_of(text: str, needle: str, size: int = SLICE) -> int:
    """Return how often `needle`, which must be in lower case, occurs in the text in lower case.

    The text is read in slices of `size` characters, because a copy of 10 MB in lower case keeps Python's lock for
    half a frame. It is read as a whole for a needle that may overlap itself, such as "aa", and if it has a capital
    sigma, whose small letter depends on those around it.
    """
    overlaps = any(needle.startswith(needle[-end:]) for end in range(1, len(needle)))
    if len(text) <= size or overlaps or SIGMA in text:
        return text.lower().count(needle)
    found = begin = 0  # `begin`: where in the slice the match that crossed its border ends
    for start in range(0, len(text), size):
        border = len(text[start : start + size].lower())
        part = text[start : start + size + len(needle)].lower()
        end = border + len(needle) - 1
        found += part.count(needle, begin, end)
        last = part.rfind(needle, begin, end)
        begin = max((last + len(needle) if last >= 0 else begin) - border, 0)
    return found
