"""A language that nobody speaks: each text stands in brackets, so that what was never translated is seen."""

from __future__ import annotations

import re

from PySide6.QtCore import QTranslator

OPEN, CLOSE = "⟦", "⟧"
FILL = "~" * 11 + " "  # words as long as other languages have them: lines can be broken between them


class PseudoLanguage(QTranslator):
    """`longer`: by which part of its length each text grows, as other languages are longer than English."""

    def __init__(self, longer: float = 0.0) -> None:
        super().__init__()
        self._longer = longer

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, _comment: str | None = None, _count: int = -1) -> str:
        if not source or re.match(r"Q[A-Z]", context):  # Qt’s own texts, names of keys among them
            return source
        letters = len(re.sub(r"\{\d\}|%L?n", "", source))
        more = round(letters * self._longer)
        return f"{OPEN}{source}{(FILL * more)[:more].rstrip()}{CLOSE}"


def outside(text: str) -> str:
    """What of a text stands in no brackets."""
    depth, out = 0, []
    for letter in text:
        depth += (letter == OPEN) - (letter == CLOSE)
        out.append(" " if depth or letter == CLOSE else letter)
    return "".join(out)
