"""How settings, which are named for the file, are named for people."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from stemmata.domain.preferences import Value
from stemmata.gui.widgets.figures import number

LANGUAGES = {"en": "English", "de": "Deutsch"}


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("Settings", text, comment, count)


def english(name: str) -> str:
    """`keep_recent_tokens` → `Keep recent tokens`, a language by its own name."""
    return LANGUAGES.get(name, name.replace("_", " ").replace("-", " ").capitalize())


def name_text(name: str) -> str:
    """`english`, translated."""
    return tr(english(name))


def value_text(value: Value | None) -> str:
    match value:
        case None | "":
            return tr("not set")
        case bool():
            return tr("on") if value else tr("off")
        case int():
            return number(value)
    return name_text(value)
