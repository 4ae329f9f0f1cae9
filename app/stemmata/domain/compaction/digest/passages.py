"""Finds sentences that a digest quotes, by English words, and clips texts.

The rules know only English. In other languages no sentence is recognised as a constraint; the requests themselves are
kept in every language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_FENCED = re.compile(r"^\s*(```|~~~).*?(?:^\s*\1|\Z)", re.DOTALL | re.MULTILINE)
_ENDS = re.compile(r"(?<=[.!?])\s+")
_PASTED = re.compile(r"\s*(?:[{\[<|>$#+]|at \S+[ (]|\d+[:|]|\S+:\d+:)|.*(?:\);|[{};])\s*$")
_DATA = re.compile(r"\{\"|\":")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(?:\[[ x]\]\s+)?")
_CONSTRAINT = re.compile(
    r"\b(?:never|always|must|mustn't|should not|shouldn't|prefer|avoid|no more|make sure|ensure|at most|at least"
    r"|not allowed|no need to|without)\b"
    r"|\b(?:only|keep|stick to)\b(?! (?:thing|problem|issue|question|going|it up))"
    r"|(?:^|[,;:–—-] |\b(?:please|you|and|but|we|so|just) )(?:don't|do not)\b"
    r"(?! (?:know|think|understand|worry|have|see|mean|get|remember|believe))",
    re.IGNORECASE,
)
_FIRM = re.compile(r"\b(?:never|always|must|mustn't|don't|do not|not allowed|no more)\b", re.IGNORECASE)
_CHOICE = re.compile(
    r"^(?:no|nope|actually|instead|rather)\b[,. ]"
    r"|\b(?:go with|call it|instead|rather than|we decided|i decided|agreed)\b",
    re.IGNORECASE,
)
_FINDING = re.compile(
    r"\b(?:decided|decision|root cause|turns out|went with|chose|chosen|caused by)\b"
    r"|\bthe (?:actual|real|underlying) (?:problem|issue|cause|bug|reason) (?:is|was)\b",
    re.IGNORECASE,
)
LONGEST_SENTENCE = 400
_LONGEST_LINE = 1500  # characters; a longer line is taken as pasted text
_SHORTEST = 8


def constraints(text: str) -> list[str]:
    """Return the sentences of a user's text that set a limit or state a preference."""
    return [sentence for sentence in sentences(text) if _CONSTRAINT.search(sentence) and not sentence.endswith("?")]


def is_firm(sentence: str) -> bool:
    """Return whether a constraint is an order or a ban, and not a mere preference."""
    return _FIRM.search(sentence) is not None


def choices(text: str) -> list[str]:
    """Return the sentences of a user's text that state a choice."""
    return [sentence for sentence in sentences(text) if _CHOICE.search(sentence) and not sentence.endswith("?")]


def findings(text: str) -> list[str]:
    """Return the sentences of a model's text that state a cause or a choice."""
    return [
        sentence for sentence in sentences(text) if _FINDING.search(sentence) and not sentence.endswith((":", "?"))
    ]


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of prose; code blocks, quotes, logs and other pasted lines and paragraphs are skipped."""
    for paragraph in _FENCED.sub("", text).split("\n\n"):
        if _DATA.search(paragraph):
            continue
        for line in paragraph.splitlines():
            if len(line) > _LONGEST_LINE or _PASTED.match(line):
                continue
            for sentence in _ENDS.split(_BULLET.sub("", line).strip()):
                if _SHORTEST <= len(sentence) <= LONGEST_SENTENCE:
                    yield sentence


def one_line(text: str) -> str:
    """Return the text with each run of white space replaced by one space."""
    return " ".join(text.split())


def clip(text: str, longest: int) -> str:
    """Return at most `longest` characters: the beginning and, from 80 characters on, the end of the text."""
    if len(text) <= longest:
        return text
    if longest < 80:
        return f"{text[: longest - 1].rstrip()}…" if longest > 0 else ""
    tail = longest // 4
    return f"{text[: longest - tail - 5].rstrip()} […] {text[-tail:].lstrip()}"[:longest]


def quote(text: str) -> str:
    """Return the text as a Markdown block quote."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def code(text: str) -> str:
    """Return the text on one line as a Markdown code span; it may contain backticks."""
    line = one_line(text)
    if "`" not in line:
        return f"`{line}`"
    fence = "`" * (1 + max(len(run) for run in re.findall("`+", line)))
    return f"{fence} {line} {fence}"


def unique(texts: Iterable[str]) -> list[str]:
    """Return the texts without repetitions that differ only in case and white space; the first is kept."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(one_line(text).casefold(), text)
    return list(found.values())
