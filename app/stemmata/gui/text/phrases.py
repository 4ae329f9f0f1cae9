"""Texts of the parts below the window, said in its language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from stemmata.domain.text.phrases import translated

CONTEXT = "Phrases"


def told(text: str) -> str:
    """A phrase, or the words of an error, as far as there is a translation."""
    group = QLocale().groupSeparator()
    return translated(
        text, lambda words: QCoreApplication.translate(CONTEXT, words), lambda n: f"{n:,}".replace(",", group)
    )
