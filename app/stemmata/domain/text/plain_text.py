"""Removes Markdown marks from text, for places that show plain text, such as one-line previews."""

from __future__ import annotations

import re
from functools import cache

_MARKS = frozenset("*`#>|[-+~")
# Chinese, Japanese and Korean words are not separated by spaces.
_CJK = "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
_NO_PATH = r"(?!(?<=/)\*\*(?!\w)|(?<!\w)\*\*/)"  # not before ** that stands for folders, as in src/**/*.ts
# The marks of which a text must have one, the pattern, and its replacement. Most texts have few of the marks.
_PATTERNS = (
    ("`~", r"^[ \t]*(?:```|~~~).*$", ""),  # fences, with their language
    ("|", r"\|?(?:[ \t]{0,8}:?-{2,64}:?[ \t]{0,8}\|)+", " "),  # the line between a table's head and body
    ("|", r"^[ \t]*\|(?=.*\|)", ""),
    ("|", r"(?<=\S)[ \t]+\|[ \t]*$", ""),
    ("-*+", r"(?:^[ \t]*[-*+][ \t]+|(?<!\S)[-*+][ \t]+(?=\[[ xX]\][ \t]))(?:\[[ xX]\][ \t]+)?", "· "),
    ("#", r"(?:^[ \t]*#|(?<!\S)##)#{0,5}[ \t]+(?=\S)", ""),
    (">", r"^[ \t]*>+[ \t]?", ""),
    ("[", r"!?\[([^\]\[\n]{0,200})\]\([^()\s]{1,500}\)", r"\1"),
    ("*~", rf"{_NO_PATH}(?:(?<!\w)(?:\*\*|~~)(?=\S)|(?<=\S)(?:\*\*|~~)(?!\w))", ""),
    ("*~", rf"{_NO_PATH}(?:(?<={_CJK})(?:\*\*|~~)(?=\S)|(?<=\S)(?:\*\*|~~)(?={_CJK}))", ""),
    ("*", r"(?<![\w*/])\*(?=[^\s*/])([^*\n]{1,200})(?<=\S)\*(?![\w*/])", r"\1"),
    ("*", rf"(?<={_CJK})\*(?=[^\s*/])([^*\n]{{1,200}})(?<=\S)\*(?![a-zA-Z0-9*/])", r"\1"),
    ("*", rf"(?<![\w*/])\*(?=[^\s*/])([^*\n]{{1,200}})(?<=\S)\*(?={_CJK})", r"\1"),
    ("`", r"`+", ""),
)


PATTERNS = range(len(_PATTERNS))  # the numbers of the patterns


@cache
def compiled(number: int) -> re.Pattern[str]:
    """Return the pattern with a number, compiled when it is first needed: all take as long as loading ten modules.

    The window compiles one after the other before a text is shown.
    """
    return re.compile(_PATTERNS[number][1], re.MULTILINE)


def plain_text(text: str) -> str:
    """Return the text without Markdown marks; line breaks are kept.

    Works also on text whose lines were joined into one. Takes time linear in the text. Underscores are kept, since
    they are part of a name more often than they are marks.
    """
    marks_in_text = [mark for mark in _MARKS if mark in text]
    if not marks_in_text:
        return text
    present = frozenset(marks_in_text)
    for number, (marks, _pattern, instead) in enumerate(_PATTERNS):
        if not present.isdisjoint(marks):
            text = compiled(number).sub(instead, text)
    return text.removeprefix("· ")
