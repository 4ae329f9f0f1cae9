"""Translation of what cards say; they are built by functions, which have no `tr` of their own."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def tr(text: str) -> str:
    return QCoreApplication.translate("Card", text)
