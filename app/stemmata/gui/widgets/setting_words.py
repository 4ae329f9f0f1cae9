"""How settings, which are named for the file, are named for people."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from stemmata.domain.preferences import Value


def tr(text: str) -> str:
    return QCoreApplication.translate("Settings", text)


def name_text(name: str) -> str:
    """`keep_recent_tokens` → `Keep recent tokens`."""
    return tr(name.replace("_", " ").replace("-", " ").capitalize())


def value_text(value: Value | None) -> str:
    match value:
        case None:
            return tr("not set")
        case bool():
            return tr("on") if value else tr("off")
        case int():
            return f"{value:,}"
    return name_text(value)
