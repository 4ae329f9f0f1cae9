"""Snippets: the part of a text around the matches of a search."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from stemmata.domain.search.terms import MARKS, SearchedText, Term, TermPattern, fold, patterns_of

OPENING, CLOSING = "\ue000", "\ue001"
SHORT, LONG = (48, 200), (80, 360)  # characters before the first match, and of the whole snippet
_FOLDED = 200_000  # characters looked at when accents have to be taken off first


class Snippets:
    """Find the terms of one query in texts. `size` is the number of characters before the first match, and of all."""

    def __init__(self, terms: Sequence[Term], size: tuple[int, int] = SHORT) -> None:
        self._patterns = patterns_of(terms)
        self._folded = patterns_of((fold(term), prefix) for term, prefix in terms)
        self._before, self._length = size

    def of(self, text: str) -> str:
        """Return one line with the matches between U+E000 and U+E001; without a match, the beginning of the text."""
        text = text.replace(OPENING, " ").replace(CLOSING, " ")
        found = None
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)  # accents that are characters of their own
            found = self._window(text, SearchedText(fold(text[:_FOLDED])), self._folded)
        found = found or self._window(text, SearchedText(text), self._folded if text.isascii() else self._patterns)
        return self._line(text, 0, ()) if found is None else found

    def fit(self, text: str) -> bool:
        """Return whether any term is in the text."""
        plain = SearchedText(text if text.isascii() else MARKS.sub("", fold(text)))
        return any(pattern.search(plain) for pattern in self._folded)

    def _window(self, text: str, searched: SearchedText, patterns: Sequence[TermPattern]) -> str | None:
        """Return the first window that holds the most terms, as a line."""
        starts = sorted(match.start() for pattern in patterns if (match := pattern.search(searched)))
        best: tuple[int, int] | None = None
        for start in starts:
            begin = max(0, start - self._before)
            score = sum(1 for pattern in patterns if pattern.search(searched, begin, begin + self._length))
            if best is None or score > best[0]:
                best = score, begin
        if best is None:
            return None
        spans = {
            match.span()
            for pattern in patterns
            for match in pattern.pattern.finditer(searched.text, best[1], best[1] + self._length)
        }
        return self._line(text, best[1], sorted(spans))

    def _line(self, text: str, begin: int, spans: Sequence[tuple[int, int]]) -> str:
        end = begin + self._length
        if begin:
            begin = min(text.find(" ", begin, begin + self._before // 2) + 1 or begin, spans[0][0] if spans else end)
        parts: list[str] = []
        at = begin
        for start, stop in spans:
            if start >= at:
                parts += [text[at:start], OPENING, text[start:stop], CLOSING]
                at = stop
        parts.append(text[at : max(at, end)])
        line = " ".join("".join(parts).split())
        return f"{'…' if begin else ''}{line}{'…' if end < len(text) else ''}"
