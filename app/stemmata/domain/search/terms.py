"""The terms of a search, and the patterns that find them in texts as the full-text index does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from sys import maxsize

from stemmata.domain.search.cjk import CHARACTERS

Term = tuple[str, bool]  # words, whether the last one is a prefix

WORD = r"[^\W_]"  # characters that the index counts as parts of words
_LETTER = rf"[^\W_{CHARACTERS}]"  # those of them that are written with spaces between words
_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
# A NUL, a lone surrogate and their substitute are no words; the last are what the facets of the index begin with.
_NO_WORD = re.compile("[\0\ufffd\ud800-\udfff\ue000-\ue003\U000f0000-\U000fffff]")
_FOREIGN = re.compile(rf"[^\x00-\x7f{CHARACTERS}]")  # may be a letter with an accent
MARKS = re.compile("[\u0300-\u036f]")  # accents, taken off their letters
_BETWEEN = r"[\W_]+"
_CJK = re.compile(f"[{CHARACTERS}]")
_WORDS = re.compile(f"{_LETTER}+|[{CHARACTERS}]+")


def terms_of(text: str) -> list[Term]:
    """Return the terms of a typed query: quoted words stay together, the last unquoted word is a prefix.

    A single ASCII letter is a whole word even at the end, also in C++: as a prefix it would fit nearly every entry.
    """
    terms: list[Term] = []
    for found in _TERM.finditer(unicodedata.normalize("NFC", _NO_WORD.sub(" ", text))):
        phrase, word = found.groups()
        term = word if phrase is None else phrase
        letters = [character for character in term if character.isalnum()]
        if letters:
            terms.append((term, phrase is None and not (len(letters) == 1 and letters[0].isascii())))
    return [(term, prefix and at == len(terms) - 1) for at, (term, prefix) in enumerate(terms)]


def fold(text: str) -> str:
    """Return the text without accents, each character at its position."""
    return text if text.isascii() else _FOREIGN.sub(lambda match: unicodedata.normalize("NFD", match[0])[0], text)


class SearchedText:
    """A text in which terms are looked for. `lowered` has each character at its position; None if it cannot."""

    def __init__(self, text: str) -> None:
        lowered = text.lower()
        # two letters of other languages that the patterns take for i and s, but that stay as they are in lower case
        is_plain = text.isascii() or (len(lowered) == len(text) and "ı" not in text and "ſ" not in text)
        self.text, self.lowered = text, lowered if is_plain else None


@dataclass(frozen=True, slots=True)
class TermPattern:
    """The pattern of a term, and its first word in lower case, which is found ten times as fast as the pattern."""

    pattern: re.Pattern[str]
    first: str

    def search(self, searched: SearchedText, start: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Return the first match between two positions."""
        lowered, text = searched.lowered, searched.text
        if lowered is None or not self.first.isascii():
            return self.pattern.search(text, start, end)
        at = lowered.find(self.first, start, end)
        while at >= 0:
            if found := self.pattern.match(text, at, end):
                return found
            at = lowered.find(self.first, at + 1, end)
        return None


def patterns_of(terms: Iterable[Term]) -> list[TermPattern]:
    """Return a pattern for each term. Characters that are written without spaces are found inside their runs."""
    found = ((_pattern(term, prefix=prefix), re.search(f"{WORD}+", term)) for term, prefix in terms)
    return [TermPattern(re.compile(pattern, re.IGNORECASE), first[0].lower()) for pattern, first in found if first]


class TermsFinder:
    """Finds any of several terms; with several at one place it finds the longest term.

    The first word of each term is looked for in lower case, and the pattern is tried only there, since it takes ten
    times as long.
    """

    def __init__(self, terms: Iterable[Term]) -> None:
        longest = sorted(terms, key=lambda term: -len(term[0]))
        patterns = (_pattern(term, prefix=prefix) for term, prefix in longest)
        self.pattern = re.compile("|".join(filter(None, patterns)), re.IGNORECASE)
        firsts = (re.search(f"{WORD}+", term) for term, _prefix in longest)
        self._firsts = {first[0].lower() for first in firsts if first}

    def spans(self, text: str, at: int = 0) -> Iterator[tuple[int, int]]:
        """Yield start and end of each match in a text, counted from `at`, which is the place of its first letter."""
        if not text.isascii() and MARKS.search(text):
            yield from self._spans_without_marks(text, at)
            return
        folded = fold(text)  # has the same length
        searched = SearchedText(folded)
        if searched.lowered is None or not all(len(first) > 1 and first.isascii() for first in self._firsts):
            yield from ((at + found.start(), at + found.end()) for found in self.pattern.finditer(folded))
            return
        end = 0  # of the last match
        for place in merge(*(_word_starts(searched.lowered, first) for first in self._firsts)):
            if place >= end and (match := self.pattern.match(folded, place)) is not None:
                end = match.end()
                yield at + place, at + end

    def _spans_without_marks(self, text: str, at: int) -> Iterator[tuple[int, int]]:
        """Yield the matches in a text that has accents as characters of their own; those belong to their letters."""
        places = [place for place, character in enumerate(text) if not "\u0300" <= character <= "\u036f"]
        places.append(len(text))
        for start, end in self.spans(MARKS.sub("", text)):
            yield at + places[start], at + places[end]


def _word_starts(text: str, word: str) -> Iterator[int]:
    """Yield where a word begins in a text, ascending."""
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + 1)


def _pattern(term: str, *, prefix: bool) -> str:
    words = _WORDS.findall(term)
    if not words:
        return ""
    out = "" if _CJK.match(words[0]) else f"(?<!{_LETTER})"
    for at, word in enumerate(words):
        if at:  # next to a run without spaces, no separator is needed
            is_apart = bool(_CJK.match(word)) == bool(_CJK.match(words[at - 1]))
            out += _BETWEEN if is_apart else f"(?:{_BETWEEN})?"
        out += re.escape(word)
    return out + ("" if _CJK.match(words[-1]) else f"{_LETTER}*" if prefix else f"(?!{_LETTER})")
