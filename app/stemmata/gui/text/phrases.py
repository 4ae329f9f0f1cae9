"""Translates the texts of the layers below the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from stemmata.domain.text.phrases import translated

CONTEXT = "Phrases"


def translate_phrase(text: str) -> str:
    """Return a phrase or an error's text in the language of the window; text without a translation is unchanged."""
    group = QLocale().groupSeparator()
    return translated(
        text, lambda words: QCoreApplication.translate(CONTEXT, words), lambda n: f"{n:,}".replace(",", group)
    )
