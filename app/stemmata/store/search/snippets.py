"""The words around a match. SQLite's own `snippet` weighs every occurrence: 3 ms a hit for a frequent word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

OPENING, CLOSING = "\ue000", "\ue001"
_BEFORE = 48  # characters before the first match
_LENGTH = 200
_FOLDED = 200_000  # characters looked at when accents have to be taken off first
_MARKS = re.compile("[\u0300-\u036f]")  # accents, taken off their letters
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_WORD = r"[^\W_]"  # what the index takes for a part of a word


class Snippets:
    """Finds the terms of one query, each (words, whether the last word is a prefix)."""

    def __init__(self, terms: Sequence[tuple[str, bool]]) -> None:
        self._patterns = [pattern for term, prefix in terms for pattern in _patterns(term, prefix=prefix)]
        self._folded = [pattern for term, prefix in terms for pattern in _patterns(fold(term), prefix=prefix)]

    def of(self, text: str) -> str:
        """One line with the matches between U+E000 and U+E001, cut with ellipses; else the beginning."""
        text = text.replace(OPENING, " ").replace(CLOSING, " ")
        found = None if text.isascii() else self._window(text, fold(text[:_FOLDED]), self._folded)
        found = found or self._window(text, text, self._patterns)
        return _line(text, 0, ()) if found is None else found

    def fit(self, text: str) -> bool:
        """Whether any of the terms is in the text."""
        plain = text if text.isascii() else _MARKS.sub("", unicodedata.normalize("NFD", text))
        return any(pattern.search(plain) for pattern in self._folded)

    @staticmethod
    def _window(text: str, searched: str, patterns: Sequence[re.Pattern[str]]) -> str | None:
        """The window that holds most of the terms, the first of those."""
        starts = sorted(match.start() for pattern in patterns if (match := pattern.search(searched)))
        best: tuple[int, int] | None = None
        for start in starts:
            begin = max(0, start - _BEFORE)
            score = sum(1 for pattern in patterns if pattern.search(searched, begin, begin + _LENGTH))
            if best is None or score > best[0]:
                best = score, begin
        if best is None:
            return None
        spans = {
            match.span() for pattern in patterns for match in pattern.finditer(searched, best[1], best[1] + _LENGTH)
        }
        return _line(text, best[1], sorted(spans))


def fold(text: str) -> str:
    """The text without accents, every character in its place."""
    return _FOREIGN.sub(lambda match: unicodedata.normalize("NFD", match[0])[0], text)


def _patterns(term: str, *, prefix: bool) -> list[re.Pattern[str]]:
    words = re.findall(f"{_WORD}+", term)
    if not words:
        return []
    end = f"{_WORD}*" if prefix else f"(?!{_WORD})"
    between = r"[\W_]+"
    return [re.compile(f"(?<!{_WORD}){between.join(map(re.escape, words))}{end}", re.IGNORECASE)]


def _line(text: str, begin: int, spans: Sequence[tuple[int, int]]) -> str:
    end = begin + _LENGTH
    if begin:
        begin = min(text.find(" ", begin, begin + _BEFORE // 2) + 1 or begin, spans[0][0] if spans else end)
    parts: list[str] = []
    at = begin
    for start, stop in spans:
        if start >= at:
            parts += [text[at:start], OPENING, text[start:stop], CLOSING]
            at = stop
    parts.append(text[at : max(at, end)])
    line = " ".join("".join(parts).split())
    return f"{'…' if begin else ''}{line}{'…' if end < len(text) else ''}"
