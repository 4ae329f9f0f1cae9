"""The translation of the cards' texts. Functions build the cards, and they have no `tr` method."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Card", text, comment, count)
