"""Passages of what was said: sentences worth keeping word for word, told by English words, and clipping.

The rules know English only. In other languages nothing is taken for a constraint, and the requests themselves,
which are kept in every language, have to say it.
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
_LONGEST_LINE = 1500  # a longer line was pasted
_SHORTEST = 8


def constraints(text: str) -> list[str]:
    """Sentences of a person that set a limit or state a preference, word for word."""
    return [sentence for sentence in sentences(text) if _CONSTRAINT.search(sentence) and not sentence.endswith("?")]


def choices(text: str) -> list[str]:
    """Sentences of a person that settle something, word for word."""
    return [sentence for sentence in sentences(text) if _CHOICE.search(sentence) and not sentence.endswith("?")]


def findings(text: str) -> list[str]:
    """Sentences of a model that state a cause or a choice."""
    return [
        sentence for sentence in sentences(text) if _FINDING.search(sentence) and not sentence.endswith((":", "?"))
    ]


def sentences(text: str) -> Iterator[str]:
    """Sentences of prose: code blocks, quotes, logs and other pasted lines and paragraphs are passed over."""
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
    """The text with all white space runs as one space."""
    return " ".join(text.split())


def clip(text: str, longest: int) -> str:
    """At most `longest` characters: the beginning and, where there is room, the end, which often says the point."""
    if len(text) <= longest:
        return text
    if longest < 80:
        return f"{text[: longest - 1].rstrip()}…" if longest > 0 else ""
    tail = longest // 4
    return f"{text[: longest - tail - 5].rstrip()} […] {text[-tail:].lstrip()}"[:longest]


def quote(text: str) -> str:
    """A Markdown block quote of the text."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def code(text: str) -> str:
    """An inline code span of the text on one line, whatever backticks are in it."""
    line = one_line(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def unique(texts: Iterable[str]) -> list[str]:
    """Without repetitions that differ in case and white space only; the first stays."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(one_line(text).casefold(), text)
    return list(found.values())
