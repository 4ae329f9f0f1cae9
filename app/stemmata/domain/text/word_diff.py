"""Finds the words in which two texts differ, to mark them where two prompts are shown side by side."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# Limits for the words between the common beginning and the common end of two texts. When a limit is exceeded, these
# words are all reported as different, because the comparison would take too long.
MOST_WORDS = 300  # in either text
MOST_PAIRS = 4000  # pairs of equal words, one in each text; the time of a comparison grows with their number
RELATED = 0.3  # texts that share a smaller part of their words are not shown as versions of each other

_IDEOGRAPH = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"  # written without spaces: each character is a word
_TOKEN = re.compile(rf"{_IDEOGRAPH}|(?:(?!{_IDEOGRAPH})\w)+|[^\w\s]")

Span = tuple[int, int]  # (start, stop) in characters of a text
_Change = tuple[int, int, int, int]  # (start, stop) in words of the left text, then (start, stop) of the right text


@dataclass(frozen=True, slots=True)
class WordDiff:
    """The spans of each text that the other text lacks, and the part of all words that both share (0 to 1)."""

    left: tuple[Span, ...] = ()
    right: tuple[Span, ...] = ()
    shared: float = 1.0

    @property
    def is_related(self) -> bool:
        """Whether the texts share enough words for the marked differences to be useful."""
        return self.shared >= RELATED


def word_diff(left: str, right: str) -> WordDiff:
    """Compare two texts word by word; white space is ignored. Swapping the texts swaps the result."""
    if right < left:  # difflib's result depends on the order of its arguments
        found = word_diff(right, left)
        return WordDiff(found.right, found.left, found.shared)
    ours, theirs = list(_TOKEN.finditer(left)), list(_TOKEN.finditer(right))
    changes = _joined(_changes([word[0] for word in ours], [word[0] for word in theirs]))
    differing = sum(b - a + d - c for a, b, c, d in changes)
    total = len(ours) + len(theirs)
    return WordDiff(
        _spans(ours, [(a, b) for a, b, _, _ in changes]),
        _spans(theirs, [(c, d) for _, _, c, d in changes]),
        1 - differing / total if total else 1.0,
    )


def _changes(left: Sequence[str], right: Sequence[str]) -> list[_Change]:
    start, stop = common_ends(left, right)
    ours, theirs = left[start : len(left) - stop], right[start : len(right) - stop]
    if not ours and not theirs:
        return []
    if _is_too_much(ours, theirs):
        return [(start, start + len(ours), start, start + len(theirs))]
    codes = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    return [(start + a, start + b, start + c, start + d) for tag, a, b, c, d in codes if tag != "equal"]


def _is_too_much(left: Sequence[str], right: Sequence[str]) -> bool:
    if max(len(left), len(right)) > MOST_WORDS:
        return True
    ours, theirs = Counter(left), Counter(right)
    return sum(count * theirs[word] for word, count in ours.items()) > MOST_PAIRS


def common_ends(left: Sequence[object], right: Sequence[object]) -> tuple[int, int]:
    """Return the number of equal items at the beginning of both sequences, and at the end of the remaining items."""
    most = min(len(left), len(right))
    start = next((at for at in range(most) if left[at] != right[at]), most)
    stop = next((at for at in range(most - start) if left[-1 - at] != right[-1 - at]), most - start)
    return start, stop


def _joined(changes: Sequence[_Change]) -> list[_Change]:
    """Join changes that are one word apart, unless both only add words or both only remove words."""
    out: list[_Change] = []
    for change in changes:
        if out and change[0] - out[-1][1] <= 1 and not _is_one_sided((out[-1], change)):
            out[-1] = (out[-1][0], change[1], out[-1][2], change[3])
        else:
            out.append(change)
    return out


def _is_one_sided(changes: Sequence[_Change]) -> bool:
    return all(a == b for a, b, _, _ in changes) or all(c == d for _, _, c, d in changes)


def _spans(words: Sequence[re.Match[str]], changed: Sequence[Span]) -> tuple[Span, ...]:
    """Return the character span of each range of words; empty ranges give no span."""
    return tuple((words[start].start(), words[stop - 1].end()) for start, stop in changed if start < stop)
