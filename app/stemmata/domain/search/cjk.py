"""Chinese, Japanese and Korean text, which is written without spaces: divided into pairs of characters to be found.

The full-text index takes a run of such characters for one word, separate from letters next to it: `API를` is two
words. A second index holds the overlapping pairs of each run, and the run's last character: 東京都 as 東京, 京都 and
都. So each character begins exactly one word, and a text of any length is found inside a run, as a phrase.
"""

from __future__ import annotations

import re

# Hangul letters, kana, Bopomofo, ideographs with their extensions, Hangul syllables, half-width kana
CHARACTERS = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{CHARACTERS}]+")


def has_cjk(text: str) -> bool:
    """Return whether the text has a character that is written without spaces."""
    return not text.isascii() and _RUN.search(text) is not None


def apart(text: str) -> str:
    """Return the text with a space around each run of such characters, so that a word beside a run is a word."""
    return text if text.isascii() else _RUN.sub(r" \g<0> ", text)


def pairs(text: str) -> str:
    """Return the text as it is indexed: each run of characters as pairs; everything else is unchanged."""
    return _RUN.sub(lambda found: f" {' '.join(_pairs(found[0]))} ", text)


def asked_pairs(text: str) -> tuple[str, bool]:
    """Return a phrase as it is looked up in that index, and whether its last word is the beginning of a word.

    A run at the end of the phrase may be longer in the text, so its last character is not asked for as a separate
    word.
    """
    stripped = text.rstrip()
    last = next((found for found in _RUN.finditer(stripped) if found.end() == len(stripped)), None)
    if last is None:
        return pairs(text), False
    words = _pairs(last[0])
    return f"{pairs(stripped[: last.start()])} {' '.join(words[:-1] or words)}".strip(), len(words) == 1


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run))]
