"""Texts of the parts below the window, said in its language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from stemmata.domain.text.phrases import said

CONTEXT = "Phrases"


def told(text: str) -> str:
    """A phrase, or the words of an error, as far as there is a translation."""
    group = QLocale().groupSeparator()
    return said(
        text, lambda words: QCoreApplication.translate(CONTEXT, words), lambda n: f"{n:,}".replace(",", group)
    )
