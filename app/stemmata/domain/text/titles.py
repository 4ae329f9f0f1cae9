"""Titles of sessions, taken from the first prompt: the name that a person would give the session.

A title is the first sentence that the person wrote. Pasted logs, code and differences are left out, and so is a
greeting before the sentence. A path or an address is shortened to its last part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stemmata.domain.text.one_line import one_line

LONGEST = 60  # characters of a title
MOST_LINES = 400  # lines of a prompt that are examined
LONGEST_LINE = 1000  # characters of a line that are looked at
_SHORTEST = 12  # characters of a sentence that can stand alone: “Hi there.” says nothing
_FENCE = ("```", "~~~")
_PASTED = re.compile(
    r"""
      \[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d          # 2026-11-22 10:15
    | \[?\d{1,2}:\d\d:\d\d\b                    # 10:15:42
    | \[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b[\]:\ ]
    | Traceback\ \(most\ recent | \s+File\ " | \s+at\ .*:\d | npm\ ERR!
    | diff\ --git\  | index\ [0-9a-f]{7}  | @@\  | \+\+\+\  | ---\  | [<>|]\s
    | [\[{]["\[{\s]*["\d] | [\[{]\s*$           # JSON
    | </?[A-Za-z!?]                             # markup
    | [^\w\s]*$                                 # a rule
    """,
    re.VERBOSE,
)
_MARKS = re.compile(r"^\s*(?:\#{1,6}\s+|[-*+]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+")  # Markdown's headings and lists
_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)")
_ADDRESS = re.compile(r"https?://(?:www\.)?([^\s/?#<>]+)[^\s<>]*")
_PATH = re.compile(r"@?(?<![\w/])(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w.@+-]+[/\\]){2,}([\w.@+-]*\w)")
_EMPHASIS = re.compile(r"(\*\*|`+)(?=\S)(.+?)(?<=\S)\1")
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|hallo|ok|okay|alright|all\ right|good\ (?:morning|evening|afternoon)|guten\ (?:tag|morgen))"
    r"(?:\ (?:there|all|everyone|claude|codex|chatgpt|gemini))?[,.!:–—-]+\s*)+",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?…])[\"')\]]?\s+|(?<=[。！？])")


def title_in(prompt: str) -> str:
    """Return the title of a session that begins with `prompt`, of at most LONGEST characters; "" for no text."""
    lines = [line[:LONGEST_LINE] for line in prompt.splitlines()[:MOST_LINES] if line.strip()]
    for line in _written(lines):
        if title := _title(line):
            return title
    return _cut(one_line(lines[0], LONGEST_LINE)) if lines else ""


def _written(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that the person wrote, without those that look pasted."""
    fence = ""
    for line in lines:
        begins = line.lstrip()[:3]
        if fence:
            fence = "" if begins == fence else fence
        elif begins in _FENCE:
            fence = begins
        elif not _PASTED.match(line):
            yield line


def _title(line: str) -> str:
    text = _LINK.sub(r"\1", line)
    text = _PATH.sub(r"\1", _ADDRESS.sub(_shortened, text))
    text = _EMPHASIS.sub(r"\2", _MARKS.sub("", text, count=1))
    text = one_line(text, LONGEST_LINE).strip()
    text = text[_greeting(text) :]
    return _cut(_sentence(text).rstrip(" .,:;。"))


def _shortened(found: re.Match[str]) -> str:
    """Return the host of an address with the last part of its path."""
    last = found[0].rstrip("/.,").rpartition("/")[2]
    return found[1] if last in ("", found[1], f"www.{found[1]}") else f"{found[1]}/…/{last}"


def _greeting(text: str) -> int:
    """Return the length of a greeting before other words; 0 for none."""
    found = _GREETING.match(text)
    return found.end() if found and text[found.end() :].strip() else 0


def _sentence(text: str) -> str:
    """Return the first sentence; short ones are taken together with the next."""
    for end in _END.finditer(text):
        if end.start() >= _SHORTEST or (text[end.start() - 1] in "。！？" and end.start() > _SHORTEST // 3):
            return text[: end.start()]
    return text


def _cut(text: str) -> str:
    """Return at most LONGEST characters, cut between words."""
    if len(text) <= LONGEST:
        return text
    end = text.rfind(" ", LONGEST // 2, LONGEST)
    return text[: end if end > 0 else LONGEST - 1].rstrip(" .,:;–-") + "…"
