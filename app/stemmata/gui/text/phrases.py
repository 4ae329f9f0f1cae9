"""Translates the texts of the layers below the window."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication, QLocale

from stemmata.domain.text.phrases import translated

CONTEXT = "Phrases"
_FIGURE = re.compile(r"(?:[≈=] )?\d{1,9}(?:\.\d)?[kM]?(?:/\d{1,9}(?:\.\d)?[kM]?(?: \(\d{1,3}[%]\))?)?")


def translate_phrase(text: str) -> str:
    """Return a phrase or an error's text in the language of the window; text without a translation is unchanged."""
    return translated(text, lambda words: QCoreApplication.translate(CONTEXT, words), _number)


def _number(value: int | str) -> str:
    """Return a number with the digit groups of the language, a figure such as `≈ 24.8k` with its decimal point."""
    if isinstance(value, int):
        return f"{value:,}".replace(",", QLocale().groupSeparator())
    return value.replace(".", QLocale().decimalPoint()) if _FIGURE.fullmatch(value) else value
