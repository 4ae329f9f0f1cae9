"""Regular expressions with limits: each search has a time limit, and patterns that would take too much memory are
refused.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

from stemmata.domain.errors import KnownError
from stemmata.domain.search.needle import Needle, PatternNeedle
from stemmata.domain.text.phrases import Phrase

LONGEST = 500  # characters of a pattern
HEAVIEST = 2_000  # characters of a pattern after its repetitions are written out, as the engine does
# seconds of one search while the window waits (processor time of its thread), and on another thread
QUICK, PATIENT = 0.005, 0.1
# seconds of processor time that all searches of a pattern may take within WINDOW seconds
SPENT, WINDOW = 0.012, 0.1
_REPEATED = re.compile(r"\{(\d*)(?:,\d*)?\}")
_ESCAPED = re.compile(r"\\(?:[pPNgxou]\{[^}]*\}|.)", re.DOTALL)
_SET = re.compile(r"\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]", re.DOTALL)

SLOW = Phrase("The pattern takes too long to find. Make it simpler: avoid repetitions inside repetitions.")


def pattern_needle(pattern: str, *, case: bool = False, word: bool = False, patient: bool = False) -> Needle:
    """Return the needle that finds a regular expression.

    A `patient` needle is for another thread than that of the window: it raises KnownError when a search takes too
    long. A needle that is not patient finds nothing after such a search. Raises KnownError for a pattern that is
    invalid or too large.
    """
    import regex

    if len(pattern) > LONGEST or weight(pattern) > HEAVIEST:
        raise KnownError(Phrase("The pattern is too long, or repeats too much. Shorten it."))
    around = rf"(?<!\w)(?:{pattern})(?!\w)" if word else pattern
    try:
        compiled = regex.compile(around, regex.MULTILINE | (0 if case else regex.IGNORECASE))
    except (regex.error, OverflowError, RecursionError) as error:
        raise KnownError(Phrase("The pattern is not complete: {0}.", str(error))) from error
    search = _Patient(compiled) if patient else _Quick(compiled)
    return PatternNeedle(("pattern", pattern, case, word), search)


class _Patient:
    """Searches with a long time limit, for threads other than the window's. Raises KnownError when it runs out."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def __call__(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        try:
            found = self._compiled.finditer(text, start, end, timeout=PATIENT, concurrent=True)
            for match in found:
                yield match.span()
        except TimeoutError as error:
            raise KnownError(SLOW) from error


class _Quick:
    """Searches while the window waits. A pattern that takes too long finds nothing from then on."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._is_slow = False
        self._since = self._spent = 0.0

    def __call__(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        now = time.monotonic()
        if now - self._since > WINDOW:
            self._since, self._spent = now, 0.0
        if self._is_slow:
            return []
        begun = time.thread_time()
        found = None
        # The engine's limit counts the processor time of all threads, so it may end too early: then try again.
        while found is None and time.thread_time() - begun < QUICK:
            try:
                found = [match.span() for match in self._compiled.finditer(text, start, end, timeout=QUICK)]
            except TimeoutError:
                continue
        self._spent += time.thread_time() - begun
        self._is_slow = found is None or self._spent > SPENT
        return found or []


def weight(pattern: str) -> int:
    """Return about how many characters a pattern has with its repetitions written out.

    The engine writes out repetitions of a fixed number, so that `((x{99}){99}){99}` would fill the memory.
    """
    sums, last, at = [0], 0, 0
    while at < len(pattern):
        token = _ESCAPED.match(pattern, at) or _SET.match(pattern, at) or _REPEATED.match(pattern, at)
        if token is not None and pattern[at] == "{":
            more = last * (max(int(token[1] or 0), 1) - 1)
            sums[-1] += more
            last += more
        elif pattern[at] == "(":
            sums.append(1)
        elif pattern[at] == ")" and len(sums) > 1:
            last = sums.pop()
            sums[-1] += last
        else:
            last = 1
            sums[-1] += 1
        if max(sums) > HEAVIEST:
            break
        at = token.end() if token is not None else at + 1
    return sum(sums)
