"""Finds sentences that a digest quotes, by English words, and clips texts.

The rules know only English. In other languages no sentence is recognised as a constraint; the requests themselves are
kept in every language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_FENCES = ("```", "~~~")
_ENDS = re.compile(r"(?<=[.!?])\s+")
_PASTED = re.compile(r"\s*(?:[{\[<|>$#+]|at \S+[ (]|\d+[:|]|\S+:\d+:)|.*(?:\);|[{};])\s*$")
_DATA = ('{"', '":')
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
_FINDING_WORDS = (  # one of them is in each text that _FINDING matches
    "decided", "decision", "root cause", "turns out", "went with", "chose", "caused by",
    "the actual", "the real", "the underlying",
)  # fmt: skip
LONGEST_SENTENCE = 400
LONGEST_TEXT = 128 * 1024  # characters; work on more in one call would keep Python's lock longer than a frame
_LONGEST_LINE = 1500  # characters; a longer line is taken as pasted text
_SHORTEST = 8


def constraints(told: Iterable[str]) -> list[str]:
    """Return those of a user's sentences that set a limit or state a preference."""
    return [sentence for sentence in told if _CONSTRAINT.search(sentence) and not sentence.endswith("?")]


def is_firm(sentence: str) -> bool:
    """Return whether a constraint is an order or a ban, and not a mere preference."""
    return _FIRM.search(sentence) is not None


def choices(told: Iterable[str]) -> list[str]:
    """Return those of a user's sentences that state a choice."""
    return [sentence for sentence in told if _CHOICE.search(sentence) and not sentence.endswith("?")]


def findings(text: str) -> list[str]:
    """Return the sentences of a model's text that state a cause or a choice."""
    folded = text.casefold()
    if not any(word in folded for word in _FINDING_WORDS):  # of most texts; their sentences are not looked for
        return []
    return [
        sentence for sentence in sentences(text) if _FINDING.search(sentence) and not sentence.endswith((":", "?"))
    ]


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of prose; code blocks, quotes, logs and other pasted lines and paragraphs are skipped."""
    for paragraph in _paragraphs(text):
        if any(mark in line[:LONGEST_TEXT] for line in paragraph for mark in _DATA):
            continue
        for line in paragraph:
            if len(line) > _LONGEST_LINE or _PASTED.match(line):
                continue
            for sentence in _ENDS.split(_BULLET.sub("", line).strip()):
                if _SHORTEST <= len(sentence) <= LONGEST_SENTENCE:
                    yield sentence


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Yield the lines of each paragraph, without code blocks."""
    paragraph: list[str] = []
    for line in without_code(text):
        if line:
            paragraph.append(line)
        elif paragraph:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def without_code(text: str) -> Iterator[str]:
    """Yield the lines of Markdown outside its fenced code blocks. An empty line stands for each block."""
    fence = ""
    for line in _lines(text):
        start = line.lstrip()
        if not fence:
            fence = next((mark for mark in _FENCES if start.startswith(mark)), "")
            if not fence:
                yield line
        elif start.startswith(fence):
            yield start.removeprefix(fence)
            fence = ""


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text. They are cut out in pieces, because cutting 10 MB keeps Python's lock too long."""
    at = 0
    while at < len(text):
        end = text.find("\n", at + LONGEST_TEXT) + 1 or len(text)
        yield from text[at:end].splitlines()
        at = end


def one_line(text: str) -> str:
    """Return the text with each run of white space replaced by one space; of a very long text its two ends."""
    if len(text) > LONGEST_TEXT:
        text = f"{text[: LONGEST_TEXT // 2]} {text[-LONGEST_TEXT // 2 :]}"
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
