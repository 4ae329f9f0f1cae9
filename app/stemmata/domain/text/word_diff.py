"""Which words of two texts differ: what is marked where two prompts stand beside each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# Of what lies between the common beginning and end; a stretch with more counts as different altogether.
MOST_WORDS = 300  # in either text
MOST_PAIRS = 4000  # of equal words, one in each text: what the time of a comparison grows with
RELATED = 0.3  # part of the words that two versions of one text share at least

_IDEOGRAPH = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"  # written without spaces: each is a word
_TOKEN = re.compile(rf"{_IDEOGRAPH}|(?:(?!{_IDEOGRAPH})\w)+|[^\w\s]")

Span = tuple[int, int]  # characters of a text, from … up to
_Change = tuple[int, int, int, int]  # words of the left from … up to, of the right from … up to


@dataclass(frozen=True, slots=True)
class WordDiff:
    """Stretches of the left and of the right text that the other has not. `shared`: 0 nothing in common, 1 all."""

    left: tuple[Span, ...] = ()
    right: tuple[Span, ...] = ()
    shared: float = 1.0

    @property
    def is_related(self) -> bool:
        """Whether the texts are versions of one another, so that marking the difference tells something."""
        return self.shared >= RELATED


def word_diff(left: str, right: str) -> WordDiff:
    """Compare by words; white space alone makes no difference. Swapping the texts swaps the answer."""
    if right < left:  # difflib prefers what comes first in its first text
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
    start, stop = _common_ends(left, right)
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


def _common_ends(left: Sequence[str], right: Sequence[str]) -> tuple[int, int]:
    """How many words both begin with, and how many of the others both end with."""
    most = min(len(left), len(right))
    start = next((at for at in range(most) if left[at] != right[at]), most)
    stop = next((at for at in range(most - start) if left[-1 - at] != right[-1 - at]), most - start)
    return start, stop


def _joined(changes: Sequence[_Change]) -> list[_Change]:
    """Changes with a single word between them read as one, unless words were only added or only left out."""
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
    """From the first character of the first word to behind the last one's; nothing for an omission."""
    return tuple((words[start].start(), words[stop - 1].end()) for start, stop in changed if start < stop)
