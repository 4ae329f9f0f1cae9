"""Markdown with its marks taken off, for places where there is room for one line and none for a rendering."""

from __future__ import annotations

import re

_MARKS = frozenset("*`#>|[-+~")
_CJK = "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"  # no space parts these words
_PATTERNS = tuple(
    (re.compile(pattern, re.MULTILINE), instead)
    for pattern, instead in (
        (r"^[ \t]*(?:```|~~~).*$", ""),  # fences, with their language
        (r"\|?(?:[ \t]{0,8}:?-{2,64}:?[ \t]{0,8}\|)+", " "),  # the rule of a table
        (r"^[ \t]*\|(?=.*\|)", ""),
        (r"(?<=\S)[ \t]+\|[ \t]*$", ""),
        (r"(?:^[ \t]*[-*+][ \t]+|(?<!\S)[-*+][ \t]+(?=\[[ xX]\][ \t]))(?:\[[ xX]\][ \t]+)?", "· "),
        (r"(?:^[ \t]*#|(?<!\S)##)#{0,5}[ \t]+(?=\S)", ""),
        (r"^[ \t]*>+[ \t]?", ""),
        (r"!?\[([^\]\[\n]{0,200})\]\([^()\s]{1,500}\)", r"\1"),
        (r"(?<!\w)(?:\*\*|~~)(?=\S)|(?<=\S)(?:\*\*|~~)(?!\w)", ""),
        (rf"(?<={_CJK})(?:\*\*|~~)(?=\S)|(?<=\S)(?:\*\*|~~)(?={_CJK})", ""),
        (r"(?<![\w*/])\*(?=[^\s*/])([^*\n]{1,200})(?<=\S)\*(?![\w*/])", r"\1"),
        (rf"(?<={_CJK})\*(?=[^\s*/])([^*\n]{{1,200}})(?<=\S)\*(?![a-zA-Z0-9*/])", r"\1"),
        (rf"(?<![\w*/])\*(?=[^\s*/])([^*\n]{{1,200}})(?<=\S)\*(?={_CJK})", r"\1"),
        (r"`+", ""),
    )
)


def plain_text(text: str) -> str:
    """What a reader of the rendering would read, lines kept. Works on a line of several run together as well.

    Takes time linear in the text. Underscores stay: they belong to names more often than they are marks.
    """
    if _MARKS.isdisjoint(text):
        return text
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text.removeprefix("· ")
