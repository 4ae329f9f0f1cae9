"""Texts of the parts below the window, said in its language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from stemmata.domain.phrases import said
from stemmata.gui.widgets.figures import number

CONTEXT = "Phrases"


def told(text: str) -> str:
    """A phrase, or the words of an error, as far as there is a translation."""
    return said(text, lambda words: QCoreApplication.translate(CONTEXT, words), number)
