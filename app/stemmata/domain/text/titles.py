"""Titles of sessions, taken from the first prompt: the name that a person would give the session.

A title is the first sentence that the person wrote. Pasted logs, code and diffs are left out, and so are texts in
tags, notes in brackets before the sentence, ids, and a greeting. A path or an address is shortened to its last part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stemmata.domain.text.one_line import TITLE, cut_between_words, one_line

MOST_LINES = 400  # lines of a prompt that are examined
LONGEST_LINE = 1000  # characters of a line that are looked at
_SHORTEST = 12  # characters of a sentence that can stand alone: “Hi there.” says nothing
_LEAD_IN = 30  # characters of a line with a colon at its end that is joined with the next one
_TELLING = 5  # letters of the Latin alphabet up to which a prompt says too little to be a title
_NESTED = 3  # depth of tags inside of each other that are taken off
_FENCE = ("```", "~~~")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")
_TAG = re.compile(r"\s*<([A-Za-z][\w-]{1,40})(?:\s[^<>]{0,300})?(/?)>")
# tags around texts that a tool adds to a prompt
_ADDED = frozenset(
    {
        "apps_instructions", "collaboration_mode", "environment_context", "environment_details", "instructions",
        "permissions", "skill", "system-reminder", "turn_aborted", "uploaded_files", "user_instructions",
    }
)  # fmt: skip
# lines that a tool wrote into a prompt; the session has no other name for what is behind them
_ADDED_LINE = re.compile(
    r"\[Request\ interrupted|Caveat:\ The\ messages\ below|This\ session\ is\ being\ continued\ from\ a\ previous"
    r"|(?:Conversation\ info|Sender)\ \(untrusted|System:\ \[|Base\ directory\ for\ this\ skill:"
    r"|(?:\#\ )?AGENTS\.md\ instructions\ for",
    re.VERBOSE,
)
_ID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)
_BRACKETS = re.compile(
    r"\s*(?:\[(?:image|pasted|attachment|attached|file|cron|(?:mon|tue|wed|thu|fri|sat|sun)\ \d)"
    r"[^\]\n]{0,200}\]\s*)+",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"[/!][\w:.-]+(?:\s+|$)")
_HEADING = re.compile(r"\s*\#{1,6}\s")
_SUBJECT = re.compile(r"(?:plan|task|goal)\s*[:–-]\s*(?=\S)", re.IGNORECASE)
_HELLO = re.compile(r"(?:hi|hello|hey|hallo|test|ping|continue|go on|weiter|ok|okay)[\s.!?]*", re.IGNORECASE)
_TIME_OF_LOG = re.compile(r"\[?\d{4}-\d\d-\d\d[T ][\d:.,Z+-]*\]?\s+|\[?\d{1,2}:\d\d:\d\d[\d.,]*\]?\s+")
_PASTED = re.compile(
    r"""
      \[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d          # 2026-11-22 10:15
    | \[?\d{1,2}:\d\d:\d\d\b                    # 10:15:42
    | [A-Z][a-z]{2}\ {1,2}\d{1,2}\ \d\d:\d\d:     # Nov 22 10:15:42
    | \[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b[\]:\ ]
    | (?:FAIL|PASS)\s | [✓✔✗✘×]\s | [$❯➜]\s+\S  # tests, and commands behind the sign of a shell
    | Traceback\ \(most\ recent | \s*File\ " | \s+at\ .*:\d | npm\ ERR!
    | diff\ --git\  | index\ [0-9a-f]{7}  | @@\  | \+\+\+\  | ---\  | [<>|]\s
    | [\[{]["\[{\s]*["\d] | [\[{]\s*$           # JSON
    | </?(?!(?:[biu]|em|strong|code|kbd)>)[A-Za-z!?]  # markup, but not of single words
    | [^\w\s]*$                                 # a rule
    """,
    re.VERBOSE,
)
_MARKS = re.compile(r"^\s*(?:\#{1,6}\s+|[-*+]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+")  # Markdown's headings and lists
_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)")
_ADDRESS = re.compile(r"https?://(?:www\.)?([^\s/?#<>]+)[^\s<>]*")
_PATH = re.compile(r"@?(?<![\w/])(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w.@+-]+[/\\]){2,}([\w.@+-]*\w)")
_INLINE = re.compile(r"</?(?:[biu]|em|strong|code|kbd)>")
_EMPHASIS = re.compile(r"(\*\*|`+)(?=\S)(.+?)(?<=\S)\1")
_STRESS = re.compile(r"(?<![\w*/])\*(?=[^\s*/])([^*]{1,200})(?<=\S)\*(?![\w*/])")
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|hallo|ok|okay|alright|all\ right|good\ (?:morning|evening|afternoon)|guten\ (?:tag|morgen))"
    r"(?:\ (?:there|all|everyone|claude|codex|chatgpt|gemini))?[,.!:–—-]+\s*"
    r"|(?:(?:please|can\ you|could\ you)\ help(?:\ me)?|i\ need\ (?:your\ |some\ )?help)[.!?:]+\s*)+",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?…])[\"')\]]?\s+|(?<=[。！？])")


def title_in(prompt: str) -> str:
    """Return the title of a session that begins with `prompt`, of at most TITLE characters; "" for no text."""
    return _first_title(prompt) or _pasted_title(prompt)


def descriptive_title(prompt: str) -> str:
    """Return the title when the prompt says what the session is about.

    "" for a command without a text, a greeting, or a text that is all pasted.
    """
    title = _first_title(prompt)
    is_short = len(title) <= _TELLING and title.isascii()
    return "" if is_short or _HELLO.fullmatch(title) or _COMMAND.match(title) else title


def _first_title(prompt: str) -> str:
    """Return the title in the lines that the person wrote; "" when nothing else than pasted text is left."""
    written = [*_written(_lines(_without_leading_tags(prompt)))]
    for at, line in enumerate(written):
        if title := _title(line):
            behind = written[at + 1 : at + 2] if line.rstrip().endswith(":") else []
            return _joined(title, behind[0]) if behind else _cut(title)
    return ""


def _joined(title: str, behind: str) -> str:
    """Return a line that ended with a colon, with the line behind it; a heading behind it says more than both."""
    other = _title(behind)
    if other and _HEADING.match(behind):
        return _cut(_SUBJECT.sub("", other, count=1))
    return _cut(f"{title}: {other}" if other and len(title) <= _LEAD_IN else title)


def _pasted_title(prompt: str) -> str:
    """Return the title of a prompt in which nothing is written: its first line, without times and ids."""
    for line in _lines(_without_leading_tags(prompt)):
        is_fence = line.lstrip()[:3] in _FENCE
        if not (is_fence or _ADDED_LINE.match(line)):
            text = one_line(_TIME_OF_LOG.sub("", _ID.sub("", line), count=1), LONGEST_LINE).strip()
            if text:
                return _cut(text)
    return ""


def _lines(text: str) -> list[str]:
    return [line[:LONGEST_LINE] for line in text.splitlines()[:MOST_LINES] if line.strip()]


def _without_leading_tags(prompt: str) -> str:
    """Return the text without the tags at its beginning and what is in them; without other text, what is in them."""
    text = _TERMINAL.sub("", prompt) if "\x1b" in prompt else prompt
    for _ in range(_NESTED):
        inside, behind = _untagged(text)
        if inside is None:
            return text
        if behind.strip():
            return behind
        text = inside
    return text


def _untagged(text: str) -> tuple[str | None, str]:
    """Return what is in the first tag that a person may have filled, and the text behind all tags at the beginning.

    None when the text does not begin with a tag.
    """
    inside, at = None, 0
    while found := _TAG.match(text, at):
        close = found.end() if found[2] else text.find(f"</{found[1]}>", found.end())
        end = close if found[2] else close + len(found[1]) + 3
        if close < 0 or text[end:].lstrip(" ")[:1] not in ("", "\n", "\r", "<"):
            break  # not closed, or markup inside of a line
        at = end
        if not inside:
            is_added = found[1].lower() in _ADDED
            inside = "" if is_added or found[2] else text[found.end() : close]
    return inside, text[at:]


def _written(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that the person wrote, without those that look pasted."""
    fence = ""
    for line in lines:
        begins = line.lstrip()[:3]
        if fence:
            fence = "" if begins == fence else fence
        elif begins in _FENCE:
            fence = begins
        elif not (_PASTED.match(line) or _ADDED_LINE.match(line)):
            yield line


def _title(line: str) -> str:
    text = _LINK.sub(r"\1", _ID.sub("", _BRACKETS.sub("", line, count=1) if line.lstrip()[:1] == "[" else line))
    text = _PATH.sub(r"\1", _ADDRESS.sub(_shortened, text))
    text = _STRESS.sub(r"\1", _EMPHASIS.sub(r"\2", _INLINE.sub("", _MARKS.sub("", text, count=1))))
    text = one_line(text, LONGEST_LINE).strip()
    text = text[_greeting(text) :]
    command = _COMMAND.match(text)
    if command is not None and len(text) - command.end() >= _SHORTEST:
        text = text[command.end() :]
    return _sentence(text).rstrip(" .,:;。")


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
    return cut_between_words(text, TITLE)
