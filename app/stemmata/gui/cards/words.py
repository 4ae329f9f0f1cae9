"""Translation of what cards say; they are built by functions, which have no `tr` of their own."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Card", text, comment, count)
